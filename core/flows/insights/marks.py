"""The marks of a session's strip: a sign each, and several results in one where there is little room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from core.flows.insights.report import StripCell, StripMark

_SIGNS: Final[dict[StripMark, tuple[str, str]]] = {"failed": ("█", "#"), "passed": ("▄", "+"), "other": ("·", ".")}


def marks_in(cells: Sequence[StripCell], width: int) -> tuple[tuple[int, int, StripMark], ...]:
    """The cells in at most `width` buckets: where each begins and ends, and its gravest mark."""
    size = max(1, -(-len(cells) // max(1, width)))
    return tuple((at, min(at + size, len(cells)), _gravest(cells[at : at + size])) for at in range(0, len(cells), size))


def sign_of(mark: StripMark, *, ascii_only: bool = False) -> str:
    """The sign of a mark, which differs without colour too."""
    return _SIGNS[mark][ascii_only]


def _gravest(cells: Iterable[StripCell]) -> StripMark:
    marks = {cell.mark for cell in cells}
    return "failed" if "failed" in marks else "passed" if "passed" in marks else "other"
