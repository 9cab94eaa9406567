"""Salvage: what a damaged file still holds, without touching it."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.fault import Fault
from core.store import change, history, open_store, undo
from core.store.rescue import image_of, salvage, walk

PAGE = 4096
TABLES = (
    "session",
    "message",
    "tool_call",
    "error_kb",
    "case_key",
    "fingerprint",
    "occurrence",
    "resolution",
    "vector",
)
Rows = dict[str, set[tuple[Any, ...]]]
COUNT = 1000


def rows_of(path: Path) -> Rows:
    with open_store(path) as store:
        return {table: set(store.con.execute(f"SELECT * FROM {table}").fetchall()) for table in TABLES}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A casebook of a few hundred pages: long and short rows, deleted ones, history."""
    path = tmp_path_factory.mktemp("whole") / "casebook.db"
    with open_store(path, create=True) as store:
        with store.transaction() as con:
            con.execute("INSERT INTO session(id, agent) VALUES ('s', 'codex')")
            for at in range(1, COUNT + 1):
                raw = "긴 오류 " * (2000 if at % 100 == 0 else at % 50)
                con.execute(
                    "INSERT INTO error_kb(ts, error_normalized, error_raw) VALUES ('t', ?, ?)", (f"error {at}", raw)
                )
                con.execute("INSERT INTO case_key VALUES (?, ?)", (f"error {at}", at))
                con.execute(
                    "INSERT INTO fingerprint VALUES (?, ?, ?, 'tsc', 't', NULL)", (f"fp {at}", at, "line " * 20)
                )
                con.execute("INSERT INTO occurrence(fingerprint, ts) VALUES (?, 't')", (f"fp {at}",))
                con.execute(
                    "INSERT INTO resolution(case_id, text, status, author, ts) VALUES (?, ?, 'draft', 'ann', 't')",
                    (at, "do this " * 9),
                )
                con.execute(
                    "INSERT INTO message(session_id, idx, role, kind, text, uuid, block, ts, sha256)"
                    " VALUES ('s', ?, 'user', 'text', ?, '', 0, 't', 'x')",
                    (at, "hello " * (at % 60)),
                )
                con.execute(
                    "INSERT INTO tool_call(session_id, tool_use_id, name, input_json, call_idx)"
                    " VALUES ('s', ?, 'Bash', '{}', ?)",
                    (f"t{at}", at),
                )
                con.execute("INSERT INTO vector VALUES ('error', ?, 'm', 'r', 's', 2, ?)", (at, bytes(8 * (at % 9))))
            con.execute("DELETE FROM message WHERE idx % 7 = 0")
        with change(store, "ann", "edit"):
            store.con.execute("UPDATE error_kb SET resolution = 'the fix' WHERE id % 2")
    return path


def damaged(whole: Path, folder: Path, spoil: Callable[[bytearray], bytes | bytearray]) -> Path:
    path = folder / "damaged.db"
    path.write_bytes(spoil(bytearray(whole.read_bytes())))
    return path


def rescue(path: Path) -> tuple[Rows, tuple[str, ...], dict[str, int]]:
    before = {item.name: item.read_bytes() for item in path.parent.iterdir()}
    target = path.parent / "saved" / "new.db"
    target.parent.mkdir()
    report = salvage(path, target)
    assert {item.name: item.read_bytes() for item in path.parent.iterdir() if item.is_file()} == before
    assert [item.name for item in target.parent.iterdir()] == ["new.db"]
    assert target.stat().st_mode & 0o777 == 0o600
    with open_store(target) as store:
        assert store.con.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert store.con.execute("PRAGMA foreign_key_check").fetchall() == []
    return rows_of(target), report.errors, dict(report.tables)


def test_a_sound_file_comes_over_whole(whole: Path, tmp_path: Path) -> None:
    found, errors, counts = rescue(damaged(whole, tmp_path, lambda content: content))
    assert found == rows_of(whole)
    assert errors == ()
    assert counts["error_kb"] == COUNT
    with open_store(tmp_path / "saved" / "new.db", write=True) as store:
        assert [entry.title for entry in history(store)] == ["edit"]
        assert store.con.execute("SELECT count(*) FROM answer_key").fetchone() == (COUNT // 2,)
        undo(store, "ann")  # the history goes on working
        assert store.con.execute("SELECT count(*) FROM answer_key").fetchone() == (0,)


def test_half_a_file_gives_about_half_its_rows(whole: Path, tmp_path: Path) -> None:
    found, errors, _ = rescue(damaged(whole, tmp_path, lambda content: content[: len(content) // 2 + 1234]))
    real = rows_of(whole)
    for table in ("message", "resolution", "occurrence"):
        assert found[table] <= real[table]
        assert len(found[table]) > 0.3 * len(real[table]), table
    assert errors


def test_garbage_pages_cost_only_what_lay_on_them(whole: Path, tmp_path: Path) -> None:
    dice = random.Random(7)

    def spoil(content: bytearray) -> bytearray:
        for page in dice.sample(range(60, len(content) // PAGE), 6):
            content[page * PAGE : (page + 1) * PAGE] = dice.randbytes(PAGE)
        return content

    found, errors, _ = rescue(damaged(whole, tmp_path, spoil))
    real = rows_of(whole)
    saved = sum(len(found[table] & real[table]) for table in TABLES)
    assert saved > 0.8 * sum(len(rows) for rows in real.values())
    assert errors


@pytest.mark.parametrize("lost", [100, PAGE], ids=["header", "first page"])
def test_without_its_header_rows_are_known_by_their_shape(whole: Path, tmp_path: Path, lost: int) -> None:
    def spoil(content: bytearray) -> bytearray:
        content[:lost] = b"\xee" * lost
        return content

    found, errors, _ = rescue(damaged(whole, tmp_path, spoil))
    real = rows_of(whole)
    for table in ("error_kb", "fingerprint", "resolution", "tool_call", "vector"):
        assert found[table] == real[table], table
    assert found["message"] >= real["message"]  # deleted ones may be among them, and the report says so
    assert any("deleted" in error for error in errors)


def test_deleted_rows_stay_deleted_where_the_free_pages_are_known(whole: Path, tmp_path: Path) -> None:
    source = tmp_path / "source.db"
    source.write_bytes(whole.read_bytes())
    with open_store(source, write=True) as store:
        store.con.execute("DELETE FROM message; DELETE FROM vector")
    content = bytearray(source.read_bytes())
    root = (
        apsw.Connection(str(source)).execute("SELECT rootpage FROM sqlite_schema WHERE name = 'fingerprint'").fetchone()
    )
    page = int(str(root[0] if root else 0)) - 1
    content[page * PAGE : (page + 1) * PAGE] = b"\xee" * PAGE  # so that pages without a parent are looked for
    source.write_bytes(content)
    (tmp_path / "x").mkdir()
    path = tmp_path / "x" / "damaged.db"
    path.write_bytes(content)
    found, _, _ = rescue(path)
    assert found["message"] == found["vector"] == set()
    assert len(found["fingerprint"]) > 0.9 * COUNT  # its leaves were found without their root


def test_what_lay_in_the_wal_only_is_saved(db: Path, case: Any) -> None:
    with open_store(db, create=True) as store:
        case(store, "in the file")
        store.con.wal_checkpoint()
        store.con.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        case(store, "in the wal")
    content = bytearray(db.read_bytes())
    content[:16] = b"x" * 16
    db.write_bytes(content)
    found, _, _ = rescue(db)
    assert {row[2] for row in found["error_kb"]} == {"in the file", "in the wal"}


def test_rows_whose_case_is_lost_get_a_stand_in(whole: Path, tmp_path: Path) -> None:
    con = apsw.Connection(str(whole), flags=apsw.SQLITE_OPEN_READONLY)
    (root,) = con.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'error_kb'").fetchall()[0]
    con.close()

    def spoil(content: bytearray) -> bytearray:
        image = image_of(bytes(content))
        list(walk(image, int(str(root))))
        for page in image.seen:
            content[(page - 1) * PAGE : page * PAGE] = bytes(PAGE)
        return content

    found, errors, _ = rescue(damaged(whole, tmp_path, spoil))
    real = rows_of(whole)
    assert found["resolution"] == real["resolution"]
    assert {row[2] for row in found["error_kb"]} == {row[2] for row in real["error_kb"]}  # named by their keys
    assert {row[4] for row in found["error_kb"]} == {"do this " * 9}
    assert any("placeholder" in error for error in errors)


def test_a_seed_database_can_be_salvaged_too(tmp_path: Path) -> None:
    path = tmp_path / "seed.db"
    con = apsw.Connection(str(path))
    con.execute(
        "CREATE TABLE error_kb(id INTEGER PRIMARY KEY, error_normalized TEXT, resolution TEXT, ts TEXT, odd TEXT)"
    )
    con.execute("INSERT INTO error_kb VALUES (7, 'an error', 'a fix', 't', 'x'); CREATE VIEW v AS SELECT 1")
    con.close()
    found, _, _ = rescue(path)
    assert [row[:5] for row in found["error_kb"]] == [(7, "t", "an error", None, "a fix")]
    assert found["case_key"] == {("an error", 7)}


@pytest.mark.parametrize("content", [b"", b"short", b"no database here\n" * 5000, bytes(50_000)])
def test_where_nothing_is_found_nothing_is_made(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(content)
    with pytest.raises(Fault) as caught:
        salvage(path, tmp_path / "out.db")
    assert caught.value.code == "invalid_input"
    assert [item.name for item in tmp_path.iterdir()] == ["x.db"]


def test_salvage_replaces_no_file(whole: Path, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("precious")
    with pytest.raises(Fault):
        salvage(whole, target)
    with pytest.raises(Fault) as caught:
        salvage(tmp_path / "missing", tmp_path / "new")
    assert caught.value.code == "not_indexed"
    assert target.read_text() == "precious"


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_no_damage_makes_it_fail_in_an_unclear_way(
    whole: Path, tmp_path_factory: pytest.TempPathFactory, data: Any
) -> None:
    content = bytearray(whole.read_bytes())
    for _ in range(data.draw(st.integers(1, 40))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    folder = tmp_path_factory.mktemp("damage")
    path = folder / "x.db"
    path.write_bytes(content[: data.draw(st.sampled_from([None, PAGE * 3, PAGE * 40 + 5, 99]))])
    try:
        report = salvage(path, folder / "out.db")
    except Fault as fault:
        assert fault.code == "invalid_input"
    else:
        assert report.rows


value = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(codec="utf-8"), max_size=30),
    st.binary(max_size=30),
    st.integers(0, 9000).map(lambda size: "가" * size),
    st.integers(0, 20_000).map(bytes),
)


@settings(max_examples=40, deadline=None)
@given(
    rows=st.dictionaries(st.integers(-(2**63), 2**63 - 1), st.tuples(value, value), max_size=60),
    page=st.sampled_from([512, 1024, 4096, 65536]),
    encoding=st.sampled_from(["UTF-8", "UTF-16le", "UTF-16be"]),
)
def test_pages_are_read_as_sqlite_reads_them(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[int, Any], page: int, encoding: str
) -> None:
    path = tmp_path_factory.mktemp("pages") / "x.db"
    con = apsw.Connection(str(path))
    con.execute(f"PRAGMA page_size = {page}; PRAGMA encoding = '{encoding}'")
    con.execute(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); CREATE TABLE w(id INTEGER PRIMARY KEY, a, b) WITHOUT ROWID"
    )
    with con:
        for key, (left, right) in rows.items():
            con.execute("INSERT INTO t VALUES (?1, ?2, ?3); INSERT INTO w VALUES (?1, ?2, ?3)", (key, left, right) * 2)
    roots = dict(con.execute("SELECT name, rootpage FROM sqlite_schema").fetchall())
    wanted = con.execute("SELECT id, a, b FROM t ORDER BY id").fetchall()
    con.close()
    image = image_of(path.read_bytes())
    assert [(row.rowid, *row.values[1:]) for row in walk(image, int(str(roots["t"])))] == wanted
    assert sorted((row.values for row in walk(image, int(str(roots["w"])))), key=lambda row: row[0]) == wanted
    assert image.damage == []
