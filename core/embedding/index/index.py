"""The nearest vectors: one small protocol, met by sqlite-vec and, for many, by bits in memory."""

from __future__ import annotations

from typing import Protocol

import apsw

from core.embedding.index.binary_index import Bits, KeptBits
from core.embedding.index.stored import Place
from core.embedding.index.vec0 import Vec0
from core.embedding.runtime.embedder import Vector
from core.store.sql import number

VEC0_MOST = 100_000
"""Vectors up to which a process that answers one question walks them through sqlite-vec: that loads no numpy."""
VEC0_MOST_KEPT = 20_000
"""The same where bits may be kept from one search to the next: there they pay sooner, though the first search waits for
numpy, whose libraries hold up every other thread for as long as the system takes to load them."""


class VectorIndex(Protocol):
    """Answers which items are nearest. Bound to one connection, like everything that reads it."""

    def nearest(self, query: Vector, k: int, among: frozenset[int] | None = None) -> list[tuple[int, float]]:
        """The `k` nearest items with their L2 distance, nearest first; `among` narrows the search itself.

        Of an item with several vectors the nearest counts. An item that is gone, and a distance that is no number,
        are never returned. Keep the same `among` object between searches: what follows from it is kept as well.
        Raises Fault invalid_input for a query that is no unit vector of the right size, Fault generic without
        sqlite-vec, and apsw errors.
        """
        ...


def open_index(
    con: apsw.Connection, kind: str, model: str, recipe: str, dim: int, kept: KeptBits | None = None
) -> VectorIndex:
    """The index over the vectors of a kind, as they are now. Reads next to nothing.

    `kept` belongs to a process that searches again and again (one a database): it holds what is in memory and follows
    changes. Whether these vectors may be searched at all is asked of `state.why_off`.
    """
    place = Place(kind, model, recipe, dim)
    size = number(
        con,
        "SELECT sum(count) FROM vector_bits WHERE kind = ? AND model = ? AND recipe = ?",
        (kind, model, recipe),
    )
    if size > (VEC0_MOST if kept is None else VEC0_MOST_KEPT):
        return Bits(con, place, kept or KeptBits())
    return Vec0(con, place)
