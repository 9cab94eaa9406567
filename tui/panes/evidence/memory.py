"""What the Evidence pane remembers from one day to the next: the filter, the trace, and the quote one was at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.panes.evidence.queries import FILTERS, FilterName, Shown
from tui.runtime.state import Memory, Scalar

if TYPE_CHECKING:
    from tui.panes.evidence.screen import EvidenceScreen

_NAME = 500


def memory_of(screen: EvidenceScreen) -> Memory:
    """What to remember now."""
    shown = screen.shown
    return {
        "state": shown.name,
        "session": shown.session,
        "type": shown.type,
        "why": screen.why,
        "quote": screen.chosen_id if screen.chosen_id is not None else screen.wanted,
    }


def recall(screen: EvidenceScreen, memory: Memory) -> None:
    """Put the pane as it was; what makes no sense any more is passed over. Before it is mounted."""
    names: dict[Scalar, FilterName] = {name: name for name in FILTERS}
    name = names.get(memory.get("state"), Shown().name)
    screen.shown = Shown(name, _text(memory.get("session")), _text(memory.get("type")))
    why = memory.get("why")
    screen.why = why if why in ("shown", "hidden") else None
    quote = memory.get("quote")
    screen.wanted = quote if isinstance(quote, int) and not isinstance(quote, bool) else None


def _text(found: Scalar) -> str | None:
    return found if isinstance(found, str) and 0 < len(found) <= _NAME else None
