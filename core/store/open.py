"""Opening a casebook: what kind of file it is, whether it can be written, and bringing its schema up to date."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import apsw

from core.base.fault import Fault, FaultCode
from core.store.files import BUSY_MS, MAGIC, blocked, connect_reading, create_empty, head, is_full, look, private_copy
from core.store.schema.migrations import APPLICATION_ID, SHIPPED, Schema, is_blank, migrate, refuse_altered, version_of
from core.store.sql import RESCUE, as_fault, faults, number, value
from core.store.store import Store
from core.store.wal import keep_wal_short

_WAL_LIMIT = 16 * 1024 * 1024  # bytes; a WAL that grew beyond is cut back at the next checkpoint
_UNWRITABLE = (apsw.ReadOnlyError, apsw.CantOpenError, apsw.IOError, apsw.FullError, apsw.PermissionsError)


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
    con = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
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
