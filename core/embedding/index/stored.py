"""Stored vectors: the truth in `vector`, and in the same transaction the search tables."""

from __future__ import annotations

import hashlib
import json
import sys
from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, cast

import apsw

from core.embedding.index.vectors import unusable
from core.embedding.runtime.embedder import Vector
from core.store.sql import number, quoted
from core.store.vec import SEED, WINDOWS, drop_vectors, has_table, load_vec, put_vectors, vec_tables

_SIGNS: Final = bytes(ord("0") if byte & 0x80 else ord("1") for byte in range(256))


@dataclass(frozen=True, slots=True)
class Made:
    """What one text became: its vectors, one a window, and the hash of the text."""

    item_id: int
    text_sha: str
    windows: tuple[Vector, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where vectors belong: the kind of their items, the model (`id@version`), the recipe, the dimension."""

    kind: str
    model: str
    recipe: str
    dim: int


def sha_of(text: str) -> str:
    """Return the hash of an embedded text, as stored with its vectors."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sign_bits(vector: Vector) -> bytes:
    """One bit a component, 1 where it is not negative; the first component is the highest bit."""
    size = (len(vector) // 4 + 7) // 8
    return int(vector[3::4].translate(_SIGNS).ljust(size * 8, b"0"), 2).to_bytes(size, "big")


def put(con: apsw.Connection, place: Place, made: Sequence[Made]) -> None:
    """Keep the vectors of these items, inside the caller's transaction. Raises Fault generic without sqlite-vec."""
    load_vec(con)
    con.executemany(
        "INSERT OR REPLACE INTO vector(kind, item_id, model, recipe, text_sha, dim, blob) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (place.kind, one.item_id, place.model, place.recipe, one.text_sha, place.dim, b"".join(one.windows))
            for one in made
        ),
    )
    put_searchable(con, place, made)


def put_searchable(con: apsw.Connection, place: Place, made: Sequence[Made]) -> None:
    """Only what is searched: for vectors that are kept already. Inside the caller's transaction."""
    load_vec(con)
    for one in made:
        put_vectors(con, place.kind, place.dim, one.item_id, one.windows)
    append_bits(con, place, made)


def append_bits(con: apsw.Connection, place: Place, made: Sequence[Made]) -> None:
    """One more row of sign bits, inside the caller's transaction."""
    pairs = [(one.item_id, sign_bits(vector)) for one in made for vector in one.windows[:WINDOWS]]
    if not pairs:
        return
    items = array("q", (item_id for item_id, _ in pairs))
    if sys.byteorder == "big":
        items.byteswap()
    con.execute(
        "INSERT INTO vector_bits(kind, model, recipe, count, items, bits) VALUES (?, ?, ?, ?, ?, ?)",
        (place.kind, place.model, place.recipe, len(pairs), items.tobytes(), b"".join(bits for _, bits in pairs)),
    )


def forget(con: apsw.Connection, kind: str, ids: Collection[int]) -> None:
    """Remove all vectors of items that are gone, inside the caller's transaction; does little where there are none."""
    if not ids:
        return
    dims = _dims(con, kind)
    for item_id in ids:
        con.execute("DELETE FROM vector WHERE kind = ? AND item_id = ?", (kind, item_id))
        con.execute("DELETE FROM embed_failure WHERE kind = ? AND item_id = ?", (kind, item_id))
        for dim in dims:
            drop_vectors(con, kind, dim, item_id)


def present(con: apsw.Connection, place: Place, ids: Collection[int]) -> dict[int, str]:
    """Of these items those that have a vector of that model and recipe, with the hash of the text it was made of.

    Whether that is still the item's text is for whoever asks to say. A damaged vector is none.
    """
    rows = con.execute(
        "SELECT item_id, text_sha FROM json_each(?) CROSS JOIN vector ON kind = ? AND item_id = value"
        " AND model = ? AND recipe = ? AND dim = ? AND length(blob) > 0 AND length(blob) % ? = 0",
        (json.dumps(list(ids)), place.kind, place.model, place.recipe, place.dim, 4 * place.dim),
    ).fetchall()
    return dict(cast("list[tuple[int, str]]", rows))


def of_texts(con: apsw.Connection, place: Place, shas: Collection[str]) -> dict[str, tuple[Vector, ...]]:
    """The vectors that any item has of texts with these hashes, by that model and recipe; unusable ones are none."""
    sql = (
        "SELECT value FROM json_each(?) WHERE EXISTS"
        " (SELECT 1 FROM vector WHERE text_sha = value AND model = ? AND recipe = ? AND dim = ?)"
    )
    rows = con.execute(sql, (json.dumps(list(shas)), place.model, place.recipe, place.dim)).fetchall()
    found = ((sha, _of_text(con, place, sha)) for (sha,) in cast("list[tuple[str]]", rows))
    return {sha: windows for sha, windows in found if windows}


def _of_text(con: apsw.Connection, place: Place, sha: str) -> tuple[Vector, ...]:
    """The first usable ones: read row by row, because a text may have thousands of twins."""
    sql = "SELECT blob FROM vector WHERE text_sha = ? AND model = ? AND recipe = ? AND dim = ?"
    rows = con.cursor()
    try:
        for (blob,) in rows.execute(sql, (sha, place.model, place.recipe, place.dim)):
            windows = split(cast("bytes", blob), place.dim)
            if windows and not any(unusable(vector, place.dim) for vector in windows):
                return windows
        return ()
    finally:
        rows.close()


def has_vectors(con: apsw.Connection, kind: str) -> bool:
    """Whether any vector of the kind is kept, whichever model made it."""
    return con.execute("SELECT 1 FROM vector WHERE kind = ? LIMIT 1", (kind,)).fetchone() is not None


def windows_of(con: apsw.Connection, place: Place, item_id: int) -> tuple[Vector, ...]:
    """The vectors of one item, one a window; none where it has none."""
    row = con.execute(
        "SELECT blob FROM vector WHERE kind = ? AND item_id = ? AND model = ? AND recipe = ?",
        (place.kind, item_id, place.model, place.recipe),
    ).fetchone()
    return () if row is None else split(cast("bytes", row[0]), place.dim)


def split(blob: bytes, dim: int) -> tuple[Vector, ...]:
    """The vectors of a blob, one a window; none where it is damaged."""
    if len(blob) % (4 * dim):
        return ()
    return tuple(blob[at : at + 4 * dim] for at in range(0, len(blob), 4 * dim))


def is_searchable(con: apsw.Connection, place: Place, item_id: int) -> bool:
    """Whether a vec0 table holds the item. Works without `vec0`, because its shadow table knows the keys."""
    table = vec_tables(place.kind, place.dim)[0]
    key = item_id * WINDOWS if table.windows else item_id
    return has_table(con, table) and bool(
        number(con, f"SELECT count(*) FROM {quoted(table.name + '_rowids')} WHERE rowid = ?", (key,))
    )


def _dims(con: apsw.Connection, kind: str) -> set[int]:
    """The dimensions that there may be tables for."""
    names = con.execute("SELECT name FROM sqlite_schema WHERE name GLOB ?", (f"vec_{kind}_[0-9]*",)).fetchall()
    tails = (str(row[0]).rpartition("_")[2] for row in names)
    return {SEED.dim, *(int(tail) for tail in tails if tail.isdigit())}
