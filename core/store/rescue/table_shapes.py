"""What the tables of a database look like on its pages: the order of their values, and which rows can be theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import apsw

from core.store.rescue.pages import Row
from core.store.sql import Value, quoted

_FITS: dict[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "REAL": (int, float),  # a whole number is stored as an integer
    "TEXT": (str,),
    "BLOB": (bytes,),
}
_TELLING = 4  # columns; the pages of an index look like a table of so few


@dataclass(frozen=True, slots=True)
class Shape:
    """A table as stored. `columns` in the order of its records; `rowid_at` is the one that mirrors the rowid, if any.

    `kinds` and `required` (NOT NULL) belong to the columns one by one.
    """

    name: str
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    required: tuple[bool, ...]
    rowid_at: int | None
    without_rowid: bool

    def named(self, row: Row) -> dict[str, Value]:
        """The values of a record by column; those that the record is too short for (added later) are left out."""
        values = dict(zip(self.columns, row.values, strict=False))
        if self.rowid_at is not None:
            values[self.columns[self.rowid_at]] = row.rowid
        return values

    def fits(self, row: Row) -> bool:
        """Whether the record can be one of this table."""
        if len(row.values) != len(self.columns) or (row.rowid is None) is not self.without_rowid:
            return False
        return all(self._fits(at, found) for at, found in enumerate(row.values))

    def _fits(self, at: int, found: Value) -> bool:
        if at == self.rowid_at:
            return found is None
        return not self.required[at] if found is None else isinstance(found, _FITS.get(self.kinds[at], (object,)))


def shapes_of(statements: Sequence[str]) -> dict[str, Shape]:
    """The shapes of the tables that the CREATE TABLE statements declare; what cannot be understood is left out."""
    con = apsw.Connection(":memory:")
    con.execute("PRAGMA trusted_schema = OFF")
    for statement in statements:
        words = statement.split(None, 3)[:3]
        if [word.upper() for word in words[:2]] == ["CREATE", "TABLE"]:
            try:
                con.execute(statement)
            except apsw.Error:
                continue
    return shapes_in(con)


def shapes_in(con: apsw.Connection) -> dict[str, Shape]:
    """The shapes of the ordinary tables of a database."""
    sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
    return {name: _shape(con, name) for (name,) in cast("list[tuple[str]]", con.execute(sql).fetchall())}


def place_of(shapes: Sequence[Shape], rows: Sequence[Row]) -> Shape | None:
    """The one table that all of these rows, found on one page, can belong to; None where none or several could."""
    found = [
        shape
        for shape in shapes
        if all(shape.fits(row) for row in rows) and not (shape.without_rowid and len(shape.columns) <= _TELLING)
    ]
    return found[0] if len(found) == 1 else None


def _shape(con: apsw.Connection, name: str) -> Shape:
    info = {int(str(row[0])): row for row in con.execute(f"PRAGMA table_info({quoted(name)})")}
    order = list(info)
    key = [at for at in order if info[at][5]]
    stored = _key_order(con, name)
    without_rowid = stored is not None
    if stored is not None:
        order = stored
    single = len(key) == 1 and str(info[key[0]][2]).upper() == "INTEGER" and not without_rowid
    return Shape(
        name,
        tuple(str(info[at][1]) for at in order),
        tuple(str(info[at][2]).upper() for at in order),
        tuple(bool(info[at][3]) for at in order),
        order.index(key[0]) if single else None,
        without_rowid,
    )


def _key_order(con: apsw.Connection, name: str) -> list[int] | None:
    """The columns of a WITHOUT ROWID table as they are stored: the key first. None for an ordinary table."""
    listed = con.execute("SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'", (name,)).fetchone()
    if not listed or not listed[0]:
        return None
    for row in con.execute(f"PRAGMA index_list({quoted(name)})").fetchall():
        if row[3] == "pk":
            return [int(str(part[1])) for part in con.execute(f"PRAGMA index_xinfo({quoted(str(row[1]))})")]
    return None
