"""The casebook: opening its file, bringing its schema up to date, and one open connection, for one thread and job."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import cast

import apsw

from core.base.fault import Fault, FaultCode
from core.store.files import (
    BUSY_MS,
    MAGIC,
    STATEMENTS,
    blocked,
    connect_reading,
    create_empty,
    head,
    is_full,
    look,
    private_copy,
    side_file,
)
from core.store.schema.migrations import APPLICATION_ID, SHIPPED, Schema, is_blank, migrate, refuse_altered, version_of
from core.store.sql import READONLY, RESCUE, SPACE, as_fault, faults, number, value
from core.store.wal import keep_wal_short

_WAL_LIMIT = 16 * 1024 * 1024  # bytes; a WAL that grew beyond is cut back at the next checkpoint
_UNWRITABLE = (apsw.ReadOnlyError, apsw.CantOpenError, apsw.IOError, apsw.FullError, apsw.PermissionsError)


class Store:
    """One connection to the casebook at `path`.

    `con` may be used directly for reading. `readonly` says in plain words why nothing can be written (a read-only
    place, a newer schema); it is None where writing works or was not asked for. A store is a context manager.
    """

    __slots__ = ("_code", "_folder", "_interrupted", "con", "path", "readonly", "write")

    def __init__(
        self,
        path: Path,
        con: apsw.Connection,
        *,
        write: bool = False,
        readonly: str | None = None,
        code: FaultCode = "db_readonly",
        folder: Path | None = None,
    ) -> None:
        self.path = path
        self.con = con
        self.write = write and readonly is None
        self.readonly = readonly
        self._code: FaultCode = code
        self._folder = folder
        self._interrupted = False

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    @property
    def place(self) -> Path:
        """The file that is really open: a private copy where the casebook's own could not be read in place.

        It is there until `close`; further readers may open it instead of making a copy each.
        """
        return Path(self.con.filename or self.path)

    @property
    def newer(self) -> bool:
        """Whether a newer casebook wrote it (then `readonly` names the version)."""
        return self._code == "db_newer"

    @contextmanager
    def transaction(self) -> Generator[apsw.Connection]:
        """BEGIN IMMEDIATE, then COMMIT, or ROLLBACK when anything is raised inside; within another one it does nothing.

        Raises Fault db_readonly or db_newer where nothing can be written, db_locked, io_error (disk full), db_damaged.
        """
        if self.con.in_transaction:
            yield self.con
            return
        self.require_write()
        with faults(self.path):
            self.con.execute("BEGIN IMMEDIATE")
            try:
                yield self.con
                self.con.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise

    @contextmanager
    def moment(self) -> Generator[None]:
        """Read everything inside from one snapshot, whatever other processes write; a transaction does so anyway."""
        if self.con.in_transaction:
            yield
            return
        self.con.execute("BEGIN")
        try:
            yield
        finally:
            self._roll_back()  # nothing was written

    def require_write(self) -> None:
        """Raise the Fault that says why nothing can be written, if so."""
        if self.write:
            return
        why = self.readonly or "it was opened read-only"
        hint = {"db_newer": "update casebook", "io_error": SPACE}.get(self._code, READONLY)
        raise Fault(self._code, f"{self.path} cannot be written: {why}", hint, path=str(self.path))

    def interrupt(self) -> None:
        """Stop the query that runs now; may be called from another thread, also after `close`."""
        self._interrupted = True
        with suppress(apsw.ConnectionClosedError):
            self.con.interrupt()

    def check(self) -> None:
        """Raise Fault timeout if it was interrupted: for work between two queries."""
        if self._interrupted:
            raise Fault("timeout", f"the work on {self.path} was stopped")

    def close(self, *, keep_log: bool = False) -> None:
        """End the connection (an open transaction is rolled back) and remove the private copy, if there was one.

        After writing, the write-ahead log is written into the file and emptied, also while a workbench is open. Then a
        copy of the file alone is complete, and a backup that is copied over it does not get pages of the log.
        `keep_log`: leave the log as it is.
        """
        with suppress(apsw.Error):
            if keep_log:
                self.con.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            elif self.write:
                self._empty_log()
            self.con.close(True)
        if self._folder is not None:
            import shutil

            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _empty_log(self) -> None:
        """Write the log back and empty it. One of more than `_WAL_LIMIT` is left: that would take time."""
        with suppress(apsw.Error, OSError):
            if side_file(self.path, "-wal").stat().st_size <= _WAL_LIMIT:
                self._roll_back()
                self.con.set_busy_timeout(0)
                self.con.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def _roll_back(self) -> None:
        # SQLite has often rolled back by itself (disk full), and a failing disk may refuse this too.
        with suppress(apsw.Error):
            if self.con.in_transaction:
                self.con.execute("ROLLBACK")


def data_version(store: Store) -> int:
    """A number that changes when another connection has committed; meaningful only for this one connection."""
    row = store.con.execute("PRAGMA data_version").fetchone()
    return cast("int", row[0]) if row else 0


def open_store(
    path: Path, *, write: bool = False, create: bool = False, timeout_ms: int = BUSY_MS, schema: Schema = SHIPPED
) -> Store:
    """Open the casebook at `path`.

    `write`: it will be written; where that cannot be, the store opens all the same and `readonly` says why.
    `create`: make it (and its folder) if it is missing; implies `write`. `timeout_ms`: how long to wait for a lock.
    An older schema is brought up to date after a backup; where it cannot be written, on a private copy.
    An empty file counts as an empty casebook.

    Raises Fault: not_indexed (missing, without `create`), invalid_input (not a file, or another program's database),
    db_damaged, db_locked, db_readonly (missing and cannot be created), io_error.
    """
    path = path.absolute()
    write = write or create
    with faults(path):
        size = look(path)
        if size is None:
            if not create:
                hint = "create one with `casebook import auto`, or pass another file with --db"
                raise Fault("not_indexed", f"no casebook found at {path}", hint, path=str(path))
            create_empty(path)
        elif size == 0 and not write:
            return _blank(path, schema, None)
        elif size and not head(path).startswith(MAGIC):
            raise Fault("db_damaged", f"{path} is not a database, or its first page is damaged", RESCUE, path=str(path))
        reason = blocked(path)
        code: FaultCode = "db_readonly"
        if reason is None:
            try:
                return _open_writable(path, write, timeout_ms, schema)
            except _UNWRITABLE as error:
                if not look(path):
                    raise
                fault = as_fault(error, path)
                reason, code = fault.message.rstrip("."), fault.code
                if isinstance(error, apsw.FullError) or is_full(path):
                    reason, code = "the disk is full", "io_error"
        return _open_reading(path, timeout_ms, schema, reason, code)


def _open_writable(path: Path, write: bool, timeout_ms: int, schema: Schema) -> Store:
    con = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, statementcachesize=STATEMENTS)
    try:
        # Until the file has proved to be ours and sound, closing must not write the WAL back into it.
        con.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        con.set_busy_timeout(timeout_ms)
        _settle(con)
        refuse_foreign(con, path)
        newer = newer_than(con, schema)
        if newer:
            con.execute("PRAGMA query_only = ON")
            return Store(path, con, readonly=newer, code="db_newer")
        if is_blank(con):
            if not write:
                con.close()
                return _blank(path, schema, None)
            with suppress(OSError):  # another's file
                path.chmod(0o600)
        else:
            refuse_altered(con, path, schema)
        if write:
            _use_wal(con, timeout_ms)
            keep_wal_short(con, timeout_ms)
        migrate(con, path, schema)
        con.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
        if not write:
            con.execute("PRAGMA query_only = ON")
    except BaseException:
        con.close()
        raise
    return Store(path, con, write=write)


def _open_reading(path: Path, timeout_ms: int, schema: Schema, reason: str, code: FaultCode) -> Store:
    if not look(path):
        return _blank(path, schema, reason, code)
    con, folder = connect_reading(path, timeout_ms)
    store = Store(path, con, readonly=reason, code=code, folder=folder)
    try:
        _settle(con)
        refuse_foreign(con, path)
        if is_blank(con):
            store.close()
            return _blank(path, schema, reason, code)
        refuse_altered(con, path, schema)
        newer = newer_than(con, schema)
        if newer:
            reason = f"{newer}; also, {reason}"
            store = Store(path, con, readonly=reason, code="db_newer", folder=folder)
        elif version_of(con) < schema.version:
            store.close()
            store = _updated_copy(path, schema, reason, code)
        store.con.execute("PRAGMA query_only = ON")
    except BaseException:
        store.close()
        raise
    return store


def _updated_copy(path: Path, schema: Schema, reason: str, code: FaultCode) -> Store:
    con, folder = private_copy(path)
    store = Store(path, con, readonly=reason, code=code, folder=folder)
    try:
        _settle(con)
        migrate(con, None, schema)
    except BaseException:
        store.close()
        raise
    return store


def _blank(path: Path, schema: Schema, reason: str | None, code: FaultCode = "db_readonly") -> Store:
    """An empty casebook that lives in memory: what an empty file means to a reader."""
    con = apsw.Connection(":memory:")
    _settle(con)
    migrate(con, None, schema)
    con.execute("PRAGMA query_only = ON")
    return Store(path, con, readonly=reason, code=code)


def _settle(con: apsw.Connection) -> None:
    # trusted_schema OFF: nothing in a file we were handed may call a function with side effects.
    con.transaction_mode = "IMMEDIATE"
    con.execute(
        "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL;"
        " PRAGMA cache_size = -16000;"  # KiB at most, used only as pages are read: prefix walks touch many
        f"PRAGMA journal_size_limit = {_WAL_LIMIT}"
    )


def _use_wal(con: apsw.Connection, timeout_ms: int) -> None:
    # The busy timeout does not cover this switch, and two processes may make the same new file at once.
    end = time.monotonic() + timeout_ms / 1000
    while True:
        try:
            if value(con, "PRAGMA journal_mode") != "wal":
                con.execute("PRAGMA journal_mode = WAL")
            return
        except apsw.BusyError:
            if time.monotonic() > end:
                raise
            time.sleep(0.005)


def newer_than(con: apsw.Connection, schema: Schema) -> str | None:
    """In plain words, that a newer casebook than `schema` wrote the file; None if not."""
    version = version_of(con)
    if version <= schema.version:
        return None
    return f"created by a newer casebook version (schema {version}, supported {schema.version})"


def refuse_foreign(con: apsw.Connection, path: Path) -> None:
    """Raise the Fault that says what the database is, unless it is a casebook or blank."""
    if is_blank(con):
        return
    # Read after it: a blank file that another process is just making gets its tables and its mark in one transaction.
    mark = number(con, "PRAGMA application_id")
    if mark == APPLICATION_ID:
        return
    if value(con, "SELECT 1 FROM sqlite_schema WHERE name = 'error_kb'"):
        hint = f"to import its errors, run: casebook errors import {path}"
        raise Fault(
            "invalid_input", f"{path} is an error database of another program, not a casebook", hint, path=str(path)
        )
    which = f" (application id 0x{mark & 0xFFFFFFFF:08X})" if mark else ""
    hint = "pass another file with --db"
    raise Fault("invalid_input", f"{path} is a database of another program{which}", hint, path=str(path))
