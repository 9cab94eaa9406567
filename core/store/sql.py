"""Single values of rows: read typed, times in UTC, digests, identifiers, text that SQLite accepts."""

from __future__ import annotations

import time
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


def now(ns: int | None = None) -> str:
    """The current time (or `ns`, nanoseconds since 1970) as ISO 8601 in UTC, `2026-02-07T09:30:00.125Z`.

    Such texts sort by time.
    """
    milliseconds = (time.time_ns() if ns is None else ns) // 1_000_000
    whole, rest = divmod(milliseconds, 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{rest:03d}Z"


def stamp() -> str:
    """The current time for a file name, `20260207T093000125Z`."""
    return now().replace("-", "").replace(":", "").replace(".", "")


def digest(text: str) -> bytes:
    """32 bytes of BLAKE2b of a text; lone surrogates are read as question marks."""
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    return blake2b(text.encode("utf-8", "replace"), digest_size=32).digest()
