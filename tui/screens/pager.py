"""The pager: a long text in rows, wrapped or not, with search."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from heapq import nlargest
from itertools import pairwise
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Input

from core.base.fault import Fault
from tui.actions.action import Acts, Performs, Situation
from tui.actions.registry import bindings
from tui.render.common.amounts import counted
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline, title
from tui.runtime.jobs import Job, Jobs
from tui.widgets.workbench import KeyFooter

CHUNK = 400
"""Code points of a line in one row; a longer line continues in the next row, marked."""

_CHECKED = 8_192
_INERT = 8
"""The most cells of what is drawn for a sign that is no letter, as for a control character."""
_LONGEST = 100


def cut_rows(text: str, check: Callable[[], None] = lambda: None) -> array[int]:
    """Where each row begins: at each line, and every `CHUNK` code points of a long one. Split on newline only."""
    starts = array("q")
    at, size = 0, len(text)
    while at <= size:
        if len(starts) % _CHECKED == 0:
            check()
        starts.append(at)
        end = text.find("\n", at, at + CHUNK + 1)
        at = end + 1 if end >= 0 else at + CHUNK
        if end < 0 and at >= size:
            break
    return starts


def wrap_rows(text: str, cells: int, check: Callable[[], None] = lambda: None) -> array[int]:
    """Where each row begins if none may be wider: at each line, and after a blank where there is one."""
    cells = max(_INERT, cells)
    starts = array("q")
    at, size = 0, len(text)
    while at <= size:
        if len(starts) % _CHECKED == 0:
            check()
        starts.append(at)
        line = text.find("\n", at, at + cells + 1)
        end = line if line >= 0 else min(size, at + cells)
        fits = at + _fitting(text[at:end], cells)
        if fits == end and (line >= 0 or end == size):
            if line < 0:
                break
            at = line + 1
            continue
        blank = text.rfind(" ", at, fits)
        at = blank + 1 if blank > at else max(fits, at + 1)
    return starts


def _fitting(piece: str, cells: int) -> int:
    """How many of these code points fit."""
    if len(piece) <= cells and piece.isascii() and piece.isprintable():
        return len(piece)
    used = 0
    for at, sign in enumerate(piece):
        used += cell_len(sign) if sign.isprintable() else _INERT
        if used > cells:
            return at
    return len(piece)


def widest(starts: array[int], size: int, drawn: Callable[[int], str]) -> int:
    """The cells of the widest row, of those that have the most code points."""
    ends = [*starts[1:], size]
    longest = nlargest(_LONGEST, range(len(starts)), key=lambda at: ends[at] - starts[at])
    return max((cell_len(drawn(at)) for at in longest), default=0)


_FINDING = 0.1
_MOST = 100_000
_MARK = 2
"""Cells before a row: whether it continues the line above."""

Place = tuple[int, int]
"""Where something begins and ends in a text."""


class LongText(ScrollView, can_focus=True, inherit_bindings=False):
    """Every character of a text, in rows of one line or a piece of one."""

    BINDINGS = bindings("scroll", "whole")
    COMPONENT_CLASSES: ClassVar[set[str]] = {"long-text--mark", "long-text--lit", "long-text--found"}

    def __init__(self, text: str, signs: Signs, highlights: Sequence[Place], sized: Callable[[], object]) -> None:
        super().__init__(id="whole-text")
        self._text = text
        self._signs = signs
        self._highlights = tuple(sorted(highlights))
        self._sized = sized
        self._seen_width = 0
        self._found: Sequence[Place] = ()
        self.starts = array("q")

    @property
    def room(self) -> int:
        """The cells of a row."""
        return self.scrollable_content_region.width - _MARK

    def on_resize(self, _event: events.Resize) -> None:
        if self.room != self._seen_width:
            self._seen_width = self.room
            self._sized()

    @property
    def at(self) -> int:
        """Where the first row on the screen begins."""
        row = round(self.scroll_y)
        return self.starts[row] if row < len(self.starts) else 0

    @property
    def marked(self) -> int | None:
        """Return the first highlight or match on the screen."""
        last = min(round(self.scroll_y) + self.size.height, len(self.starts)) - 1
        marks = self._marks(self.at, self._end(last)) if last >= 0 else []
        return min((first for first, _, _ in marks), default=None)

    def show(self, starts: array[int], cells: int) -> None:
        """Show the rows that begin there."""
        self.starts = starts
        self.virtual_size = Size(cells + _MARK, len(starts))
        self.refresh()

    def mark(self, found: Sequence[Place]) -> None:
        """Light what a search has found."""
        self._found = found
        self.refresh()

    def go_to(self, at: int, *, top: bool = False) -> None:
        """To the row that holds this place: on top, or a little below, and as far to the right as need be."""
        row = max(0, bisect_right(self.starts, at) - 1)
        left = cell_len(self._drawn(self.starts[row], at)) if len(self.starts) else 0
        x = 0 if top or left < self.room - 8 else left - self.room // 2
        y = row if top else max(0, row - self.size.height // 3)
        self.scroll_to(x=x, y=y, animate=False, force=True)  # new rows may have no scrollbar yet

    def row(self, at: int) -> tuple[str, bool]:
        """Return the text of a row, inert, and whether it continues the line above."""
        start = self.starts[at]
        return self._drawn(start, self._end(at)), start > 0 and self._text[start - 1] != "\n"

    def drawn_of(self, starts: array[int], at: int) -> str:
        """What a row would be if the rows began there."""
        return self._drawn(starts[at], starts[at + 1] if at + 1 < len(starts) else len(self._text))

    def _end(self, at: int) -> int:
        return self.starts[at + 1] if at + 1 < len(self.starts) else len(self._text)

    def _drawn(self, start: int, end: int) -> str:
        return inline(self._text[start:end].removesuffix("\n").expandtabs(4))

    def _marks(self, start: int, end: int) -> list[tuple[int, int, str]]:
        """Return the highlights in this range, with matches over them."""
        near = self._found[max(0, bisect_left(self._found, (start, 0)) - 1) : bisect_left(self._found, (end, 0))]
        both = [(*one, "long-text--lit") for one in self._highlights] + [(*one, "long-text--found") for one in near]
        return [(max(first, start), min(last, end), name) for first, last, name in both if first < end and last > start]

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        at = y + self.scroll_offset.y
        base = self.visual_style.rich_style
        if at >= len(self.starts) or width < 3:
            return Strip.blank(max(0, width), base)
        start, end = self.starts[at], self._end(at)
        _, continued = self.row(at)
        parts = [Segment(f"{self._signs.continued} " if continued else "  ", self._tone("long-text--mark"))]
        marks = self._marks(start, end)
        for first, last in pairwise(sorted({start, end, *(one for mark in marks for one in mark[:2])})):
            names = [name for begin, until, name in marks if begin <= first < until]
            parts.append(Segment(self._drawn(first, last), self._tone(names[-1]) if names else base))
        left = self.scroll_offset.x
        return Strip(parts).crop(left, left + width).adjust_cell_length(width, base)

    def _tone(self, name: str) -> Style:
        return self.get_visual_style(name).rich_style

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        page = max(1, self.size.height - 2)
        steps = {"scroll.down": (0, 1), "scroll.up": (0, -1), "scroll.page_down": (0, page)}
        steps |= {"scroll.page_up": (0, -page), "whole.left": (-20, 0), "whole.right": (20, 0)}
        if action_id in steps:
            x, y = steps[action_id]
            self.scroll_relative(x=x, y=y, animate=False)
        elif action_id == "scroll.first":
            self.scroll_home(animate=False)
        elif action_id == "scroll.last":
            self.scroll_to(y=len(self.starts), animate=False)
        else:
            return isinstance(self.screen, WholeText) and self.screen.perform(action_id)
        return True


class FindBox(Input):
    """Where one types what is looked for."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "screen.leave_box", "Back", priority=True)]


class WholeText(Performs, ModalScreen[None]):
    """Covers the workbench with one long text; Esc returns. It opens at the highlight."""

    BINDINGS = bindings(only=("app.help",))

    def __init__(
        self,
        text: str,
        heading: str,
        jobs: Jobs,
        signs: Signs,
        highlights: Sequence[Place] = (),
        *,
        wrapped: bool = False,
    ) -> None:
        super().__init__()
        self._text = text
        self._jobs = jobs
        self._wrapped = wrapped
        self._wanted = min(highlights)[0] if highlights else None
        self._found: Sequence[Place] = ()
        self._at = 0
        self._measure = ""
        self._box = FindBox(placeholder="Find in this text", select_on_focus=False, max_length=200, id="whole-find")
        self._box.display = False
        self._long = LongText(text, signs, highlights, self._cut)
        self._long.border_title = Content(title(heading))
        self._keys = KeyFooter(signs, Situation("whole"))

    def compose(self) -> ComposeResult:
        yield self._long
        yield self._box
        yield self._keys

    def on_mount(self) -> None:
        self._long.focus()

    def on_unmount(self) -> None:
        self._jobs.cancel("whole")
        self._jobs.cancel("whole-find")

    def actions(self) -> Acts:
        return {
            "whole.back": self._back,
            "whole.wrap": self._wrap,
            "whole.find": self._open_box,
            "whole.next": lambda: self._step(1),
            "whole.previous": lambda: self._step(-1),
        }

    # Rows ------------------------------------------------------------------------------------------------------------

    def _cut(self) -> None:
        """Find the rows off this thread: there may be millions."""
        room, wrapped, long, text = self._long.room, self._wrapped, self._long, self._text

        def work(job: Job[tuple[array[int], int]]) -> tuple[array[int], int]:
            if wrapped:
                return wrap_rows(text, room, job.check), room
            starts = cut_rows(text, job.check)
            return starts, widest(starts, len(text), lambda at: long.drawn_of(starts, at))

        def on_rows(rows: tuple[array[int], int], _final: bool) -> None:
            before = long.at
            long.show(*rows)
            self._measure = f"{counted(len(text), 'character')}, {counted(len(rows[0]), 'row')}"
            self._show_position()
            self.call_after_refresh(self._go, self._wanted, before)

        self._jobs.run("whole", work, on_rows, self._failed)

    def _go(self, wanted: int | None, before: int) -> None:
        """To what is wanted, else where one was. It is wanted until now: the rows may have been found twice meanwhile,
        because a scrollbar takes a column."""
        if wanted is not None and wanted == self._wanted:
            self._wanted = None
        self._long.go_to(before if wanted is None else wanted, top=wanted is None)

    def _wrap(self) -> None:
        self._wrapped, self._wanted = not self._wrapped, self._long.marked
        self._cut()

    def _failed(self, fault: Fault) -> None:
        self._long.border_subtitle = Content(inline(fault.message, 200))

    # Looking for words -----------------------------------------------------------------------------------------------

    def _open_box(self) -> None:
        self._box.display = True
        self._box.focus()

    def action_leave_box(self) -> None:
        """Back to the text; what was typed is forgotten."""
        self._box.value = ""
        self._close_box()

    def _close_box(self) -> None:
        self._box.display = bool(self._box.value)
        self._long.focus()

    def _back(self) -> None:
        if self._box.value:
            self.action_leave_box()
        else:
            self.dismiss()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._close_box()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        words, text, at = event.value.strip(), self._text, self._long.at
        literal = re.sub(r"(\W)", r"\\\1", words)

        def work(job: Job[list[Place]]) -> list[Place]:
            found: list[Place] = []
            for one in re.finditer(literal, text, re.IGNORECASE) if words else ():
                job.check()
                found.append(one.span())
                if len(found) == _MOST:
                    break
            return found

        def on_matches(found: list[Place], _final: bool) -> None:
            self._found, self._at = found, min(bisect_left(found, (at, 0)), len(found) - 1)
            self._long.mark(found)
            self._step(0)

        self._jobs.run("whole-find", work, on_matches, self._failed, delay=_FINDING if words else 0.0)

    def _step(self, by: int) -> None:
        if self._found:
            self._at = (self._at + by) % len(self._found)
            self._long.go_to(self._found[self._at][0])
        self._show_position()

    def _show_position(self) -> None:
        places = f"{self._at + 1:,} of {counted(len(self._found), 'match')}" if self._found else "no matches"
        self._long.border_subtitle = Content(f"{places}, {self._measure}" if self._box.value.strip() else self._measure)
