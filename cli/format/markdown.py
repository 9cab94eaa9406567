"""Markdown as lines: drawn on a terminal with colours, as it was written elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle

from cli.format.layout import READABLE, UNCUT, wrap
from cli.output import Output
from core.text import visible

_FENCED = re.compile(r"^```[^\n]*\n(.*?)^```[^\n]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def markdown(out: Output, text: str, indent: int) -> Iterator[str]:
    """A foreign Markdown text in lines that start with `indent` blanks. It is made inert before it is drawn.

    Code between fences keeps its lines.
    """
    blanks = " " * indent
    if not out.colour:
        yield from wrap(text, out.columns, blanks)
        return
    for part, fenced in zip(_FENCED.split(visible(text)), cycle((False, True))):
        if fenced:
            yield from (out.paint(line, "code") for line in wrap(part.rstrip("\n"), UNCUT, blanks))
        elif part.strip():
            yield from (f"{blanks}{line}".rstrip() for line in _drawn(part, min(out.columns, READABLE) - indent))


def _drawn(text: str, columns: int) -> list[str]:
    from io import StringIO

    from rich.console import Console
    from rich.markdown import Markdown
    from rich.theme import Theme

    drawn = StringIO()
    console = Console(
        file=drawn,
        width=max(20, columns),
        force_terminal=True,
        color_system="standard",
        highlight=False,
        theme=Theme({"markdown.code": "cyan", "markdown.code_block": "cyan"}),  # its own have a black background
    )
    console.print(Markdown(text, hyperlinks=False))
    return [line.rstrip() for line in drawn.getvalue().strip("\n").split("\n")]
