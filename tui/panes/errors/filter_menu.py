"""What cases can be filtered by: every status, period, tool, project and tag, with how many cases it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.content import Content

from tui.panes.errors.filters import KINDS, PERIODS, STATUSES, Kind, Scope
from tui.panes.errors.queries import count_values
from tui.render.common.glyphs import Signs
from tui.render.errors.case_list import KIND_NAMES, draw_choice
from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.errors import Facets


class CaseFilters:
    """The filters of a scope, changed as they are picked."""

    HINT: ClassVar[str] = "Type a status, a tool, a project or a tag"
    LANE: ClassVar[str] = "facets"

    def __init__(
        self, scope: Scope, signs: Signs, clock: Callable[[], datetime], apply: Callable[[Scope], None]
    ) -> None:
        self._scope = scope
        self._signs = signs
        self._clock = clock
        self._apply = apply
        self._found: Facets | None = None
        self._picked: tuple[str, str] | None = None  # what was turned on or off last: Enter leaves it so

    def values(self) -> Sequence[tuple[Kind, str, int | None]]:
        """Every value with its count, where that is known; what is on is always among them."""
        found = self._found
        counts: dict[tuple[Kind, str], int | None] = {("status", status): None for status in STATUSES}
        counts |= {("period", period): None for period in PERIODS}
        if found is not None:
            counts = dict.fromkeys(counts, 0)
            counts |= {("status", facet.value): facet.cases for facet in found.statuses}
            counts |= {("period", period): one.cases for period, one in zip(PERIODS, found.since, strict=True)}
            counts |= {("tool", facet.value): facet.cases for facet in found.tools}
            counts |= {("project", facet.value): facet.cases for facet in found.projects}
            counts |= {("tag", facet.value): facet.cases for facet in found.tags}
        for picked in self._scope.picked:
            counts.setdefault(picked, None)
        order = sorted(counts, key=lambda choice: KINDS.index(choice[0]))
        return [(*choice, counts[choice]) for choice in order]

    def words(self, kind: str, value: str) -> str:
        """The kind as it is shown, and the value."""
        return f"{KIND_NAMES[cast('Kind', kind)]} {value}"

    def draw(self, kind: str, value: str, count: int | None) -> Content:
        """The value with how many cases it shows."""
        own, complete = cast("Kind", kind), self._found is None or self._found.complete
        return draw_choice(own, value, count, self._signs, on=(own, value) in self._scope.picked, complete=complete)

    def pick(self, kind: str, value: str, *, close: bool) -> None:
        """Turn it on, or off again; what was just turned stays so when it is confirmed."""
        if close and (kind, value) == self._picked:
            return
        self._picked = (kind, value)
        self._scope = self._scope.toggled(cast("Kind", kind), value)
        self._apply(self._scope)

    def count(self) -> Callable[[Job[Any]], Facets]:
        """Counts the cases of each value."""
        return count_values(self._scope, self._clock())

    def counted(self, found: Any) -> None:
        """These are the counts."""
        self._found = cast("Facets", found)
