"""Writing the WAL back while much is written: in a thread, so that nobody waits for the disk."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Final

import apsw

from core.store.fault_mapping import faults
from core.store.sql import number
from core.store.store import Store
from core.store.wal.length import keep_wal_short

_OFTEN: Final = 4_000
"""Pages of new WAL (16 MiB) after which it is written back."""
_MANY: Final = 32_000
"""Pages of WAL (128 MiB) from which the writer is held up for the rest of them, so that the WAL can begin anew."""
_MOST: Final = 128_000
"""Pages of WAL (512 MiB) from which the writer does it itself, whatever became of the thread."""
_PATIENCE: Final = 100
"""Milliseconds that the thread waits for the writer's turn to end."""


@contextmanager
def checkpoints_aside(store: Store) -> Generator[None]:
    """Within, a thread with a connection of its own writes the WAL of `store` back, and a commit waits for no disk.

    The WAL stays bounded. What cannot be written back (a full disk) stays in it, as ever.
    """
    with faults(store.path):
        timeout_ms, limit = _setting(store.con, "busy_timeout"), _setting(store.con, "journal_size_limit")
        # Shortened each time it begins anew, a WAL that grows again costs more than the disk it frees meanwhile.
        store.con.execute("PRAGMA journal_size_limit = -1")
    wanted, written = SimpleQueue[bool](), 0
    thread = Thread(target=_write_back_when, args=(store.place, wanted), daemon=True)

    def committed(con: apsw.Connection, name: str, pages: int) -> int:
        nonlocal written
        written = min(written, pages)  # fewer than before: it began anew
        if pages >= _MOST:
            _write_back(con, apsw.SQLITE_CHECKPOINT_PASSIVE)
        elif pages - written >= _OFTEN:
            written = pages
            if thread.ident is None:
                thread.start()
            wanted.put(True)
        return apsw.SQLITE_OK

    store.con.set_wal_hook(committed)
    try:
        yield
    finally:
        keep_wal_short(store.con, timeout_ms)  # takes the hook's place
        store.con.execute(f"PRAGMA journal_size_limit = {limit}")
        if thread.ident is not None:
            wanted.put(False)
            thread.join()


def _setting(con: apsw.Connection, name: str) -> int:
    return number(con, f"PRAGMA {name}")


def _write_back_when(path: Path, wanted: SimpleQueue[bool]) -> None:
    """In the thread: until it is told False."""
    with suppress(apsw.Error), closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as con:
        con.set_busy_timeout(_PATIENCE)
        con.execute("PRAGMA schema_version").fetchone()  # it knows of no WAL before it has read
        while wanted.get():
            if _write_back(con, apsw.SQLITE_CHECKPOINT_PASSIVE) >= _MANY:
                _write_back(con, apsw.SQLITE_CHECKPOINT_FULL)


def _write_back(con: apsw.Connection, mode: int) -> int:
    """What can be written back now; how many pages the WAL has."""
    with suppress(apsw.Error):
        return con.wal_checkpoint(mode=mode)[0]
    return 0
