"""One part of a case under its own heading."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content
from textual.widgets import Static


class Block(Static):
    """A text under its own heading; hidden while it has nothing to say."""

    def __init__(self, name: str, heading: str = "") -> None:
        super().__init__(id=name, classes="block")
        self._draw: Callable[[int], Content] | None = None
        self._width = 0
        self.display = False
        if heading:
            self.border_title = Content(f" {heading} ")

    def say(self, content: Content) -> None:
        """Show this, or hide the block if it is empty."""
        self._draw = None
        self._put(content)

    def say_wrapped(self, draw: Callable[[int], Content]) -> None:
        """Show what `draw` gives for the width in cells (0: not known yet), drawn again when the width changes."""
        self._draw, self._width = draw, self.content_size.width
        self._put(draw(self._width))

    def on_resize(self) -> None:
        """Lines are broken for a width."""
        if self._draw is not None and self._width != self.content_size.width:
            self._width = self.content_size.width
            self._put(self._draw(self._width))

    def _put(self, content: Content) -> None:
        self.display = bool(content.plain)
        self.update(content)
