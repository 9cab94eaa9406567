"""The derived tables of vectors as a whole: emptied when a model is taken up, cleared of old ones, rebuilt, counted."""

from __future__ import annotations

from typing import cast

import apsw

from core.embedding.index.stored import Made, Place, append_bits, split
from core.store.sql import number, quoted
from core.store.store import Store
from core.store.vec import SEED, has_table, load_vec, vec_tables

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
    """Write the bits anew from `vector`, a few at a time; who searches meanwhile may meet a vector twice."""
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
