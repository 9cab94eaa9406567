"""The index of vectors that a search asks: in memory, or sqlite-vec's table."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, cast

import apsw

from core.base.fault import Fault
from core.embedding.index.binary_index import Bits, CachedBits
from core.embedding.index.stored import Place
from core.embedding.index.vectors import unusable
from core.embedding.runtime.embedder import Vector
from core.store.sql import number, quoted
from core.store.vec import WINDOWS, VecTable, has_table, load_vec, vec_tables

_MOST = 4096  # rows vec0 gives at once
_MORE = 8  # rows asked for beyond what is wanted: windows of one text, items that are gone, those not among the wanted


@dataclass(frozen=True, slots=True)
class Vec0:
    """A `VectorIndex` over the vec0 tables of a kind."""

    con: apsw.Connection
    place: Place

    def nearest(self, query: Vector, k: int, among: frozenset[int] | None = None) -> list[tuple[int, float]]:
        """See `VectorIndex`."""
        reason = unusable(query, self.place.dim)
        if reason:
            raise Fault("invalid_input", f"invalid search vector: {reason}")
        tables = [table for table in vec_tables(self.place.kind, self.place.dim) if has_table(self.con, table)]
        if k < 1 or not tables or among == frozenset():
            return []
        load_vec(self.con)
        rows = min(_MOST, k + _MORE if among is None else 4 * (k + _MORE))
        while True:
            found, whole = self._look(tables, query, rows, among)
            if len(found) >= k or whole:
                return found[:k]
            if rows == _MOST:
                return self._walk(query, among)[:k]
            rows = min(_MOST, rows * 8)

    def _look(
        self, tables: Iterable[VecTable], query: Vector, rows: int, among: frozenset[int] | None
    ) -> tuple[list[tuple[int, float]], bool]:
        """The nearest items within the nearest `rows` of each table, and whether that was all there is.

        Where a table held more, only what is nearer than its last row is sure to be in order.
        """
        pairs: list[tuple[int, float]] = []
        whole, sure = True, math.inf
        for table in tables:
            sql = f"SELECT {table.key}, distance FROM {quoted(table.name)} WHERE embedding MATCH ? AND k = ?"
            got = cast("list[tuple[int, float | None]]", self.con.execute(sql, (query, rows)).fetchall())
            numbers = [(key, found) for key, found in got if found is not None and math.isfinite(found)]
            if len(got) == rows:
                whole, sure = False, min(sure, max((found for _, found in numbers), default=0.0))
            pairs += [(key // WINDOWS if table.windows else key, found) for key, found in numbers]
        kept = self._existing({item for item, _ in pairs if among is None or item in among})
        best = _best((item, found) for item, found in pairs if item in kept and found <= sure)
        return best, whole

    def _existing(self, items: set[int]) -> set[int]:
        """Of these items those whose vector is still kept: vec0 knows nothing of a case that is gone."""
        names = (json.dumps(list(items)), self.place.kind, self.place.model, self.place.recipe)
        sql = (  # CROSS: the few items lead; without it every vector of the kind may be walked
            "SELECT item_id FROM json_each(?) CROSS JOIN vector"
            " ON kind = ? AND item_id = value AND model = ? AND recipe = ?"
        )
        return {cast("int", row[0]) for row in self.con.execute(sql, names).fetchall()}

    def _walk(self, query: Vector, among: frozenset[int] | None) -> list[tuple[int, float]]:
        """Every kept vector in turn: where those wanted lie beyond the first thousands."""
        place = self.place
        names = (place.kind, place.model, place.recipe, place.dim)
        of = "kind = ? AND model = ? AND recipe = ? AND dim = ?"
        most = number(self.con, f"SELECT max(length(blob) / (4 * dim)) FROM vector WHERE {of}", names)
        within = "" if among is None else " AND item_id IN (SELECT value FROM json_each(?))"
        arguments = () if among is None else (json.dumps([*among]),)
        rows = self.con.execute(
            "SELECT item_id, vec_distance_l2(substr(blob, 4 * dim * w.value + 1, 4 * dim), ?)"
            f" FROM vector, json_each(?) AS w WHERE {of} AND w.value < length(blob) / (4 * dim){within}",
            (query, json.dumps(list(range(most))), *names, *arguments),
        ).fetchall()
        pairs = cast("list[tuple[int, float | None]]", rows)
        return _best((item, found) for item, found in pairs if found is not None and math.isfinite(found))


def _best(pairs: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
    """Each item once, with its smallest distance, nearest first; equal ones by id."""
    best: dict[int, float] = {}
    for item, distance in pairs:
        if distance < best.get(item, math.inf):
            best[item] = distance
    return sorted(best.items(), key=lambda pair: (pair[1], pair[0]))


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
    con: apsw.Connection, kind: str, model: str, recipe: str, dim: int, kept: CachedBits | None = None
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
        return Bits(con, place, kept or CachedBits())
    return Vec0(con, place)
