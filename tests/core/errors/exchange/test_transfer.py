"""Cases in and out: JSONL, the seed's own databases, CSV and Markdown."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.errors import add_resolution, list_cases, record_resolution, search, show_case
from core.errors.cases.case import Filters
from core.errors.cases.record import Name, ensure_case, record_error
from core.errors.cases.resolutions import ANSWERS, CURRENT_FIRST
from core.errors.curation.merging import merge
from core.errors.curation.transaction import look
from core.errors.exchange.case_export import Format, export_cases, export_file, export_fixes
from core.errors.exchange.case_import import import_cases
from core.store import Store, open_store
from tests.casebooks import sql_steps

SEED = """
CREATE TABLE error_kb (
  id INTEGER PRIMARY KEY AUTOINCREMENT, ts TEXT NOT NULL, error_normalized TEXT NOT NULL UNIQUE, error_raw TEXT,
  resolution TEXT, resolved_by TEXT, tool_sequence TEXT, use_count INTEGER DEFAULT 0, last_used TEXT);
CREATE UNIQUE INDEX idx_error_kb_error ON error_kb(error_normalized);
"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "casebook.db"


def seed(path: Path) -> Path:
    con = sqlite3.connect(path)
    con.executescript(SEED)
    details = json.dumps({"resolvedBy": "Edit", "toolSequence": ["Read", "Edit"], "errorRaw": "x"})
    con.executemany(
        "INSERT INTO error_kb(ts, error_normalized, error_raw, resolution, resolved_by, tool_sequence, use_count,"
        " last_used) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            ("2026-02-07T01:00:00Z", "Cannot find module <STR>", "Cannot find module '/a/b'", details, "Edit",
             '["Read","Edit"]', 7, "2026-02-08T00:00:00Z"),
            ("2026-02-07T02:00:00Z", "port <N> is taken", None, "다른 프로세스를 종료", "Bash", "not json", 2, None),
            ("2026-02-07T03:00:00Z", "nobody knows", None, None, None, None, 0, None),
        ],
    )  # fmt: skip
    con.execute("CREATE TRIGGER evil AFTER UPDATE OF use_count ON error_kb BEGIN DELETE FROM error_kb; END")
    con.commit()
    con.close()
    return path


def brought(db: Path, source: Path) -> tuple[int, int, int]:
    with open_store(db, write=True, create=True) as store:
        report = import_cases(store, source)
    return report.errors, report.resolutions, len(report.skipped)


def test_a_seed_database_is_read_and_left_as_it_is(db: Path, tmp_path: Path) -> None:
    source = seed(tmp_path / "self-gen.db")
    before = source.read_bytes()
    assert brought(db, source) == (3, 2, 0)
    assert brought(db, source) == (0, 0, 0)
    assert source.read_bytes() == before
    answer = search(db, "Cannot find module 'left-pad'", count=False)
    assert answer.match is not None
    assert answer.match.resolution == "Steps: Read → Edit\nResolved by: Edit"
    assert (answer.match.status, answer.match.use_count) == ("draft", 7)
    assert answer.match.tool_sequence == ("Read", "Edit")
    with open_store(db) as store:
        original = store.con.execute("SELECT original FROM resolution WHERE original IS NOT NULL").fetchone()
    assert original is not None
    assert json.loads(str(original[0]))["toolSequence"] == ["Read", "Edit"]  # decision 7b
    korean = search(db, "port 8080 is taken", count=False)
    assert korean.match is not None
    assert korean.match.resolution == "다른 프로세스를 종료"


def test_what_is_exported_can_be_imported(db: Path, tmp_path: Path) -> None:
    record_resolution(db, "fatal: bad object deadbeef", "first idea", tool_sequence=["Bash"])
    record_resolution(db, "fatal: bad object deadbeef", "git fetch", resolved_by="Bash", status="verified")
    with open_store(db) as store:
        lines = list(export_cases(store))
    copy, out = tmp_path / "copy.db", tmp_path / "cases.jsonl"
    out.write_text("".join(lines), encoding="utf-8")
    assert brought(copy, out) == (1, 2, 0)
    assert brought(copy, out) == (0, 0, 0)
    with open_store(copy) as store:
        case = show_case(store, 1)
    assert case is not None
    assert [(fix.text, fix.status) for fix in case.resolutions] == [("git fetch", "verified"), ("first idea", "draft")]
    assert case.use_count == 2


def test_a_fix_of_an_error_that_is_in_another_case_here_answers_for_it(db: Path, tmp_path: Path) -> None:
    """There two errors were merged into one case, here each has its own."""
    errors = ("TypeError: alpha is not a function", "ModuleNotFoundError: No module named 'beta'")
    for error in errors:
        record_resolution(db, error, f"the verified fix of {error}", status="verified")
    with open_store(db, write=True) as store:
        merge(store, "mina", look(store.con, 1), [look(store.con, 2)])
        exports = ["".join(export_cases(store)), "".join(export_fixes(store))]
    for at, text in enumerate(exports):
        here, source = tmp_path / f"{at}.db", tmp_path / f"{at}.jsonl"
        source.write_text(text, encoding="utf-8")
        with open_store(here, write=True, create=True) as store:
            for error in errors:
                record_error(store, error, "mina")
        brought(here, source)
        assert brought(here, source) == (0, 0, 0)
        for error in errors:
            match = search(here, error, count=False).match
            assert match is not None
            assert (match.resolution, match.status) == (f"the verified fix of {error}", "verified")
        with open_store(here) as store:
            assert len(list_cases(store).cases) == 2


def test_a_fix_that_is_too_long_is_imported_once(db: Path, tmp_path: Path) -> None:
    source = tmp_path / "cases.jsonl"
    source.write_text(json.dumps({"error": "boom at dawn", "resolution": "sleep in. " * 8_000}), encoding="utf-8")
    assert brought(db, source) == (1, 1, 0)
    assert brought(db, source) == (0, 0, 0)


def test_an_export_leaves_no_fix_behind(db: Path) -> None:
    with open_store(db, write=True, create=True) as store, store.transaction():
        case = ensure_case(store.con, Name("boom", "boom", "boom", "unknown"), ts="2026-10-01T00:00:00Z", raw="boom")
        for at in range(230):
            add_resolution(store.con, case, "boom", f"fix {at}", author="record", ts="2026-10-01T00:00:00Z")
        (line,) = export_cases(store)
    assert len(json.loads(line)["resolutions"]) == 230


def test_a_bad_line_is_skipped_with_its_number(db: Path, tmp_path: Path) -> None:
    source = tmp_path / "cases.jsonl"
    source.write_bytes(
        b'{"error": "boom at dawn", "resolution": "sleep in", "tool_sequence": ["Edit"]}\n'
        b"not json\n[1]\n{}\n\n" + b"[" * 100_000 + b"\n"
        b'{"error_normalized": "only a key", "resolution": "a fix"}\n{"error": "cut'
    )
    with open_store(db, write=True, create=True) as store:
        report = import_cases(store, source)
        assert (report.errors, report.resolutions) == (2, 2)
        assert [line.line for line in report.skipped] == [2, 3, 4, 6, 8]
        assert len(list_cases(store).cases) == 2


def test_a_missing_file_is_one_clear_fault(db: Path, tmp_path: Path) -> None:
    with open_store(db, write=True, create=True) as store, pytest.raises(Fault, match="not found"):
        import_cases(store, tmp_path / "nowhere.jsonl")


def test_tables_for_people_hold_no_control_byte(db: Path) -> None:
    record_resolution(db, "boom \x1b]52;c;aGk=\x07 | `tick` \u202e", 'fix, with "quotes"\nand \x1b[31mlines')
    with open_store(db) as store:
        table, page = "".join(export_cases(store, "csv")), "".join(export_cases(store, "markdown"))
    for text in (table, page):
        assert not {char for char in text if ord(char) < 32} - {"\n", "\t"}
        assert "\u202e" not in text
    rows = list(csv.DictReader(io.StringIO(table)))
    assert len(rows) == 1
    assert rows[0]["status"] == "draft"


def test_no_spreadsheet_runs_a_cell_of_a_case_and_an_import_reads_it_back(db: Path, tmp_path: Path) -> None:
    fix = '=HYPERLINK("http://x")'
    record_resolution(db, "@SUM(1) is not defined", fix)
    with open_store(db) as store:
        table = "".join(export_cases(store, "csv"))
    cells = [cell for row in csv.DictReader(io.StringIO(table)) for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    (tmp_path / "cases.csv").write_text(table)
    assert brought(tmp_path / "other.db", tmp_path / "cases.csv") == (1, 1, 0)
    answer = search(tmp_path / "other.db", "@SUM(1) is not defined", count=False).match
    assert answer is not None and answer.resolution == fix


def test_an_imported_fix_belongs_to_the_error_it_came_with(db: Path, tmp_path: Path) -> None:
    source = tmp_path / "cases.jsonl"
    told = [
        {"error": f"app.ts(3,1): error TS2304: Cannot find name '{name}'.", "resolution": f"add {name}"}
        for name in ("alpha", "beta")
    ]
    source.write_text("".join(json.dumps(line) + "\n" for line in told))
    assert brought(db, source) == (1, 2, 0)
    for name in ("alpha", "beta"):
        answer = search(db, f"lib.ts(9,9): error TS2304: Cannot find name '{name}'.", count=False).match
        assert answer is not None
        assert (answer.tier, answer.resolution) == ("fingerprint", f"add {name}")


def test_what_an_import_calls_a_key_or_a_time_hides_no_secret(db: Path, tmp_path: Path) -> None:
    secret = "ghp_" + "Zk3vQ9xW2m" * 3 + "AbCdEf"
    line = {
        "error": "remote: access denied",
        "error_normalized": f"denied for {secret}",
        "ts": f"once, {secret}",
        "last_used": f"\x1b]0;{secret}\x07",
        "keys": [f"denied {secret}"],
        "fingerprints": [{"fingerprint": f"mark {secret}", "key_line": f"line {secret}", "tool": secret}],
        "resolutions": [
            {"text": f"fix {secret}", "status": "draft", "author": secret, "fingerprint": f"m {secret}", "ts": secret}
        ],
    }
    source = tmp_path / "cases.jsonl"
    source.write_text(json.dumps(line) + "\n")
    assert brought(db, source) == (1, 1, 0)
    held = b"".join(file.read_bytes() for file in tmp_path.glob("casebook.db*"))
    assert secret.encode() not in held
    with open_store(db) as store:
        case = show_case(store, 1)
    assert case is not None
    assert case.ts[:2] == "20"
    assert case.last_used is None


_ANSWER = f"SELECT text FROM resolution WHERE case_id = ? AND {ANSWERS} ORDER BY {CURRENT_FIRST} LIMIT 1"


def _visited(store: Store, case_id: int) -> int:
    return sql_steps(store, lambda: store.con.execute(_ANSWER, (case_id,)).fetchall())


def test_the_answer_of_a_case_is_found_by_its_index(db: Path) -> None:
    with open_store(db, write=True, create=True) as store:
        plan = [str(row[3]) for row in store.con.execute(f"EXPLAIN QUERY PLAN {_ANSWER}", (1,))]
        looked_up = [step for step in plan if "resolution" in step and "answer_outcome" not in step]
        assert looked_up and all(step.startswith("SEARCH") and "case_id=?" in step for step in looked_up), plan
        assert "USING INDEX resolution_case (case_id=?)" in looked_up[0]
        assert not [step for step in plan if step.startswith("SCAN")], "every table is searched by an index"
        record_resolution(store, "boom at dawn", "sleep in")
        record_resolution(store, "another error", "a fix")  # the row behind those of the case, where the search ends
        before = _visited(store, 1)
        for number in range(300):
            record_resolution(store, f"error of the {chr(97 + number % 26)}{chr(97 + number // 26)} kind", "a fix")
        assert _visited(store, 1) == before, "what other cases have is not looked at"
        for number in range(20):
            record_resolution(store, "boom at dawn", f"sleep in {number}")
        assert _visited(store, 1) > before + 20


def test_rows_with_keys_of_their_own_stay_cases_of_their_own(db: Path, tmp_path: Path) -> None:
    source = tmp_path / "self-gen.db"
    con = sqlite3.connect(source)
    con.executescript(SEED)
    rows = [(f"disk {name} refuses to spin", "raw", f"replace {name}") for name in ("alpha", "beta")]
    con.executemany(
        "INSERT INTO error_kb(ts, error_normalized, error_raw, resolution) VALUES ('2026-02-07', ?, ?, ?)", rows
    )
    con.commit()
    con.close()
    assert brought(db, source) == (2, 2, 0)
    for key, _, fix in rows:
        answer = search(db, key, count=False).match
        assert answer is not None
        assert (answer.resolution, answer.error_normalized) == (fix, key)


@pytest.fixture
def three(db: Path) -> Path:
    record_resolution(db, "boom at dawn", "sleep in", status="verified")
    record_resolution(db, "크래시: 설정 파일 없음", "파일을 만든다")
    record_resolution(db, "fatal: bad object deadbeef", "git fetch", status="verified")
    return db


def test_some_of_the_cases_go_out(three: Path) -> None:
    with open_store(three) as store:
        every = list(export_cases(store))
        assert list(export_cases(store, which=Filters(status="draft"))) == every[1:2]
        assert list(export_cases(store, which=(3, 99, 1))) == [every[2], every[0]]
        assert list(export_cases(store, which=Filters(tool="none of them"))) == []


@pytest.mark.parametrize("form", ["jsonl", "csv", "markdown"])
def test_a_file_tells_how_many_it_holds(three: Path, tmp_path: Path, form: Format) -> None:
    heard: list[int] = []
    with open_store(three) as store:
        for name, fixes, which, count in (("a", False, Filters(), 3), ("b", True, Filters(), 2), ("c", False, (), 0)):
            path = tmp_path / name
            done = export_file(store, path, form, fixes=fixes, which=which, on_count=heard.append)
            assert (done.path, done.count, done.size) == (path, count, path.stat().st_size)
        with pytest.raises(Fault, match="already exists"):
            export_file(store, tmp_path / "a", form)
        assert export_file(store, tmp_path / "a", form, fixes=True, replace=True).count == 2
    assert max(heard) == 3


def test_a_file_that_cannot_be_written_whole_is_not_written(three: Path, tmp_path: Path) -> None:
    def stop(count: int) -> None:
        if count == 2:
            raise KeyError

    with open_store(three) as store:
        with pytest.raises(KeyError):
            export_file(store, tmp_path / "cases.jsonl", on_count=stop)
        with pytest.raises(Fault, match=r"folder .* not found"):
            export_file(store, tmp_path / "gone" / "cases.jsonl")
        with pytest.raises(Fault, match="is a folder"):
            export_file(store, tmp_path)
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith((".cases", "cases", "gone"))] == []
