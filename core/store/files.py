"""The files of a database: what lies at a path, reading it in place or from a copy, copies under a temporary name."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import apsw

from core.base.fault import Fault
from core.base.lazy import lazy_pattern
from core.base.paths import make_folder
from core.store.sql import value

MAGIC = b"SQLite format 3\x00"
_LEAST_ROOM = 128 * 1024  # bytes
STATEMENTS = 512
"""Compiled statements that a connection keeps. A merge and its undo use more than 110, and apsw keeps 100."""
SIDES = ("-wal", "-shm", "-journal")


def look(path: Path, hint: str = "pass a file with --db") -> int | None:
    """The size of the regular file at `path` in bytes, or None where nothing is.

    Raises Fault invalid_input for what can be no database (folder, pipe, device, dangling link).
    """
    try:
        info = path.stat()
    except FileNotFoundError:
        if path.is_symlink():
            raise Fault("invalid_input", f"{path} is a broken link", path=str(path)) from None
        return None
    except ValueError:
        raise Fault("invalid_input", f"{path!r} is not a file name") from None
    if stat.S_ISREG(info.st_mode):
        return info.st_size
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    kind = next((name for test, name in kinds if test(info.st_mode)), "a device")
    raise Fault("invalid_input", f"{path} is {kind}, not a database file", hint, path=str(path))


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
        hint = "pass another file with --db, or fix the permissions"
        raise Fault("db_readonly", f"{path} cannot be created: no write permission", hint, path=str(path)) from error


def side_file(path: Path, suffix: str) -> Path:
    """Return the side file of the database at `path`; SQLite keeps it next to the real file, not next to a link."""
    real = path.resolve()
    return real.with_name(real.name + suffix)


def pending(path: Path) -> bool:
    """Return whether committed rows may still be in a `-wal` (or a rollback in a `-journal`) next to the file."""
    return any(
        side.exists() and side.stat().st_size > 0 for side in (side_file(path, "-wal"), side_file(path, "-journal"))
    )


def blocked(path: Path) -> str | None:
    """Why the database at `path` cannot be written, in plain words; None where nothing speaks against it."""
    real = path.resolve()
    if not os.access(real, os.W_OK):
        return f"the file {real} is read-only"
    if not writable_folder(real.parent):
        return f"the folder {real.parent} is read-only"
    return None


def writable_folder(folder: Path) -> bool:
    """Whether files can be made in `folder`, as far as its permissions say."""
    return os.access(folder, os.W_OK | os.X_OK)


def is_full(path: Path) -> bool:
    """Return whether the disk has no room for the small side files of a database."""
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


QUIET_S = 10.0
"""Seconds within which a running copy has written: the process of another container is invisible."""
_PART = ".part"
_LEFT = lazy_pattern(r"\.(?P<pid>[0-9]{1,10})(?:\.[0-9a-f]{8})?\.part(?:-journal|-wal|-shm)?\Z")
BUSY_MS = 5000
"""How long a lock is waited for, in milliseconds."""


def copy_database(source: Path, target: Path) -> None:
    """Copy what is committed in `source` to `target`; written under a temporary name, synced, renamed.

    Raises apsw errors and OSError.
    """
    with part_file(target) as part:
        with closing(apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)) as reader:
            reader.set_busy_timeout(BUSY_MS)
            copy_connection(reader, part)
        part.replace(target)


def copy_connection(reader: apsw.Connection, part: Path) -> None:
    """Copy what `reader` sees into the empty file `part`, and leave it without any side file."""
    with closing(apsw.Connection(str(part), flags=apsw.SQLITE_OPEN_READWRITE)) as writer:
        copy_pages(reader, writer)
        writer.execute("PRAGMA journal_mode = DELETE")
    handle = os.open(part, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def copy_pages(reader: apsw.Connection, writer: apsw.Connection) -> None:
    """Make `writer` what `reader` sees, through SQLite's own backup."""
    with writer.backup("main", reader, "main") as copying:
        while not copying.done:
            copying.step(-1)  # all pages at once: the copy is of one moment and writers are not held up


@contextmanager
def part_file(target: Path) -> Generator[Path]:
    """Yield an empty file (0600) next to `target`, removed with its side files unless it was renamed.

    It is made by this call or not at all: neither a link nor a file that stands there is ever opened. What killed
    processes left beside `target` is removed. Raises OSError.
    """
    sweep_parts(target)
    part = target.with_name(f"{target.name}.{os.getpid()}.{os.urandom(4).hex()}{_PART}")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        os.close(os.open(part, flags, 0o600))
    except OSError as error:  # told of the file that was asked for
        raise type(error)(error.errno, error.strerror, str(target)) from error
    try:
        yield part
    finally:
        for suffix in ("", *SIDES):
            part.with_name(part.name + suffix).unlink(missing_ok=True)


def sweep_parts(target: Path) -> int:
    """Remove leftovers of killed copies to `target`, or to a copy of it in the same folder; return their number.

    A copy that goes on keeps its files: its process is there, or it has just written. Never raises.
    """
    swept = 0
    with suppress(OSError):
        for path in target.parent.iterdir():
            found = _LEFT.search(path.name) if path.name.startswith(f"{target.name}.") else None
            if found is None or not has_exited(int(found["pid"])):
                continue
            with suppress(OSError):
                there = path.lstat()
                if stat.S_ISREG(there.st_mode) and time.time() - there.st_mtime > QUIET_S:
                    path.unlink()
                    swept += 1
    return swept


def has_exited(pid: int) -> bool:
    """Return whether the process no longer exists. On Windows this is unknown, and it counts as gone."""
    if sys.platform == "win32":
        return pid != os.getpid()
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        pass
    return False


def place(part: Path, target: Path) -> None:
    """Give `part` its name, without ever replacing a file that appeared meanwhile."""
    try:
        os.link(part, target)
    except FileExistsError:
        refuse_present(target)
    except OSError:  # a disk without hard links
        refuse_present(target)
        part.replace(target)


def check_target(target: Path) -> None:
    """Raise Fault invalid_input where `target` is already there, or its folder is not: a slip makes no folders."""
    refuse_present(target)
    if not target.parent.is_dir():
        hint = "create it first, or pass another file"
        raise Fault("invalid_input", f"folder {target.parent} not found", hint, path=str(target))


def refuse_present(target: Path) -> None:
    """Raise Fault invalid_input where `target` is already there."""
    if target.exists() or target.is_symlink():
        raise Fault("invalid_input", f"{target} already exists", "pass a new file", path=str(target))


_ATTEMPTS = 5


def connect_reading(path: Path, timeout_ms: int = 5000) -> tuple[apsw.Connection, Path | None]:
    """A read-only connection to any SQLite file, and the folder of the private copy if one had to be made.

    The file itself where SQLite can read it as it is; `immutable=1` only where no `-wal` holds rows (it would drop
    them silently); else a copy of both. Raises apsw errors, OSError, or Fault io_error where it keeps changing.
    """
    in_wal_mode = head(path)[18:19] == b"\x02"
    if side_file(path, "-shm").exists() or not in_wal_mode:
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
    pairs = [(path, copy)] + [(side_file(path, side), side_file(copy, side)) for side in ("-wal", "-journal")]
    for _ in range(_ATTEMPTS):
        before = [_mark(source) for source, _ in pairs]
        for source, target in pairs:
            _copy_one(source, target)
        if before == [_mark(source) for source, _ in pairs]:
            return
    raise Fault(
        "io_error",
        f"{path} keeps changing",
        "when no other program is writing to the file, run the command again",
        path=str(path),
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
    con = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, statementcachesize=STATEMENTS)
    return _tried(con, timeout_ms)


def _immutable(path: Path) -> apsw.Connection:
    from urllib.parse import quote

    uri = f"file:{quote(str(path))}?immutable=1"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return _tried(apsw.Connection(uri, flags=flags, statementcachesize=STATEMENTS), 0)


def _tried(con: apsw.Connection, timeout_ms: int) -> apsw.Connection:
    # SQLite looks at the files only when it first reads.
    try:
        con.set_busy_timeout(timeout_ms)
        value(con, "SELECT count(*) FROM sqlite_schema")
    except BaseException:
        con.close()
        raise
    return con
