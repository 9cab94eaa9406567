"""sqlite-vec, loaded into a connection when a vector is first needed, and its tables: derived from `vector`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import apsw

from core.base.fault import Fault
from core.store.sql import quoted, value

VEC_ERROR_KB = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS vec_error_kb USING vec0(error_kb_id INTEGER PRIMARY KEY, embedding float[384])"
)
"""The seed's declaration: it names no metric, so distances are L2 (decision 5)."""

WINDOWS = 256
"""The most windows of one text that have a row; a vec0 table has one vector a row and one integer for its key."""


@dataclass(frozen=True, slots=True)
class VecTable:
    """A vec0 table. A row's key is the item's id, or where `windows` the id times `WINDOWS` plus the window's place."""

    name: str
    key: str
    dim: int
    windows: bool

    @property
    def declaration(self) -> str:
        """The statement that makes the table unless it is there."""
        if not self.windows:
            return VEC_ERROR_KB
        return (
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {quoted(self.name)}"
            f" USING vec0({self.key} INTEGER PRIMARY KEY, embedding float[{self.dim}])"
        )


SEED = VecTable("vec_error_kb", "error_kb_id", 384, windows=False)
"""The seed's own table: one vector a case, the one of its text's first window."""


def vec_tables(kind: str, dim: int) -> tuple[VecTable, ...]:
    """The tables that hold the vectors of a kind, one a window; where the seed's fits, it holds the first ones."""
    plain = VecTable(f"vec_{kind}_{dim}", "window_key", dim, windows=True)
    return (SEED, plain) if kind == "error" and dim == SEED.dim else (plain,)


def has_table(con: apsw.Connection, table: VecTable) -> bool:
    """Whether the table was made. Needs no `vec0`."""
    return value(con, "SELECT 1 FROM main.sqlite_schema WHERE name = ?", (table.name,)) is not None


def load_vec(con: apsw.Connection) -> None:
    """Make `vec0` known to `con`; a second call does nothing.

    The library is loaded from the package's folder without importing the package, which would pull in numpy.
    Raises Fault generic where it is missing or does not load; the text tiers need none of it.
    """
    if any(row[0] == "vec0" for row in con.execute("PRAGMA module_list")):
        return
    spec = find_spec("sqlite_vec")
    folder = next(iter(spec.submodule_search_locations or ()), None) if spec else None
    if folder is None:
        raise Fault("generic", "the vector extension sqlite-vec is not installed", "reinstall casebook")
    try:
        con.enable_load_extension(True)
        try:
            con.load_extension(str(Path(folder) / "vec0"))
        finally:
            con.enable_load_extension(False)
    except apsw.Error as error:
        raise Fault(
            "generic", f"the vector extension sqlite-vec cannot be loaded ({error})", "reinstall casebook"
        ) from error


def ensure_vec_table(con: apsw.Connection, table: VecTable = SEED) -> None:
    """Load `vec0` and make the table if it is missing. Raises Fault, and apsw errors where `con` only reads."""
    load_vec(con)
    con.execute(table.declaration)


def put_vectors(con: apsw.Connection, kind: str, dim: int, item_id: int, windows: Sequence[bytes]) -> None:
    """Let the tables hold these vectors for the item, inside the caller's transaction; `vec0` must be loaded.

    vec0 has no upsert: what was there is deleted first.
    """
    drop_vectors(con, kind, dim, item_id)
    for at, vector in enumerate(windows[:WINDOWS]):
        table, key = _place(kind, dim, item_id, at)
        if at < 2:  # the table of the first window, and of all others
            con.execute(table.declaration)
        con.execute(f"INSERT INTO {quoted(table.name)}({table.key}, embedding) VALUES (?, ?)", (key, vector))


def drop_vectors(con: apsw.Connection, kind: str, dim: int, item_id: int) -> None:
    """Take the item out of the tables, inside the caller's transaction; does nothing where there are none."""
    for table in vec_tables(kind, dim):
        if not has_table(con, table):
            continue
        load_vec(con)
        if not table.windows:
            con.execute(f"DELETE FROM {quoted(table.name)} WHERE {table.key} = ?", (item_id,))
            continue
        first = item_id * WINDOWS
        keys = con.execute(
            f"SELECT rowid FROM {quoted(table.name + '_rowids')} WHERE rowid >= ? AND rowid < ?",
            (first, first + WINDOWS),
        ).fetchall()  # vec0 finds one key, but walks every row for a range
        for (key,) in keys:
            con.execute(f"DELETE FROM {quoted(table.name)} WHERE {table.key} = ?", (key,))


def _place(kind: str, dim: int, item_id: int, at: int) -> tuple[VecTable, int]:
    tables = vec_tables(kind, dim)
    if at == 0 and not tables[0].windows:
        return tables[0], item_id
    return tables[-1], item_id * WINDOWS + at
