"""Bringing what a WAL holds into a private copy of a database that may be damaged."""

from __future__ import annotations

import struct
from contextlib import closing, suppress
from pathlib import Path

import apsw

from core.store.files import MAGIC, beside, head


def take_wal(copy: Path) -> tuple[int | None, list[str]]:
    """Write the committed pages of the `-wal` (and undo a half-done `-journal`) into the private file `copy`.

    Returns the page size that the WAL names, in bytes, and what went wrong, in plain words.
    """
    wal = beside(copy, "-wal")
    if not wal.exists() or wal.stat().st_size < 32:
        return None, _settle(copy) if beside(copy, "-journal").exists() else []
    page_size = struct.unpack(">I", head(wal)[8:12])[0]
    if not (512 <= page_size <= 65536) or page_size & (page_size - 1):
        return None, ["the WAL beside it is damaged; what it held is lost"]
    notes: list[str] = []
    if not head(copy).startswith(MAGIC):
        notes.append("the header is damaged")
        _write_header(copy, page_size)
    return page_size, [*notes, *_settle(copy)]


def _settle(copy: Path) -> list[str]:
    try:
        with closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)) as con:
            with suppress(apsw.Error):  # opens the WAL; the schema itself may well be unreadable
                con.execute("SELECT count(*) FROM sqlite_schema").fetchall()
            con.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.Error as error:
        return [f"the WAL beside it could not be read ({error}); what it held is lost"]
    wal = beside(copy, "-wal")
    if wal.exists() and wal.stat().st_size:
        return ["the WAL beside it could not be read; what it held is lost"]
    return []


def _write_header(copy: Path, page_size: int) -> None:
    """A header that lets SQLite open the copy, so that it reads the WAL; the rest of the first page is left alone."""
    size = 1 if page_size == 65536 else page_size
    with copy.open("r+b") as file:
        file.write(MAGIC + struct.pack(">HBBBBBB", size, 2, 2, 0, 64, 32, 32))
