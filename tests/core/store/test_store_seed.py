"""Reading the seed's own databases: rows only, whatever else lies in the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from core.base.fault import Fault
from core.store import SeedRow, load_vec, read_seed

# Our own writing of the declaration in error-kb REQ-RA-004.
TABLE = """CREATE TABLE error_kb(
  id INTEGER PRIMARY KEY AUTOINCREMENT, ts TEXT NOT NULL, error_normalized TEXT NOT NULL, error_raw TEXT,
  resolution TEXT, resolved_by TEXT, tool_sequence TEXT, use_count INTEGER DEFAULT 0, last_used TEXT
)"""
ROW = (
    "INSERT INTO error_kb(ts, error_normalized, error_raw, resolution, resolved_by, tool_sequence, use_count,"
    " last_used)"
    " VALUES ('2026-01-01T00:00:00Z', ?, 'raw', 'fix', 'Edit', '[\"Read\",\"Edit\"]', 3, '2026-01-02T00:00:00Z')"
)


@pytest.fixture
def seed(tmp_path: Path) -> Callable[..., Path]:
    def make(*statements: str, keys: tuple[str, ...] = ("an error",)) -> Path:
        path = tmp_path / "self-gen.db"
        con = apsw.Connection(str(path))
        for statement in statements or (TABLE,):
            con.execute(statement)
        with con:
            for key in keys:
                con.execute(ROW, (key,))
        con.close()
        return path

    return make


def refusal(path: Path) -> Fault:
    with pytest.raises(Fault) as caught:
        list(read_seed(path))
    return caught.value


def test_a_row_is_given_as_it_was_stored(seed: Any) -> None:
    assert list(read_seed(seed(TABLE))) == [
        SeedRow(
            ts="2026-01-01T00:00:00Z",
            error_normalized="an error",
            error_raw="raw",
            resolution="fix",
            resolved_by="Edit",
            tool_sequence='["Read","Edit"]',
            use_count=3,
            last_used="2026-01-02T00:00:00Z",
        )
    ]


def test_without_a_unique_index_rows_may_share_a_key(seed: Any) -> None:
    rows = list(read_seed(seed(TABLE, keys=("same", "other", "same"))))
    assert [row.error_normalized for row in rows] == ["same", "other", "same"]


def test_missing_columns_are_empty(seed: Any) -> None:
    path = seed(
        "CREATE TABLE error_kb(error_normalized TEXT, Resolution TEXT)",
        "INSERT INTO error_kb VALUES ('k', 'r'), (NULL, 'without a key')",
        keys=(),
    )
    assert list(read_seed(path)) == [SeedRow(None, "k", None, "r", None, None, 0, None)]


def test_odd_values_are_texts_and_counts(seed: Any) -> None:
    path = seed(
        TABLE,
        "INSERT INTO error_kb(ts, error_normalized, resolution, use_count) VALUES"
        " (12, x'ff41', CAST(x'ff42' AS TEXT), 'x'), ('', 'a' || char(0) || 'b', 1.5, -4)",
        keys=(),
    )
    one, two = read_seed(path)
    assert (one.ts, one.error_normalized, one.resolution, one.use_count) == ("12", "\ufffdA", "\ufffdB", 0)
    assert (two.ts, two.error_normalized, two.resolution, two.use_count) == ("", "a\0b", "1.5", 0)


def test_other_encodings_are_read(seed: Any) -> None:
    path = seed("PRAGMA encoding = 'UTF-16be'", TABLE, keys=("한글 오류",))
    assert [row.error_normalized for row in read_seed(path)] == ["한글 오류"]


def test_triggers_and_foreign_functions_never_run_and_the_file_stays_as_it_is(seed: Any) -> None:
    path = seed(
        TABLE,
        "CREATE TABLE loot(a)",
        "CREATE TRIGGER evil AFTER UPDATE OF use_count ON error_kb BEGIN INSERT INTO loot VALUES (1); END",
        "CREATE INDEX idx ON error_kb(error_normalized)",
        "CREATE VIEW other AS SELECT load_extension('x') FROM error_kb",
    )
    before = path.read_bytes()
    assert len(list(read_seed(path))) == 1
    assert path.read_bytes() == before
    assert [item.name for item in path.parent.iterdir()] == [path.name]


def test_vector_tables_are_no_obstacle(seed: Any) -> None:
    path = seed(TABLE)
    con = apsw.Connection(str(path))
    load_vec(con)
    con.execute("CREATE VIRTUAL TABLE vec_error_kb USING vec0(error_kb_id INTEGER PRIMARY KEY, embedding float[384])")
    con.close()
    assert len(list(read_seed(path))) == 1


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("CREATE VIEW error_kb AS SELECT 'x' AS error_normalized", "not a plain table"),
        ("CREATE VIRTUAL TABLE error_kb USING fts5(error_normalized)", "not a plain table"),
        ("CREATE TABLE error_kb(a, error_normalized AS (a || 'x'))", "error_normalized"),
        ("CREATE TABLE error_kb(a)", "error_normalized"),
        ("CREATE TABLE other(a)", "error_kb"),
    ],
)
def test_what_is_no_plain_table_is_refused(seed: Any, statement: str, word: str) -> None:
    fault = refusal(seed(statement, keys=()))
    assert fault.code == "invalid_input"
    assert word in fault.message


def test_rows_in_a_wal_are_read_and_nothing_is_left_beside(seed: Any) -> None:
    path = seed(TABLE)
    con = apsw.Connection(str(path))
    con.execute("PRAGMA journal_mode = WAL")
    con.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    con.execute(ROW, ("in the wal",))
    assert [row.error_normalized for row in read_seed(path)] == ["an error", "in the wal"]  # while it is in use
    con.close()
    path.with_name(path.name + "-shm").unlink()
    before = {item.name: item.read_bytes() for item in path.parent.iterdir()}
    assert [row.error_normalized for row in read_seed(path)] == ["an error", "in the wal"]  # and left behind
    assert {item.name: item.read_bytes() for item in path.parent.iterdir()} == before


def test_a_damaged_file_gives_its_first_rows_and_then_a_fault(seed: Any) -> None:
    path = seed(TABLE, keys=tuple(f"error {at} " + "x" * 900 for at in range(200)))
    content = bytearray(path.read_bytes())
    content[30 * 4096 : 36 * 4096] = b"\xee" * (6 * 4096)
    path.write_bytes(content)
    rows: list[SeedRow] = []
    with pytest.raises(Fault) as caught:
        rows.extend(read_seed(path))
    assert caught.value.code == "db_damaged"
    assert 0 < len(rows) < 200


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database")
    (tmp_path / "empty").touch()
    for name in ("text", "empty", "missing"):
        assert refusal(tmp_path / name).code == "invalid_input"
    assert refusal(tmp_path).code == "invalid_input"
