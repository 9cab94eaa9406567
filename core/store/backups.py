"""Copies of a casebook, and putting one back, through SQLite's own backup: what lies in the WAL comes along."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

from core.base.fault import Fault
from core.store import files
from core.store.files import (
    BUSY_MS,
    check_target,
    copy_connection,
    copy_database,
    copy_pages,
    part_file,
    place,
    reading,
)
from core.store.schema.migrations import SHIPPED, Schema, is_blank, refuse_altered
from core.store.sql import faults, stamp
from core.store.store import newer_than, open_store, refuse_foreign


@dataclass(frozen=True, slots=True)
class Restored:
    """The result of a restore: `kept` is the path of the previous casebook (None: there was none)."""

    path: Path
    kept: Path | None


def backup(path: Path, target: Path) -> None:
    """Copy the casebook at `path` to the new file `target` (0600, one self-contained file).

    Others may read and write meanwhile; the copy is of one moment. Raises Fault: invalid_input if `target` exists
    or its folder does not, and what `open_store` raises.
    """
    target = target.absolute()
    with open_store(path) as store, faults(target):
        check_target(target)
        with part_file(target) as part:
            copy_connection(store.con, part)
            place(part, target)


def restore(path: Path, source: Path, schema: Schema = SHIPPED) -> Restored:
    """Put the backup `source` in the place of the casebook at `path`.

    What stands there is first kept beside it as `<name>.before-restore-<time>`. Where it is sound it is overwritten in
    one transaction, so that others that have it open see the old or the new; where it is damaged, it is moved away
    together with its `-wal` and `-shm` (a stale WAL would spoil the new file).

    Raises Fault: not_indexed or invalid_input if `source` is no casebook, db_newer if this version cannot read it,
    db_damaged if it is damaged itself, db_locked, db_readonly, io_error. The old file is then still there.
    """
    path, source = path.absolute(), source.absolute()
    with faults(source), _checked(source, schema) as con, faults(path):
        size = files.look(path)
        if size is None:
            files.make_folder(path.parent)
            with part_file(path) as part:
                copy_connection(con, part)
                place(part, path)
            return Restored(path, None)
        reason = files.blocked(path)
        if reason:
            raise Fault("db_readonly", f"{path} cannot be restored: {reason}", path=str(path))
        kept = path.with_name(f"{path.name}.before-restore-{stamp()}")
        _replace(path.resolve(), con, kept, sound=_is_sound(path, schema))
    return Restored(path, kept)


@contextmanager
def _checked(source: Path, schema: Schema) -> Generator[apsw.Connection]:
    """The backup, open for reading and never changed, if it is a casebook that this version can read."""
    size = files.look(source, "pass a backup file")
    if size is None:
        raise Fault(
            "not_indexed",
            f"no backup found at {source}",
            "pass a file of `casebook db backup`",
            path=str(source),
        )
    if not files.head(source).startswith(files.MAGIC) and size:
        raise Fault("db_damaged", f"{source} is not a database", "pass another backup", path=str(source))
    with reading(source) as con:
        refuse_foreign(con, source)
        if is_blank(con):
            raise Fault(
                "invalid_input",
                f"{source} is empty: there is nothing to restore",
                "pass another backup",
                path=str(source),
            )
        newer = newer_than(con, schema)
        if newer:
            raise Fault("db_newer", f"{source} cannot be restored: {newer}", "update casebook", path=str(source))
        refuse_altered(con, source, schema)
        yield con


def _is_sound(path: Path, schema: Schema) -> bool:
    """Return whether SQLite can read a casebook there; another program's database raises its Fault."""
    try:
        open_store(path, schema=schema).close()
    except Fault as fault:
        if fault.code != "db_damaged":
            raise
        return False
    return True


def _replace(path: Path, source: apsw.Connection, kept: Path, *, sound: bool) -> None:
    if sound:
        try:
            copy_database(path, kept)
            _overwrite(path, source)
            return
        except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError):
            kept.unlink(missing_ok=True)
    with part_file(path) as part:
        copy_connection(source, part)
        _move_away(path, kept)
        part.replace(path)


def _overwrite(path: Path, source: apsw.Connection) -> None:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as live:
        live.set_busy_timeout(BUSY_MS)
        copy_pages(source, live)


def _move_away(path: Path, kept: Path) -> None:
    # The WAL goes first: should this stop half-way, it must not lie beside the new file.
    for suffix in (*files.SIDES, ""):
        piece = path.with_name(path.name + suffix)
        if piece.exists():
            piece.replace(kept.with_name(kept.name + suffix))
