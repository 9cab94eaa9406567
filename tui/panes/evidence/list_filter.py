"""Which quotes are listed: those that have the words in the box, of one session, of one type, of a picked filter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.content import Content

from tui.actions.action import Acts, Performs
from tui.panes.common.filter_menu import Choices, Value
from tui.panes.evidence.queries import FILTERS, Kind, Shown
from tui.render.common.session import session_name, short_id
from tui.render.evidence import draw_filter_choice
from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from tui.panes.evidence.screen import EvidenceScreen


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


class QuoteFilters(Choices[Shown, Counted]):
    """The filters of the quotes shown."""

    HINT: ClassVar[str] = "Type a state, a type or a session"
    LANE: ClassVar[str] = "evidence-counts"

    def values(self) -> Sequence[Value]:
        """Every value with its count, where that is known; what is on is always among them."""
        found = self.found
        values: list[Value] = []
        for name in FILTERS:
            values.append(("state", name, None if found is None else found.states.get(name, 0)))
        values += _named("type", self.picked.type, () if found is None else found.types)
        values += _named("session", self.picked.session, () if found is None else found.sessions)
        return values

    def words(self, kind: str, value: str) -> str:
        """The kind and the value; of a session its name too."""
        return f"{kind} {value} {self._name(kind, value)}"

    def draw(self, kind: str, value: str, count: int | None) -> Content:
        """The value with how many quotes it shows."""
        own = cast("Kind", kind)
        return draw_filter_choice(own, self._name(kind, value), count, self.signs, on=self.picked.has(own, value))

    def _name(self, kind: str, value: str) -> str:
        """How a person knows it: a session by its day and project."""
        if kind != "session":
            return value
        return (self.found.names.get(value) if self.found is not None else None) or short_id(value)

    def settled(self, kind: str, value: str) -> bool:
        """Enter on what is on already leaves it so: whoever confirms a pick does not mean to take it back."""
        return self.picked.has(cast("Kind", kind), value)

    def count(self) -> Callable[[Job[Any]], Counted]:
        """Counts the quotes of each value."""
        return count_choices(self.picked)


def _named(kind: Kind, on: str | None, counts: Sequence[tuple[str, int]]) -> list[tuple[Kind, str, int | None]]:
    unknown: list[tuple[Kind, str, int | None]] = (
        [(kind, on, None)] if on is not None and on not in dict(counts) else []
    )
    return [*unknown, *((kind, value, count) for value, count in counts)]


class Listing(Performs):
    """What one does with the filters."""

    def __init__(self, screen: EvidenceScreen) -> None:
        self._screen = screen

    def actions(self) -> Acts:
        """What it does, by the ids of the registry."""
        screen = self._screen
        return {
            "list.filter": self._filter,
            "list.unfilter": lambda: (screen.search.clear(), screen.show_only(Shown())),
            "evidence.session": lambda: self._only(session=True),
            "evidence.type": lambda: self._only(session=False),
        }

    def _filter(self) -> None:
        from tui.panes.common.filter_menu import FilterScreen

        screen = self._screen
        screen.app.push_screen(FilterScreen(QuoteFilters(screen.shown, screen.signs, screen.show_only), screen.jobs))

    def _only(self, *, session: bool) -> None:
        screen = self._screen
        if (read := screen.view.read) is not None:
            row, shown = read.quote.row, screen.shown
            screen.show_only(shown.only(session=row.session) if session else shown.only(type=row.type))
