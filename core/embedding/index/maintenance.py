"""Vector tables kept in order: which are stale, what differs from the stored vectors, and rebuilding."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from typing import cast

import apsw

from core.embedding.index.state import VectorState, read_state
from core.embedding.index.stored import Made, Place, append_bits, put_searchable, split
from core.embedding.index.vectors import unusable
from core.embedding.runtime.embedder import Source
from core.store.sql import number, quoted
from core.store.store import Store
from core.store.vec import SEED, WINDOWS, has_table, load_vec, vec_tables

_STEP = 500
"""Rows changed in one transaction: others may write in between."""
_STALE = 1_000
"""So many rows of bits that nothing belongs to are never worth a rebuild."""


def empty(con: apsw.Connection, place: Place) -> None:
    """Empty what is searched for `place`, inside the caller's transaction; `vector` is left as it is."""
    for table in vec_tables(place.kind, place.dim):
        if has_table(con, table):
            load_vec(con)
            con.execute(f"DROP TABLE {quoted(table.name)}")
            con.execute(table.declaration)
    con.execute(
        "DELETE FROM vector_bits WHERE kind = ? AND model = ? AND recipe = ?", (place.kind, place.model, place.recipe)
    )


def drop_others(store: Store, place: Place) -> None:
    """Remove the vectors of other models and recipes, a few at a time, and their tables."""
    others = "kind = ? AND (model <> ? OR recipe <> ?)"
    names = (place.kind, place.model, place.recipe)
    while True:
        with store.transaction() as con:
            con.execute(
                f"DELETE FROM vector WHERE rowid IN (SELECT rowid FROM vector WHERE {others} LIMIT ?)", (*names, _STEP)
            )
            if not con.changes():
                break
    with store.transaction() as con:
        con.execute(f"DELETE FROM vector_bits WHERE {others}", names)
        con.execute(f"DELETE FROM embed_failure WHERE {others}", names)
        kept = {table.name for table in vec_tables(place.kind, place.dim)}
        found = con.execute(
            "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%' AND name GLOB ?",
            (f"vec_{place.kind}_[0-9]*",),
        ).fetchall()
        for (name,) in cast("list[tuple[str]]", found):
            if name not in kept:
                load_vec(con)
                con.execute(f"DROP TABLE {quoted(name)}")
        if place.kind == "error" and SEED.name not in kept and has_table(con, SEED):
            load_vec(con)
            con.execute(f"DROP TABLE {SEED.name}")
            con.execute(SEED.declaration)


def worth_tidying(con: apsw.Connection, place: Place) -> bool:
    """Whether more than a third of the bits in memory would belong to nothing."""
    kept, found = counted(con, place)
    return found > kept * 1.5 + _STALE


def counted(con: apsw.Connection, place: Place) -> tuple[int, int]:
    """Vectors kept, one a window, and rows of bits."""
    names = (place.kind, place.model, place.recipe)
    kept = "SELECT sum(length(blob) / (4 * dim)) FROM vector WHERE kind = ? AND model = ? AND recipe = ?"
    bits = "SELECT sum(count) FROM vector_bits WHERE kind = ? AND model = ? AND recipe = ?"
    return number(con, kept, names), number(con, bits, names)


def rebuild_bits(store: Store, place: Place) -> None:
    """Rebuild the bits from `vector`, a few at a time; a concurrent search may see a vector twice."""
    con = store.con
    last = number(con, "SELECT max(id) FROM vector_bits")
    after = 0
    names = (place.kind, place.model, place.recipe)
    while True:
        with store.transaction():
            rows = con.execute(
                "SELECT item_id, blob FROM vector WHERE kind = ? AND model = ? AND recipe = ? AND item_id > ?"
                " ORDER BY item_id LIMIT ?",
                (*names, after, _STEP),
            ).fetchall()
            made = [Made(item, "", split(blob, place.dim)) for item, blob in cast("list[tuple[int, bytes]]", rows)]
            append_bits(con, place, made)
        if not made:
            break
        after = made[-1].item_id
    with store.transaction():
        con.execute("DELETE FROM vector_bits WHERE kind = ? AND model = ? AND recipe = ? AND id <= ?", (*names, last))


def disagreements(con: apsw.Connection, kind: str) -> list[str]:
    """What is wrong with the derived tables of a kind, in plain words. Items that wait for the worker may differ.

    Reads the shadow tables of vec0, so it needs no `vec0`. Raises apsw errors.
    """
    queued = number(con, "SELECT count(*) FROM backlog WHERE kind = ?", (kind,))
    counter = number(con, "SELECT waiting FROM backlog_size WHERE kind = ?", (kind,))
    wrong = [f"the backlog has {queued} rows, but its counter is {counter}"] if queued != counter else []
    state = read_state(con, kind)
    if state is None:
        return wrong
    place = Place(kind, state.model, state.recipe, state.dim)
    expected, waiting = _windows(con, place), _waiting(con, kind)
    found = _vec_windows(con, place)
    orphans = sum(count for item, count in found.items() if item not in expected and item not in waiting)
    name = vec_tables(kind, state.dim)[0].name
    if orphans:
        wrong.append(f"{name} has {orphans} orphan rows")
    damaged = sum(1 for count in expected.values() if not count)
    if damaged:
        wrong.append(f"{damaged} of {len(expected)} stored vectors are damaged")
    if not state.complete:
        return wrong  # the rest is on its way
    for what, held in ((name, found), ("vector_bits", _bits(con, place))):
        lacking = sum(1 for item, count in expected.items() if held.get(item, 0) < count and item not in waiting)
        if lacking:
            wrong.append(f"{what} lacks {lacking} of {len(expected)} vectors")
    return wrong


def rebuild(store: Store, source: Source) -> None:
    """Rebuild the search tables from `vector`, a few at a time, without embedding anything.

    Vectors of items that are gone and damaged vectors are removed; items that have none are put into the backlog.
    """
    kind, con = source.kind, store.con
    state = read_state(con, kind)
    with store.transaction():
        con.execute(
            "UPDATE backlog_size SET waiting = (SELECT count(*) FROM backlog WHERE kind = ?1) WHERE kind = ?1", (kind,)
        )
        if state is None:
            return
        empty(con, Place(kind, state.model, state.recipe, state.dim))
    _put_all(store, source, state)
    _queue_missing(store, source, state)


def _put_all(store: Store, source: Source, state: VectorState) -> None:
    con, place, after = store.con, Place(source.kind, state.model, state.recipe, state.dim), -1
    while True:
        with store.transaction():
            rows = cast(
                "list[tuple[int, str, bytes]]",
                con.execute(
                    "SELECT item_id, text_sha, iif(dim = ?, blob, x'') FROM vector"
                    " WHERE kind = ? AND model = ? AND recipe = ? AND item_id > ? ORDER BY item_id LIMIT ?",
                    (place.dim, place.kind, place.model, place.recipe, after, _STEP),
                ).fetchall(),
            )
            if not rows:
                return
            here = source.texts(con, [item for item, _, _ in rows])
            made = [Made(item, sha, split(blob, place.dim)) for item, sha, blob in rows]
            good = [one for one in made if one.item_id in here and _is_usable(one, place.dim)]
            kept = {one.item_id for one in good}
            lost = [(place.kind, item) for item, _, _ in rows if item not in kept]
            con.executemany("DELETE FROM vector WHERE kind = ? AND item_id = ?", lost)
            put_searchable(con, place, good)
            after = rows[-1][0]


def _is_usable(made: Made, dim: int) -> bool:
    return bool(made.windows) and not any(unusable(vector, dim) for vector in made.windows)


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
    """How many vectors each item has; 0 for a damaged one."""
    rows = con.execute(
        "SELECT item_id, iif(dim = ?1 AND length(blob) % (4 * ?1) = 0, min(length(blob) / (4 * ?1), ?2), 0)"
        " FROM vector WHERE kind = ?3 AND model = ?4 AND recipe = ?5",
        (place.dim, WINDOWS, place.kind, place.model, place.recipe),
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
    """How many rows of bits each item has; those of an older text of it count too, and damaged rows do not."""
    found: Counter[int] = Counter()
    rows = con.execute(
        "SELECT items FROM vector_bits WHERE kind = ? AND model = ? AND recipe = ?"
        " AND length(items) = 8 * count AND length(bits) = ? * count",
        (place.kind, place.model, place.recipe, (place.dim + 7) // 8),
    )
    for (blob,) in cast("list[tuple[bytes]]", rows.fetchall()):
        items = array("q")
        items.frombytes(blob)
        if sys.byteorder == "big":
            items.byteswap()
        found.update(items)
    return found
