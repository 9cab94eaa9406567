"""What the Library pane remembers from one day to the next: mode, filters, form, trace. Before it is mounted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.panes.library.scope import KINDS, MODES, PERIODS, Scope
from tui.state import Memory, Scalar

if TYPE_CHECKING:
    from core.library.search_hit import Mode
    from tui.panes.library.screen import LibraryScreen

_NAME = 500


def memory_of(screen: LibraryScreen) -> Memory:
    """What to remember now."""
    scope = screen.searching.scope
    why = "shown" if screen.has_class("-why") else "hidden" if screen.has_class("-no-why") else None
    return {
        "mode": scope.mode,
        **{kind: scope.value(kind) for kind in KINDS},
        "rendered": screen.document.rendered,
        "zoomed": screen.has_class("-zoomed"),
        "why": why,
    }


def recall(screen: LibraryScreen, memory: Memory) -> None:
    """Put the pane as it was; what makes no sense any more is passed over."""
    modes: dict[Scalar, Mode] = {mode: mode for mode in MODES}
    mode = modes.get(memory.get("mode"), Scope().mode)
    filters = {kind: _text(memory.get(kind)) for kind in KINDS}
    if filters["period"] not in PERIODS:
        filters["period"] = None
    screen.searching.scope = Scope(mode, **filters)
    screen.document.rendered = memory.get("rendered") is not False
    screen.set_class(memory.get("zoomed") is True, "-zoomed")
    screen.set_class(memory.get("why") == "shown", "-why")
    screen.set_class(memory.get("why") == "hidden", "-no-why")


def _text(found: Scalar) -> str | None:
    return found if isinstance(found, str) and 0 < len(found) <= _NAME else None
