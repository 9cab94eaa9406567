"""The seed's scenarios of REQ-RA-002 to RA-004 that need no vector, by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.errors import normalize_error, record_resolution, search
from core.store import open_store

MISSING = "Cannot find module <STR>"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "casebook.db"


def row(db: Path, normalized: str) -> dict[str, object]:
    with open_store(db) as store:
        found = store.con.execute(
            "SELECT id, ts, error_raw, resolution, resolved_by, tool_sequence, use_count, last_used"
            " FROM error_kb WHERE error_normalized = ?",
            (normalized,),
        ).fetchone()
    assert found is not None
    names = ("id", "ts", "error_raw", "resolution", "resolved_by", "tool_sequence", "use_count", "last_used")
    return dict(zip(names, found, strict=True))


def seed_row(db: Path, normalized: str, resolution: str | None) -> None:
    """A row as the seed's own programs write it: straight into `error_kb`."""
    with open_store(db, write=True, create=True) as store, store.transaction():
        store.con.execute(
            "INSERT INTO error_kb(ts, error_normalized, resolution) VALUES ('2026-02-07T00:00:00Z', ?, ?)",
            (normalized, resolution),
        )


def test_RA_002_1_exact_match_answers_and_counts(db: Path) -> None:
    seed_row(db, MISSING, "npm install 실행")
    answer = search(db, MISSING)
    assert answer.match is not None
    assert (answer.match.tier, answer.match.confidence, answer.match.score) == ("exact", "high", 0.95)
    assert answer.match.resolution == "npm install 실행"
    assert answer.match.use_count == 1
    kept = row(db, MISSING)
    assert kept["use_count"] == 1
    assert kept["last_used"]


def test_RA_002_1_a_raw_message_of_the_same_kind_answers(db: Path) -> None:
    seed_row(db, MISSING, "npm install 실행")
    answer = search(db, "Cannot find module 'express'")
    assert answer.match is not None
    assert answer.match.tier == "exact"


def test_RA_002_2_prefix_match_within_the_length_ratio(db: Path) -> None:
    known = "Failed to compile the stylesheet bundle for the production target"
    seed_row(db, known, "reinstall sass")
    asked = "Failed to compile the stylesheet bundle for the production"
    assert 10 * len(asked) >= 7 * len(known)
    answer = search(db, asked)
    assert answer.match is not None
    assert answer.match.tier == "prefix"
    assert answer.match.confidence == "high"


def test_RA_002_3_prefix_below_the_ratio_is_ignored(db: Path) -> None:
    known = "Failed to compile the stylesheet bundle" + " for a target that is named at length" * 2
    seed_row(db, known, "reinstall sass")
    answer = search(db, known[: len(known) // 2])
    assert answer.match is None
    assert any(step.stage == "vector" and step.outcome == "skipped" for step in answer.trace)


@pytest.mark.parametrize(("shorter", "answers"), [(31, False), (32, True)])
def test_RA_002_2_the_ratio_is_compared_exactly(db: Path, shorter: int, answers: bool) -> None:
    known = ("abcdefghij klmnopqrst uvwxyzabcd efgh ijklm nopqr")[:45]
    seed_row(db, known, "a fix")
    assert (search(db, known[:shorter]).match is not None) is answers  # 31/45 = 0.689, 32/45 = 0.711


def test_RA_002_5_no_database_answers_null_and_makes_none(db: Path) -> None:
    assert search(db, MISSING).match is None
    assert not db.exists()


def test_RA_002_an_empty_table_answers_null(db: Path) -> None:
    open_store(db, write=True, create=True).close()
    assert search(db, MISSING).match is None


@pytest.mark.parametrize("resolution", [None, "", "  "])
def test_RA_002_only_rows_with_a_resolution_answer(db: Path, resolution: str | None) -> None:
    seed_row(db, MISSING, resolution)
    answer = search(db, MISSING)
    assert answer.match is None
    assert answer.candidates[0].reason


def test_RA_003_1_a_new_error_is_recorded(db: Path) -> None:
    done = record_resolution(
        db, "Module not found 'foo'", "npm i foo", resolved_by="Edit", tool_sequence=["Read", "Edit"]
    )
    kept = row(db, "Module not found <STR>")
    assert done.case_id == kept["id"]
    assert kept["use_count"] == 1
    assert kept["error_raw"] == "Module not found 'foo'"
    assert json.loads(str(kept["tool_sequence"])) == ["Read", "Edit"]
    assert kept["resolved_by"] == "Edit"
    with open_store(db) as store:
        assert store.con.execute("SELECT count(*) FROM vector").fetchone() == (0,)


def test_RA_003_2_a_known_error_is_updated_and_counted(db: Path) -> None:
    for fix in ("first", "second", "third"):
        record_resolution(db, "Module not found 'foo'", fix)
    record_resolution(db, "Module not found 'foo'", "fourth", resolved_by="Bash", tool_sequence=["Bash"])
    kept = row(db, "Module not found <STR>")
    assert (kept["resolution"], kept["resolved_by"], kept["use_count"]) == ("fourth", "Bash", 4)
    with open_store(db) as store:
        texts = store.con.execute("SELECT text FROM resolution ORDER BY id").fetchall()
    assert texts == [("first",), ("second",), ("third",), ("fourth",)]  # decision 6: history stays


def test_RA_003_3_recording_makes_the_database(db: Path) -> None:
    assert record_resolution(db / ".." / "new" / "casebook.db", "boom", "calm down").case_id is not None


def test_RA_004_1_a_null_key_is_refused(db: Path) -> None:
    with (
        open_store(db, write=True, create=True) as store,
        pytest.raises(Fault, match="NOT NULL"),
        store.transaction(),
    ):
        store.con.execute("INSERT INTO error_kb(ts, error_normalized) VALUES ('t', NULL)")


def test_RA_004_columns_and_defaults(db: Path) -> None:
    seed_row(db, MISSING, None)
    with open_store(db) as store:
        columns = [name for _, name, *_ in store.con.execute("PRAGMA table_info(error_kb)")]
    assert columns == [
        "id", "ts", "error_normalized", "error_raw", "resolution", "resolved_by", "tool_sequence", "use_count",
        "last_used",
    ]  # fmt: skip
    assert row(db, MISSING)["use_count"] == 0


def test_a_key_stands_for_itself(db: Path) -> None:
    assert normalize_error(MISSING) == MISSING
