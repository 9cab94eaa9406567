"""A passage that is too large for its readers, as pieces that together hold all of it."""

from __future__ import annotations

from collections.abc import Iterator

from core.library.chunk.policy import BYTES_PER_TOKEN, tokens
from core.library.documents.blocks import Passage


def pieces(text: str, budget: int) -> list[tuple[str, int]]:
    """Parts of `text` of at most `budget` tokens, cut between lines, and within a line only where it is longer.

    With each the number of the line it begins in, from 0. Joined by a newline (by nothing within a line) they are
    `text` again.
    """
    found: list[tuple[str, int]] = []
    run: list[str] = []
    size, first = 0, 0
    for at, line in enumerate(text.split("\n")):
        length = _bytes(line)
        if run and size + 1 + length > budget * BYTES_PER_TOKEN:
            found.append(("\n".join(run), first))
            run, size = [], 0
        if length > budget * BYTES_PER_TOKEN:
            found += [(part, at) for part in _cut(line, budget * BYTES_PER_TOKEN)]
            continue
        if not run:
            first = at
        size += length + (1 if run else 0)
        run.append(line)
    if run:
        found.append(("\n".join(run), first))
    return found


def within_budget(passage: Passage, budget: int, first_line: int | None) -> Iterator[Passage]:
    """The passage, or its pieces (`#seg0`, `#seg1`, …) where it is larger than `budget` tokens.

    A piece keeps the spans of its blocks; where `first_line` says on which source line the text begins, line by line,
    it names its own lines.
    """
    if tokens(passage.text) <= budget:
        yield passage
        return
    for number, (text, at) in enumerate(pieces(passage.text, budget)):
        lines = passage.lines
        if first_line is not None and lines is not None:
            lines = (first_line + at, first_line + at + text.count("\n"))
        yield Passage(text, passage.heading_path, passage.blocks, passage.spans, tokens(text), lines, f"#seg{number}")


def _bytes(line: str) -> int:
    return len(line) if line.isascii() else len(line.encode("utf-8", "replace"))


def _cut(line: str, most: int) -> Iterator[str]:
    """Parts of a line of at most `most` bytes, between code points."""
    if line.isascii():
        yield from (line[at : at + most] for at in range(0, len(line), most))
        return
    start, size = 0, 0
    for at, sign in enumerate(line):
        width = len(sign.encode("utf-8", "replace"))
        if size + width > most and at > start:
            yield line[start:at]
            start, size = at, 0
        size += width
    if start < len(line):
        yield line[start:]
