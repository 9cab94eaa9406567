"""What is possible in the Evidence pane as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.actions.registry import Situation
from tui.panes.evidence.queries import Shown

if TYPE_CHECKING:
    from tui.panes.evidence.screen import EvidenceScreen


def situation_of(screen: EvidenceScreen) -> Situation:
    """What an action's being possible depends on."""
    read, view = screen.view.read, screen.view
    box = screen.list.box
    return Situation(
        "box" if box.has_focus else "evidence",
        query=box.asked,
        cases=screen.quotes.total,
        quote=read is not None,
        places=0 if read is None else max(len(read.quote.choices), bool(view.spans)),
        numbered=_several_soon(screen) if read is None else view.numbered,
        marked=len(screen.quotes.marked),
        filtered=screen.shown != Shown() or bool(box.asked),
        blocked=screen.reviewing.blocked(read),
    )


def _several_soon(screen: EvidenceScreen) -> bool:
    """Whether the chosen quote, which is not read yet, may have several places: a digit leads to no other pane then."""
    row = screen.quotes.get(screen.list.rows.chosen)
    return row is not None and row.state in ("ambiguous", "near")
