"""What a replay finds (`replay.v1`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.base.reports import SkippedLine
from core.errors.retrieval.answer import Confidence, Status, Tier


@dataclass(frozen=True, slots=True)
class Answered:
    """Failures that were answered, by confidence."""

    high: int = 0
    low: int = 0


@dataclass(frozen=True, slots=True)
class ReplayMatch:
    """The case that answers a failure. `session`: where its fix comes from; null for one that was recorded."""

    case_id: int
    tier: Tier
    confidence: Confidence
    status: Status | None
    fix: str
    session: str | None


@dataclass(frozen=True, slots=True)
class ReplayItem:
    """A failure that is no slip, as it was asked before its session was imported.

    `line` is the transcript's line of the result, from 1. `known`: the same error was imported before. `fix` is what
    fixed it in this session, null where nothing did. `agreed`: the answer says the same; null where that cannot be
    compared. `reason` says why.
    """

    session: str
    file: str
    line: int
    key_line: str
    command: str
    minutes: float
    known: bool
    match: ReplayMatch | None
    fix: str | None
    agreed: bool | None
    reason: str


@dataclass(frozen=True, slots=True)
class Replay:
    """Sessions in order of time, each asked against those before it.

    `failures` are the incidents that are no slips, each counted once a session; `known_before` those whose error was
    imported before. `minutes_spent_on_known` is what these cost. `canceled`: stopped before the last session.
    """

    SCHEMA: ClassVar[str] = "replay.v1"

    sessions: int
    failures: int
    known_before: int
    answered: Answered
    agreed: int
    disagreed: int
    minutes_spent_on_known: float
    items: tuple[ReplayItem, ...]
    skipped: tuple[SkippedLine, ...] = ()
    canceled: bool = False


def report_of(
    sessions: int, items: tuple[ReplayItem, ...], skipped: tuple[SkippedLine, ...], *, canceled: bool
) -> Replay:
    """The counts of a replay's items."""
    matches = [item.match for item in items if item.match is not None]
    high = sum(match.confidence == "high" for match in matches)
    return Replay(
        sessions=sessions,
        failures=len(items),
        known_before=sum(item.known for item in items),
        answered=Answered(high, len(matches) - high),
        agreed=sum(item.agreed is True for item in items),
        disagreed=sum(item.agreed is False for item in items),
        minutes_spent_on_known=round(sum(item.minutes for item in items if item.known), 1),
        items=items,
        skipped=skipped,
        canceled=canceled,
    )
