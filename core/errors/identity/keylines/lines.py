"""The lines of an output as finders see them, each with its way back to the raw text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from core.text import OffsetMap


class Chunk(NamedTuple):
    """A stretch of the raw text that was cleaned as one: where it begins, and the map of its cleaned characters."""

    base: int
    offsets: OffsetMap

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Half-open code-point span of the raw text."""
        first, last = self.offsets.original_span(start, end)
        return self.base + first, self.base + last


class Line(NamedTuple):
    """One line without its envelope prefix and trailing blanks; indentation stays. `at` is its place in the chunk."""

    text: str
    at: int
    chunk: Chunk

    @property
    def indent(self) -> int:
        """How many blanks it starts with."""
        return len(self.text) - len(self.text.lstrip())

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Half-open code-point span of `text[start:end]` in the raw text."""
        return self.chunk.span(self.at + start, self.at + end)


class Page(NamedTuple):
    """All lines of an output, joined once more for fast search."""

    lines: tuple[Line, ...]
    whole: str
    starts: tuple[int, ...]

    def line_at(self, position: int) -> int:
        """The number of the line that holds `position` of `whole`."""
        return bisect_right(self.starts, position) - 1

    def having(self, needles: Sequence[str]) -> Iterator[int]:
        """The numbers of the lines that contain one of `needles`, ascending for each needle."""
        whole, starts = self.whole, (*self.starts, len(self.whole) + 1)
        for needle in needles:
            position = whole.find(needle)
            while position >= 0:
                number = bisect_right(starts, position)
                yield number - 1
                position = whole.find(needle, starts[number])

    def text(self, number: int) -> str:
        """The text of line `number`, empty outside the page."""
        return self.lines[number].text if 0 <= number < len(self.lines) else ""

    def next_filled(self, number: int, reach: int = 4) -> int | None:
        """The number of the first line from `number` on, at most `reach` lines ahead, that is not blank."""
        for candidate in range(number, min(number + reach, len(self.lines))):
            if self.lines[candidate].text.strip():
                return candidate
        return None


def page(lines: Sequence[Line]) -> Page:
    """A page of `lines`."""
    starts = accumulate((len(line.text) + 1 for line in lines[:-1]), initial=0) if lines else ()
    return Page(tuple(lines), "\n".join(line.text for line in lines), tuple(starts))
