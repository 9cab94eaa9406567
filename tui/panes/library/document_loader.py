"""A document read and laid out, as the work of a job: the lines around the place first, then the others."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tui.render.common.glyphs import Signs
from tui.render.library.document import NO_COLOURS, DocLine, Paper, lay_out
from tui.render.library.syntax import around, coloured_lines, language_of
from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.library.documents.opened import OpenDocument

AROUND = 150
"""Lines laid out on each side of the place before anything is shown."""
COLOURED = 1_000
"""Lines of code on each side of the place that are coloured; further ones when one comes near them."""
CALM = 0.12
"""Seconds between the first lines and the rest: whoever goes from hit to hit needs the rest of none."""


@dataclass(frozen=True, slots=True)
class Wanted:
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

    wanted: Wanted
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


def open_at(wanted: Wanted, look: Look, before: OpenDocument | None, signs: Signs) -> Callable[[Job[Laid]], Laid]:
    """Open a document and lay it out. `before`: it is open already, only the look is another one."""

    def work(job: Job[Any]) -> Laid:
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

    return work


def colour_at(laid: Laid, line: int) -> Callable[[Job[Laid]], Laid]:
    """The same lines on the screen, of which there are some; those of code around `line` in their colours."""

    def work(job: Job[Any]) -> Laid:
        first, last = around(laid.opened, line, COLOURED)
        first, last = max(first, laid.lines[0].number), min(last, laid.lines[-1].number)
        colours = coloured_lines(laid.opened, first, last, job.check)
        fresh = lay_out(laid.opened, first, last, laid.paper, rendered=False, colours=colours, check=job.check)
        start = bisect_left(laid.lines, first, key=lambda one: one.number)
        end = bisect_right(laid.lines, last, key=lambda one: one.number)
        return replace(laid, lines=(*laid.lines[:start], *fresh, *laid.lines[end:]), coloured=(first, last))

    return work
