"""The fold over a session's events that finds its errors and what became of each.

The rule, step by step: one error a key; the next run of the same command family in the same chain decides; a key that
is gone is resolved, even if another error took its place; a success that has nothing to do with it resolves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from core.flows.harvest.changes import Change
from core.flows.harvest.command import Command
from core.flows.harvest.command_relation import RELATIONS, Relation, relation
from core.flows.harvest.events import Event, HarvestedError, Ran, Statement
from core.flows.harvest.fixes.correction import (
    Corrected,
    correction,
    lost_parts,
    moved_to_file,
    reaches,
    retried,
    same_words,
)
from core.flows.harvest.fixes.likelihood import Trial
from core.flows.harvest.outcome import GUESSED, judge_running, script_ended
from core.flows.harvest.resolve import (
    OpenError,
    Past,
    Run,
    Step,
    Verified,
    Weighed,
    failure_of,
    fix_of,
    is_whole,
    settle,
    unresolved,
    weigh,
    would_be_strong,
)
from core.flows.harvest.session_events import Result, Seen, clues_in, named_command, observe, result_of

STEPS_KEPT: Final = 4_000
"""Steps of a chain that are remembered while an error is open."""
OPEN_KEPT: Final = 150
"""Errors of a chain that wait for their fix at the same time."""
CORRECTED_WITHIN: Final = 14
"""Events in which another command can be the failing one, corrected."""
STATEMENTS_KEPT: Final = 60
STARTED_KEPT: Final = 100

_WHOLE: Final = ("same", "covers")
_WORKED: Final = ("passed", "filtered", "alive")
_CODE = re.compile(r"<exit_code>(-?\d+)</exit_code>")
_STATE = re.compile(r"<status>(\w+)</status>")


def harvest(events: Iterable[Event], project: str = "", *, running: bool = False) -> Iterator[HarvestedError]:
    """The errors of one session (a resumed one after the one it continues), in the order in which they are settled.

    Pure: reads `events` once, in message order, and holds only what open errors need. `project` is the directory the
    session worked in; files are named relative to it. In a session that is still `running`, an error that no run has
    shown gone stays open: what was done last may be its fix, and the run that shows so is to come.
    """
    return fold(map(observe, events), project, running=running)


def fold(
    events: Iterable[Seen],
    project: str = "",
    judged: Callable[[Result], None] = lambda result: None,
    *,
    running: bool = False,
) -> Iterator[HarvestedError]:
    """As `harvest`, of events that were looked at already.

    `judged` is called with every result as it is finally judged: a look at a background task as the command it runs.
    """
    chains: dict[str, _Chain] = {}
    for at, event in enumerate(events):
        name = event.chain if isinstance(event, Statement) else event.ran.chain
        chain = chains.get(name)
        if chain is None:
            chain = chains[name] = _Chain(Past(project), judged)
        if isinstance(event, Statement):
            chain.add_statement(at, event)
        else:
            yield from chain.ran(at, event)
    for chain in chains.values():
        yield from chain.end(running)


@dataclass(frozen=True, slots=True)
class _Unproven:
    """An error that a partial check shows fixed: a later run of the whole check makes the fix strong."""

    error: OpenError
    settled: HarvestedError


@dataclass(slots=True)
class _Started:
    """A background task: the call that began it, the steps done by then, and its latest output that named an error."""

    result: Result
    step: int
    named: Result | None = None


@dataclass(slots=True)
class _Chain:
    """One agent's line of work: what is open in it, and what was done and said since."""

    past: Past
    judged: Callable[[Result], None]
    open: dict[str, OpenError] = field(default_factory=dict[str, OpenError])
    started: dict[str, _Started] = field(default_factory=dict[str, "_Started"])
    unproven: dict[str, _Unproven] = field(default_factory=dict[str, _Unproven])
    spoken: list[str] = field(default_factory=list[str])
    has_request: bool = False

    def add_statement(self, at: int, statement: Statement) -> None:
        if not self.open:
            return
        self.past.words.append((at, statement))
        del self.past.words[:-STATEMENTS_KEPT]
        if statement.role == "user":
            self.has_request = True
        else:
            self.spoken = [*self.spoken[-1:], statement.text]

    def _tried(self, at: int, tool: str, result: Result) -> None:
        """Let every open error know of a call that may be part of its fix; a look at a task counts as its start."""
        if not self.open:
            self.spoken, self.has_request = [], False
            return
        ran, verdict, command, began = result.ran, result.outcome.verdict, result.command, result.call_idx
        answered = result.shell and result.outcome.sign == "answer" and result.outcome.reason != GUESSED
        worked = verdict == "alive" or (verdict != "failed" and (ran.failure == "none" or answered))
        errors = [error.key for error in result.outcome.errors] if verdict == "failed" else []
        trial = Trial(
            at, tool if began is None else ran.tool, ran.session_id, ran.idx if began is None else began, ran.called,
            result.change, command, result.shell and ran.failure != "denied", succeeded=worked,
            passed=verdict == "passed", spoken=tuple(self.spoken), has_request=self.has_request,
            errors=tuple(key.text for key in errors), blamed=frozenset(key.tool for key in errors),
        )  # fmt: skip
        run = None if command is None else _run(at, result, command)
        for error in self.open.values():
            error.tried(trial, run)
        self.spoken, self.has_request = [], False

    def ran(self, at: int, result: Result) -> Iterator[HarvestedError]:
        ran, change, earlier = result.ran, result.change, None
        if result.look:
            of_task, earlier = self._background_result(ran)
            if of_task is not None:
                result, change = of_task, of_task.change if of_task.shell else None
            elif result.outcome.verdict != "failed":
                self._tried(at, ran.tool, result)
                self.judged(result)
                if ran.failure == "none":
                    self._add_step(at, ran, change)
                return
        self._tried(at, ran.tool, result)
        if result.begun:
            self._begin(result.begun, result)
        self.judged(result)
        outcome = result.outcome
        command = result.command
        if outcome.verdict == "running":
            if command is not None and outcome.sign == "incident" and result.call_idx is not None:
                yield from self._open(_run(at, result, command), result)
            self._add_step(at, ran, None if result.shell else change)
            return
        if outcome.verdict == "failed" and command is not None:
            if earlier is not None and not outcome.errors:
                result, outcome = earlier, earlier.outcome._replace(verdict="failed")
            run = _run(at, result._replace(outcome=outcome), command)
            yield from self._prove(run)
            yield from self._failed(run, result)
            return
        over = outcome.verdict in _WORKED or (outcome.sign == "answer" and result.escalated)
        if command is not None and over and (self.open or self.unproven):
            run = _run(at, result, command)
            yield from self._prove(run)
            yield from self._passed(run)
        if ran.failure == "none":
            began = {} if result.call_idx is None else {"tool": result.ran.tool, "idx": result.call_idx}
            self._add_step(at, ran._replace(**began), change)

    def end(self, running: bool) -> Iterator[HarvestedError]:
        """What is still open at the end: settled by the best evidence there was, or unresolved."""
        yield from (one.settled for one in self.unproven.values())
        self.unproven.clear()
        for error in self.open.values():
            verified = error.replaced or error.narrower
            yield unresolved(error) if running and verified is None else settle(error, verified, self.past)
        self.open.clear()

    def _begin(self, task: str, result: Result) -> None:
        """What was only started is running, and must neither pass nor fail."""
        self.started[task] = _Started(result, len(self.past.steps), result if result.outcome.errors else None)
        if len(self.started) > STARTED_KEPT:
            del self.started[next(iter(self.started))]

    def _background_result(self, ran: Ran) -> tuple[Result | None, Result | None]:
        """A look at a background task as a result of the command that it runs, None where it is no look at one; and
        the latest output of that task, before this one, that named an error."""
        named = (ran.tool_input.get(key) for key in ("bash_id", "shell_id", "task_id", "session_id", "cell_id", "id"))
        task = next((str(value) for value in named if value is not None), "")
        if task not in self.started or ran.failure in ("denied", "interrupted"):
            return None, None
        task, started = self._moved(task, ran), self.started.pop(task)
        self.started[task] = started
        origin, step, earlier = started.result.ran, started.step, started.named
        state, code = _STATE.search(ran.text[:600]), _CODE.search(ran.text[:600])
        exit_code = ran.exit_code if ran.exit_code is not None else int(code[1]) if code else None
        actual = ran._replace(
            tool=origin.tool,
            tool_input=origin.tool_input,
            called=origin.called,
            failure="error" if exit_code else "none",
            exit_code=exit_code,
        )
        ended = script_ended(ran, origin) if exit_code is None else None
        over = exit_code is not None or ended is not None or (state is not None and state[1] != "running")
        if over:
            del self.started[task]
        if over and exit_code is None and ended is None:
            return None, None
        if over and step < len(self.past.steps) and self.past.steps[step].idx == origin.idx:
            del self.past.steps[step]
        if over:
            judged = result_of(actual._replace(facts={} if ended is None else {"script": True}))
            return judged._replace(escalated=started.result.escalated, call_idx=origin.idx), earlier
        judged = result_of(actual)._replace(escalated=started.result.escalated, call_idx=origin.idx)
        command = judged.command or named_command(actual)
        outcome = judge_running(actual)
        judged = judged._replace(command=command, outcome=outcome, begun=None, clues=clues_in(actual.text, outcome))
        if judged.outcome.errors:
            started.named = judged
        return judged, earlier

    @staticmethod
    def _moved(task: str, ran: Ran) -> str:
        """The task, or the session in which a script that ended has left its command running."""
        return str(ran.facts.get("background") or task)

    def _add_step(self, at: int, ran: Ran, change: Change | None) -> None:
        """Remember a successful step, as long as an error is open that it may have fixed."""
        if not self.open:
            self.past.steps.clear()
            self.past.words.clear()
            return
        self.past.steps.append(Step(at, ran.tool, ran.session_id, ran.idx, change, ran.called))
        if len(self.past.steps) > STEPS_KEPT:
            del self.past.steps[0]

    def _failed(self, run: Run, result: Result) -> Iterator[HarvestedError]:
        named = (error.fingerprint for error in run.outcome.errors)
        clues = dict(zip(named, result.clues, strict=True))
        for name in [name for name in clues if name in self.open]:
            error = self.open[name]
            if error.is_past:
                del self.open[name]
                yield settle(error, error.replaced or error.narrower, self.past)
            elif (cured := _relapsed(error, run, self.past)) is not None:
                del self.open[name]
                yield settle(error, cured.first, self.past, cured)
        for error in self.open.values():
            if error.named.fingerprint in clues:
                error.attempts -= _are_of_one_call(error.last, run)
                error.reopen(run, clues[error.named.fingerprint])
            elif error.replaced is None and run.outcome.whole and self._relation(error, run) == "same":
                verified = Verified(run, "same", replaced=True)
                if fix_of(error, verified, self.past).by is not None:
                    error.replaced = verified
        yield from self._open(run, result)

    def _open(self, run: Run, result: Result) -> Iterator[HarvestedError]:
        """Begin the errors of a run that are not open yet. A task that still runs may never be looked at again."""
        clues = dict(zip((error.fingerprint for error in run.outcome.errors), result.clues, strict=True))
        for named in run.outcome.errors:
            if named.fingerprint not in self.open:
                clue = clues[named.fingerprint]
                names = result.mentions | clue.tests
                self.open[named.fingerprint] = OpenError(named, run, len(run.outcome.errors), names, clue)
        while len(self.open) > OPEN_KEPT:
            oldest = self.open.pop(next(iter(self.open)))
            yield settle(oldest, oldest.replaced or oldest.narrower, self.past)

    def _passed(self, run: Run) -> Iterator[HarvestedError]:
        for fingerprint, error in list(self.open.items()):
            if error.is_older(run.ran.session_id, run.ran.called):
                continue
            if _are_of_one_call(error.last, run):
                del self.open[fingerprint]  # the task that printed it while it ran ended well
                continue
            if run.outcome.verdict == "silent":
                if _got_outside(error, run):
                    del self.open[fingerprint]
                    yield from self._settled(error, Verified(run, "same"))
                continue
            found = self._relation(error, run)
            why = _correction(error, run, self.past, other=found == "none")
            if why is not None:
                del self.open[fingerprint]
                yield from self._settled(error, Verified(run, "variant", correction=why))
                continue
            if found == "none" and run.outcome.verdict == "passed" and reaches(failure_of(error), run.command):
                verified = Verified(run, "covers")
                if fix_of(error, verified, self.past).steps:
                    del self.open[fingerprint]
                    yield from self._settled(error, verified)
                continue
            if found == "none" or (run.outcome.verdict == "filtered" and not _would_show(run.command, error)):
                continue
            if found == "narrower" or run.outcome.verdict != "passed":
                if error.narrower is None:
                    verified = Verified(run, "narrower")
                    if fix_of(error, verified, self.past).by is not None:
                        error.narrower = verified
                continue
            verified = replace(error.replaced, proof=run) if error.replaced else Verified(run, found)
            if found == "variant" and fix_of(error, verified, self.past).by is None:
                continue
            del self.open[fingerprint]
            yield from self._settled(error, verified)

    def _settled(self, error: OpenError, verified: Verified) -> Iterator[HarvestedError]:
        """An error that a run showed gone; one whose check was narrowed waits for the whole check."""
        weighed = weigh(error, verified, self.past)
        settled = settle(error, verified, self.past, weighed)
        if settled.resolved and settled.strength == "weak" and would_be_strong(weighed):
            self.unproven[error.named.fingerprint] = _Unproven(error, settled)
            if len(self.unproven) > OPEN_KEPT:
                yield self.unproven.pop(next(iter(self.unproven))).settled
        else:
            yield settled

    def _prove(self, run: Run) -> Iterator[HarvestedError]:
        """Fixes that a run of the whole check now proves, and those of errors that came back."""
        back = {error.fingerprint for error in run.outcome.errors}
        for fingerprint, one in list(self.unproven.items()):
            if fingerprint in back:
                yield self.unproven.pop(fingerprint).settled
            elif run.outcome.verdict == "passed" and is_whole(run) and self._relation(one.error, run) in _WHOLE:
                del self.unproven[fingerprint]
                yield one.settled._replace(strength="strong")

    @staticmethod
    def _relation(error: OpenError, run: Run) -> Relation:
        key = error.named.key
        programs = {part.program for part in run.command.members}
        if error.last.outcome.elsewhere and key.tool not in programs:
            return "none"
        if not programs & error.programs and key.tool not in programs:
            return "none"
        found: list[Relation] = [
            relation(seen, run.command, key.text, key.tool, error.mentions) for seen in error.commands
        ]
        return min(found, key=RELATIONS.index)


def _run(at: int, result: Result, command: Command) -> Run:
    return Run(at, result.ran, command, result.outcome, result.escalated, result.call_idx)


def _are_of_one_call(run: Run, other: Run) -> bool:
    """Whether both are looks at what one call runs."""
    return run.ran.session_id == other.ran.session_id and run.call_idx == other.call_idx


def _got_outside(error: OpenError, run: Run) -> bool:
    """Whether the same command ran outside the sandbox and answered in its exit code, without the error."""
    return run.escalated and not error.last.escalated and run.command.text == error.last.command.text


def _correction(error: OpenError, run: Run, past: Past, *, other: bool) -> Corrected | None:
    """Why a run of another command is the fix of the one that failed shortly before; None where it is not."""
    if run.outcome.verdict not in _WORKED or run.at - error.last.at > CORRECTED_WITHIN or error.last.outcome.elsewhere:
        return None
    failure = failure_of(error)
    lost = bool(lost_parts(failure))
    if run.command.reads_only and not (error.last.command.reads_only or lost):
        return None  # to look does not do what the failing command was to do
    if run.outcome.verdict != "passed":
        return correction(failure, run.command) if other and lost else None
    why = same_words(failure, run.command) or (correction(failure, run.command) if other else None)
    near = other and not past.changed_since(error.last.at)
    why = why or moved_to_file(failure, run.command, past.written_since(error.last.at))
    return retried(failure, run.command) if why is None and near else why


def _relapsed(error: OpenError, run: Run, past: Past) -> Weighed | None:
    """The fix of an error that a call in another form got past before `run` shows it again; None if none did."""
    if not any(trial.passed for trial in error.trials):
        return None
    weighed = weigh(error, None, past)
    green = weighed.verified
    if weighed.fix.instead is None or green is None or green.run.command.family == run.command.family:
        return None
    return weighed


def _would_show(command: Command, error: OpenError) -> bool:
    """Whether the filter of a silent run would have let the error through."""
    line = error.named.key.text.lower()
    wanted = (word.lower() for part in command.parts[1:] if part.kind != "run" for word in part.words[1:])
    return any(len(piece) > 2 and piece in line for word in wanted for piece in re.split(r"[^\w가-힣]+", word))
