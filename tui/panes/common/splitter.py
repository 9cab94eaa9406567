"""The edge between the list of a pane and what is shown beside it: moved by keys and by the mouse, and remembered.

The list's share of the width is a style of its own. A sheet that gives the list the whole width (one column, zoom) says
`min-width: 100%`, which a share does not undo.
"""

from __future__ import annotations

import math
from typing import Final

from textual import events
from textual.screen import Screen
from textual.widget import Widget

from tui.actions.action import Acts, Performs
from tui.runtime.state import Memory

NARROWER, WIDER = "view.narrower", "view.wider"
_STEP: Final = 4
"""Cells by which a key moves the edge."""
_LEAST_LIST: Final = 24
_LEAST_BESIDE: Final = {"-wide": 44, "-xwide": 88}
"""Cells that the list keeps, and what is beside it, by the class of the screen's width."""
_SHARE: Final = "share"


class Splitter(Performs):
    """Moves the edge beside the widget that `list_id` names, in its container. `share`: the list's, in per cent."""

    def __init__(self, screen: Screen[None], list_id: str, memory: Memory) -> None:
        self._screen = screen
        self._list_id = list_id
        share = memory.get(_SHARE)
        is_number = isinstance(share, int | float) and not isinstance(share, bool)
        self.share = float(share) if is_number and 0 < share < 100 else None
        self.hovers = False
        self.drags = False

    @property
    def why_not(self) -> str:
        """Why there is no edge to move; empty: there is one."""
        if not self._is_shown:
            return "The list is not on the screen."
        if self._least is None or self._body.region.width <= self._list.region.width:
            return "The window shows one panel at a time. Widen it to 100 columns."
        return ""

    def apply(self) -> None:
        """Give the list its share of the width that there is."""
        if not self._is_shown:
            return
        if self.share is None:
            self._list.styles.width = None
            return
        width = self._body.region.width
        wanted = int(self.share * width / 100)
        within = self._within(wanted)
        self._list.styles.width = f"{self.share}%" if within == wanted else within

    def remembered(self) -> Memory:
        """What to remember: the share that was chosen."""
        return {} if self.share is None else {_SHARE: self.share}

    def actions(self) -> Acts:
        return {NARROWER: lambda: self._move(-_STEP), WIDER: lambda: self._move(_STEP)}

    def on_mouse(self, event: events.MouseEvent) -> bool:
        """Follow the mouse: True where the edge has moved or was let go, and others need not see it."""
        if self.drags and isinstance(event, events.MouseMove):
            self._put(event.screen_x + 1 - self._body.region.x)
            return True
        if self.drags and isinstance(event, events.MouseUp):
            self.drags = False
            self._screen.app.capture_mouse(None)
            return True
        self.hovers = self._is_at(event.screen_x, event.screen_y)
        if self.hovers and isinstance(event, events.MouseDown):
            self.drags = True
            self._screen.app.capture_mouse(self._body)
            return True
        return False

    @property
    def _is_shown(self) -> bool:
        """Whether the list is drawn: it is not before the screen is composed, and while something hides it."""
        return any(one.region.area for one in self._screen.query(f"#{self._list_id}"))

    @property
    def _list(self) -> Widget:
        return self._screen.query_one(f"#{self._list_id}")

    @property
    def _body(self) -> Widget:
        parent = self._list.parent
        assert isinstance(parent, Widget)
        return parent

    @property
    def _least(self) -> int | None:
        """Cells that what is beside the list keeps; None where they do not stand side by side."""
        return next((cells for name, cells in _LEAST_BESIDE.items() if self._screen.has_class(name)), None)

    def _is_at(self, x: int, y: int) -> bool:
        """Whether a place on the screen is on the edge: the two frames that touch."""
        if self.why_not or self._screen.has_class("-short", "-tiny"):
            return False
        region = self._list.region
        return region.y <= y < region.bottom and x in (region.right - 1, region.right)

    def _within(self, cells: int) -> int:
        """So many cells for the list, as both sides can still be read with."""
        return max(_LEAST_LIST, min(cells, self._body.region.width - (self._least or 0)))

    def _move(self, by: int) -> None:
        if not self.why_not:
            self._put(self._list.region.width + by)

    def _put(self, cells: int) -> None:
        share = math.ceil(10_000 * self._within(cells) / max(1, self._body.region.width)) / 100
        if share != self.share:
            self.share = share
            self.apply()
