"""A database written to a file of its own: under a temporary name, synced, then given its name."""

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
from core.base.lazy_pattern import lazy_pattern
from core.store.files import SIDES

QUIET_S = 10.0
"""Seconds in which a copy that goes on has written: the process of another container cannot be seen from here."""
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
    """An empty file (0600) beside `target`, removed with its side files unless it was renamed.

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
    """Remove what copies to `target`, or to a copy of it beside it, left behind when they were killed; how many files.

    A copy that goes on keeps its files: its process is there, or it has just written. Never raises.
    """
    swept = 0
    with suppress(OSError):
        for path in target.parent.iterdir():
            found = _LEFT.search(path.name) if path.name.startswith(f"{target.name}.") else None
            if found is None or not is_gone(int(found["pid"])):
                continue
            with suppress(OSError):
                there = path.lstat()
                if stat.S_ISREG(there.st_mode) and time.time() - there.st_mtime > QUIET_S:
                    path.unlink()
                    swept += 1
    return swept


def is_gone(pid: int) -> bool:
    """Whether there is no such process any more. On Windows nobody can tell, and it counts as gone."""
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
        hint = "Make it first, or name another file."
        raise Fault("invalid_input", f"There is no folder {target.parent}.", hint, path=str(target))


def refuse_present(target: Path) -> None:
    """Raise Fault invalid_input where `target` is already there."""
    if target.exists() or target.is_symlink():
        raise Fault("invalid_input", f"{target} is already there.", "Name a new file.", path=str(target))
