"""The document next to the list: opened at the cited lines, words highlighted; Markdown rendered or raw."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from rich.segment import Segment
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from core.base.fault import Fault
from tui.actions.registry import bindings
from tui.panes.common.list_pane import Late
from tui.render.common.code import language_of
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline, title
from tui.render.document import (
    NO_COLOURS,
    DocLine,
    Paper,
    around,
    coloured_lines,
    draw_doc_line,
    lay_out,
)
from tui.runtime.jobs import Job, Jobs, job_work

if TYPE_CHECKING:
    from core.library.documents.opened import OpenDocument


AROUND = 150
"""Lines laid out on each side of the place before anything is shown."""
COLOURED = 1_000
"""Lines of code on each side of the place that are coloured; further ones when one comes near them."""
CALM = 0.12
"""Seconds between the first lines and the rest, which is not needed while moving from hit to hit."""


@dataclass(frozen=True, slots=True)
class DocumentPlace:
    """A place in a document: its path, the citation that names lines of it (empty: none), the words to light."""

    path: str
    uri: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """How it is shown: in so many cells, rendered or raw; `around` a line other than the cited one (0: the cited)."""

    cells: int
    rendered: bool
    around: int = 0


@dataclass(frozen=True, slots=True)
class Laid:
    """A document with lines of it laid out; `digits` of the line numbers, 0 where none are shown.

    `coloured`: the first and the last line that have their colours; all, where there are none to be had.
    """

    wanted: DocumentPlace
    look: Look
    opened: OpenDocument
    lines: tuple[DocLine, ...]
    digits: int
    rendered: bool
    paper: Paper
    coloured: tuple[int, int]

    def lacks_colours(self, first: int, last: int) -> bool:
        """Whether any of these lines has none yet."""
        ends = (self.lines[0].number, self.lines[-1].number) if self.lines else (first, last)
        return max(first, ends[0]) < self.coloured[0] or min(last, ends[1]) > self.coloured[1]


def gutter(digits: int) -> int:
    """Cells before the text."""
    return 2 + (digits + 1 if digits else 0)


@job_work
def open_at(job: Job[Any], wanted: DocumentPlace, look: Look, before: OpenDocument | None, signs: Signs) -> Laid:
    """Open a document and lay it out. `before`: it is open already, only the look is another one."""
    from core.library.citations.citation import parse
    from core.library.documents.opened import open_document, within
    from core.library.search.lexical import lexical_query

    citation = parse(wanted.uri) if wanted.uri else None
    opened = before or within(open_document(job.store().con, wanted.path, citation, look.around or None))
    job.check()
    rendered = look.rendered and bool(opened.blocks)
    digits = 0 if rendered or opened.state == "passages" else len(str(opened.total))
    terms = lexical_query(wanted.words, prefix_last=True).terms if wanted.words.strip() else ()
    paper = Paper(max(4, look.cells - gutter(digits)), terms, opened.cited, signs)
    place = look.around or (opened.cited[0] if opened.cited else opened.first)
    code = not rendered and bool(language_of(opened.document.doc_path))

    def laid(first: int, last: int, far: int) -> Laid:
        near = around(opened, place, far) if code else (opened.first, opened.last)
        colours = coloured_lines(opened, *near, job.check) if code else NO_COLOURS
        lines = lay_out(opened, first, last, paper, rendered=rendered, colours=colours, check=job.check)
        return Laid(wanted, look, opened, lines, digits, rendered, paper, near)

    if len(opened.lines) > 4 * AROUND:
        job.partial(laid(place - AROUND, place + AROUND, AROUND))
        job.pause(CALM)
    return laid(opened.first, opened.last, COLOURED)


@job_work
def colour_at(job: Job[Any], laid: Laid, line: int) -> Laid:
    """The same lines on the screen, of which there are some; those of code around `line` in their colours."""
    first, last = around(laid.opened, line, COLOURED)
    first, last = max(first, laid.lines[0].number), min(last, laid.lines[-1].number)
    colours = coloured_lines(laid.opened, first, last, job.check)
    fresh = lay_out(laid.opened, first, last, laid.paper, rendered=False, colours=colours, check=job.check)
    start = bisect_left(laid.lines, first, key=lambda one: one.number)
    end = bisect_right(laid.lines, last, key=lambda one: one.number)
    return replace(laid, lines=(*laid.lines[:start], *fresh, *laid.lines[end:]), coloured=(first, last))


LANE, COLOURS = "library-doc", "library-colours"
_LEAST = 8


class DocumentView(ScrollView, can_focus=True, inherit_bindings=False):
    """Lines of one document. What was shown stays until what is wanted now is read."""

    BINDINGS = bindings("scroll", "case")
    COMPONENT_CLASSES: ClassVar[set[str]] = {"document--line", "document--cited"}

    class Loaded(Message):
        """Another document, or another part of it, is on the screen."""

    def __init__(self, jobs: Jobs, signs: Signs) -> None:
        super().__init__(id="library-document")
        self._jobs = jobs
        self._signs = signs
        self.wanted: DocumentPlace | None = None
        self.laid: Laid | None = None
        self.rendered = True
        self.at_match: int | None = None  # the line of the screen that n and N have gone to
        self._stood: int | None = None  # where it was put, on the screen's lines; None: where the person scrolled to
        self._cells = 0
        self._late = Late(self)

    # Reading ---------------------------------------------------------------------------------------------------------

    def want(self, wanted: DocumentPlace | None, delay: float = 0.0) -> None:
        """Show this place; None: nothing is chosen."""
        if wanted == self.wanted:
            return
        self.wanted = wanted
        self._late.begin(delay)
        if wanted is None:
            self._jobs.cancel(LANE)
            self._clear()
            return
        self._cells = self._cells or self._cells_alone()
        self._read(Look(self._cells, self.rendered), delay=delay)

    def _cells_alone(self) -> int:
        """The cells of a line while the document is hidden behind its list: it will have the whole screen."""
        return self.app.size.width - self.gutter.width

    def hide_other(self) -> None:
        """Show nothing until the wanted place is read: what is shown is another one."""
        if self.laid is not None and self.laid.wanted != self.wanted:
            self._clear()

    def again(self) -> None:
        """Read it again after a change of the library."""
        if self.wanted is not None:
            self._read(Look(self._cells, self.rendered, self.top_line))

    def toggle_raw(self) -> None:
        """Drawn, or as it is written; the line at the top stays there."""
        self.rendered = not self.rendered
        self._relay()

    @property
    def top_line(self) -> int:
        """The line of the document at the top of the screen; 0 where none is."""
        lines = () if self.laid is None else self.laid.lines
        at = round(self.scroll_y)
        return lines[at].number if at < len(lines) else 0

    @property
    def scrolled(self) -> bool:
        """Whether the person has scrolled since it was put at the place that is wanted."""
        return self._stood is None or round(self.scroll_y) != max(0, min(self._stood, round(self.max_scroll_y)))

    def on_resize(self) -> None:
        cells = self.scrollable_content_region.width
        if cells >= _LEAST and cells != self._cells:
            self._cells = cells
            self._relay()

    def on_unmount(self) -> None:
        self._jobs.cancel(LANE)
        self._jobs.cancel(COLOURS)

    def _relay(self) -> None:
        if self.wanted is None:
            return
        look = Look(self._cells, self.rendered, self.top_line)
        if self.laid is not None and self.laid.wanted == self.wanted:
            self._read(look, keep=True)
        else:
            self._read(replace(look, around=0))

    def _read(self, look: Look, *, keep: bool = False, delay: float = 0.0) -> None:
        if self.wanted is None or look.cells < _LEAST:
            return
        before = self.laid
        opened = before.opened if keep and before is not None and before.wanted == self.wanted else None
        work = open_at(self.wanted, look, opened, self._signs)
        self._jobs.run(LANE, work, self._on_text_laid_out, self._failed, delay=delay)

    def _on_text_laid_out(self, laid: Laid, _final: bool) -> None:
        same = self.laid is not None and (self.laid.wanted, self.laid.look) == (laid.wanted, laid.look)
        left = self.laid is not None and self.laid.wanted == laid.wanted and self.scrolled
        top = self.top_line
        above = 0 if not same or self.laid is None else round(self.scroll_y) - _first(self.laid.lines, top)
        self.laid = laid
        self._late.end()
        self.at_match = None
        self.virtual_size = Size(0, len(laid.lines))
        self._caption()
        self.refresh()
        if same:  # the rest of what is shown already
            self._put(_first(laid.lines, top) + above)
        elif laid.look.around:
            self._put(_first(laid.lines, laid.look.around))
        else:
            self._put(_above_cited(laid.lines, max(1, self.size.height)))
        if left:
            self._stood = None
        self.post_message(self.Loaded())

    def _put(self, y: int) -> None:
        self._stood = y
        self.scroll_to(y=y, animate=False, force=True)

    def _failed(self, fault: Fault) -> None:
        self._clear()
        self.border_subtitle = Content.styled(inline(fault.message, 200), "$cb-bad")

    def _clear(self) -> None:
        self.laid = None
        self._late.end()
        self.virtual_size = Size(0, 0)
        self._caption()
        self.refresh()
        self.post_message(self.Loaded())

    def _caption(self) -> None:
        if self.laid is None:
            self.border_title = Content("Document" if self.wanted is None else title(self.wanted.path))
            self.border_subtitle = Content("")
            return
        one = self.laid.opened
        self.border_title = Content(title(one.document.doc_path))
        count = f"line {min(self.top_line, one.length):,} of {one.length:,}" if one.state != "passages" else ""
        form = "raw" if one.blocks and not self.laid.rendered else ""
        dot = f" {self._signs.dot} "
        details = dot.join(part for part in (count, form) if part)
        if one.notice:
            self.border_subtitle = Content.assemble(
                details, dot if details else "", (inline(one.notice, 160), "$cb-draft")
            )
        else:
            self.border_subtitle = Content(details)

    # Moving ----------------------------------------------------------------------------------------------------------

    def next_match(self, by: int) -> bool:
        """Go to the next or previous line with a match; False if there is none."""
        if self.laid is None:
            return False
        lines = self.laid.lines
        at = self.at_match
        if at is None:
            top = round(self.scroll_y)
            seen = range(top, min(len(lines), top + max(1, self.size.height)))
            start = next((one for one in seen if lines[one].cited), top)
            at = start - 1 if by > 0 else start
        ahead = range(at + 1, len(lines)) if by > 0 else range(at - 1, -1, -1)
        found = next((one for one in ahead if lines[one].is_match), None)
        if found is None:
            return False
        self.at_match = found
        height, top = max(1, self.size.height), round(self.scroll_y)
        if not top <= found < top + height - 1:
            self.scroll_to(y=max(0, found - height // 3), animate=False, force=True)
        self.refresh()
        return True

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The frame says where one is; at the edge of a part of a large document the next part is read."""
        super().watch_scroll_y(old_value, new_value)
        self._caption()
        self._colour()
        if self.laid is None or self._jobs.busy(LANE):
            return
        one, top = self.laid.opened, round(new_value)
        height = self.size.height
        if top < old_value and top < height and one.first > 1:
            self._part(one.first)
        elif top > old_value and top + 2 * height > len(self.laid.lines) and one.last < one.total:
            self._part(one.last)

    def _part(self, line: int) -> None:
        """Read the part of a document around a line."""
        if self.wanted is not None:
            self._read(Look(self._cells, self.rendered, line))

    def _colour(self) -> None:
        """Ask for the colours of what comes near the screen."""
        laid, line, top, height = self.laid, self.top_line, round(self.scroll_y), self.size.height
        rows = () if laid is None else laid.lines[max(0, top - height) : top + 2 * height]
        if laid is None or not rows or self._jobs.busy(COLOURS):
            return

        def on_coloured(coloured: Laid, _final: bool) -> None:
            if self.laid is laid:
                self.laid = coloured
                self.refresh()
            if self.top_line != line:
                self._colour()

        if laid.lacks_colours(rows[0].number, rows[-1].number):
            self._jobs.run(COLOURS, colour_at(laid, line), on_coloured, lambda _fault: None)

    def perform(self, action_id: str) -> bool:
        page = max(1, self.size.height - 2)
        steps = {"scroll.down": 1, "scroll.up": -1, "scroll.page_down": page, "scroll.page_up": -page}
        if action_id in steps:
            self.scroll_relative(y=steps[action_id], animate=False)
        elif action_id == "scroll.first":
            self._end(1)
        elif action_id == "scroll.last":
            self._end(self.laid.opened.total if self.laid is not None else 1)
        else:
            return False
        return True

    def _end(self, line: int) -> None:
        """To the first or the last line, wherever that is."""
        if self.laid is None:
            return
        one = self.laid.opened
        if not one.first <= line <= one.last and one.state != "passages":
            self._part(line)
        elif line == 1:
            self.scroll_home(animate=False)
        else:
            self.scroll_end(animate=False)

    def on_click(self, event: events.Click) -> None:
        """A click takes the focus; nothing in a document acts."""
        event.stop()
        self.focus()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        base = self.get_visual_style("document--line")
        at = y + self.scroll_offset.y
        if self.laid is None or at >= len(self.laid.lines) or width <= 0:
            return Strip.blank(max(0, width), base.rich_style)
        line = self.laid.lines[at]
        if line.cited:
            base = self.get_visual_style("document--cited")
        content = draw_doc_line(line, self.laid.digits, self._signs, at_match=at == self.at_match)
        pieces = content.render(base, end="", parse_style=self.app.stylesheet.parse_style)
        strip = Strip([Segment(text, style.rich_style) for text, style in pieces])
        return strip.adjust_cell_length(width, base.rich_style)


def _first(lines: tuple[DocLine, ...], number: int) -> int:
    """Where the line of that number begins, or the next one that is there."""
    return next((at for at, line in enumerate(lines) if line.number >= number), max(0, len(lines) - 1))


def _above_cited(lines: tuple[DocLine, ...], height: int) -> int:
    """Return the first line to show, so that the first match in the cited lines is in the upper third."""
    cited = [at for at, line in enumerate(lines) if line.cited]
    first = cited[0] if cited else 0
    match = next((at for at in cited if lines[at].is_match), first)
    y = first - min(3, height // 4) if match - first < height * 2 // 3 else match - height // 3
    return max(0, y) if cited else 0
