"""The nearest of very many vectors: their signs, in memory, find a few hundred; the true vectors rank those.

First by how many signs differ, then, of the best thousands, by the signs weighed with the query's own components, which
tells twice as much. A vector takes dim / 8 bytes and 8 for its item: 56 MB for a million of 384 components. numpy is
loaded on first use.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

import apsw

from core.base.fault import Fault
from core.embedding.index.stored import Place, sign_bits
from core.embedding.index.vectors import unusable
from core.embedding.runtime.embedder import Vector

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

WEIGHED = 8_000
"""Rows with the fewest signs that differ from the query's: these are weighed."""
RESCORED = 800
"""Of those, the best, whose true vectors are read: they hold 98 in 100 of the true three nearest (`bench knn`)."""
MANY = 200_000
"""Vectors up to which half as many are weighed and read: the candidates lie less close there."""
_SLICE = 1 << 16  # vectors compared at a time: what is in between stays in the processor's cache
_SAMPLE = 64  # one in so many is looked at to guess how far the candidates reach
_ABSENT = 0xFFFF


class CachedBits:
    """The bits of one database in memory, for a process that searches again and again; safe between threads.

    It follows the database: what was appended is read, and after a rebuild all of it is.
    """

    __slots__ = ("_among", "_columns", "_items", "_lock", "_mask", "_seen", "_size", "_span")

    def __init__(self) -> None:
        self._lock = Lock()
        self._seen: Place | None = None
        self._span = (0, 0)
        self._size = 0
        self._items: Array | None = None
        self._columns: Array | None = None
        self._among: frozenset[int] | None = None
        self._mask: Array | None = None

    @property
    def memory(self) -> int:
        """Bytes held."""
        held = (self._items, self._columns, self._mask)
        return sum(one.nbytes for one in held if one is not None)

    def candidates(self, con: apsw.Connection, place: Place, query: Vector, among: frozenset[int] | None) -> list[int]:
        """The items of up to `RESCORED` rows whose signs fit the query best; one may be gone."""
        import numpy as np

        with self._lock:
            self._refresh(con, place)
            items, columns, size = self._items, self._columns, self._size
            mask = None if among is None else self._masked(among)
        if items is None or columns is None or not size:
            return []
        distances = _differing(columns, size, _words(query))
        if mask is not None:
            distances[~mask[:size]] = _ABSENT
        share = 1 if size > MANY else 2
        near = _fewest(distances, WEIGHED // share)
        most = RESCORED // share
        if len(near) > most:
            near = near[np.argpartition(-_weighed(columns[:, near], query), most)[:most]]
        return np.unique(items[near]).tolist()

    def _refresh(self, con: apsw.Connection, place: Place) -> None:
        names = (place.kind, place.model, place.recipe)
        of = "kind = ? AND model = ? AND recipe = ?"
        row = con.execute(f"SELECT min(id), max(id) FROM vector_bits WHERE {of}", names).fetchone()
        first, last = cast("tuple[int | None, int | None]", row or (None, None))
        span = (first or 0, last or 0)
        if place == self._seen and span == self._span:
            return
        grown = place == self._seen and span[0] == self._span[0] and span[1] > self._span[1]
        if not grown:
            self._size = 0
            self._items = self._columns = None
        rows = con.execute(
            f"SELECT items, bits FROM vector_bits WHERE {of} AND id > ? AND id <= ?"
            " AND length(items) = 8 * count AND length(bits) = ? * count ORDER BY id",  # else it is damaged
            (*names, self._span[1] if grown else 0, span[1], width := (place.dim + 7) // 8),
        ).fetchall()
        self._append(cast("list[tuple[bytes, bytes]]", rows), width)
        self._seen, self._span = place, span
        self._among = self._mask = None

    def _append(self, rows: list[tuple[bytes, bytes]], width: int) -> None:
        import numpy as np

        ids = np.frombuffer(b"".join(items for items, _ in rows), dtype="<i8")
        found = np.frombuffer(b"".join(bits for _, bits in rows), dtype=np.uint8).reshape(-1, width)
        words = (width + 7) // 8
        wide = np.zeros((len(found), words * 8), dtype=np.uint8)
        wide[:, :width] = found
        size = self._size + len(ids)
        if self._items is None or self._columns is None or size > len(self._items):
            # Searches that go on hold the old arrays, so they are never resized in place.
            room = size if self._items is None else size + size // 4
            grown, columns = np.empty(room, dtype=np.int64), np.empty((words, room), dtype=np.uint64)
            if self._items is not None and self._columns is not None:
                grown[: self._size] = self._items[: self._size]
                columns[:, : self._size] = self._columns[:, : self._size]
            self._items, self._columns = grown, columns
        self._items[self._size : size] = ids
        self._columns[:, self._size : size] = wide.view(np.uint64).T
        self._size = size

    def _masked(self, among: frozenset[int]) -> Array | None:
        """Which rows belong to `among`; kept as long as the same set is asked for."""
        import numpy as np

        if self._items is None:
            return None
        if self._mask is None or self._among is not among:
            ids = np.fromiter(among, dtype=np.int64, count=len(among))
            self._among, self._mask = among, np.isin(self._items[: self._size], ids)
        return self._mask


@dataclass(frozen=True, slots=True)
class Bits:
    """A `VectorIndex` over bits in memory, its candidates ranked by the vectors in the database."""

    con: apsw.Connection
    place: Place
    kept: CachedBits

    def nearest(self, query: Vector, k: int, among: frozenset[int] | None = None) -> list[tuple[int, float]]:
        """See `VectorIndex`. Nearly exact: see `RESCORED`."""
        reason = unusable(query, self.place.dim)
        if reason:
            raise Fault("invalid_input", f"invalid search vector: {reason}")
        if k < 1 or among == frozenset():
            return []
        items = self.kept.candidates(self.con, self.place, query, among)
        if among is not None:
            items = [item for item in items if item in among]
        return self._ranked(query, items)[:k]

    def _ranked(self, query: Vector, items: list[int]) -> list[tuple[int, float]]:
        import numpy as np

        place = self.place
        rows = cast(
            "list[tuple[int, bytes]]",
            self.con.execute(
                "SELECT item_id, blob FROM json_each(?) CROSS JOIN vector ON kind = ? AND item_id = value"
                " AND model = ? AND recipe = ? WHERE dim = ? AND length(blob) % ? = 0",  # else it is damaged
                (json.dumps(items), place.kind, place.model, place.recipe, place.dim, 4 * place.dim),
            ).fetchall(),
        )
        counts = [len(blob) // (4 * place.dim) for _, blob in rows]
        owners = np.repeat(np.array([item for item, _ in rows], dtype=np.int64), counts)
        vectors = np.frombuffer(b"".join(blob for _, blob in rows), dtype="<f4").reshape(-1, place.dim)
        away = vectors.astype(np.float64) - np.frombuffer(query, dtype="<f4").astype(np.float64)
        distances = np.sqrt(np.einsum("ij,ij->i", away, away))
        best: dict[int, float] = {}
        for at in np.lexsort((owners, distances)).tolist():  # what is no number comes last
            distance = float(distances[at])
            if np.isfinite(distance):
                best.setdefault(int(owners[at]), distance)
        return list(best.items())


def _words(query: Vector) -> Array:
    """The query's signs as 64-bit words, as the columns hold them."""
    import numpy as np

    bits = sign_bits(query)
    return np.frombuffer(bits.ljust((len(bits) + 7) // 8 * 8, b"\0"), dtype=np.uint64)


def _differing(columns: Array, size: int, words: Array) -> Array:
    """How many signs differ, for each vector."""
    import numpy as np

    out = np.zeros(size, dtype=np.uint16)
    mixed = np.empty(min(size, _SLICE), dtype=np.uint64)
    count = np.empty(min(size, _SLICE), dtype=np.uint8)
    for start in range(0, size, _SLICE):
        stop = min(start + _SLICE, size)
        here = stop - start
        for column, word in zip(columns, words, strict=True):
            np.bitwise_xor(column[start:stop], word, out=mixed[:here])
            np.bitwise_count(mixed[:here], out=count[:here])
            np.add(out[start:stop], count[:here], out=out[start:stop])
    return out


def _fewest(distances: Array, count: int) -> Array:
    """Where the `count` smallest are, `_ABSENT` ones left out."""
    import numpy as np

    if len(distances) > 4 * count:
        sample = np.sort(distances[::_SAMPLE])
        at = int(sample[min(len(sample) - 1, count // _SAMPLE + 8)])
        near = np.flatnonzero(distances <= at)
        while len(near) < count and at < _ABSENT - 1:
            at = min(_ABSENT - 1, at + max(8, at // 8))
            near = np.flatnonzero(distances <= at)
    else:
        near = np.arange(len(distances))
    if len(near) > count:
        near = near[np.argpartition(distances[near], count)[:count]]
    return near[distances[near] != _ABSENT]


def _weighed(columns: Array, query: Vector) -> Array:
    """For each row the query's components, those where its sign is minus taken negative, summed up."""
    import numpy as np

    values = np.frombuffer(query, dtype="<f4")
    signs = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32) * 2 - 1
    padded = np.zeros(len(columns) * 64, dtype=np.float32)
    padded[: len(values)] = values
    table = padded.reshape(-1, 8) @ signs.T  # what each value of each byte adds
    rows = np.ascontiguousarray(columns.T).view(np.uint8)
    out = np.zeros(len(rows), dtype=np.float32)
    for at, adds in enumerate(table):
        out += adds[rows[:, at]]
    return out
