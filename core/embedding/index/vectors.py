"""Arithmetic on stored vectors without numpy: for a handful, where loading numpy would cost more than it saves."""

from __future__ import annotations

import math
import sys
from array import array

from core.embedding.runtime.embedder import Vector

_UNIT = 1e-3
"""How far a length may be from 1: single precision is off by a ten-thousandth of this."""


def pack(values: list[float]) -> Vector:
    """Components as a unit-length vector. Raises ValueError for NaN, infinity and the zero vector."""
    length = math.sqrt(math.fsum(value * value for value in values))
    if not math.isfinite(length) or length == 0:
        raise ValueError("not a vector: its norm is zero or not finite")
    unit = array("f", (value / length for value in values))
    if sys.byteorder == "big":
        unit.byteswap()
    return unit.tobytes()


def unpack(vector: Vector) -> list[float]:
    """The components of a stored vector."""
    values = array("f")
    values.frombytes(vector)
    if sys.byteorder == "big":
        values.byteswap()
    return values.tolist()


def unusable(vector: Vector, dim: int) -> str | None:
    """Why a vector must not be stored or searched with, in plain words; None if it may.

    vec0 takes NaN, infinity and the zero vector without a word, and they then spoil every answer.
    """
    if len(vector) != 4 * dim:
        return f"it has {len(vector)} bytes, not {4 * dim}"
    squares = math.fsum(value * value for value in unpack(vector))
    if not math.isfinite(squares):
        return "it contains a value that is not a number"
    if abs(math.sqrt(squares) - 1) > _UNIT:
        return f"its norm is {math.sqrt(squares):.3f}, not 1"
    return None


def cosine(one: Vector, other: Vector) -> float:
    """Cosine similarity of two unit vectors of one size, -1 to 1; -1 where one holds a value that is no number."""
    found = math.fsum(a * b for a, b in zip(unpack(one), unpack(other), strict=True))
    return max(-1.0, min(1.0, found)) if math.isfinite(found) else -1.0  # min(1.0, nan) would be 1.0


def distance_of(similarity: float) -> float:
    """The L2 distance of two unit vectors whose cosine is `similarity` (decision 5)."""
    return math.sqrt(max(0.0, 2 - 2 * similarity))


def similarity_of(distance: float) -> float:
    """The cosine of two unit vectors at an L2 `distance`: 1 - d²/2 (decision 5)."""
    return 1 - distance * distance / 2
