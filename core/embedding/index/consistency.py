"""Do the tables that are searched agree with `vector`, and building them anew where they do not: for `doctor`."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from typing import cast

import apsw

from core.embedding.index import maintenance
from core.embedding.index.state import VectorState, read_state
from core.embedding.index.stored import Made, Place, put_searchable, split
from core.embedding.runtime.source import Source
from core.store.sql import number, quoted
from core.store.store import Store
from core.store.vec import WINDOWS, has_table, vec_tables

_STEP = 500
"""Items rebuilt in one transaction: others may write in between."""


def disagreements(con: apsw.Connection, kind: str) -> list[str]:
    """What is wrong with the derived tables of a kind, in plain words. Items that wait for the worker may differ.

    Reads the shadow tables of vec0, so it needs no `vec0`. Raises apsw errors.
    """
    queued = number(con, "SELECT count(*) FROM backlog WHERE kind = ?", (kind,))
    said = number(con, "SELECT waiting FROM backlog_size WHERE kind = ?", (kind,))
    wrong = [f"the backlog has {queued} rows and says {said}"] if queued != said else []
    state = read_state(con, kind)
    if state is None:
        return wrong
    place = Place(kind, state.model, state.recipe, state.dim)
    wanted, waiting = _windows(con, place), _waiting(con, kind)
    found = _vec_windows(con, place)
    orphans = sum(count for item, count in found.items() if item not in wanted and item not in waiting)
    name = vec_tables(kind, state.dim)[0].name
    if orphans:
        wrong.append(f"{name} has {orphans} rows that belong to nothing")
    if not state.complete:
        return wrong  # the rest is on its way
    for what, held in ((name, found), ("vector_bits", _bits(con, place))):
        lacking = sum(1 for item, count in wanted.items() if held.get(item, 0) < count and item not in waiting)
        if lacking:
            wrong.append(f"{what} lacks {lacking} of {len(wanted)} vectors")
    return wrong


def rebuild(store: Store, source: Source) -> None:
    """Build what is searched anew from `vector`, a few at a time, without embedding anything.

    Vectors of items that are gone are removed; items that have none are put into the backlog.
    """
    kind, con = source.kind, store.con
    state = read_state(con, kind)
    with store.transaction():
        con.execute(
            "UPDATE backlog_size SET waiting = (SELECT count(*) FROM backlog WHERE kind = ?1) WHERE kind = ?1", (kind,)
        )
        if state is None:
            return
        maintenance.empty(con, Place(kind, state.model, state.recipe, state.dim))
    _put_all(store, source, state)
    _queue_missing(store, source, state)


def _put_all(store: Store, source: Source, state: VectorState) -> None:
    con, place, after = store.con, Place(source.kind, state.model, state.recipe, state.dim), -1
    while True:
        with store.transaction():
            rows = cast(
                "list[tuple[int, str, bytes]]",
                con.execute(
                    "SELECT item_id, text_sha, blob FROM vector WHERE kind = ? AND model = ? AND recipe = ?"
                    " AND item_id > ? ORDER BY item_id LIMIT ?",
                    (place.kind, place.model, place.recipe, after, _STEP),
                ).fetchall(),
            )
            if not rows:
                return
            here = source.texts(con, [item for item, _, _ in rows])
            gone = [(place.kind, item) for item, _, _ in rows if item not in here]
            con.executemany("DELETE FROM vector WHERE kind = ? AND item_id = ?", gone)
            made = [Made(item, sha, split(blob, place.dim)) for item, sha, blob in rows if item in here]
            put_searchable(con, place, made)
            after = rows[-1][0]


def _queue_missing(store: Store, source: Source, state: VectorState) -> None:
    after = -1
    while ids := source.window(store.con, after, _STEP):
        after = ids[-1]
        with store.transaction() as con:
            con.executemany(
                "INSERT INTO backlog SELECT ?1, ?2 WHERE NOT EXISTS"
                " (SELECT 1 FROM backlog WHERE kind = ?1 AND item_id = ?2) AND NOT EXISTS"
                " (SELECT 1 FROM vector WHERE kind = ?1 AND item_id = ?2 AND model = ?3 AND recipe = ?4) AND NOT EXISTS"
                " (SELECT 1 FROM embed_failure WHERE kind = ?1 AND item_id = ?2 AND model = ?3 AND recipe = ?4)",
                ((source.kind, item, state.model, state.recipe) for item in ids),
            )


def _windows(con: apsw.Connection, place: Place) -> dict[int, int]:
    """How many vectors each item has."""
    rows = con.execute(
        "SELECT item_id, min(length(blob) / (4 * dim), ?) FROM vector WHERE kind = ? AND model = ? AND recipe = ?",
        (WINDOWS, place.kind, place.model, place.recipe),
    ).fetchall()
    return dict(cast("list[tuple[int, int]]", rows))


def _waiting(con: apsw.Connection, kind: str) -> frozenset[int]:
    rows = con.execute("SELECT item_id FROM backlog WHERE kind = ?", (kind,)).fetchall()
    return frozenset(cast("int", row[0]) for row in rows)


def _vec_windows(con: apsw.Connection, place: Place) -> Counter[int]:
    """How many rows each item has in the vec0 tables."""
    found: Counter[int] = Counter()
    for table in vec_tables(place.kind, place.dim):
        if has_table(con, table):
            keys = cast(
                "list[tuple[int]]", con.execute(f"SELECT rowid FROM {quoted(table.name + '_rowids')}").fetchall()
            )
            found.update(key // WINDOWS if table.windows else key for (key,) in keys)
    return found


def _bits(con: apsw.Connection, place: Place) -> Counter[int]:
    """How many rows of bits each item has; those of an older text of it count too."""
    found: Counter[int] = Counter()
    rows = con.execute(
        "SELECT items FROM vector_bits WHERE kind = ? AND model = ? AND recipe = ?",
        (place.kind, place.model, place.recipe),
    )
    for (blob,) in cast("list[tuple[bytes]]", rows.fetchall()):
        items = array("q")
        items.frombytes(blob)
        if sys.byteorder == "big":
            items.byteswap()
        found.update(items)
    return found
