"""Lists of any length: only visible lines are drawn and requested; notices, pages and pickers for them."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Generic, Protocol, TypeVar

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.cache import LRUCache
from textual.containers import Container
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.widgets import Static

from tui.actions.action import Acts, Performs
from tui.actions.registry import bindings
from tui.render.common.empty_states import Notice, draw_notice
from tui.widgets.workbench import workbench


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
        return None


R = TypeVar("R", bound=Hashable)


@dataclass(frozen=True, slots=True)
class FixedRows(Generic[R]):
    """Rows that are all there."""

    rows: tuple[R, ...] = ()

    @property
    def total(self) -> int:
        return len(self.rows)

    def get(self, index: int) -> R | None:
        return self.rows[index] if 0 <= index < len(self.rows) else None


Painter = Callable[[Hashable | None, int, bool], Content]
"""Draws a row (None: not read yet) in so many cells; True for the chosen one."""


class RowList(Performs, ScrollView, can_focus=True):
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

    @dataclass
    class Moved(Message):
        """Another row is the chosen one; `index` is -1 for none."""

        index: int

    class Opened(Message):
        """The chosen row was opened, by key or by a second click."""

    @dataclass
    class Wanted(Message):
        """Rows from `first` to `last` are on the screen and not all are read."""

        first: int
        last: int

    def __init__(self, painter: Painter, *, id: str | None = None, tall: int = 1) -> None:
        super().__init__(id=id)
        self.rows: Rows = NoRows()
        self.tall = tall
        self._painter = painter
        self._strips: LRUCache[tuple[object, ...], list[Strip]] = LRUCache(512)

    def show(self, rows: Rows, chosen: int = 0) -> None:
        """Show these rows, with `chosen` on the screen. The old ones stay until this is called."""
        self._take(rows, chosen)
        self.reveal()
        self.refresh()
        self.want()

    def renew(self, rows: Rows, chosen: int, top: int) -> None:
        """Show these rows in the place of the old ones, with `chosen` chosen and `top` as the first on the screen."""
        self._take(rows, chosen)
        self.set_scroll(None, top * self.tall)
        self.refresh()
        self.want()

    def _take(self, rows: Rows, chosen: int) -> None:
        self.rows = rows
        self.virtual_size = Size(0, rows.total * self.tall)
        self._strips.clear()
        self.set_reactive(RowList.chosen, min(max(0, chosen), max(0, rows.total - 1)))

    def grown(self) -> None:
        """Draw again after more rows were read or their number changed; the position stays."""
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
        """Draw every row again (theme or time has changed)."""
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

    def actions(self) -> Acts:
        """Movements, by the ids of the registry; what a list without rows does not open, others may."""
        page = max(1, self.size.height // self.tall - 1)
        opens = {"list.open": lambda: self.post_message(self.Opened())} if self.rows.total else {}
        return opens | {
            "list.down": lambda: self.choose(self.chosen + 1),
            "list.up": lambda: self.choose(self.chosen - 1),
            "list.page_down": lambda: self.choose(self.chosen + page),
            "list.page_up": lambda: self.choose(self.chosen - page),
            "list.first": lambda: self.choose(0),
            "list.last": lambda: self.choose(self.rows.total - 1),
        }

    def watch_chosen(self, old: int, new: int) -> None:
        """Redraw the two rows and post a message."""
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
        self.hovered = (event.y + round(self.scroll_y)) // self.tall

    def on_leave(self) -> None:
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
        content = self._painter(row, width, chosen)
        lines = [content] if self.tall == 1 else content.split("\n", allow_blank=True)
        strips: list[Strip] = []
        for line in lines:
            pieces = line.render(base, end="", parse_style=self.app.stylesheet.parse_style)
            segments = [Segment(text, style.rich_style) for text, style in pieces]
            strips.append(Strip(segments).adjust_cell_length(width, base.rich_style))
        return strips


T = TypeVar("T")


class RowPages(Generic[T]):
    """Pages of `size` rows, at most `most` of them."""

    def __init__(self, size: int, most: int) -> None:
        self._size, self._most = size, most
        self._pages: OrderedDict[int, tuple[T, ...]] = OrderedDict()

    def get(self, index: int) -> T | None:
        number, at = divmod(index, self._size)
        page = self._pages.get(number, ())
        if at >= len(page):
            return None
        self._pages.move_to_end(number)
        return page[at]

    def put(self, first: int, rows: tuple[T, ...]) -> None:
        """Take in the page that begins with row `first`."""
        number = first // self._size
        self._pages[number] = rows
        self._pages.move_to_end(number)
        while len(self._pages) > self._most:
            self._pages.popitem(last=False)

    def lacking(self, first: int, last: int) -> tuple[int, ...]:
        """The numbers of the pages that rows `first` to `last` lack."""
        if last < first:
            return ()
        return tuple(at for at in range(first // self._size, last // self._size + 1) if at not in self._pages)

    def rows(self) -> Iterator[tuple[int, T]]:
        """Every row that is there, with its index."""
        for number, page in self._pages.items():
            yield from enumerate(page, number * self._size)


@dataclass(frozen=True, slots=True)
class Page(Generic[R]):
    """Rows of a list that is read page by page, from number `first` on."""

    first: int
    rows: tuple[R | None, ...]


class KeyedRows(Generic[R]):
    """Rows by number over the keys of all; rows of the previous list stay until they are read again."""

    PAGE: ClassVar[int] = 100
    MAX_PAGES: ClassVar[int] = 40
    """Pages kept in memory."""

    def __init__(self, keys: array[int] | None = None, before: KeyedRows[R] | None = None) -> None:
        self.keys = array("q") if keys is None else keys
        self._pages = RowPages["R | None"](self.PAGE, self.MAX_PAGES)
        self._old: dict[int, R] = {} if before is None else before.read()

    @property
    def total(self) -> int:
        return len(self.keys)

    def get(self, index: int) -> R | None:
        if (row := self._pages.get(index)) is not None:
            return row
        return self._old.get(self.keys[index]) if 0 <= index < self.total else None

    def read(self) -> dict[int, R]:
        """The rows that were read, by their keys."""
        return {self.keys[at]: row for at, row in self._pages.rows() if row is not None} or self._old

    def lacking(self, first: int, last: int) -> range | None:
        """The first page among these rows that is not read, as the numbers of its rows."""
        missing = next(iter(self._pages.lacking(max(0, first), min(last, self.total - 1))), None)
        return None if missing is None else range(missing * self.PAGE, min((missing + 1) * self.PAGE, self.total))

    def put(self, page: Page[R]) -> None:
        self._pages.put(page.first, page.rows)


class _Words(Static):
    """The words of a notice, wrapped again when their own width changes: styles do that, not only the terminal."""

    notice: Notice | None = None

    def draw(self) -> None:
        if self.notice is not None:
            self.update(draw_notice(self.notice, workbench(self).signs, self.size.width))

    def on_resize(self) -> None:
        self.draw()


class NoticeView(Container, can_focus=True):
    """Shows one `Notice` at a time, in the place of a list: it takes the focus in its stead, and the list's keys."""

    BINDINGS = bindings("list")

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._words = _Words(classes="notice--words")

    @property
    def notice(self) -> Notice | None:
        """The one that is shown."""
        return self._words.notice

    def compose(self) -> ComposeResult:
        yield self._words

    def show(self, notice: Notice) -> None:
        """Show this state."""
        if notice != self.notice:
            self._words.notice = notice
            self._words.draw()


@dataclass(frozen=True, slots=True)
class RowsOrNotice:
    """Two widgets in one place, one of them shown; the styles hide the notice until there is one."""

    rows: RowList
    notice: NoticeView

    def show_notice(self, notice: Notice | None) -> None:
        """Show a notice in the place of the rows, or the rows; a focus that was there stays there."""
        if not self.rows.is_attached:
            return  # a report that came as the screen was left
        if notice is not None:
            self.notice.show(notice)
        had_focus = self.rows.has_focus or self.notice.has_focus or self.rows.screen.focused is None
        self.notice.display, self.rows.display = notice is not None, notice is None
        self.rows.screen.set_class(notice is not None and notice.alone, "-alone")
        if had_focus:
            self.take_focus()

    def take_focus(self) -> None:
        """Give the focus to the rows, or to the notice in their place."""
        (self.rows if self.rows.display else self.notice).focus()
