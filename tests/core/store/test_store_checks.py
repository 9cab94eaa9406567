"""What doctor is told about the store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.store import Check, Store, open_store, store_checks

NAMES = ["data_dir_writable", "sqlite_open", "vec_loaded", "counts_match"]


def found(path: Path) -> dict[str, Check]:
    checks = store_checks(path)
    assert [check.name for check in checks] == NAMES
    assert all(check.ok or (check.detail and check.hint) for check in checks if check.name != "counts_match")
    return {check.name: check for check in checks}


@pytest.fixture
def indexed(store: Store, case: Any) -> Store:
    """A casebook whose derived tables are as they should be."""
    case(store, "an error")
    case(store, "unsolved", None)
    store.con.execute("INSERT INTO case_fts(rowid, key_line) VALUES (1, 'an error'), (2, 'unsolved')")
    return store


def test_a_sound_casebook_is_healthy(indexed: Store) -> None:
    assert all(check.ok for check in found(indexed.path).values())
    assert found(indexed.path)["counts_match"].detail == "2 cases"


def test_one_case_is_no_cases(store: Store, case: Any) -> None:
    case(store, "an error")
    store.con.execute("INSERT INTO case_fts(rowid, key_line) VALUES (1, 'an error')")
    assert found(store.path)["counts_match"].detail == "1 case"


def test_none_at_all_is_healthy_and_is_not_made(tmp_path: Path) -> None:
    assert all(check.ok for check in found(tmp_path / "new" / "casebook.db").values())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM case_state WHERE case_id = 1",
        "DELETE FROM case_fts WHERE rowid = 2",
        "DELETE FROM answer_key",
        "UPDATE answer_key SET case_id = 2",
        "INSERT INTO answer_key VALUES ('stray', 1, 'stray', 5)",
    ],
)
def test_derived_rows_that_disagree_are_named(indexed: Store, sql: str) -> None:
    indexed.con.execute(sql)
    check = found(indexed.path)["counts_match"]
    assert not check.ok
    assert check.hint
    assert any(table in check.detail for table in ("case_state", "case_fts", "answer_key"))


def test_vectors_that_disagree_are_named(indexed: Store) -> None:
    (*_, counts) = store_checks(indexed.path, lambda con: ["vec_error_kb has 1 row too many"])
    assert (counts.name, counts.ok) == ("counts_match", False)
    assert "vec_error_kb has 1 row too many" in counts.detail


def test_a_missing_column_or_table_is_named(indexed: Store) -> None:
    indexed.con.execute("ALTER TABLE session DROP COLUMN continues; DROP TABLE source_file")
    detail = found(indexed.path)["sqlite_open"].detail
    assert "session.continues" in detail
    assert "source_file" in detail


def test_a_dangling_reference_is_named(indexed: Store) -> None:
    indexed.con.execute("PRAGMA foreign_keys = OFF; INSERT INTO case_key VALUES ('lost', 99)")
    assert "case_key" in found(indexed.path)["sqlite_open"].detail


def test_a_damaged_casebook_is_unhealthy(db: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"no database")
    checks = found(path)
    assert [checks[name].ok for name in NAMES] == [True, False, True, False]
    assert "salvage" in checks["sqlite_open"].hint


def test_a_folder_that_cannot_be_written_is_unhealthy(open_folder: Path, as_nobody: Any) -> None:
    open_folder.chmod(0o555)
    check = as_nobody(lambda: store_checks(open_folder / "a" / "casebook.db")[0])
    assert (check.name, check.ok) == ("data_dir_writable", False)
    assert str(open_folder) in check.detail


def test_a_casebook_on_a_full_disk_is_sound_but_read_only(indexed: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(path: Path) -> Store:
        store = open_store(path)
        store.readonly = "the disk is full"
        return store

    monkeypatch.setattr("core.store.checks.open_store", opened)
    check = found(indexed.path)["sqlite_open"]
    assert (check.ok, check.detail) == (True, "opened read-only: the disk is full")
