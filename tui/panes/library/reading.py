"""A document read and laid out, as the work of a job: the lines around the place first, then the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tui.jobs import Job
from tui.render.library_layout import lay_out
from tui.render.library_lines import DocLine, Paper
from tui.render.signs import Signs

if TYPE_CHECKING:
    from core.library.opened import OpenDocument

AROUND = 150
"""Lines laid out on each side of the place before anything is shown."""
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
    """A document with lines of it laid out; `digits` of the line numbers, 0 where none are shown."""

    wanted: Wanted
    look: Look
    opened: OpenDocument
    lines: tuple[DocLine, ...]
    digits: int
    rendered: bool


def gutter(digits: int) -> int:
    """Cells before the text."""
    return 2 + (digits + 1 if digits else 0)


def open_at(wanted: Wanted, look: Look, before: OpenDocument | None, signs: Signs) -> Callable[[Job[Laid]], Laid]:
    """Open a document and lay it out. `before`: it is open already, only the look is another one."""

    def work(job: Job[Any]) -> Laid:
        from core.library.citation import parse
        from core.library.lexical_query import lexical_query
        from core.library.opened import open_document

        citation = parse(wanted.uri) if wanted.uri else None
        opened = before or open_document(job.store().con, wanted.path, citation, look.around or None)
        job.check()
        rendered = look.rendered and bool(opened.blocks)
        digits = 0 if rendered or opened.state == "passages" else len(str(opened.total))
        terms = lexical_query(wanted.words, prefix_last=True).terms if wanted.words.strip() else ()
        paper = Paper(max(4, look.cells - gutter(digits)), terms, opened.cited, signs)
        place = look.around or (opened.cited[0] if opened.cited else opened.first)

        def laid(first: int, last: int) -> Laid:
            lines = lay_out(opened, first, last, paper, rendered=rendered, check=job.check)
            return Laid(wanted, look, opened, lines, digits, rendered)

        if len(opened.lines) > 4 * AROUND:
            job.partial(laid(place - AROUND, place + AROUND))
            job.pause(CALM)
        return laid(opened.first, opened.last)

    return work
