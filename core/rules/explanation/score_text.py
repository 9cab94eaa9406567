"""Scores on the scale 0..1, and in words: two decimals, and more only where two that differ would read the same."""

from __future__ import annotations

_LEAST, _MOST = 2, 4
"""Decimals; scores are kept to four."""


FULL = 20.0
"""The bm25 score that is full on the scale 0..1."""


def bounded(bm25: float) -> float:
    """A keyword score on the scale 0..1 (REQ-SEM-002)."""
    return min(1.0, max(0.0, bm25) / FULL)


def apart(one: float, other: float) -> tuple[str, str]:
    """Two scores as they are told beside each other."""
    digits = _digits(one, other)
    return f"{one:.{digits}f}", f"{other:.{digits}f}"


def short_of(score: float, line: float) -> str:
    """What a score lacks to a line above it: the difference of both as they are told."""
    digits = _digits(score, line)
    return f"{round(line, digits) - round(score, digits):.{digits}f}"


def _digits(one: float, other: float) -> int:
    return next((n for n in range(_LEAST, _MOST) if f"{one:.{n}f}" != f"{other:.{n}f}"), _MOST) if one != other else 2
