"""The fold over a session's events that finds its errors and what became of each.

The rule, step by step: one error a key; the next run of the same command family in the same chain decides; a key that
is gone is resolved, even if another error took its place; a success that has nothing to do with it resolves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from core.flows.harvest.changes import Change
from core.flows.harvest.command import Command
from core.flows.harvest.events import Event, HarvestedError, Ran, Said
from core.flows.harvest.outcome import judge_running
from core.flows.harvest.relation import RELATIONS, Relation, relation
from core.flows.harvest.seen import Result, Seen, named_command, result_of, seen
from core.flows.harvest.settle import OpenError, Past, Run, Step, Verified, fix_of, settle

STEPS_KEPT: Final = 4_000
"""Steps of a chain that are remembered while an error is open."""
OPEN_KEPT: Final = 150
"""Errors of a chain that wait for their fix at the same time."""
SAID_KEPT: Final = 60
STARTED_KEPT: Final = 100

_CODE = re.compile(r"<exit_code>(-?\d+)</exit_code>")
_STATE = re.compile(r"<status>(\w+)</status>")


def harvest(events: Iterable[Event], project: str = "") -> Iterator[HarvestedError]:
    """The errors of one session (a resumed one after the one it continues), in the order in which they are settled.

    Pure: reads `events` once, in message order, and holds only what open errors need. `project` is the directory the
    session worked in; files are named relative to it.
    """
    return fold(map(seen, events), project)


def fold(events: Iterable[Seen], project: str = "") -> Iterator[HarvestedError]:
    """As `harvest`, of events that were looked at already."""
    chains: dict[str, _Chain] = {}
    for at, event in enumerate(events):
        name = event.chain if isinstance(event, Said) else event.ran.chain
        chain = chains.get(name)
        if chain is None:
            chain = chains[name] = _Chain(Past(project))
        yield from chain.said(at, event) if isinstance(event, Said) else chain.ran(at, event)
    for chain in chains.values():
        yield from chain.end()


@dataclass(frozen=True, slots=True)
class _Unexplained:
    """An error that is fixed, while what is said next may still explain why."""

    error: OpenError
    verified: Verified
    settled: HarvestedError


@dataclass(slots=True)
class _Chain:
    """One agent's line of work: what is open in it, and what was done and said since."""

    past: Past
    open: dict[str, OpenError] = field(default_factory=dict[str, OpenError])
    started: dict[str, tuple[Result, int]] = field(default_factory=dict[str, "tuple[Result, int]"])
    unexplained: list[_Unexplained] = field(default_factory=list[_Unexplained])

    def said(self, at: int, said: Said) -> Iterator[HarvestedError]:
        if self.unexplained and said.role == "user":
            yield from self._flush()
        if self.open or self.unexplained:
            self.past.words.append((at, said))
            del self.past.words[:-SAID_KEPT]

    def ran(self, at: int, result: Result) -> Iterator[HarvestedError]:
        if self.unexplained:
            yield from self._flush()
        ran, change = result.ran, result.change
        if result.look:
            of_task = self._looked_at(ran)
            if of_task is None:
                if ran.failure == "none":
                    self._done(at, ran, change)
                return
            result, change = of_task, of_task.change if of_task.shell else None
        if result.begun:
            self._begin(result.begun, result)
        outcome = result.outcome
        if outcome.verdict == "running":
            self._done(at, ran, None if result.shell else change)
            return
        command = result.command
        if outcome.verdict == "failed" and command is not None:
            yield from self._failed(Run(at, result.ran, command, outcome), result.mentions)
            return
        if self.open and command is not None and outcome.verdict in ("passed", "filtered", "alive"):
            yield from self._passed(Run(at, result.ran, command, outcome))
        if ran.failure == "none":
            self._done(at, ran, change)

    def end(self) -> Iterator[HarvestedError]:
        """What is still open at the end: settled by the best evidence there was, or unresolved."""
        yield from self._flush()
        for error in self.open.values():
            yield settle(error, error.replaced or error.narrower, self.past)
        self.open.clear()

    def _begin(self, task: str, result: Result) -> None:
        """What was only started is running, and must neither pass nor fail."""
        self.started[task] = (result, len(self.past.steps))
        if len(self.started) > STARTED_KEPT:
            del self.started[next(iter(self.started))]

    def _looked_at(self, ran: Ran) -> Result | None:
        """A look at a background task as a result of the command that it runs; None where it is no look at one."""
        named = (ran.tool_input.get(key) for key in ("bash_id", "shell_id", "task_id", "session_id", "id"))
        task = next((str(value) for value in named if value is not None), "")
        if task not in self.started or ran.failure in ("denied", "interrupted"):
            return None
        begun, step = self.started[task]
        origin = begun.ran
        state, code = _STATE.search(ran.text[:600]), _CODE.search(ran.text[:600])
        exit_code = ran.exit_code if ran.exit_code is not None else int(code[1]) if code else None
        over = exit_code is not None or (state is not None and state[1] != "running")
        if over:
            del self.started[task]
        if over and exit_code is None:
            return None
        if over and step < len(self.past.steps) and self.past.steps[step].idx == origin.idx:
            del self.past.steps[step]
        actual = ran._replace(
            tool=origin.tool,
            tool_input=origin.tool_input,
            failure="error" if exit_code else "none",
            exit_code=exit_code,
        )
        judged = result_of(actual)
        if over:
            return judged
        command = judged.command or named_command(actual)
        return judged._replace(command=command, outcome=judge_running(actual), begun=None)

    def _done(self, at: int, ran: Ran, change: Change | None) -> None:
        """Remember a successful step, as long as an error is open that it may have fixed."""
        if not self.open and not self.unexplained:
            self.past.steps.clear()
            self.past.words.clear()
            return
        self.past.steps.append(Step(at, ran.tool, ran.session_id, ran.idx, change))
        if len(self.past.steps) > STEPS_KEPT:
            del self.past.steps[0]

    def _failed(self, run: Run, mentions: frozenset[str]) -> Iterator[HarvestedError]:
        shown = {error.fingerprint for error in run.outcome.errors}
        for error in self.open.values():
            if error.named.fingerprint in shown:
                error.seen_again(run)
            elif error.replaced is None and run.outcome.whole and self._relation(error, run) == "same":
                verified = Verified(run, "same", replaced=True)
                if fix_of(error, verified, self.past).by is not None:
                    error.replaced = verified
        for named in run.outcome.errors:
            if named.fingerprint not in self.open:
                self.open[named.fingerprint] = OpenError(named, run, len(run.outcome.errors), mentions)
        while len(self.open) > OPEN_KEPT:
            oldest = self.open.pop(next(iter(self.open)))
            yield settle(oldest, oldest.replaced or oldest.narrower, self.past)

    def _passed(self, run: Run) -> Iterator[HarvestedError]:
        for fingerprint, error in list(self.open.items()):
            found = self._relation(error, run)
            if found == "none" or (run.outcome.verdict == "filtered" and not _would_show(run.command, error)):
                continue
            if found == "narrower" or run.outcome.verdict != "passed":
                if error.narrower is None:
                    verified = Verified(run, "narrower")
                    if fix_of(error, verified, self.past).by is not None:
                        error.narrower = verified
                continue
            verified = error.replaced or Verified(run, found)
            settled = settle(error, verified, self.past)
            if not settled.resolved and found == "variant":
                continue
            del self.open[fingerprint]
            if settled.resolved and settled.explanation is None:
                self.unexplained.append(_Unexplained(error, verified, settled))
            else:
                yield settled

    def _flush(self) -> Iterator[HarvestedError]:
        """Settle what was only waiting for words that explain it."""
        for one in self.unexplained:
            heard = self.past.words and self.past.words[-1][0] > one.verified.run.at
            yield settle(one.error, one.verified, self.past, after=True) if heard else one.settled
        self.unexplained.clear()

    @staticmethod
    def _relation(error: OpenError, run: Run) -> Relation:
        key = error.named.key
        programs = {part.program for part in run.command.members}
        if not programs & error.programs and key.tool not in programs:
            return "none"
        found: list[Relation] = [
            relation(seen, run.command, key.text, key.tool, error.mentions) for seen in error.commands
        ]
        return min(found, key=RELATIONS.index)


def _would_show(command: Command, error: OpenError) -> bool:
    """Whether the filter of a silent run would have let the error through."""
    line = error.named.key.text.lower()
    wanted = (word.lower() for part in command.parts[1:] if part.kind != "run" for word in part.words[1:])
    return any(len(piece) > 2 and piece in line for word in wanted for piece in re.split(r"[^\w가-힣]+", word))
