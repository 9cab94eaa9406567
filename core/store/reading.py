"""Reading a database where nothing may be written, without leaving anything beside it and without missing its WAL."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from core.base.fault import Fault
from core.store.files import beside, head, pending
from core.store.sql import value

_ATTEMPTS = 5


def connect_reading(path: Path, timeout_ms: int = 5000) -> tuple[apsw.Connection, Path | None]:
    """A read-only connection to any SQLite file, and the folder of the private copy if one had to be made.

    The file itself where SQLite can read it as it is; `immutable=1` only where no `-wal` holds rows (it would drop
    them silently); else a copy of both. Raises apsw errors, OSError, or Fault io_error where it keeps changing.
    """
    in_wal_mode = head(path)[18:19] == b"\x02"
    if beside(path, "-shm").exists() or not in_wal_mode:
        try:
            return _plain(path, timeout_ms), None
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError, apsw.PermissionsError):
            pass
    if not pending(path):
        return _immutable(path), None
    return private_copy(path)


@contextmanager
def reading(path: Path) -> Generator[apsw.Connection]:
    """A connection as `connect_reading` gives it, closed at the end, its private copy removed."""
    con, folder = connect_reading(path)
    try:
        with closing(con):
            yield con
    finally:
        if folder is not None:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)


def private_copy(path: Path) -> tuple[apsw.Connection, Path]:
    """Copy the file and its side files to a private folder and open the copy, for reading and writing."""
    import shutil
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="casebook-"))
    try:
        copy = folder / "copy.db"
        copy_files(path, copy)
        con = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            value(con, "SELECT count(*) FROM sqlite_schema")
        except BaseException:
            con.close()
            raise
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return con, folder


def copy_files(path: Path, copy: Path) -> None:
    """Copy the database with its `-wal` and `-journal` as they are at one moment.

    The contents are copied, not the modes: the copy is its owner's (0600).
    """
    pairs = [(path, copy)] + [(beside(path, side), beside(copy, side)) for side in ("-wal", "-journal")]
    for _ in range(_ATTEMPTS):
        before = [_mark(source) for source, _ in pairs]
        for source, target in pairs:
            _copy_one(source, target)
        if before == [_mark(source) for source, _ in pairs]:
            return
    raise Fault(
        "io_error", f"{path} keeps changing while it is read.", "Try again when nothing writes to it.", path=str(path)
    )


def _mark(path: Path) -> tuple[int, int, int] | None:
    try:
        info = path.stat()
    except FileNotFoundError:
        return None
    return info.st_size, info.st_mtime_ns, info.st_ino


def _copy_one(source: Path, target: Path) -> None:
    import os
    import shutil

    target.unlink(missing_ok=True)
    try:
        with source.open("rb") as reader:
            handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as writer:
                shutil.copyfileobj(reader, writer, 1 << 20)
    except FileNotFoundError:
        if not source.name.endswith(("-wal", "-journal")):
            raise


def _plain(path: Path, timeout_ms: int) -> apsw.Connection:
    con = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    return _tried(con, timeout_ms)


def _immutable(path: Path) -> apsw.Connection:
    from urllib.parse import quote

    uri = f"file:{quote(str(path))}?immutable=1"
    return _tried(apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI), 0)


def _tried(con: apsw.Connection, timeout_ms: int) -> apsw.Connection:
    # SQLite looks at the files only when it first reads.
    try:
        con.set_busy_timeout(timeout_ms)
        value(con, "SELECT count(*) FROM sqlite_schema")
    except BaseException:
        con.close()
        raise
    return con
