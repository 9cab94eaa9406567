"""A schema grows by numbered steps, each whole or not at all, after a backup."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

from core.base.fault import Fault
from core.store import open_store
from core.store.schema.migrations import BACKUPS_KEPT, SHIPPED, Schema, Script, shipped

V = SHIPPED.version


def schema(*steps: str) -> Schema:
    """The shipped schema and further steps."""
    more = tuple(Script(V + at, f"{V + at:04d}_later.sql", sql) for at, sql in enumerate(steps, 1))
    return Schema(V + len(steps), lambda: (*shipped(), *more))


MOOD = "ALTER TABLE error_kb ADD COLUMN mood TEXT DEFAULT 'calm'"


def backups(db: Path) -> list[Path]:
    return sorted(db.parent.glob("casebook.db.backup-*"))


def version(path: Path) -> int:
    con = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return int(str(con.pragma("user_version")))
    finally:
        con.close()


def test_the_steps_are_numbered_one_by_one_and_the_newest_is_the_version() -> None:
    assert [script.number for script in shipped()] == list(range(1, V + 1))


def test_an_older_casebook_is_brought_up_to_date_after_a_backup(db: Path, case: Any) -> None:
    with open_store(db, create=True) as store:
        case(store, "old")
    with open_store(db, schema=schema(MOOD, "CREATE TABLE extra(a)")) as store:
        assert store.con.execute("SELECT error_normalized, mood FROM error_kb").fetchall() == [("old", "calm")]
        assert store.con.execute("SELECT * FROM extra").fetchall() == []
        assert store.readonly is None
    assert version(db) == V + 2
    (kept,) = backups(db)
    assert re.fullmatch(rf"casebook\.db\.backup-v{V}-\d{{8}}T\d{{9}}Z", kept.name)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert version(kept) == V
    with open_store(kept) as old:
        assert old.con.execute("SELECT error_normalized FROM error_kb").fetchall() == [("old",)]


def test_the_backup_holds_what_lay_in_the_wal(db: Path, case: Any) -> None:
    with open_store(db, create=True) as store:
        case(store, "in the wal")
        with open_store(db, schema=schema(MOOD)):
            pass
    with open_store(backups(db)[0]) as old:
        assert old.con.execute("SELECT count(*) FROM error_kb").fetchone() == (1,)


def test_a_new_or_current_casebook_needs_no_backup(db: Path) -> None:
    open_store(db, create=True, schema=schema(MOOD)).close()
    open_store(db, write=True, schema=schema(MOOD)).close()
    assert backups(db) == []


def test_a_step_that_fails_changes_nothing(db: Path, case: Any) -> None:
    with open_store(db, create=True) as store:
        case(store, "old")
    broken = schema(f"{MOOD}; INSERT INTO nowhere VALUES (1)")
    with pytest.raises(Fault):
        open_store(db, write=True, schema=broken).close()
    assert version(db) == V
    with open_store(db) as store:
        assert "mood" not in [row[1] for row in store.con.execute("PRAGMA table_info(error_kb)")]


def test_a_step_that_breaks_a_reference_is_refused(db: Path, case: Any) -> None:
    with open_store(db, create=True) as store:
        case(store, "old")
    with pytest.raises(Fault, match="case_key"):
        open_store(db, write=True, schema=schema("DELETE FROM error_kb")).close()
    assert version(db) == V


def test_a_step_may_rebuild_a_table_that_others_refer_to(db: Path, case: Any) -> None:
    with open_store(db, create=True) as store:
        case(store, "old")
    step = "CREATE TABLE copy AS SELECT * FROM session; DROP TABLE session; CREATE TABLE session(id TEXT PRIMARY KEY)"
    with open_store(db, write=True, schema=schema(step)) as store:
        assert store.con.pragma("foreign_keys") == 1


def test_the_newest_backups_are_kept(db: Path) -> None:
    open_store(db, create=True).close()
    steps: list[str] = []
    for at in range(BACKUPS_KEPT + 2):
        steps.append(f"CREATE TABLE extra{at}(a)")
        open_store(db, schema=schema(*steps)).close()
    assert sorted(version(kept) for kept in backups(db)) == [V + 2, V + 3, V + 4]


def test_a_clock_that_went_back_does_not_remove_the_backup_just_made(db: Path) -> None:
    open_store(db, create=True).close()
    for at in range(BACKUPS_KEPT + 1):
        db.with_name(f"{db.name}.backup-v1-2099010{at + 1}T000000000Z").touch()
    db.with_name(f"{db.name}.backup-v1-20200101T000000000Z").mkdir()
    open_store(db, schema=schema(MOOD)).close()
    (kept,) = [path for path in backups(db) if path.name.startswith(f"{db.name}.backup-v{V}-")]
    assert version(kept) == V
    assert sum(path.name.startswith(f"{db.name}.backup-v1-2099") for path in backups(db)) == BACKUPS_KEPT - 1


def test_what_a_killed_copy_left_does_not_count_as_a_backup(db: Path) -> None:
    open_store(db, create=True).close()
    real = db.with_name(f"{db.name}.backup-v1-20990101T000000000Z")
    real.touch()
    for name in ("20990102T000000000Z.1.0a1b2c3d.part", "20990103T000000000Z.1.0a1b2c3d.part"):
        for suffix in ("", "-journal"):
            db.with_name(f"{db.name}.backup-v1-{name}{suffix}").touch()
    open_store(db, schema=schema(MOOD)).close()
    assert real.exists()


def test_a_thread_that_waits_for_the_lock_lets_the_others_run(db: Path, case: Any) -> None:
    """Else the one that holds the lock could not release it, and the wait would end in a fault."""
    with open_store(db, create=True) as store:
        case(store, "old")
    holder = apsw.Connection(str(db))
    holder.execute("BEGIN IMMEDIATE")
    begun, faults = threading.Event(), list[Fault]()

    def update() -> None:
        begun.set()
        try:
            open_store(db, write=True, schema=schema(MOOD)).close()
        except Fault as fault:
            faults.append(fault)

    thread = threading.Thread(target=update)
    thread.start()
    begun.wait()
    end = time.monotonic() + 0.5
    while time.monotonic() < end:  # the thread comes to the lock meanwhile; with the GIL held this would not get on
        time.sleep(0.01)
    holder.execute("COMMIT")
    holder.close()
    thread.join()
    assert faults == []
    assert version(db) == V + 1
