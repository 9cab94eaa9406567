"""What became of one error: resolved and by what, transient, or still open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
    last: Run = field(init=False)
    replaced: Verified | None = None
    narrower: Verified | None = None

    def __post_init__(self) -> None:
        self.last = self.first
        self.commands.append(self.first.command)

    def seen_again(self, run: Run) -> None:
        """It is still there: whatever seemed to have fixed it did not."""
        self.last = run
        self.replaced = self.narrower = None
        if run.command not in self.commands:
            self.commands.append(run.command)


def slim_change(change: Change | None) -> Change | None:
    """`change` without what is too long to be shown, so that a long session needs little memory."""
    if change is None:
        return None
    hints = tuple(hint for hint in change.hints if len(hint.old) + len(hint.new) <= HINT_LIMIT)
    return replace(change, hints=hints, command=None if change.command is None else change.command[:_KEPT])


def settle(
    error: OpenError,
    verified: Verified | None,
    steps: Sequence[Step],
    words: Sequence[tuple[int, Said]],
    project: str,
    *,
    after: bool = False,
) -> HarvestedError:
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
    run = verified.run
    between = [step for step in steps if error.first.at < step.at < run.at]
    spoken = [said for at, said in words if error.first.at < at and (after or at < run.at)]
    changed = differs(error.last.command, run.command, project) and verified.relation in ("same", "variant", "narrower")
    by, told = _resolved_by(
        error, verified, between, changed, [said for at, said in words if error.last.at < at < run.at]
    )
    if by is None:
        return replace(unresolved, transient=verified.relation in ("same", "covers") and not verified.replaced)
    changes = [step for step in between if step.change is not None and step.change.certain]
    return _resolved(unresolved, error, verified, between, changes, changed, by, told, spoken, project)


def _resolved_by(
    error: OpenError, verified: Verified, between: Sequence[Step], changed: bool, spoken: Sequence[Said]
) -> tuple[str | None, Said | None]:
    """What made the error go away since it was last seen; None where nothing did."""
    since = [step for step in between if step.at > error.last.at and step.change is not None]
    certain = [step for step in since if step.change is not None and step.change.certain]
    if certain:
        return certain[-1].tool, None
    if since:
        return since[-1].tool, None
    if changed and (verified.relation != "narrower" or _prepares(verified.run.command, error.last.command)):
        return verified.run.ran.tool, None
    told = claims_action(spoken)
    return ("user", told) if told is not None and verified.relation != "narrower" else (None, None)


def _prepares(later: Command, failed: Command) -> bool:
    """Whether the later command does something first that the failing one did not (`git pull --rebase && git push`)."""
    before = {part.family for part in failed.members}
    return any(part.named(programs.CHANGERS) and part.family not in before for part in later.members[:-1])


def _resolved(
    unresolved: HarvestedError,
    error: OpenError,
    verified: Verified,
    between: Sequence[Step],
    changes: Sequence[Step],
    changed: bool,
    by: str,
    told: Said | None,
    spoken: Sequence[Said],
    project: str,
) -> HarvestedError:
    run = verified.run
    made = [step.change for step in changes if step.change is not None]
    files = tuple(dict.fromkeys(relative(path, project) for change in made for path in change.files))
    hints = [replace(hint, file=relative(hint.file, project)) for change in made for hint in change.hints]
    commands = tuple(dict.fromkeys(change.command for change in made if change.command))
    instead = (error.last.command.text, run.command.text) if changed else None
    about = " ".join((*files, *commands, *(hint.new for hint in hints), *(instead[1:] if instead else ())))
    found = explanation_of(spoken, error.named.key.text, about)
    if told is not None:
        found = (told.text[:QUOTE_LIMIT], told)
    explanation = None if found is None else (found[0], found[1].idx)
    text = resolution_text(
        files=files,
        hints=hints,
        commands=commands,
        instead=instead,
        explanation=explanation,
        by_a_person=told is not None,
        checked=run.command.text,
        checked_idx=run.ran.idx,
    )
    places = [(error.first.ran.session_id, error.first.ran.idx), *((step.session_id, step.idx) for step in changes)]
    return replace(
        unresolved,
        resolved=True,
        resolved_by=by,
        tool_sequence=tuple(step.tool for step in between),
        files_changed=files,
        commands=commands,
        explanation=explanation,
        resolution_text=text,
        verified_session=run.ran.session_id,
        verified_idx=run.ran.idx,
        verified_ts=run.ran.ts,
        message_ids=tuple(sorted({idx for session, idx in places if session == run.ran.session_id} | {run.ran.idx})),
        confidence=_confidence(error, verified, changes, changed, between, by),
    )


def _confidence(
    error: OpenError, verified: Verified, changes: Sequence[Step], changed: bool, between: Sequence[Step], by: str
) -> Confidence:
    """High: one key, one change, verified by the same command. Low: another command, a long gap, an unseen change."""
    unseen = by == "user" or not (changes or changed)
    if (
        verified.relation == "narrower"
        or unseen
        or len(between) > FAR
        or _hours(error.last.ran.ts, verified.run.ran.ts) > FAR_HOURS
    ):
        return "low"
    simple = error.keys == 1 and len(changes) == 1 and verified.relation == "same"
    return "high" if simple and not changed and not verified.replaced else "medium"


def _hours(start: str, end: str) -> float:
    """Hours from one ISO time to another; 0.0 where either is none."""
    try:
        return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() / 3600
    except (ValueError, TypeError):
        return 0.0
