"""What an import stores: redacted, in order, each thing once, and nothing at all the second time."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from core.flows.transcripts import files
from core.rules.calls import call_keys, call_rows
from core.store import open_store
from tests.core.transcripts.builders import Claude, as_bytes
from tests.flows.transcripts.support import Harvests, calls, count_harvests, rows, run, stored, texts

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


@pytest.fixture(autouse=True)
def harvests(monkeypatch: pytest.MonkeyPatch) -> Harvests:
    return count_harvests(monkeypatch)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "casebook" / "casebook.db"


def conversation(**how: Any) -> Claude:
    log = Claude(**how)
    log.add({"type": "summary", "summary": "About the ledger", "leafUuid": f"{log.session}-leaf"})
    log.user("합계가 틀려요")
    log.call("t1", "Bash", {"command": "pytest -q"})
    log.call("t2", "Read", {"file_path": "ledger.py"})
    log.result("t2", "1  def total(): ...")
    log.fails("t1", "E   KeyError: 'vat'")
    log.says("The key is missing.")
    return log


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_messages_calls_and_results_are_stored_in_order(db: Path, tmp_path: Path) -> None:
    log = conversation()
    path = write(tmp_path / "a.jsonl", log.bytes())
    report = run(db, path)
    assert (report.files, report.sessions, report.messages, report.tool_calls) == (1, 1, 7, 2)
    assert (report.errors, report.resolutions, report.skipped, report.canceled) == (1, 0, (), False)
    assert rows(db, "session") == [(log.session, "claude-code", log.cwd, log.records[1]["timestamp"], None, None)]
    assert [(row[1], row[2], row[3], row[4], row[10]) for row in rows(db, "message")] == [
        (0, "system", "summary", "About the ledger", 1),
        (1, "user", "text", "합계가 틀려요", 0),
        (2, "assistant", "tool_use", "pytest -q", 0),
        (3, "assistant", "tool_use", '{"file_path":"ledger.py"}', 0),
        (4, "tool", "tool_result", "1  def total(): ...", 0),
        (5, "tool", "tool_result", "Exit code 1\nE   KeyError: 'vat'", 0),
        (6, "assistant", "text", "The key is missing.", 0),
    ]
    assert calls(db) == {"t1": (2, 5, "error", 1), "t2": (3, 4, "none", None)}
    assert all(row[8] == sha256(row[4].encode()).hexdigest() for row in rows(db, "message"))


def test_a_second_import_writes_nothing_at_all(db: Path, tmp_path: Path, harvests: Harvests) -> None:
    path = write(tmp_path / "a.jsonl", conversation().bytes())
    run(db, path)
    before = stored(db)
    with open_store(db, write=True) as store:
        changes = store.con.total_changes()
        jobs = store.con.execute("SELECT count(*) FROM jobs").fetchone()
    again = run(db, path)
    assert (again.files, again.sessions, again.messages, again.tool_calls, again.errors) == (1, 0, 0, 0, 0)
    assert stored(db) == before
    assert harvests.asked == [conversation().session]
    with open_store(db) as store:
        assert store.con.execute("SELECT count(*) FROM jobs").fetchone() == jobs
    assert changes == 0


def test_secrets_are_gone_before_anything_is_stored(db: Path, tmp_path: Path) -> None:
    log = Claude(cwd=f"/home/x/{SECRET}")
    log.user(f"my token is {SECRET}")
    log.call(
        "t1",
        "Deploy",
        {"args": [{"note": f"use {SECRET}"}], "env": {"DB_PASSWORD": "correct-horse-battery"}, SECRET: 1, "n": 3},
    )
    log.works("t1", f"logged in with {SECRET}", toolUseResult={"filePath": f"/x/{SECRET}"})
    log.add({"type": "summary", "summary": SECRET, "leafUuid": "l"})
    run(db, write(tmp_path / "a.jsonl", log.bytes()))
    for file in db.parent.iterdir():
        data = file.read_bytes()
        assert SECRET.encode() not in data and b"correct-horse-battery" not in data, file
    tool_input = json.loads(rows(db, "tool_call")[0][3])
    assert tool_input["n"] == 3 and list(tool_input["args"][0]) == ["note"]
    assert len(tool_input["env"]["DB_PASSWORD"]) == len("correct-horse-battery")
    masked = texts(db)[0]
    assert len(masked) == len(f"my token is {SECRET}") and masked.startswith("my token is ")


def test_hostile_text_is_stored_as_it_is(db: Path, tmp_path: Path) -> None:
    log = Claude()
    odd = "\x1b]52;c;aGk=\x07 [/bold] \u202e\u0000'; DROP TABLE message; --\r\n"
    log.user(odd)
    log.call("i\u0000d\ud800", "Na\nme", {"a": odd, "deep": json.loads("[" * 200 + "]" * 200)})
    log.add(b'{"type":"user","uuid":"h","sessionId":"s\\ud800\\u0000","message":{"content":"half \\udfff"}}')
    report = run(db, write(tmp_path / "a.jsonl", log.bytes()))
    assert (report.messages, report.skipped) == (3, ())
    assert texts(db)[0] == odd and "half \ufffd" in texts(db)
    assert json.loads(rows(db, "tool_call")[0][3])["a"] == odd


def test_a_file_that_grew_is_read_on(db: Path, tmp_path: Path, harvests: Harvests) -> None:
    log = conversation()
    path = write(tmp_path / "a.jsonl", log.bytes())
    run(db, path)
    log.call("t3", "Edit", {"file_path": "ledger.py"})
    log.result("t3", "updated")
    path.write_bytes(log.bytes())
    report = run(db, path)
    assert (report.sessions, report.messages, report.tool_calls) == (0, 2, 1)
    assert calls(db)["t3"] == (7, 8, "none", None)
    assert harvests.asked == [log.session] * 2


def test_a_result_that_comes_with_the_next_import_finds_its_call(db: Path, tmp_path: Path) -> None:
    log = Claude()
    log.call("t1", "Bash", {"command": "make"})
    path = write(tmp_path / "a.jsonl", log.bytes())
    run(db, path)
    assert calls(db) == {"t1": (0, None, "none", None)}
    log.fails("t1", "boom", 2)
    path.write_bytes(log.bytes())
    run(db, path)
    assert calls(db) == {"t1": (0, 1, "error", 2)}


def test_a_half_written_last_line_is_read_when_it_is_whole(db: Path, tmp_path: Path) -> None:
    data = conversation().bytes()
    path = write(tmp_path / "a.jsonl", data[:-20])
    assert run(db, path).skipped == ()
    assert len(texts(db)) == 6
    path.write_bytes(data)
    assert run(db, path).messages == 1
    once = db.with_name("once.db")
    run(once, path)
    assert stored(db) == stored(once)


@pytest.mark.parametrize("change", ["head", "shorter", "longer head"])
def test_a_file_that_was_rewritten_is_read_anew_and_nothing_doubles(db: Path, tmp_path: Path, change: str) -> None:
    log = conversation()
    path = write(tmp_path / "a.jsonl", log.bytes())
    run(db, path)
    new = Claude(session=log.session, prefix="new")
    new.user("rewritten")
    records = {
        "head": [*new.records, *log.records],
        "shorter": log.records[:3],
        "longer head": [{"type": "mode"}] * 90 + log.records,
    }
    path.write_bytes(as_bytes(records[change]))
    report = run(db, path)
    assert report.messages == (1 if change == "head" else 0)
    assert len(texts(db)) == 7 + report.messages
    assert run(db, path).messages == 0


def test_a_file_that_moved_adds_nothing(db: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", conversation().bytes())
    run(db, path)
    before = stored(db, but=("source_file",))
    moved = path.rename(tmp_path / "b.jsonl")
    run(db, moved)
    assert stored(db, but=("source_file",)) == before


@pytest.mark.parametrize("original_first", [True, False])
def test_a_resumed_session_repeats_nothing_and_names_its_original(
    db: Path, tmp_path: Path, original_first: bool
) -> None:
    first = conversation(session="5e550001-aaaa", prefix="shared")
    resumed = Claude(session="5e550002-bbbb", prefix="own")
    for record in first.records:
        resumed.add({**record, "sessionId": resumed.session} if "sessionId" in record else record)
    resumed.user("and now?")
    names = ("1.jsonl", "2.jsonl") if original_first else ("2.jsonl", "1.jsonl")
    write(tmp_path / "in" / names[0], first.bytes())
    write(tmp_path / "in" / names[1], resumed.bytes())
    run(db, tmp_path / "in")
    found = texts(db)
    assert len(found) == len(set(found)) == 8
    continues = {row[0]: row[5] for row in rows(db, "session")}
    assert continues == {first.session: None, resumed.session: first.session}
    before = stored(db)
    run(db, tmp_path / "in")
    assert stored(db) == before


def test_a_copied_history_that_kept_its_session_goes_to_that_session(db: Path, tmp_path: Path) -> None:
    first = conversation(session="s-old")
    later = Claude(session="s-new")
    later.user("new")
    path = write(tmp_path / "resumed.jsonl", first.bytes() + later.bytes())
    run(db, path)
    assert {row[0] for row in rows(db, "session")} == {"s-old", "s-new"}
    assert run(db, write(tmp_path / "old.jsonl", first.bytes())).messages == 0


def test_subagents_are_sessions_of_their_own_and_their_news_concern_the_parent(
    db: Path, tmp_path: Path, harvests: Harvests
) -> None:
    log = conversation()
    agent = Claude(session=log.session, prefix="agent", extra={"isSidechain": True, "agentId": "a1"})
    agent.user("look around")
    root = tmp_path / "projects" / "-home"
    write(root / f"{log.session}.jsonl", log.bytes())
    run(db, tmp_path / "projects")
    write(root / log.session / "subagents" / "agent-a1.jsonl", agent.bytes())
    report = run(db, tmp_path / "projects")
    assert (report.files, report.sessions, report.messages) == (2, 1, 1)
    assert [(row[0], row[4], row[5]) for row in rows(db, "session")] == [
        (log.session, None, None),
        (f"{log.session}/a1", log.session, None),
    ]
    assert harvests.asked[0] == log.session and set(harvests.asked[1:]) == {log.session, f"{log.session}/a1"}


def test_a_failing_kill_of_a_background_shell_is_the_agents_own_failure(db: Path, tmp_path: Path) -> None:
    log = Claude()
    log.call("k", "KillShell", {"shell_id": "b1"})
    log.result("k", "Shell b1 is not running, so cannot be killed (status: completed)", is_error=True)
    run(db, write(tmp_path / "a.jsonl", log.bytes()))
    assert calls(db)["k"][2] == "tool_use_error"


def test_results_without_calls_and_calls_without_results_are_kept(db: Path, tmp_path: Path) -> None:
    log = Claude()
    log.result("ghost", "nobody asked")
    log.call("lonely", "Bash", {"command": "sleep 9"})
    run(db, write(tmp_path / "a.jsonl", log.bytes()))
    assert texts(db) == ["nobody asked", "sleep 9"]
    assert calls(db) == {"lonely": (1, None, "none", None)}


def test_inline_subagents_keep_their_chain_over_two_imports(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BATCH_LINES", 1)
    log = Claude()
    one = log.user("one", isSidechain=True, parentUuid=None)
    two = log.user("two", isSidechain=True, parentUuid=None)
    path = write(tmp_path / "a.jsonl", log.bytes())
    run(db, path)
    log.says("answers one", isSidechain=True, parentUuid=one["uuid"])
    log.says("answers two", isSidechain=True, parentUuid=two["uuid"])
    path.write_bytes(log.bytes())
    run(db, path)
    chains = [row[9] for row in rows(db, "message")]
    assert chains[0] == chains[2] != chains[1] == chains[3]


def test_a_plain_document_grows_by_what_is_new(db: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "talk.json", json.dumps(["hello", {"role": "assistant", "text": "hi"}], indent=1).encode())
    assert run(db, path).messages == 2
    assert run(db, path).messages == 0
    path.write_text(json.dumps(["hello", {"role": "assistant", "text": "hi"}, "bye", 5], indent=1))
    report = run(db, path)
    assert (report.messages, [one.reason for one in report.skipped]) == (
        1,
        ["element 4 is neither a string nor an object with a role and a text"],
    )
    assert [(row[2], row[4]) for row in rows(db, "message")] == [
        ("user", "hello"),
        ("assistant", "hi"),
        ("user", "bye"),
    ]


def test_a_half_written_document_is_looked_at_again(db: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "talk.json", b'["hello",\n "wo')
    report = run(db, path, agent="plain")
    assert (report.messages, len(report.skipped)) == (0, 1)
    path.write_bytes(b'["hello",\n "wo"]')
    assert run(db, path, agent="plain").messages == 2


def test_tool_calls_are_listed_newest_first_whatever_their_ids_are(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BATCH_LINES", 5)
    log = Claude()
    names = [f"toolu_{at * 7919 % 101:03}" for at in range(12)]
    for at, name in enumerate(names):
        log.call(name, "Bash", {"command": f"echo {at}"})
        if at % 2:
            log.result(name, "ok")
            log.result(names[at - 1], "ok")
    path = write(tmp_path / "a.jsonl", log.bytes())
    run(db, path)
    log.call("Toolu", "Bash", {"command": "echo 12"})
    write(path, log.bytes())
    run(db, path)
    with open_store(db) as store:
        told = [row.about for row in call_rows(store, call_keys(store))]
    assert told == [f"echo {at}" for at in range(12, -1, -1)]
