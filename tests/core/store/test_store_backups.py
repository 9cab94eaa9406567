"""Copies of a casebook and putting one back, with the WAL on either side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

from core.base.fault import Fault
from core.store import Store, backup, open_store, restore
from core.store.schema.migrations import SHIPPED, Schema, Script, shipped


def keys(path: Path) -> list[str]:
    with open_store(path) as store:
        return [str(row[0]) for row in store.con.execute("SELECT error_normalized FROM error_kb ORDER BY id")]


def refusal(work: Any) -> Fault:
    with pytest.raises(Fault) as caught:
        work()
    return caught.value


def test_a_backup_is_one_private_file_with_what_lay_in_the_wal(store: Store, case: Any, tmp_path: Path) -> None:
    case(store, "in the wal")
    target = tmp_path / "copies" / "monday.db"
    assert refusal(lambda: backup(store.path, target)).message == f"folder {target.parent} not found"
    target.parent.mkdir()
    backup(store.path, target)
    assert [item.name for item in target.parent.iterdir()] == ["monday.db"]
    assert target.stat().st_mode & 0o777 == 0o600
    assert keys(target) == ["in the wal"]


def test_a_backup_never_replaces_a_file(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("precious")
    assert refusal(lambda: backup(store.path, target)).code == "invalid_input"
    assert target.read_text() == "precious"
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    refusal(lambda: backup(store.path, tmp_path / "dangling"))
    assert refusal(lambda: backup(tmp_path / "missing.db", tmp_path / "new.db")).code == "not_indexed"
    assert not (tmp_path / "new.db").exists()


def test_restore_over_a_casebook_that_others_have_open(store: Store, case: Any, tmp_path: Path) -> None:
    case(store, "old")
    backup(store.path, tmp_path / "b.db")
    case(store, "newer")
    before = (tmp_path / "b.db").read_bytes()
    with open_store(store.path) as reader:
        restored = restore(store.path, tmp_path / "b.db")
        assert reader.con.execute("SELECT count(*) FROM error_kb").fetchone() == (1,)
        case(store, "newest")
        assert reader.con.execute("SELECT error_normalized FROM error_kb ORDER BY id").fetchall() == [
            ("old",),
            ("newest",),
        ]
    assert (tmp_path / "b.db").read_bytes() == before
    assert restored.kept is not None
    assert keys(restored.kept) == ["old", "newer"]
    assert restored.kept.stat().st_mode & 0o777 == 0o600


def test_restore_over_a_damaged_file_moves_its_stale_wal_away_too(db: Path, case: Any, tmp_path: Path) -> None:
    with open_store(db, create=True) as store:
        case(store, "good")
        backup(db, tmp_path / "b.db")
        store.con.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        store.con.execute("UPDATE case_key SET case_id = case_id; INSERT INTO meta VALUES ('only', 'in the wal')")
        wal = db.with_name("casebook.db-wal").read_bytes()
    damaged = b"SQLite format 3\0" + b"\xff" * 5000
    db.write_bytes(damaged)
    db.with_name("casebook.db-wal").write_bytes(wal)
    restored = restore(db, tmp_path / "b.db")
    assert keys(db) == ["good"]
    assert restored.kept is not None
    assert restored.kept.read_bytes() == damaged
    assert restored.kept.with_name(restored.kept.name + "-wal").read_bytes() == wal


def test_restore_over_a_file_that_is_damaged_within(db: Path, case: Any, tmp_path: Path) -> None:
    with open_store(db, create=True) as store:
        for at in range(300):
            case(store, f"error {at}", "a fix " * 90)
        backup(db, tmp_path / "b.db")
    content = bytearray(db.read_bytes())
    for page in range(60, len(content) // 4096, 3):
        content[page * 4096 : page * 4096 + 4096] = b"\xaa" * 4096
    db.write_bytes(content)
    restored = restore(db, tmp_path / "b.db")
    assert len(keys(db)) == 300
    assert restored.kept is not None
    assert restored.kept.stat().st_size == len(content)


def test_restore_where_there_is_none(store: Store, case: Any, tmp_path: Path) -> None:
    case(store, "good")
    backup(store.path, tmp_path / "b.db")
    path = tmp_path / "new" / "casebook.db"
    assert restore(path, tmp_path / "b.db").kept is None
    assert keys(path) == ["good"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_an_older_backup_is_put_back_as_it_is_and_brought_up_to_date_when_opened(
    store: Store, case: Any, tmp_path: Path
) -> None:
    case(store, "old")
    backup(store.path, tmp_path / "b.db")
    step = Script(SHIPPED.version + 1, "later.sql", "CREATE TABLE extra(a)")
    later = Schema(step.number, lambda: (*shipped(), step))
    open_store(store.path, write=True, schema=later).close()
    before = (tmp_path / "b.db").read_bytes()
    restore(store.path, tmp_path / "b.db", later)
    assert (tmp_path / "b.db").read_bytes() == before
    assert sorted(item.name for item in tmp_path.iterdir()) == ["b.db", "data"]
    with open_store(store.path, schema=later) as again:
        assert again.con.execute("SELECT error_normalized FROM error_kb, (SELECT count(*) FROM extra)").fetchall() == [
            ("old",)
        ]


def test_what_cannot_be_restored_leaves_the_casebook_alone(store: Store, case: Any, tmp_path: Path) -> None:
    case(store, "precious")
    (tmp_path / "empty.db").touch()
    (tmp_path / "text.db").write_text("no database")
    apsw.Connection(str(tmp_path / "other.db")).execute("CREATE TABLE t(a)")
    backup(store.path, tmp_path / "newer.db")
    apsw.Connection(str(tmp_path / "newer.db")).execute("PRAGMA user_version = 999")
    wanted = {"missing": "not_indexed", "empty": "invalid_input", "text": "db_damaged", "other": "invalid_input"}
    for name, code in {**wanted, "newer": "db_newer"}.items():
        assert refusal(lambda name=name: restore(store.path, tmp_path / f"{name}.db")).code == code
        assert keys(store.path) == ["precious"]
    assert not list(store.path.parent.glob("*before-restore*"))


def test_restore_never_overwrites_another_programs_database(store: Store, tmp_path: Path) -> None:
    backup(store.path, tmp_path / "b.db")
    other = tmp_path / "other.db"
    apsw.Connection(str(other)).execute("CREATE TABLE t(a)")
    before = other.read_bytes()
    assert refusal(lambda: restore(other, tmp_path / "b.db")).code == "invalid_input"
    assert other.read_bytes() == before


def test_restore_waits_for_no_one_for_ever(
    store: Store, tmp_path: Path, case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    case(store, "old")
    backup(store.path, tmp_path / "b.db")
    for module in ("backups", "files"):
        monkeypatch.setattr(f"core.store.{module}.BUSY_MS", 50)
    with store.transaction():
        assert refusal(lambda: restore(store.path, tmp_path / "b.db")).code == "db_locked"
    assert keys(store.path) == ["old"]
