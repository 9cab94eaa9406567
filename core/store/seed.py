"""Reading an error base of the seed's own programs (error-kb REQ-RA-004): rows only; nothing is run or changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import apsw

from core.base.fault import Fault
from core.store import files
from core.store.files import reading
from core.store.sql import faults, quoted, value

_TEXTS = ("ts", "error_normalized", "error_raw", "resolution", "resolved_by", "tool_sequence", "last_used")
_ENCODINGS = {"UTF-16le": "utf-16-le", "UTF-16be": "utf-16-be"}


@dataclass(frozen=True, slots=True)
class SeedRow:
    """One row of `error_kb` as it was found; a column that is missing or empty there is None (`use_count`: 0).

    Texts are foreign: nothing is cleaned or redacted yet. Bytes that are no text became U+FFFD.
    """

    ts: str | None
    error_normalized: str
    error_raw: str | None
    resolution: str | None
    resolved_by: str | None
    tool_sequence: str | None
    use_count: int
    last_used: str | None


def read_seed(path: Path) -> Iterator[SeedRow]:
    """Every row of `error_kb` in the database at `path` that has a key, in the order of the file.

    The file is never written and no file appears beside it; triggers, views and virtual tables are never run, missing
    columns are no fault, and neither is a missing unique index (rows may then share a key).

    Raises Fault: invalid_input (no such file, no `error_kb` table with the key, or a view in its place), db_damaged,
    io_error, db_locked; also midway, after the rows that could be read.
    """
    path = path.absolute()
    with faults(path):
        if files.look(path) is None:
            raise Fault("invalid_input", f"file {path} not found", "pass a seed database", path=str(path))
        if not files.head(path).startswith(files.MAGIC):
            raise Fault("invalid_input", f"{path} is not an SQLite database", "pass a seed database", path=str(path))
        with reading(path) as con:
            yield from _rows(con, path)


def _rows(con: apsw.Connection, path: Path) -> Iterator[SeedRow]:
    for switch in (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, apsw.SQLITE_DBCONFIG_ENABLE_VIEW):
        con.config(switch, 0)
    con.execute("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON")
    present = _columns(con, path)
    columns = ", ".join(f"CAST({name} AS BLOB)" if name in present else "NULL" for name in _TEXTS)
    count = "use_count" if "use_count" in present else "0"
    encoding = _ENCODINGS.get(str(value(con, "PRAGMA encoding")), "utf-8")
    for row in con.execute(f"SELECT {columns}, {count} FROM main.error_kb NOT INDEXED"):
        ts, key, raw, resolution, resolved_by, sequence, last_used = (_text(found, encoding) for found in row[:7])
        if key is not None:
            yield SeedRow(ts, key, raw, resolution, resolved_by, sequence, _count(row[7]), last_used)


def _columns(con: apsw.Connection, path: Path) -> frozenset[str]:
    row = con.execute("SELECT type, sql FROM main.sqlite_schema WHERE name = 'error_kb'").fetchone()
    hint = "pass a database with the table error_kb"
    if row is None:
        raise Fault("invalid_input", f"{path} has no table error_kb", hint, path=str(path))
    declared = " ".join(str(row[1]).split()).upper()
    if row[0] != "table" or declared.startswith("CREATE VIRTUAL"):
        raise Fault("invalid_input", f"error_kb in {path} is not a plain table", hint, path=str(path))
    # Generated columns (hidden 2, 3) would be computed by expressions of the file.
    found = con.execute(f"PRAGMA main.table_xinfo({quoted('error_kb')})").fetchall()
    names = frozenset(str(column[1]).lower() for column in found if column[6] == 0)
    if "error_normalized" not in names:
        message = f"the table error_kb in {path} has no column error_normalized"
        raise Fault("invalid_input", message, hint, path=str(path))
    return names


def _text(found: object, encoding: str) -> str | None:
    return None if found is None else cast("bytes", found).decode(encoding, "replace")


def _count(found: object) -> int:
    return max(0, found) if isinstance(found, int) else 0
