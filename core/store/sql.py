"""Single values out of SQLite, typed."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

Value = int | float | bytes | str | None


def value(con: apsw.Connection, sql: str, bindings: Sequence[Value] = ()) -> Value:
    """The first column of the first row, or None where there is no row."""
    row = con.execute(sql, tuple(bindings)).fetchone()
    return row[0] if row else None


def number(con: apsw.Connection, sql: str, bindings: Sequence[Value] = ()) -> int:
    """Like `value`, for a query that counts; anything that is no integer counts as 0."""
    found = value(con, sql, bindings)
    return found if isinstance(found, int) else 0


def quoted(name: str) -> str:
    """`name` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def storable(text: str) -> str:
    """`text` with each lone surrogate as `?`, which SQLite would refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")
