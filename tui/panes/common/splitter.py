"""The edge between the list of a pane and what is shown beside or below it: moved by keys and mouse, and remembered.

The list's share of the width, and of the height where both are stacked, is a style of its own. A sheet that gives the
list all of it (one column, zoom) says `min-width: 100%`, which a share does not undo.
"""

from __future__ import annotations

import math
from typing import Final

from textual import events
from textual.geometry import Region
from textual.screen import Screen
from textual.widget import Widget

from tui.actions.action import Acts, Performs
from tui.runtime.state import Memory

NARROWER, WIDER = "view.narrower", "view.wider"
_LEAST_BESIDE: Final = {"-wide": 44, "-xwide": 88}
"""Cells that what is beside the list keeps, by the class of the screen's width."""


class _Side:
    """One direction in which the edge moves: its memory's name, a key's step, the least of the list, both in cells."""

    def __init__(self, memory: Memory, name: str, step: int, least: int) -> None:
        found = memory.get(name)
        self.name, self.step, self.least = name, step, least
        self.share: float | None = None
        if isinstance(found, int | float) and not isinstance(found, bool) and 0 < found < 100:
            self.share = float(found)


class Splitter(Performs):
    """Moves the edge of the widget that `list_id` names, in its container. `stacks`: on a narrow screen the list is
    above the rest, else one of them is there at a time."""

    def __init__(self, screen: Screen[None], list_id: str, memory: Memory, *, stacks: bool) -> None:
        self._screen = screen
        self._list_id = list_id
        self._stacks = stacks
        self._across, self._down = _Side(memory, "share", 4, 24), _Side(memory, "share_down", 1, 4)
        self.hovers = False
        self.drags = False
        self.is_due = True

    @property
    def why_not(self) -> str:
        """Why there is no edge to move; empty: there is one."""
        shown = self._screen.query_one_optional(f"#{self._list_id}")  # Textual keeps what it found
        if shown is None or not shown.region.area:
            return "The list is hidden."
        if self._screen.has_class("-narrow") and (not self._stacks or self._screen.has_class("-short", "-tiny")):
            return "The window shows one panel at a time. Widen it to 100 columns."
        if self._extent(self._list) >= self._extent(self._body):
            return "The list fills the screen."
        return ""

    def apply_once(self) -> None:
        """Give the list its share as soon as there is an edge, after the start and after each change of the size."""
        if self.is_due and not self.why_not:
            self.is_due = False
            self.apply()

    def apply(self) -> None:
        """Give the list its share of the room that there is."""
        if self.why_not:
            return
        side, body = self._side, self._extent(self._body)
        is_down = side is self._down
        size: str | int | None = None
        if side.share is not None:
            wanted = int(side.share * body / 100)
            within = self._within(wanted)
            size = f"{side.share}%" if within == wanted else within
        if is_down:
            self._list.styles.height = size
        else:
            self._list.styles.width, self._list.styles.height = size, None

    def remembered(self) -> Memory:
        """What to remember: the shares that were chosen."""
        return {side.name: side.share for side in (self._across, self._down) if side.share is not None}

    def actions(self) -> Acts:
        return {NARROWER: lambda: self._move(-1), WIDER: lambda: self._move(1)}

    def on_mouse(self, event: events.MouseEvent) -> bool:
        """Follow the mouse: True where the edge has moved or was let go, and others need not see it."""
        if self.drags and isinstance(event, events.MouseMove):
            body = self._body.region
            is_down = self._side is self._down
            self._put(event.screen_y + 1 - body.y if is_down else event.screen_x + 1 - body.x)
            return True
        if self.drags and isinstance(event, events.MouseUp):
            self.drags = False
            self._screen.app.capture_mouse(None)
            return True
        self.hovers = not self.why_not and not self._screen.has_class("-short", "-tiny") and self._is_at(event)
        if self.hovers and isinstance(event, events.MouseDown):
            self.drags = True
            self._screen.app.capture_mouse(self._body)
            return True
        return False

    @property
    def _list(self) -> Widget:
        return self._screen.query_one(f"#{self._list_id}")

    @property
    def _body(self) -> Widget:
        parent = self._list.parent
        assert isinstance(parent, Widget)
        return parent

    @property
    def _side(self) -> _Side:
        return self._down if self._screen.has_class("-narrow") else self._across

    def _extent(self, widget: Widget) -> int:
        region = widget.region
        return region.height if self._side is self._down else region.width

    def _is_at(self, event: events.MouseEvent) -> bool:
        """Whether the mouse is on the edge: the two frames that touch."""
        region = self._list.region
        edge = (
            Region(region.x, region.bottom - 1, region.width, 2)
            if self._side is self._down
            else Region(region.right - 1, region.y, 2, region.height)
        )
        return edge.contains(event.screen_x, event.screen_y)

    def _within(self, cells: int) -> int:
        """So many cells for the list, as both sides can still be read with."""
        least = next((kept for name, kept in _LEAST_BESIDE.items() if self._screen.has_class(name)), 6)
        return max(self._side.least, min(cells, self._extent(self._body) - least))

    def _move(self, by: int) -> None:
        if not self.why_not:
            self._put(self._extent(self._list) + by * self._side.step)

    def _put(self, cells: int) -> None:
        share = math.ceil(10_000 * self._within(cells) / max(1, self._extent(self._body))) / 100
        if share != self._side.share:
            self._side.share = share
            self.apply()
