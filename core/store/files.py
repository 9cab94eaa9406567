"""The files of a database: what lies at a path, who may write there, and with which permissions."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import apsw

from core.base.fault import Fault
from core.base.xdg import make_folder

MAGIC = b"SQLite format 3\x00"
_LEAST_ROOM = 128 * 1024  # bytes
SIDES = ("-wal", "-shm", "-journal")


def look(path: Path, hint: str = "Name a file with --db.") -> int | None:
    """The size of the regular file at `path` in bytes, or None where nothing is.

    Raises Fault invalid_input for what can be no database (folder, pipe, device, dangling link).
    """
    try:
        info = path.stat()
    except FileNotFoundError:
        if path.is_symlink():
            raise Fault("invalid_input", f"{path} is a link to a file that is not there.", path=str(path)) from None
        return None
    except ValueError:
        raise Fault("invalid_input", f"{path!r} is no file name.") from None
    if stat.S_ISREG(info.st_mode):
        return info.st_size
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    kind = next((name for test, name in kinds if test(info.st_mode)), "a device")
    raise Fault("invalid_input", f"{path} is {kind}, not a database file.", hint, path=str(path))


def create_empty(path: Path) -> None:
    """Make an empty file (0600) and the folders above it (0700); one that is already there is left as it is.

    Raises Fault db_readonly where it may not.
    """
    try:
        make_folder(path.parent)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        look(path)
    except PermissionError as error:
        hint = "Name another file with --db, or give yourself the right to write there."
        raise Fault(
            "db_readonly", f"{path} cannot be created: you may not write there.", hint, path=str(path)
        ) from error


def beside(path: Path, suffix: str) -> Path:
    """The side file of the database at `path`; SQLite keeps it beside the real file, not beside a link."""
    real = path.resolve()
    return real.with_name(real.name + suffix)


def pending(path: Path) -> bool:
    """Whether committed rows may still lie in a `-wal` (or a rollback in a `-journal`) beside the file."""
    return any(side.exists() and side.stat().st_size > 0 for side in (beside(path, "-wal"), beside(path, "-journal")))


def blocked(path: Path) -> str | None:
    """Why the database at `path` cannot be written, in plain words; None where nothing speaks against it."""
    real = path.resolve()
    if not os.access(real, os.W_OK):
        return f"the file {real} can only be read"
    if not writable_folder(real.parent):
        return f"the folder {real.parent} can only be read"
    return None


def writable_folder(folder: Path) -> bool:
    """Whether files can be made in `folder`, as far as its permissions say."""
    return os.access(folder, os.W_OK | os.X_OK)


def is_full(path: Path) -> bool:
    """Whether the disk has no room for even the small files that SQLite keeps beside a database."""
    if not hasattr(os, "statvfs"):
        return False
    room = os.statvfs(path.resolve().parent)
    return room.f_bavail * room.f_frsize < _LEAST_ROOM


def head(path: Path) -> bytes:
    """The first 100 bytes: the header of an SQLite file.

    Read through SQLite: it keeps the file open as long as this process holds locks on it. POSIX drops every lock a
    process has on a file as soon as the process closes any handle of it.
    """
    size = min(100, path.stat().st_size)
    flags = [apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB, 0]
    file = apsw.VFSFile("", str(path.resolve()), flags)
    try:
        return file.xRead(size, 0)
    finally:
        file.xClose()
