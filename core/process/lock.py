"""One process at a time: a lock that the system releases when its owner ends."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from core.base.fault import Fault
from core.base.paths import make_folder

_PAUSE = 0.05


@contextmanager
def hold_lock(lock: Path, *, patience: float = 120.0) -> Generator[None]:
    """Hold `lock` (made if need be, never removed) while inside; threads of one process wait for each other too.

    Raises Fault timeout after `patience` seconds, io_error where the file cannot be made.
    """
    try:
        make_folder(lock.parent)
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise Fault(
            "io_error", f"cannot write {lock}: {error.strerror}", "check the folder and its free space"
        ) from error
    try:
        until = time.monotonic() + patience
        while not try_lock(handle):
            if time.monotonic() >= until:
                raise Fault(
                    "timeout",
                    f"another process uses {lock.parent}",
                    "wait until the other process ends, then run the command again",
                )
            time.sleep(_PAUSE)
        yield  # closing the file lets go of the lock
    finally:
        os.close(handle)


def try_lock(handle: int) -> bool:
    """Take the lock of an open file if it is free; the system releases it when the process ends."""
    try:
        _lock(handle)
    except OSError:
        return False
    return True


def is_locked(path: Path) -> bool:
    """Return whether the lock of this file is held; False if there is no lock, or none is available."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        _lock(handle)
    except (BlockingIOError, PermissionError):  # what Linux and macOS say, and what Windows says
        return True
    except OSError:  # a file system without locks
        return False
    finally:
        os.close(handle)
    return False


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
