"""The schema as numbered SQL files; each is applied once, in one transaction, after a backup."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import apsw

from core.base.fault import Fault
from core.store.clock import stamp
from core.store.copying import copy_database, sweep_parts
from core.store.sql import number, value

APPLICATION_ID = 0x4353424B  # "CSBK"
BACKUPS_KEPT = 3


class Script(NamedTuple):
    """One step of the schema: `number` becomes the file's user_version once `sql` has run."""

    number: int
    name: str
    sql: str


class Schema(NamedTuple):
    """The newest `version` and where its steps come from; they are read only when there is something to do."""

    version: int
    scripts: Callable[[], tuple[Script, ...]]


def shipped() -> tuple[Script, ...]:
    """The SQL files of this version, in order."""
    from importlib.resources import files

    folder = files("core.store.schema")
    found = sorted((item for item in folder.iterdir() if item.name.endswith(".sql")), key=lambda item: item.name)
    return tuple(Script(int(item.name[:4]), item.name, item.read_text("utf-8")) for item in found)


SHIPPED = Schema(version=12, scripts=shipped)


def version_of(con: apsw.Connection) -> int:
    """The schema version written in the file; 0 in a new one."""
    return number(con, "PRAGMA user_version")


def is_blank(con: apsw.Connection) -> bool:
    """Whether the file holds nothing at all, so that it may become a casebook."""
    marks = number(con, "PRAGMA application_id") or version_of(con)
    return not marks and value(con, "SELECT 1 FROM sqlite_schema LIMIT 1") is None


def migrate(con: apsw.Connection, path: Path | None, schema: Schema = SHIPPED) -> None:
    """Bring the database up to `schema.version`, one transaction a step.

    `path` is where it lies: one that already holds a casebook is backed up beside it first. None: no backup is wanted.
    Several processes may do this at once; the later ones find it done. Raises apsw errors, or Fault db_damaged where a
    step leaves a reference to a row that is not there.
    """
    found = version_of(con)
    if found >= schema.version:
        return
    con.execute("PRAGMA foreign_keys = OFF")  # a step may rebuild a table; the references are checked before its commit
    try:
        kept = path is None or found == 0
        for script in schema.scripts():
            with con:
                before = version_of(con)
                if before >= script.number:
                    continue
                if path is not None and not kept:
                    _keep(path, before)
                    kept = True
                _apply(con, script)
    finally:
        con.execute("PRAGMA foreign_keys = ON")


def _apply(con: apsw.Connection, script: Script) -> None:
    for _ in con.execute(script.sql):
        pass
    broken = con.execute("PRAGMA foreign_key_check").fetchone()
    if broken:
        raise Fault("db_damaged", f"{script.name} was not applied: a row of {broken[0]} refers to one that is missing.")
    con.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    con.execute(f"PRAGMA user_version = {script.number}")


def _keep(path: Path, version: int) -> None:
    """Back up what is committed now. The caller holds the write lock, so this is the state that the steps change."""
    sweep_parts(path)
    copy_database(path, path.with_name(f"{path.name}.backup-v{version}-{stamp()}"))
    kept = sorted(
        path.parent.glob(f"{_escaped(path.name)}.backup-v*-*"), key=lambda found: found.name.rpartition("-")[2]
    )
    for old in kept[:-BACKUPS_KEPT]:
        old.unlink(missing_ok=True)


def _escaped(name: str) -> str:
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in name)
