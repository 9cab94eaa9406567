"""What a picker does with the rows below its box: Enter and a second click pick, the arrows go through them."""

from __future__ import annotations

from typing import Protocol

from textual.widgets import Input

from tui.widgets.row_list import RowList


class _Picking(Protocol):
    """A screen with rows, one of which is picked."""

    @property
    def rows(self) -> RowList:
        """The list."""
        ...

    def pick(self) -> None:
        """End with the chosen row."""
        ...


class PicksRow:
    """The part of a picker that its box and its rows need; the rows are nobody else's, and all of them are there."""

    def on_input_submitted(self: _Picking, event: Input.Submitted) -> None:
        """Enter picks."""
        event.stop()
        self.pick()

    def on_row_list_opened(self: _Picking, event: RowList.Opened) -> None:
        """So does a second click."""
        event.stop()
        self.pick()

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """That is nobody else's list."""
        event.stop()

    def on_row_list_wanted(self, event: RowList.Wanted) -> None:
        """All of them are there."""
        event.stop()

    def action_move(self: _Picking, by: int) -> None:
        """Another row."""
        self.rows.choose(self.rows.chosen + by)
