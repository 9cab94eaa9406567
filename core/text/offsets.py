"""Where the characters of an edited text came from: layers of edits, each read backwards."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

Edit = tuple[int, int, str]
"""Half-open range of the input in code points, and what stands in its place."""


class Layer(NamedTuple):
    """One pass of edits: for each, where its replacement lies in the output and what it replaced in the input."""

    out_starts: tuple[int, ...]
    out_ends: tuple[int, ...]
    in_starts: tuple[int, ...]
    in_ends: tuple[int, ...]

    def start(self, position: int) -> int:
        """Input position at which the output character `position` begins."""
        edit = bisect_right(self.out_starts, position) - 1
        if edit >= 0 and self.out_starts[edit] == self.out_ends[edit] == position:
            return self.in_ends[edit]
        if edit < 0:
            return position
        if position < self.out_ends[edit]:
            return self.in_starts[edit]
        return position - self.out_ends[edit] + self.in_ends[edit]

    def end(self, position: int) -> int:
        """Input position at which the output character before `position` ends; `position` > 0."""
        edit = bisect_right(self.out_starts, position - 1) - 1
        if edit < 0:
            return position
        if position <= self.out_ends[edit]:
            return self.in_ends[edit]
        return position - self.out_ends[edit] + self.in_ends[edit]


class OffsetMap(NamedTuple):
    """Code-point offsets of an edited text, read back to the original; `layers` in the order they were applied."""

    layers: tuple[Layer, ...] = ()

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """The half-open span of the original that became `start`..`end`, without what was removed beside it.

        An empty span maps to an empty one. Characters that were composed or replaced together map to all of them.
        """
        if end <= start:
            for layer in reversed(self.layers):
                start = layer.start(start)
            return start, start
        for layer in reversed(self.layers):
            start, end = layer.start(start), layer.end(end)
        return start, end


def apply(text: str, edits: Iterable[Edit]) -> tuple[str, Layer]:
    """The text after `edits` (sorted, not overlapping), and the layer that leads back."""
    pieces: list[str] = []
    rows: list[tuple[int, int, int, int]] = []
    taken = length = 0
    for start, end, replacement in edits:
        pieces.append(text[taken:start])
        length += start - taken
        rows.append((length, length + len(replacement), start, end))
        pieces.append(replacement)
        length += len(replacement)
        taken = end
    pieces.append(text[taken:])
    columns = tuple(zip(*rows, strict=True)) or ((), (), (), ())
    return "".join(pieces), Layer(*columns)
