"""Single values of rows: read typed, times in UTC, digests, identifiers, text that SQLite accepts.

The one place where what SQLite and the system say becomes a Fault a person can act on.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath

import apsw

from core.base.fault import Fault, FaultCode

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


def after(time: str, ts: str) -> str:
    """`ts`, or a millisecond behind `time` where a clock was ahead: a decision is later than what it is about. Where
    `time` is no time of ours, or the last one of the calendar's last year but one, there is no later one."""
    from datetime import datetime, timedelta

    if ts > time:
        return ts
    try:
        later = datetime.fromisoformat(time) + timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        return ts
    found = f"{later.strftime('%Y-%m-%dT%H:%M:%S')}.{later.microsecond // 1000:03}Z"
    return found if found < "9999" else time  # a withdrawal at it counts too


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


RESCUE = "restore a backup with `casebook db restore`, or save readable rows with `casebook db salvage`"
READONLY = "check the permissions of the file and its folder, or pass another file with --db"
_FILE = "check the folder and its permissions, or pass another file"
_OPEN = "check the disk, its free space and the permissions of the folder"
SPACE = "free some space, then run the command again. Saved data is intact"

_TABLE: tuple[tuple[type[apsw.Error], FaultCode, str, str], ...] = (
    (apsw.BusyError, "db_locked", "another process kept {path} locked for too long", "try again in a moment"),
    (apsw.LockedError, "db_locked", "{path} is locked by another query", "try again in a moment"),
    (apsw.ProtocolError, "db_locked", "{path} could not be locked", "try again in a moment"),
    (apsw.NotADBError, "db_damaged", "{path} is not a database, or its first page is damaged", RESCUE),
    (apsw.CorruptError, "db_damaged", "{path} is damaged ({error})", RESCUE),
    (apsw.FormatError, "db_damaged", "{path} is damaged ({error})", RESCUE),
    (apsw.FullError, "io_error", "the disk is full: {path} could not be written", SPACE),
    (apsw.ReadOnlyError, "db_readonly", "{path} cannot be written ({error})", READONLY),
    (apsw.PermissionsError, "io_error", "{path} cannot be opened: permission denied ({error})", READONLY),
    (apsw.AuthError, "io_error", "{path} cannot be opened: permission denied ({error})", READONLY),
    (
        apsw.CantOpenError,
        "io_error",
        "{path} could not be opened ({error})",
        _OPEN,
    ),
    (apsw.IOError, "io_error", "disk I/O error on {path} ({error})", "check the disk and its free space"),
    (apsw.InterruptError, "timeout", "the query on {path} was stopped", ""),
    (apsw.NoMemError, "generic", "memory ran out while reading {path}", ""),
    (apsw.TooBigError, "invalid_input", "a text is too long to be stored in {path}", ""),
    (apsw.ConstraintError, "invalid_input", "a row could not be stored in {path} ({error})", ""),
)


def as_fault(error: Exception, path: str | PathLike[str]) -> Fault:
    """What `error` (of apsw, of the system, or already a Fault) means for the database at `path`."""
    if isinstance(error, Fault):
        return error
    shown = fspath(path)
    if isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
        error = apsw.FullError()  # the `-shm` file could not grow, and SQLite gives no reason
    for kind, code, message, hint in _TABLE:
        if isinstance(error, kind):
            return Fault(code, message.format(path=shown, error=error), hint, path=shown)
    if isinstance(error, apsw.SQLError) and str(error).startswith(("no such table", "no such column")):
        return Fault("db_damaged", f"{shown} lacks a part that this version needs ({error})", RESCUE, path=shown)
    if isinstance(error, OSError):
        return _system(error, shown)
    if isinstance(error, UnicodeDecodeError):
        return Fault("db_damaged", f"{shown} is damaged: invalid text in a row", RESCUE, path=shown)
    if isinstance(error, UnicodeEncodeError):
        return _half_a_pair(shown)
    return Fault("generic", f"{shown}: {error}", "", path=shown)


def _half_a_pair(shown: str) -> Fault:
    if shown == shown.encode("utf-8", "replace").decode():
        return Fault(
            "invalid_input", "a text contains half of a surrogate pair", "remove that character", path=ascii(shown)
        )
    return Fault("invalid_input", f"the file name {shown!a} is not UTF-8", "rename the file", path=ascii(shown))


def _system(error: OSError, shown: str) -> Fault:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Fault("io_error", f"the disk is full: {shown} could not be written", SPACE, path=shown)
    if error.errno == errno.EROFS:
        return Fault("db_readonly", f"{shown} is on a read-only disk", READONLY, path=shown)
    return Fault("io_error", f"{error.filename or shown}: {error.strerror or error}", _FILE, path=shown)


@contextmanager
def faults(path: str | PathLike[str]) -> Generator[None]:
    """Inside, every error of SQLite or the system on the database at `path` is raised as a Fault.

    That the reader of what is printed has left is none of them.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except (apsw.Error, OSError, UnicodeError) as error:
        raise as_fault(error, path) from error
