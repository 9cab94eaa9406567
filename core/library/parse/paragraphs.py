"""Plain text and logs: paragraphs between blank lines, and the fallback for every text no other reader knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from core.library.documents.blocks import Parsed, ParsedBlock
from core.library.documents.spans import LineSpan

PARSER: Final = "plain-text/1"
"""Goes into every id below it: any change of what `parse_text` returns changes it."""


def parse_text(text: str) -> Parsed:
    """The paragraphs of a plain text, in order, each with its lines."""
    return Parsed(PARSER, tuple(paragraphs(text)))


def paragraphs(text: str) -> Iterator[ParsedBlock]:
    """Runs of lines that are not blank; each line as it is, without blanks at its end."""
    run: list[str] = []
    number = 0
    for number, line in enumerate(text.split("\n"), 1):
        kept = line.rstrip()
        if kept:
            run.append(kept)
        elif run:
            yield _paragraph(run, number - 1)
            run = []
    if run:
        yield _paragraph(run, number)


def _paragraph(run: list[str], last: int) -> ParsedBlock:
    first = last - len(run) + 1
    return ParsedBlock("paragraph", (), LineSpan(first, last), "\n".join(run), {}, first)
