"""A document as lines of the screen: its blocks drawn as Markdown, or its lines as they stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from tui.render.library.blocks import render_blocks
from tui.render.library.inline import Run
from tui.render.library.lines import DocLine, Paper, verbatim

if TYPE_CHECKING:
    from core.library.documents.opened import OpenDocument

NO_COLOURS: Mapping[int, Sequence[Run]] = {}
_CHECKED = 64
"""Lines between two looks at whether anybody still waits."""


def lay_out(
    opened: OpenDocument,
    first: int,
    last: int,
    paper: Paper,
    *,
    rendered: bool,
    colours: Mapping[int, Sequence[Run]] = NO_COLOURS,
    check: Callable[[], None] = lambda: None,
) -> tuple[DocLine, ...]:
    """The lines `first` to `last` of an opened document; `colours`: lines of code in runs, by number.

    Made off the interface's thread; `check` may end it.
    """
    found: list[DocLine] = []
    if rendered and opened.blocks:
        for count, line in enumerate(render_blocks(opened, first, last, paper)):
            if count % _CHECKED == 0:
                check()
            found.append(line)
        return tuple(found)
    pages = {start: page for page, start in opened.pages}
    for number in range(max(first, opened.first), min(last, opened.last, opened.length) + 1):
        if number % _CHECKED == 0:
            check()
        if number in pages:
            found.append(DocLine(number, Content(""), page=pages[number]))
        found += verbatim(opened.lines[number - opened.first], number, paper, runs=colours.get(number, ()))
    return tuple(found)
