"""What cases can be filtered by: every status, period, tool, project and tag, with how many cases it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from shlex import quote
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.content import Content

from tui.panes.common.filter_menu import Choices, Value
from tui.panes.errors.queries import KINDS, PERIODS, STATUSES, WORTHS, Kind, Scope, count_values
from tui.render.case_list import KIND_NAMES, WORTH_NAMES, draw_choice
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline
from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.errors import Facets


class CaseFilters(Choices[Scope, "Facets"]):
    """The filters of a scope."""

    HINT: ClassVar[str] = "Status, reuse, time, tool, project or tag"
    LANE: ClassVar[str] = "facets"

    def __init__(
        self, scope: Scope, signs: Signs, clock: Callable[[], datetime], apply: Callable[[Scope], None]
    ) -> None:
        super().__init__(scope, signs, apply)
        self._clock = clock

    def values(self) -> Sequence[Value]:
        """Every value with its count, where that is known; what is on is always among them, what shows nothing last."""
        found = self.found
        counts: dict[tuple[Kind, str], int | None] = {("status", status): None for status in STATUSES}
        counts |= {("worth", worth): None for worth in WORTHS}
        counts |= {("period", period): None for period in PERIODS}
        if found is not None:
            counts = dict.fromkeys(counts, 0)
            counts |= {("status", facet.value): facet.cases for facet in found.statuses}
            counts |= {("worth", facet.value): facet.cases for facet in found.worths if facet.value in WORTHS}
            counts |= {("period", period): one.cases for period, one in zip(PERIODS, found.since, strict=True)}
            counts |= {("tool", facet.value): facet.cases for facet in found.tools}
            counts |= {("project", facet.value): facet.cases for facet in found.projects}
            counts |= {("tag", facet.value): facet.cases for facet in found.tags}
        for picked in self.picked.picked:
            counts.setdefault(picked, None)
        off = {choice for choice, cases in counts.items() if cases == 0 and choice not in self.picked.picked}
        order = sorted(counts, key=lambda choice: (choice in off, KINDS.index(choice[0])))
        return [(*choice, counts[choice]) for choice in order]

    def words(self, kind: str, value: str) -> str:
        """The kind as it is shown, and the value."""
        return f"{KIND_NAMES[cast('Kind', kind)]} {WORTH_NAMES.get(value, value) if kind == 'worth' else value}"

    def draw(self, kind: str, value: str, count: int | None) -> Content:
        """The value with how many cases it shows."""
        own, complete = cast("Kind", kind), self.found is None or self.found.complete
        return draw_choice(own, value, count, self.signs, on=(own, value) in self.picked.picked, complete=complete)

    def hint(self, kind: str, value: str) -> str:
        """How a tag is renamed."""
        return f"rename: casebook errors rename-tag {inline(quote(value), 40)} NEW" if kind == "tag" else ""

    def count(self) -> Callable[[Job[Any]], Facets]:
        return count_values(self.picked, self._clock())
