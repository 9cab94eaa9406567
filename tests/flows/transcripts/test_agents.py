"""Sessions of every agent through the real import: an error with its fix, once, and only what is new afterwards."""

from __future__ import annotations

import json
import os
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from core.base.fault import Fault
from core.flows.transcripts.reharvest_copy import sessions_of
from core.store import open_store
from core.transcripts import discover
from tests.core.transcripts import foreign
from tests.flows.transcripts.support import count_harvests, rows, run, stored, texts

AGENTS = sorted({*foreign.MADE} - {"aider"})


def write(tmp_path: Path, agent: str) -> Path:
    path = tmp_path / "in" / foreign.NAMES[agent]
    path.parent.mkdir(parents=True)
    path.write_bytes(foreign.MADE[agent]())
    return tmp_path / "in"


@pytest.mark.parametrize("agent", AGENTS)
def test_a_failing_command_and_its_fix_are_harvested(agent: str, tmp_path: Path) -> None:
    db = tmp_path / "c.db"
    report = run(db, write(tmp_path, agent))
    assert (report.files, report.sessions, report.tool_calls, report.skipped) == (1, 1, 3, ())
    assert (report.errors, report.resolutions) == (1, 1)
    with open_store(db) as store:
        ((raw,),) = store.con.execute("SELECT error_raw FROM error_kb").fetchall()
        ((fix,),) = store.con.execute("SELECT text FROM resolution").fetchall()
    assert "cannot import name 'total_price'" in str(raw)
    assert f"+ {foreign.NEW}" in str(fix)


@pytest.mark.parametrize("agent", foreign.MADE)
def test_importing_again_changes_nothing(agent: str, tmp_path: Path) -> None:
    db, folder = tmp_path / "c.db", write(tmp_path, agent)
    run(db, folder)
    before = stored(db)
    assert run(db, folder).messages == 0
    assert stored(db) == before


def test_a_document_that_grew_gives_only_what_is_new(tmp_path: Path) -> None:
    db, folder = tmp_path / "c.db", write(tmp_path, "cline")
    first = run(db, folder).messages
    more = [*foreign.cline_messages(), {"role": "assistant", "content": [{"type": "text", "text": "Done."}], "ts": 1}]
    (folder / foreign.NAMES["cline"]).write_text(json.dumps(more))
    assert run(db, folder).messages == 1
    assert len(texts(db)) == first + 1


def test_a_result_of_a_call_whose_id_was_used_before_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "2026_pi-1.jsonl"
    path.write_bytes(foreign.pi().replace(b'"p3"', b'"p1"'))
    run(tmp_path / "c.db", path)
    results = [row for row in rows(tmp_path / "c.db", "message") if row[3] == "tool_result"]
    assert [row[4] for row in results][-1] == "1 passed"
    assert len(results) == 3


@pytest.fixture
def opencode(tmp_path: Path) -> Path:
    path = tmp_path / "opencode" / "opencode.db"
    path.parent.mkdir()
    with closing(apsw.Connection(str(path))) as con:
        con.execute(
            "PRAGMA journal_mode = WAL;"
            "CREATE TABLE session(id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT,"
            " time_created INTEGER, time_updated INTEGER);"
            "CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER,"
            " data TEXT);"
            "CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,"
            " time_updated INTEGER, data TEXT)"
        ).fetchall()
    return path


def add(con: apsw.Connection, session: str, messages: list[Any], at: int, parent: str | None = None) -> None:
    con.execute("INSERT OR IGNORE INTO session VALUES (?, 'p', ?, ?, ?, ?)", (session, parent, foreign.FOLDER, at, at))
    for message in messages:
        info = dict(message["info"])
        own = f"{session}-{info.pop('id')}"
        data = json.dumps(info)
        con.execute("INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)", (own, session, at, at, data))
        for one in message["parts"]:
            part = dict(one)
            values = (f"{session}-{part.pop('id')}", own, session, at, at, json.dumps(part))
            con.execute("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)", values)
        at += 1


def test_the_database_of_opencode_gives_what_its_export_gives(opencode: Path, tmp_path: Path) -> None:
    with closing(apsw.Connection(str(opencode))) as con:
        add(con, "ses_1", foreign.opencode_messages(), foreign.MS)
        db = tmp_path / "c.db"
        report = run(db, opencode)  # while the agent has it open
        assert (report.sessions, report.tool_calls, report.errors, report.resolutions) == (1, 3, 1, 1)
        exported = tmp_path / "exported.db"
        run(exported, write(tmp_path, "opencode"))
        assert texts(db) == texts(exported)
        assert rows(db, "session") == rows(exported, "session")
        before = stored(db)
        assert run(db, opencode).messages == 0
        assert stored(db) == before
    assert discover("opencode", [opencode.parent]) == [opencode.resolve()]


def test_the_sessions_of_a_named_database_are_harvested_again(opencode: Path, tmp_path: Path) -> None:
    with closing(apsw.Connection(str(opencode))) as con:
        add(con, "ses_1", foreign.opencode_messages(), foreign.MS)
        add(con, "ses_2", foreign.opencode_messages(), foreign.MS + 50)
    db = tmp_path / "c.db"
    run(db, opencode, write(tmp_path, "gemini"))
    with open_store(db, write=True) as store:
        assert sessions_of(store.con, [opencode]) == ("ses_1", "ses_2")
        assert sessions_of(store.con, [opencode.parent]) == ("ses_1", "ses_2")
        assert len(sessions_of(store.con, [])) == 3
        with pytest.raises(Fault, match="nothing was imported from"):
            sessions_of(store.con, [opencode.with_name("other.db")])


def test_only_what_changed_in_the_database_is_read(
    opencode: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_harvests(monkeypatch)
    db = tmp_path / "c.db"
    with closing(apsw.Connection(str(opencode))) as con:
        add(con, "ses_1", foreign.opencode_messages(), foreign.MS)
        add(con, "ses_2", foreign.opencode_messages()[:1], foreign.MS + 50, parent="ses_1")
        first = run(db, opencode)
        assert first.sessions == 2
        add(con, "ses_2", foreign.opencode_messages()[1:], foreign.MS + 100)
        more = run(db, opencode)
        assert (more.sessions, more.tool_calls) == (0, 3)
    assert {row[0]: row[4] for row in rows(db, "session")} == {"ses_1": None, "ses_2": "ses_1"}
    assert [row[5] for row in rows(db, "source_file")] == [None]


def test_a_message_that_is_still_written_is_left_for_the_next_time(
    opencode: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_harvests(monkeypatch)
    monkeypatch.setattr("core.flows.transcripts.files.time.time_ns", lambda: (foreign.MS + 60_000) * 1_000_000)
    db, (asked, answer) = tmp_path / "c.db", foreign.opencode_messages()
    writing = {"info": {**answer["info"], "time": {"created": foreign.MS}}, "parts": answer["parts"][:2]}
    with closing(apsw.Connection(str(opencode))) as con:
        add(con, "ses_1", [asked, writing], foreign.MS)
        assert run(db, opencode).messages == 1
        add(con, "ses_1", [asked, answer], foreign.MS)
        assert run(db, opencode).tool_calls == 3
    assert texts(db)[0] == "Run the tests."
    assert len(texts(db)) == 9


@pytest.mark.parametrize("data", ["{", "[1]", "null", '{"role": 5, "time": []}', "\x00", None, b"\xff\xfe", 7])
def test_hostile_rows_lose_nothing_else(opencode: Path, tmp_path: Path, data: Any) -> None:
    with closing(apsw.Connection(str(opencode))) as con:
        add(con, "ses_1", foreign.opencode_messages(), foreign.MS)
        con.execute("INSERT INTO message VALUES ('x', 'ses_1', 5, 5, ?)", (data,))
        con.execute("INSERT INTO part VALUES ('y', 'x', 'ses_1', 5, 5, ?)", (data,))
    report = run(tmp_path / "c.db", opencode)
    assert report.tool_calls == 3
    assert bool(report.skipped) == (data in ("{", "\x00"))


def test_a_damaged_database_and_one_of_something_else_are_named(opencode: Path, tmp_path: Path) -> None:
    other, broken = tmp_path / "opencode" / "opencode-other.db", tmp_path / "opencode" / "opencode-broken.db"
    with closing(apsw.Connection(str(other))) as con:
        con.execute("CREATE TABLE t(x)")
    broken.write_bytes(b"SQLite format 3\0" + b"\x07" * 5000)
    report = run(tmp_path / "c.db", opencode.parent)
    assert {Path(one.file).name: one.reason.partition(":")[0] for one in report.skipped} == {
        "opencode-broken.db": "the database cannot be read",
        "opencode-other.db": "the file contains no known records",
    }


def goose(path: Path) -> apsw.Connection:
    con = apsw.Connection(str(path))
    con.execute(
        "CREATE TABLE schema_version(version INTEGER);"
        "CREATE TABLE sessions(id TEXT PRIMARY KEY, name TEXT, working_dir TEXT, created_at TIMESTAMP);"
        "CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT,"
        " content_json TEXT, created_timestamp INTEGER)"
    )
    con.execute("INSERT INTO sessions VALUES ('20260331_1', 'n', ?, '2026-03-31 23:33:20')", (foreign.FOLDER,))
    return con


def add_to_goose(con: apsw.Connection, part: list[tuple[str, list[Any]]], at: int = foreign.MS // 1000) -> None:
    for role, content in part:
        values = ("20260331_1", role, json.dumps(content), at)
        con.execute("INSERT INTO messages(session_id, role, content_json, created_timestamp) VALUES (?,?,?,?)", values)


def test_the_database_of_goose_is_read_and_read_on(tmp_path: Path) -> None:
    path, db = tmp_path / "sessions.db", tmp_path / "c.db"
    messages = foreign.goose_messages()
    with closing(goose(path)) as con:
        add_to_goose(con, messages[:3])
        assert run(db, path).tool_calls == 1
        add_to_goose(con, messages[3:])
        report = run(db, path)
        assert (report.tool_calls, report.resolutions) == (2, 1)
        assert run(db, path).messages == 0
    assert rows(db, "session") == [("goose-20260331_1", "goose", foreign.FOLDER, "2026-03-31T23:33:20", None, None)]


def test_a_conversation_that_goose_wrote_again_gives_only_what_is_new(tmp_path: Path) -> None:
    path, db = tmp_path / "sessions.db", tmp_path / "c.db"
    messages = foreign.goose_messages()
    with closing(goose(path)) as con:
        add_to_goose(con, messages)
        run(db, path)
        before = texts(db)
        con.execute("DELETE FROM messages")
        add_to_goose(con, messages)
        add_to_goose(con, [("assistant", [{"type": "text", "text": "In short: a wrong name."}])])
        assert run(db, path).messages == 1
    assert texts(db) == [*before, "In short: a wrong name."]


def test_a_new_database_of_goose_is_read_from_its_start(tmp_path: Path) -> None:
    path, db = tmp_path / "sessions.db", tmp_path / "c.db"
    with closing(goose(path)) as con:
        add_to_goose(con, foreign.goose_messages())
    run(db, path)
    path.unlink()
    with closing(goose(path)) as con:
        add_to_goose(con, [("user", [{"type": "text", "text": "Once more."}])], foreign.MS // 1000 + 60)
        assert run(db, path).messages == 1
        con.execute("DELETE FROM messages")  # its numbers go on
        assert run(db, path).messages == 0


def test_a_time_in_the_future_hides_no_later_session(opencode: Path, tmp_path: Path) -> None:
    db = tmp_path / "c.db"
    with closing(apsw.Connection(str(opencode))) as con:
        add(con, "ses_1", foreign.opencode_messages(), 9_000_000_000_000)
        assert run(db, opencode).tool_calls == 3
        add(con, "ses_2", foreign.opencode_messages(), time.time_ns() // 1_000_000 + 5_000)
        assert run(db, opencode).tool_calls == 3
        assert run(db, opencode).messages == 0


def test_what_amp_still_writes_is_left_for_the_next_time(tmp_path: Path) -> None:
    db, folder = tmp_path / "c.db", write(tmp_path, "amp")
    path = folder / foreign.NAMES["amp"]
    whole = json.loads(path.read_text())
    ran = whole["messages"][3]["content"][0]
    done = ran["run"]
    ran["run"] = {"status": "in-progress", "progress": {}}
    streaming = {
        **whole["messages"][4],
        "content": [{"type": "text", "text": "The na"}],
        "state": {"type": "streaming"},
    }
    path.write_text(json.dumps({**whole, "messages": [*whole["messages"][:4], streaming]}))
    assert run(db, folder).messages == 3
    ran["run"] = done
    path.write_text(json.dumps(whole))
    report = run(db, folder)
    assert (report.tool_calls, report.errors, report.resolutions) == (2, 1, 1)


@pytest.mark.parametrize("cut", [181, 436, 554, 598, 630])
def test_what_aider_still_writes_is_left_for_the_next_time(cut: int, tmp_path: Path) -> None:
    folder, data = write(tmp_path, "aider"), foreign.aider()
    path = folder / foreign.NAMES["aider"]
    os.utime(path, (1, 1))
    run(tmp_path / "whole.db", folder)
    db = tmp_path / "c.db"
    path.write_bytes(data[:cut])
    run(db, folder)
    path.write_bytes(data)
    run(db, folder)
    os.utime(path, (1, 1))
    run(db, folder)
    assert texts(db) == texts(tmp_path / "whole.db")
    assert run(db, folder).messages == 0
