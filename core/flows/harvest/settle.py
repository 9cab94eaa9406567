"""What became of one error: resolved and by what, transient, or still open."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from core.flows.harvest import programs
from core.flows.harvest.changes import Change
from core.flows.harvest.command import Command
from core.flows.harvest.events import Confidence, HarvestedError, Ran, Said
from core.flows.harvest.explain import QUOTE_LIMIT, claims_action, explanation_of
from core.flows.harvest.outcome import Named, Outcome
from core.flows.harvest.relation import Relation, differs
from core.flows.harvest.resolution_text import HINT_LIMIT, relative, resolution_text

FAR: Final = 60
"""Steps between an error and its fix from which the link between the two is weak."""
FAR_HOURS: Final = 12.0
_KEPT = 400


@dataclass(frozen=True, slots=True)
class Step:
    """One successful tool call: its place in the events (`at`) and in its session (`idx`), and what it changed."""

    at: int
    tool: str
    session_id: str
    idx: int
    change: Change | None


@dataclass(frozen=True, slots=True)
class Run:
    """A result that was judged (its text dropped), with the command that gave it."""

    at: int
    ran: Ran
    command: Command
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Verified:
    """The run that showed an error gone, and how it relates to the failing one."""

    run: Run
    relation: Relation
    replaced: bool = False


@dataclass(slots=True)
class OpenError:
    """An error that no run has shown gone yet, and what is known of it."""

    named: Named
    first: Run
    keys: int
    mentions: frozenset[str]
    commands: list[Command] = field(default_factory=list[Command])
    programs: set[str] = field(default_factory=set[str])
    last: Run = field(init=False)
    replaced: Verified | None = None
    narrower: Verified | None = None

    def __post_init__(self) -> None:
        self.last = self.first
        self._ran_as(self.first.command)

    def seen_again(self, run: Run) -> None:
        """It is still there: whatever seemed to have fixed it did not."""
        self.last = run
        self.replaced = self.narrower = None
        self._ran_as(run.command)

    def _ran_as(self, command: Command) -> None:
        if command not in self.commands:
            self.commands.append(command)
            self.programs.update(part.program for part in command.members)


def slim_change(change: Change | None) -> Change | None:
    """`change` without what is too long to be shown, so that a long session needs little memory."""
    if change is None:
        return None
    hints = tuple(hint for hint in change.hints if len(hint.old) + len(hint.new) <= HINT_LIMIT)
    return change._replace(hints=hints, command=None if change.command is None else change.command[:_KEPT])


@dataclass(slots=True)
class Past:
    """What a chain remembers while an error is open in it: what was done and what was said, each with its place."""

    project: str
    steps: list[Step] = field(default_factory=list[Step])
    words: list[tuple[int, Said]] = field(default_factory=list[tuple[int, Said]])

    def said_between(self, start: int, end: int | None) -> list[Said]:
        """What was said after the place `start` and before `end`, if there is one."""
        return [said for at, said in self.words if start < at and (end is None or at < end)]


@dataclass(frozen=True, slots=True)
class Fix:
    """What lies between an error and the run that showed it gone.

    `by` is what made the error go away since it was last seen, None where nothing did; `told` a person's own words if
    they did it. `steps` are all successful ones since the error was first seen, `changes` what they changed;
    `changed`: the command itself is another one.
    """

    by: str | None
    told: Said | None
    steps: tuple[Step, ...]
    changes: tuple[tuple[Step, Change], ...]
    changed: bool


def _at(step: Step) -> int:
    return step.at


def fix_of(error: OpenError, verified: Verified, past: Past) -> Fix:
    """What fixed `error`, if `verified` showed it gone."""
    run = verified.run
    steps = tuple(
        past.steps[bisect_right(past.steps, error.first.at, key=_at) : bisect_left(past.steps, run.at, key=_at)]
    )
    changes = [(step, step.change) for step in steps if step.change is not None]
    certain = tuple((step, change) for step, change in changes if change.certain)
    changed = verified.relation != "covers" and differs(error.last.command, run.command, past.project)
    since = [step for step, _ in certain if step.at > error.last.at]
    since = since or [step for step, _ in changes if step.at > error.last.at]
    if since:
        return Fix(since[-1].tool, None, steps, certain, changed)
    sure = verified.relation != "narrower"
    if changed and (sure or _prepares(run.command, error.last.command)):
        return Fix(run.ran.tool, None, steps, certain, changed)
    told = claims_action(past.said_between(error.last.at, run.at)) if sure else None
    return Fix(None if told is None else "user", told, steps, certain, changed)


def settle(error: OpenError, verified: Verified | None, past: Past, *, after: bool = False) -> HarvestedError:
    """What became of `error`, if `verified` showed it gone; `after` lets words after that run explain it too."""
    unresolved = HarvestedError(
        key=error.named.key,
        normalized=error.named.normalized,
        fingerprint=error.named.fingerprint,
        tool=error.first.ran.tool,
        command=error.first.command.text,
        session_id=error.first.ran.session_id,
        message_idx=error.first.ran.idx,
        ts=error.first.ran.ts,
    )
    if verified is None:
        return unresolved
    fix = fix_of(error, verified, past)
    if fix.by is None:
        return unresolved._replace(transient=verified.relation in ("same", "covers") and not verified.replaced)
    spoken = past.said_between(error.first.at, None if after else verified.run.at)
    return _resolved(unresolved, error, verified, fix, spoken, past.project)


def _prepares(later: Command, failed: Command) -> bool:
    """Whether the later command does something first that the failing one did not (`git pull --rebase && git push`)."""
    before = {part.family for part in failed.members}
    return any(part.named(programs.CHANGERS) and part.family not in before for part in later.members[:-1])


def _resolved(
    unresolved: HarvestedError,
    error: OpenError,
    verified: Verified,
    fix: Fix,
    spoken: Sequence[Said],
    project: str,
) -> HarvestedError:
    run = verified.run
    made = [change for _, change in fix.changes]
    files = tuple(dict.fromkeys(relative(path, project) for change in made for path in change.files))
    hints = [hint._replace(file=relative(hint.file, project)) for change in made for hint in change.hints]
    commands = tuple(dict.fromkeys(change.command for change in made if change.command))
    instead = (error.last.command.text, run.command.text) if fix.changed else None
    about = " ".join((*files, *commands, *(hint.new for hint in hints), *(instead[1:] if instead else ())))
    found = explanation_of(spoken, error.named.key.text, about)
    if fix.told is not None:
        found = (fix.told.text[:QUOTE_LIMIT], fix.told)
    explanation = None if found is None else (found[0], found[1].idx)
    text = resolution_text(
        files=files,
        hints=hints,
        commands=commands,
        instead=instead,
        explanation=explanation,
        by_a_person=fix.told is not None,
        checked=run.command.text,
        checked_idx=run.ran.idx,
    )
    places = [
        (error.first.ran.session_id, error.first.ran.idx),
        *((step.session_id, step.idx) for step, _ in fix.changes),
    ]
    return unresolved._replace(
        resolved=True,
        resolved_by=fix.by,
        tool_sequence=tuple(step.tool for step in fix.steps),
        files_changed=files,
        commands=commands,
        explanation=explanation,
        resolution_text=text,
        verified_session=run.ran.session_id,
        verified_idx=run.ran.idx,
        verified_ts=run.ran.ts,
        message_ids=tuple(sorted({idx for session, idx in places if session == run.ran.session_id} | {run.ran.idx})),
        confidence=_confidence(error, verified, fix),
    )


def _confidence(error: OpenError, verified: Verified, fix: Fix) -> Confidence:
    """High: one key, one change, verified by the same command. Low: another command, a long gap, an unseen change."""
    unseen = fix.told is not None or not (fix.changes or fix.changed)
    far = len(fix.steps) > FAR or _hours(error.last.ran.ts, verified.run.ran.ts) > FAR_HOURS
    if verified.relation == "narrower" or unseen or far:
        return "low"
    simple = error.keys == 1 and len(fix.changes) == 1 and verified.relation == "same"
    return "high" if simple and not fix.changed and not verified.replaced else "medium"


def _hours(start: str, end: str) -> float:
    """Hours from one ISO time to another; 0.0 where either is none."""
    try:
        return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() / 3600
    except (ValueError, TypeError):
        return 0.0
