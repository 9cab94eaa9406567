"""The write-ahead log: its length, checkpoints during a long run, and its pages in a copy that SQLite refuses."""

from __future__ import annotations

import struct
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import apsw

from core.store.files import MAGIC, head, side_file
from core.store.sql import faults, number

if TYPE_CHECKING:
    from queue import SimpleQueue

    from core.store.store import Store


_WRITE_BACK: Final = 1_000
"""Pages (4 MiB) from which the thread writes back everything that needs no waiting."""
_RESTART_PAGES: Final = 2_048
"""Pages (8 MiB) from which other connections wait a moment, so that the WAL can restart."""
_PATIENCE_MS: Final = 100
"""How long that waits for readers; a later commit tries again."""


def keep_wal_short(con: apsw.Connection, timeout_ms: int) -> None:
    """After each commit of `con`, write the WAL back where it has grown. `timeout_ms`: its busy timeout, put back."""

    def committed(con: apsw.Connection, name: str, pages: int) -> int:
        if pages >= _WRITE_BACK:
            mode = apsw.SQLITE_CHECKPOINT_RESTART if pages >= _RESTART_PAGES else apsw.SQLITE_CHECKPOINT_PASSIVE
            con.set_busy_timeout(min(_PATIENCE_MS, timeout_ms))
            with suppress(apsw.Error):  # a full disk, or a reader that stays: the commit stands all the same
                con.wal_checkpoint(mode=mode)
            con.set_busy_timeout(timeout_ms)
        return apsw.SQLITE_OK

    con.set_wal_hook(committed)


_OFTEN: Final = 4_000
"""Pages of new WAL (16 MiB) after which it is written back."""
_MANY: Final = 32_000
"""Pages of WAL (128 MiB) from which the writer waits for the rest of them, so that the WAL can restart."""
_MOST: Final = 128_000
"""Pages of WAL (512 MiB) from which the writer does it itself, whatever became of the thread."""
_PATIENCE: Final = 100
"""Milliseconds that the thread waits for the writer's turn to end."""


@contextmanager
def checkpoints_aside(store: Store) -> Generator[None]:
    """Within, a thread with a connection of its own writes the WAL of `store` back, and a commit waits for no disk.

    The WAL stays bounded. What cannot be written back (a full disk) stays in it, as ever.
    """
    from queue import SimpleQueue
    from threading import Thread

    with faults(store.path):
        timeout_ms, limit = _setting(store.con, "busy_timeout"), _setting(store.con, "journal_size_limit")
        # Shortened each time it begins anew, a WAL that grows again costs more than the disk it frees meanwhile.
        store.con.execute("PRAGMA journal_size_limit = -1")
    requests, written = SimpleQueue[bool](), 0
    thread = Thread(target=_write_back_when, args=(store.place, requests), daemon=True)

    def committed(con: apsw.Connection, name: str, pages: int) -> int:
        nonlocal written
        written = min(written, pages)  # fewer than before: it began anew
        if pages >= _MOST:
            _write_back(con, apsw.SQLITE_CHECKPOINT_PASSIVE)
        elif pages - written >= _OFTEN:
            written = pages
            if thread.ident is None:
                thread.start()
            requests.put(True)
        return apsw.SQLITE_OK

    store.con.set_wal_hook(committed)
    try:
        yield
    finally:
        keep_wal_short(store.con, timeout_ms)  # takes the hook's place
        store.con.execute(f"PRAGMA journal_size_limit = {limit}")
        if thread.ident is not None:
            requests.put(False)
            thread.join()
            store.con.set_busy_timeout(min(_PATIENCE, timeout_ms))
            _write_back(store.con, apsw.SQLITE_CHECKPOINT_TRUNCATE)  # a copy of the file alone is complete then
            store.con.set_busy_timeout(timeout_ms)


def _setting(con: apsw.Connection, name: str) -> int:
    return number(con, f"PRAGMA {name}")


@contextmanager
def journals_in_memory(store: Store) -> Generator[None]:
    """Within, what undoes a single statement is kept in memory: a file took as many writes as the WAL itself.

    Temporary tables of the connection go. Not to be called within a transaction.
    """
    with faults(store.path):
        store.con.execute("PRAGMA temp_store = MEMORY")
    try:
        yield
    finally:
        with suppress(apsw.Error):
            store.con.execute("PRAGMA temp_store = DEFAULT")


def _write_back_when(path: Path, requests: SimpleQueue[bool]) -> None:
    """Run in the thread until it receives False."""
    with suppress(apsw.Error), closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as con:
        con.set_busy_timeout(_PATIENCE)
        con.execute("PRAGMA schema_version").fetchone()  # it knows of no WAL before it has read
        while requests.get():
            if _write_back(con, apsw.SQLITE_CHECKPOINT_PASSIVE) >= _MANY:
                _write_back(con, apsw.SQLITE_CHECKPOINT_FULL)


def _write_back(con: apsw.Connection, mode: int) -> int:
    """What can be written back now; how many pages the WAL has."""
    with suppress(apsw.Error):
        return con.wal_checkpoint(mode=mode)[0]
    return 0


def take_wal(copy: Path) -> tuple[int | None, list[str]]:
    """Write the committed pages of the `-wal` (and undo a half-done `-journal`) into the private file `copy`.

    Returns the page size that the WAL names, in bytes, and what went wrong, in plain words.
    """
    wal = side_file(copy, "-wal")
    if not wal.exists() or wal.stat().st_size < 32:
        return None, _settle(copy) if side_file(copy, "-journal").exists() else []
    page_size = struct.unpack(">I", head(wal)[8:12])[0]
    if not (512 <= page_size <= 65536) or page_size & (page_size - 1):
        return None, ["the WAL is damaged: its data is lost"]
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
        return [f"the WAL could not be read ({error}): its data is lost"]
    wal = side_file(copy, "-wal")
    if wal.exists() and wal.stat().st_size:
        return ["the WAL could not be read: its data is lost"]
    return []


def _write_header(copy: Path, page_size: int) -> None:
    """A header that lets SQLite open the copy, so that it reads the WAL; the rest of the first page is left alone."""
    size = 1 if page_size == 65536 else page_size
    with copy.open("r+b") as file:
        file.write(MAGIC + struct.pack(">HBBBBBB", size, 2, 2, 0, 64, 32, 32))
