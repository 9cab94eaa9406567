"""What the library can be filtered by: every tag, folder, language, kind, root and more, with how many documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.content import Content

from tui.jobs import Job
from tui.panes.library.queries import read_values
from tui.panes.library.scope import KINDS, PERIODS, Kind, Scope
from tui.render.library_title import KIND_NAMES, draw_filter_value
from tui.render.signs import Signs

if TYPE_CHECKING:
    from core.library.browse import FilterValue


class LibraryFilters:
    """The filters of a scope, changed as they are picked."""

    HINT: ClassVar[str] = "Type a tag, a folder, a language, a kind"
    LANE: ClassVar[str] = "library-values"

    def __init__(self, scope: Scope, signs: Signs, apply: Callable[[Scope], None]) -> None:
        self._scope = scope
        self._signs = signs
        self._apply = apply
        self._found: tuple[FilterValue, ...] = ()
        self._picked: tuple[str, str] | None = None  # what was turned on or off last: Enter leaves it so

    def values(self) -> Sequence[tuple[Kind, str, int | None]]:
        """Every value with its count, where that is known; what is on is always among them, and first."""
        counts: dict[tuple[Kind, str], int | None] = dict.fromkeys(self._scope.picked)
        for one in self._found:
            counts[cast("Kind", one.kind), one.value] = one.documents
        for period in PERIODS:
            counts.setdefault(("period", period), None)
        on = set(self._scope.picked)
        order = sorted(counts, key=lambda choice: (choice not in on, KINDS.index(choice[0])))
        return [(*choice, counts[choice]) for choice in order]

    def words(self, kind: str, value: str) -> str:
        """The kind as it is shown, and the value."""
        return f"{KIND_NAMES[kind]} {value}"

    def draw(self, kind: str, value: str, count: int | None) -> Content:
        """The value with how many documents have it."""
        return draw_filter_value(kind, value, count, self._signs, on=(kind, value) in self._scope.picked)

    def pick(self, kind: str, value: str, *, close: bool) -> None:
        """Turn it on, or off again; what was just turned stays so when it is confirmed."""
        if close and (kind, value) == self._picked:
            return
        self._picked = (kind, value)
        self._scope = self._scope.toggled(cast("Kind", kind), value)
        self._apply(self._scope)

    def count(self) -> Callable[[Job[Any]], tuple[FilterValue, ...]]:
        """Reads what there is."""
        return read_values()

    def counted(self, found: Any) -> None:
        """These are the values."""
        self._found = cast("tuple[FilterValue, ...]", found)
