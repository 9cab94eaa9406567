"""Copies of a database through SQLite's own backup, so that what lies in its WAL comes along."""

from __future__ import annotations

import os
from pathlib import Path

import apsw


def copy_database(source: Path, target: Path) -> None:
    """Copy what is committed in `source` to the new file `target` (0600, one self-contained file).

    Written under a temporary name, synced, renamed. Raises apsw errors and OSError.
    """
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        reader = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            copy_connection(reader, part)
        finally:
            reader.close()
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def copy_connection(reader: apsw.Connection, part: Path) -> None:
    """Copy what `reader` sees into the empty file `part`, and leave it without any side file."""
    writer = apsw.Connection(str(part), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        with writer.backup("main", reader, "main") as copying:
            while not copying.done:
                copying.step(-1)
        writer.execute("PRAGMA journal_mode = DELETE")
    finally:
        writer.close()
    handle = os.open(part, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
