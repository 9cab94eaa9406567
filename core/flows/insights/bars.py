"""Bars of block characters, an eighth of a cell fine."""

from __future__ import annotations

from typing import Final

_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"


def bar(value: float, most: float, cells: int, *, ascii_only: bool = False) -> str:
    """A bar of at most `cells` cells for `value`, where `most` fills them all; what is more than nothing shows."""
    if value <= 0 or most <= 0 or cells <= 0:
        return ""
    if ascii_only:
        return "#" * max(1, round(cells * min(value / most, 1)))
    eighths = max(1, round(8 * cells * min(value / most, 1)))
    full, part = divmod(eighths, 8)
    return _EIGHTHS[8] * full + (_EIGHTHS[part] if part else "")
