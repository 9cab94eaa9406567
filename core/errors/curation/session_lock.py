"""One window that writes: what it keeps is its own while it lives, and free to go on with once it has died."""

from __future__ import annotations

import os
import secrets
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from core.base.xdg import make_folder
from core.errors.curation.autosave import Scratch, discard_scratch, keep_scratch, kept_scratches, scratch_path


@dataclass(frozen=True, slots=True)
class Kept:
    """Half-written texts: `free` to go on with, one's own first, then the newest; and those of `living` windows."""

    free: tuple[Scratch, ...]
    living: tuple[Scratch, ...]


class Writer:
    """A window. It holds a lock beside its texts that the system lets go of with the process, however that ends.

    May be used from several threads. Where locks cannot be had, its texts are free to all.
    """

    def __init__(self, folder: Path) -> None:
        self.name = f"w{secrets.token_hex(8)}"
        self.folder = folder
        self._guard = Lock()
        self._held: int | None = None

    def keep(self, one: Scratch) -> None:
        """Keep a text as this window's own. Raises Fault io_error."""
        with self._guard:
            self._hold()
            keep_scratch(self.folder, replace(one, writer=self.name))

    def kept(self, case_id: int | None = None) -> Kept:
        """What was typed and not saved, of one case or of all. Never raises."""
        found = kept_scratches(self.folder, case_id)
        living = {name for name in {one.writer for one in found} - {self.name} if _lives(self.folder, name)}
        free = sorted((one for one in found if one.writer not in living), key=lambda one: one.writer != self.name)
        return Kept(tuple(free), tuple(one for one in found if one.writer in living))

    def take(self, one: Scratch) -> Scratch | None:
        """Make the free text this window's own; None where another window was faster."""
        if one.writer == self.name:
            return one
        mine = replace(one, writer=self.name)
        with self._guard:
            self._hold()
            try:
                scratch_path(self.folder, one).replace(scratch_path(self.folder, mine))
            except FileNotFoundError:
                return None
            except OSError:
                return one  # shown all the same; the copy stays where it is
            with suppress(OSError):
                _lock_of(self.folder, one.writer).unlink()
        return mine

    def drop(self, case_id: int) -> None:
        """Forget what this window kept of the case: it was saved, or is not wanted. Raises Fault io_error."""
        with self._guard:
            discard_scratch(self.folder, case_id, self.name)
            if not any(one.writer == self.name for one in kept_scratches(self.folder)):
                self._let_go()

    def ended(self) -> None:
        """The window is gone, as if its process had ended: what it kept is free."""
        with self._guard:
            self._let_go()

    def _hold(self) -> None:
        if self._held is not None:
            return
        with suppress(OSError):
            make_folder(self.folder)
            handle = os.open(_lock_of(self.folder, self.name), os.O_RDWR | os.O_CREAT, 0o600)
            try:
                _lock(handle)
                self._held = handle
            finally:
                if self._held is None:
                    os.close(handle)

    def _let_go(self) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None
            with suppress(OSError):
                _lock_of(self.folder, self.name).unlink()


def _lock_of(folder: Path, writer: str) -> Path:
    return folder / f"{writer}.lock"


def _lives(folder: Path, writer: str) -> bool:
    """Whether somebody holds the lock of this window."""
    try:
        handle = os.open(_lock_of(folder, writer), os.O_RDWR)
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
