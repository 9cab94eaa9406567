"""Where the rows of a long text begin: its lines as they are, or broken to the width that there is."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from heapq import nlargest

from rich.cells import cell_len

CHUNK = 400
"""Code points of a line drawn in one row; a longer line goes on in the next row, marked."""

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
