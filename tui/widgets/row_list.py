"""A list that does not care how many rows there are: it draws the lines on the screen and asks for what it lacks."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from rich.segment import Segment
from textual import events
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style

from tui.actions.registry import bindings


class Rows(Protocol):
    """Rows by their number: `total` of them, as far as is known; `get` gives None for one that is not read yet."""

    @property
    def total(self) -> int: ...

    def get(self, index: int) -> Hashable | None: ...


@dataclass(frozen=True, slots=True)
class NoRows:
    """A list without rows."""

    total: int = 0

    def get(self, index: int) -> Hashable | None:
        """None: there is nothing."""
        return None


Painter = Callable[[Hashable | None, int, bool], Content]
"""Draws a row (None: not read yet) in so many cells; True for the chosen one."""


class RowList(ScrollView, can_focus=True):
    """`tall` lines a row, one if nothing else is said. The rows come from a `Rows`, their looks from a painter."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "row-list--row",
        "row-list--hover",
        "row-list--chosen",
        "row-list--chosen-idle",
    }
    BINDINGS = bindings("list")

    chosen: reactive[int] = reactive(0, repaint=False, init=False)
    hovered: reactive[int] = reactive(-1, repaint=False, init=False)

    class Moved(Message):
        """Another row is the chosen one; `index` is -1 for none."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    class Opened(Message):
        """The chosen row was opened, by key or by a second click."""

    class Wanted(Message):
        """Rows from `first` to `last` are on the screen and not all are read."""

        def __init__(self, first: int, last: int) -> None:
            super().__init__()
            self.first = first
            self.last = last

    def __init__(self, painter: Painter, *, id: str | None = None, tall: int = 1) -> None:
        super().__init__(id=id)
        self.rows: Rows = NoRows()
        self.tall = tall
        self._painter = painter
        self._strips: LRUCache[tuple[object, ...], list[Strip]] = LRUCache(512)

    def show(self, rows: Rows, chosen: int = 0) -> None:
        """Show these rows, with `chosen` on the screen. The old ones stay until this is called."""
        self.rows = rows
        self.virtual_size = Size(0, rows.total * self.tall)
        self._strips.clear()
        last = max(0, rows.total - 1)
        self.set_reactive(RowList.chosen, min(max(0, chosen), last))
        self.reveal()
        self.refresh()
        self.want()

    def renew(self, rows: Rows, chosen: int, top: int) -> None:
        """Show these rows in the place of the old ones, with `chosen` chosen and `top` as the first on the screen."""
        self.rows = rows
        self.virtual_size = Size(0, rows.total * self.tall)
        self._strips.clear()
        self.set_reactive(RowList.chosen, min(max(0, chosen), max(0, rows.total - 1)))
        self.set_scroll(None, top * self.tall)
        self.refresh()
        self.want()

    def grown(self) -> None:
        """More rows were read, or their number is known better: draw anew, and stay where we are."""
        self.virtual_size = Size(0, self.rows.total * self.tall)
        if self.chosen >= self.rows.total:
            self.chosen = max(0, self.rows.total - 1)
        self._strips.clear()
        self.refresh()
        self.want()

    def stand(self, tall: int) -> None:
        """So many lines a row from now on; what is chosen stays on the screen."""
        if tall != self.tall:
            self.tall = tall
            self.virtual_size = Size(0, self.rows.total * tall)
            self._strips.clear()
            self.reveal()
            self.refresh()

    def repaint_rows(self) -> None:
        """Draw every row anew (theme or time has changed)."""
        self._strips.clear()
        self.refresh()

    def choose(self, index: int) -> None:
        """Choose a row and bring it onto the screen."""
        if self.rows.total:
            self.chosen = min(max(0, index), self.rows.total - 1)
            self.reveal()

    def reveal(self) -> None:
        """Scroll as little as is needed to see the chosen row."""
        height = self.size.height
        top, first = round(self.scroll_y), self.chosen * self.tall
        if first < top or (height and self.tall > height):
            self.scroll_to(y=first, animate=False, force=True)
        elif height and first + self.tall > top + height:
            self.scroll_to(y=first + self.tall - height, animate=False, force=True)

    def want(self) -> None:
        """Ask for the rows on the screen and half a screen around them where some are not read, else for the chosen."""
        height = max(1, self.size.height // self.tall)
        top = round(self.scroll_y) // self.tall
        # The chosen row may be far off the screen: a jump that has not scrolled yet, or the bar was dragged away.
        for at in (top, self.chosen - height // 2):
            first = max(0, at - height // 2)
            last = min(self.rows.total, at + height + height // 2) - 1
            if any(self.rows.get(index) is None for index in range(first, last + 1)):
                self.post_message(self.Wanted(first, last))
                return

    def perform(self, action_id: str) -> bool:
        """Do a movement of the registry; False for anything else."""
        page = max(1, self.size.height // self.tall - 1)
        targets = {
            "list.down": self.chosen + 1,
            "list.up": self.chosen - 1,
            "list.page_down": self.chosen + page,
            "list.page_up": self.chosen - page,
            "list.first": 0,
            "list.last": self.rows.total - 1,
        }
        if action_id == "list.open" and self.rows.total:
            self.post_message(self.Opened())
            return True
        if action_id not in targets:
            return False
        self.choose(targets[action_id])
        return True

    def watch_chosen(self, old: int, new: int) -> None:
        """Redraw the two rows and tell."""
        self._refresh_rows(old, new)
        self.want()
        self.post_message(self.Moved(new if self.rows.total else -1))

    def watch_hovered(self, old: int, new: int) -> None:
        """Redraw the two rows under the mouse."""
        self._refresh_rows(old, new)

    def _refresh_rows(self, *rows: int) -> None:
        for row in rows:
            self.refresh_lines(row * self.tall, self.tall)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Scrolling shows rows that may have to be read."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.want()

    def on_resize(self) -> None:
        """Keep the chosen row on the screen, and fill what became visible."""
        self._strips.clear()
        self.reveal()
        self.want()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Light the row under the mouse."""
        self.hovered = (event.y + round(self.scroll_y)) // self.tall

    def on_leave(self) -> None:
        """The mouse has left."""
        self.hovered = -1

    def on_click(self, event: events.Click) -> None:
        """A click chooses, a second one on the same row opens."""
        index = (event.y + round(self.scroll_y)) // self.tall
        if index >= self.rows.total:
            return
        if index == self.chosen and event.chain > 1:
            self.post_message(self.Opened())
        self.choose(index)

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        index, part = divmod(y + self.scroll_offset.y, self.tall)
        width = self.scrollable_content_region.width
        chosen = index == self.chosen
        style_name = "row-list--row"
        if chosen:
            style_name = "row-list--chosen" if self.has_focus else "row-list--chosen-idle"
        elif index == self.hovered:
            style_name = "row-list--hover"
        base = self.get_visual_style(style_name)
        if index >= self.rows.total or width <= 0:
            return Strip.blank(max(0, width), self.visual_style.rich_style)
        row = self.rows.get(index)
        key = (row, width, style_name, self.app.theme)
        strips = self._strips.get(key)
        if strips is None:
            strips = self._strips[key] = self._drawn(row, width, base, chosen=chosen)
        return strips[part] if part < len(strips) else Strip.blank(width, base.rich_style)

    def _drawn(self, row: Hashable | None, width: int, base: Style, *, chosen: bool) -> list[Strip]:
        """The lines of a row."""
        content = self._painter(row, width, chosen)
        lines = [content] if self.tall == 1 else content.split("\n", allow_blank=True)
        strips: list[Strip] = []
        for line in lines:
            pieces = line.render(base, end="", parse_style=self.app.stylesheet.parse_style)
            segments = [Segment(text, style.rich_style) for text, style in pieces]
            strips.append(Strip(segments).adjust_cell_length(width, base.rich_style))
        return strips
