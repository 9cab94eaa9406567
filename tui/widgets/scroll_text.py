"""Texts that scroll, blocks under a heading, and border titles updated without a full redraw."""

from __future__ import annotations

from collections.abc import Callable

from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget
from textual.widgets import Static

from tui.actions.action import Acts, Performs
from tui.actions.registry import bindings


class Reading(Performs, VerticalScroll, inherit_bindings=False):
    """Something to read. Its focus is shown by its border; it scrolls without animation."""

    BINDINGS = bindings("scroll")

    def actions(self) -> Acts:
        """Scrolling, by the ids of the registry."""
        page = max(1, self.size.height - 2)
        return {
            "scroll.down": lambda: self.scroll_relative(y=1, animate=False),
            "scroll.up": lambda: self.scroll_relative(y=-1, animate=False),
            "scroll.page_down": lambda: self.scroll_relative(y=page, animate=False),
            "scroll.page_up": lambda: self.scroll_relative(y=-page, animate=False),
            "scroll.first": lambda: self.scroll_home(animate=False),
            "scroll.last": lambda: self.scroll_end(animate=False),
        }


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


def tell_on_border(widget: Widget, title: Content, subtitle: Content) -> None:
    """Say this on the border, one line each, and draw the lines that change.

    By hand, and with what Textual keeps privately: its own setter draws all that the border encloses.
    """
    width, height = widget.outer_size
    left, top = -widget.gutter.left, -widget.gutter.top
    for name, told, at in (("_border_title", title, top), ("_border_subtitle", subtitle, top + height - 1)):
        line = told.expand_tabs(4).split()[0]
        if getattr(widget, name) != line:
            setattr(widget, name, line)
            widget.refresh(Region(left, at, width, 1))
