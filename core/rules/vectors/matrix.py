"""The vectors of a book's rules as one matrix in memory, for a process that matches again and again. Loads numpy."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import apsw

from core.embedding.index.stored import Place
from core.embedding.runtime.embedder import Vector

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import numpy

    Array = numpy.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Matrix:
    """One row a vector; `owners` are the places of their rules in the book, in rising order, `first` where each begins
    (a long rule has several vectors, of which the nearest counts)."""

    rows: Array
    owners: Array
    first: Array

    def nearest(self, query: Vector, count: int, also: Collection[int]) -> dict[int, float]:
        """The cosines of the `count` nearest rules and of those of `also`, by place; what is no number counts as -1."""
        import numpy as np

        if not len(self.owners):
            return {}
        found = self.rows @ np.frombuffer(query, dtype="<f4")
        best = np.maximum.reduceat(np.nan_to_num(found, nan=-1.0), self.first)
        near = np.argpartition(-best, count)[:count] if len(best) > count else np.arange(len(best))
        places = {int(self.owners[at]): float(best[at]) for at in near}
        at = np.searchsorted(self.owners, sorted(set(also) - places.keys()))
        for one in at[at < len(self.owners)].tolist():
            if int(self.owners[one]) in also:
                places[int(self.owners[one])] = float(best[one])
        return places


def matrix_of(con: apsw.Connection, place: Place, items: Mapping[int, int]) -> Matrix:
    """The vectors of these rules (row ids by place in the book). Raises apsw errors."""
    import numpy as np

    rows = con.execute(
        "SELECT item_id, blob FROM json_each(?) CROSS JOIN vector ON kind = ? AND item_id = value"
        " AND model = ? AND recipe = ? WHERE dim = ?",
        (json.dumps(list(items.values())), place.kind, place.model, place.recipe, place.dim),
    ).fetchall()
    blobs = dict(cast("list[tuple[int, bytes]]", rows))
    places = sorted(at for at, item in items.items() if blobs.get(item))
    counts = [len(blobs[items[at]]) // (4 * place.dim) for at in places]
    first = np.concatenate(([0], np.cumsum(counts)[:-1])).astype(np.int64) if counts else np.zeros(0, dtype=np.int64)
    joined = b"".join(blobs[items[at]] for at in places)
    found = np.frombuffer(joined, dtype="<f4").reshape(-1, place.dim)
    return Matrix(found, np.array(places, dtype=np.int64), first)
