"""How many quotes each value of the filter menu shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tui.jobs import Job
from tui.panes.evidence.queries import Shown


@dataclass(frozen=True, slots=True)
class Counted:
    """Quotes by state (within the session and the type that are on), by type, and by session, those with most left to
    decide first."""

    states: Mapping[str, int]
    types: tuple[tuple[str, int], ...]
    sessions: tuple[tuple[str, int], ...]


def count_choices(shown: Shown) -> Callable[[Job[Counted]], Counted]:
    """Count what the menu offers."""

    def work(job: Job[Any]) -> Counted:
        from core.evidence import QuoteFilters, count_quotes, count_sessions, count_types

        store = job.store()
        found = count_quotes(store, QuoteFilters((), shown.session, shown.type))
        states = {
            "to decide": found.left,
            "failed": found.failed,
            "ambiguous": found.ambiguous,
            "flagged": found.flagged,
            "aligned": found.aligned + found.accepted,
            "rejected": found.rejected,
            "all": found.total,
        }
        sessions = tuple((session, total) for session, _left, total in count_sessions(store))
        return Counted(states, count_types(store, shown.session), sessions)

    return work
