"""How many quotes each value of the filter menu shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tui.panes.evidence.queries import Shown
from tui.render.common.session_name import session_name
from tui.runtime.jobs import Job

NAME = 30
"""Cells of a session's name in the menu."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Quotes by state (within the session and the type that are on), by type, and by session, those with most left to
    decide first; the names that sessions have for a person."""

    states: Mapping[str, int]
    types: tuple[tuple[str, int], ...]
    sessions: tuple[tuple[str, int], ...]
    names: Mapping[str, str] = field(default_factory=dict[str, str])


def count_choices(shown: Shown) -> Callable[[Job[Counted]], Counted]:
    """Count what the menu offers."""

    def work(job: Job[Any]) -> Counted:
        from core.evidence import QuoteFilters, count_quotes, count_ready, count_sessions, count_types

        store = job.store()
        within = QuoteFilters((), shown.session, shown.type)
        found = count_quotes(store, within)
        states = {
            "to decide": found.left,
            "failed": found.failed,
            "ambiguous": found.ambiguous,
            "flagged": found.flagged,
            "waiting": found.waiting,
            "aligned": found.aligned,
            "accepted": found.accepted,
            "ready": count_ready(store, within),
            "rejected": found.rejected,
            "all": found.total,
        }
        sessions = count_sessions(store)
        names = {one.session: session_name(one.session, one.started, one.project, NAME) for one in sessions}
        counts = tuple((one.session, one.total) for one in sessions)
        return Counted(states, count_types(store, shown.session), counts, names)

    return work
