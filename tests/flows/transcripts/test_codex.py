"""Codex rollouts in the store: what two logs, copies and forks tell again counts once."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.transcripts.builders import Codex
from tests.flows.transcripts.support import Harvests, calls, count_harvests, rows, run, stored, texts

LONG, SHORT = "call_Zq81mN4xTtR7wPp2LkV0", "c1"


@pytest.fixture(autouse=True)
def harvests(monkeypatch: pytest.MonkeyPatch) -> Harvests:
    return count_harvests(monkeypatch)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "casebook.db"


def rollout(tmp_path: Path, log: Codex, folder: str = "sessions/2026/05/02") -> Path:
    path = tmp_path / folder / f"rollout-2026-05-02T08-00-00-{log.session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(log.bytes())
    return path


def twice_told(call_id: str, order: str, text: str = "boom") -> Codex:
    log = Codex()
    log.meta()
    log.call(call_id, "make")
    for one in order:
        if one == "p":
            log.output(call_id, f"Chunk ID: 1\nOutput:\n{text}")
        elif one == "e":
            log.ended(call_id, text, 2)
        else:
            log.says("assistant", f"words {len(log.records)}")
    return log


@pytest.mark.parametrize("call_id", [LONG, SHORT])
@pytest.mark.parametrize("order", ["pe", "ep", "p", "e", "pwe", "ewp"])
def test_a_result_told_twice_counts_once_and_knows_its_exit_code(
    db: Path, tmp_path: Path, call_id: str, order: str
) -> None:
    log = twice_told(call_id, order)
    path = rollout(tmp_path, log)
    report = run(db, path)
    assert report.messages == 2 + ("w" in order)
    assert calls(db) == {call_id: (0, 1, "error" if "e" in order else "none", 2 if "e" in order else None)}
    before = stored(db, but=("source_file",))
    run(db, rollout(tmp_path, log, "archived_sessions"))
    assert stored(db, but=("source_file",)) == before


@pytest.mark.parametrize("call_id", [LONG, SHORT])
def test_an_empty_telling_of_the_display_log_is_no_message(db: Path, tmp_path: Path, call_id: str) -> None:
    run(db, rollout(tmp_path, twice_told(call_id, "ep", "")))
    assert texts(db) == ["make", "Chunk ID: 1\nOutput:\n"]
    assert calls(db) == {call_id: (0, 1, "error", 2)}


def test_an_id_that_a_local_model_uses_again_loses_no_words(db: Path, tmp_path: Path) -> None:
    log = Codex()
    log.meta()
    for command, output in (("make a", "fine"), ("make b", "boom")):
        log.call("call_0", command)
        log.output("call_0", json.dumps({"output": output, "metadata": {"exit_code": int(output == "boom")}}))
    path = rollout(tmp_path, log)
    run(db, path)
    assert texts(db) == ["make a", "fine", "make b", "boom"]
    assert calls(db) == {"call_0": (0, 1, "none", 0)}
    run(db, rollout(tmp_path, log, "archived_sessions"))
    assert len(texts(db)) == 4


def test_a_command_that_went_on_running_ends_with_its_exit_code(db: Path, tmp_path: Path) -> None:
    log = Codex()
    log.meta()
    log.call(LONG, "npm start")
    log.output(LONG, "Chunk ID: 1\nProcess running with session ID 4\nOutput:\n")
    path = rollout(tmp_path, log)
    run(db, path)
    assert json.loads(rows(db, "tool_call")[0][9]) == {"running": True}
    log.ended(LONG, "bye", 0)
    path.write_bytes(log.bytes())
    run(db, path)
    assert (calls(db)[LONG], json.loads(rows(db, "tool_call")[0][9])) == ((0, 1, "none", 0), {})


@pytest.mark.parametrize("order", list(itertools.permutations(["event", "item"])))
def test_words_told_in_both_logs_count_once_and_words_said_twice_count_twice(
    db: Path, tmp_path: Path, order: tuple[str, ...]
) -> None:
    log = Codex()
    log.meta()
    for _ in range(2):
        for one in order:
            log.event("user_message", message="continue") if one == "event" else log.says("user", "continue")
        log.call(f"{LONG}{len(log.records)}", "make")
        for one in order:
            log.event("agent_message", message="done") if one == "event" else log.says("assistant", "done")
    path = rollout(tmp_path, log)
    run(db, path)
    assert texts(db) == ["continue", "make", "done"] * 2
    before = stored(db, but=("source_file",))
    run(db, rollout(tmp_path, log, "archived_sessions"))
    assert stored(db, but=("source_file",)) == before


def test_words_that_only_the_display_log_has_are_kept(db: Path, tmp_path: Path) -> None:
    log = Codex()
    log.meta()
    log.event("user_message", message="fix it")
    log.event("agent_message", message="fixed")
    run(db, rollout(tmp_path, log))
    assert texts(db) == ["fix it", "fixed"]


def test_a_copy_adds_nothing(db: Path, tmp_path: Path) -> None:
    log = twice_told(LONG, "pe")
    log.says("user", "thanks")
    run(db, rollout(tmp_path, log))
    before = stored(db, but=("source_file",))
    report = run(db, rollout(tmp_path, log, "backup"))
    assert (report.sessions, report.messages) == (0, 0)
    assert stored(db, but=("source_file",)) == before


def fork_of(log: Codex, **header: Any) -> Codex:
    """A fork replays what its parent had said, at new times, and goes on."""
    fork = Codex(session="019b9999-3333-7000-8000-00000000000b", clock=3000)
    fork.meta(**header)
    for record in log.records:
        fork.line(record["type"], record["payload"])
    fork.says("user", "now differently")
    fork.says("user", "thanks")
    return fork


@pytest.mark.parametrize("call_id", [LONG, SHORT])
def test_a_fork_repeats_nothing_of_its_parent(db: Path, tmp_path: Path, call_id: str) -> None:
    log = twice_told(call_id, "pe")
    log.says("user", "thanks")
    fork = fork_of(log, forked_from_id=log.session)
    run(db, rollout(tmp_path, log))
    path = rollout(tmp_path, fork)
    run(db, path)
    own = [row[4] for row in rows(db, "message") if row[0] == fork.session]
    assert own == ["now differently", "thanks"]
    assert {row[0]: row[5] for row in rows(db, "session")} == {log.session: None, fork.session: log.session}
    assert set(calls(db)) == {call_id} and len(rows(db, "tool_call")) == 1
    fork.says("user", "thanks")
    path.write_bytes(fork.bytes())
    assert run(db, path).messages == 1
    before = stored(db, but=("source_file",))
    run(db, rollout(tmp_path, fork, "archived_sessions"))
    assert stored(db, but=("source_file",)) == before


def test_a_subagent_that_replays_its_parent_counts_its_own_words(db: Path, tmp_path: Path) -> None:
    log = twice_told(LONG, "pe")
    fork = fork_of(log, source={"subagent": {"thread_spawn": {"parent_thread_id": log.session}}})
    run(db, rollout(tmp_path, log))
    run(db, rollout(tmp_path, fork))
    assert [row[4] for row in rows(db, "message") if row[0] == fork.session] == ["now differently", "thanks"]
    assert {row[0]: row[4] for row in rows(db, "session")} == {log.session: None, fork.session: log.session}


def test_a_flat_rollout_is_stable_when_read_again(db: Path, tmp_path: Path) -> None:
    log = Codex()
    log.records = [
        {"id": log.session, "timestamp": "2025-08-01T10:00:00.000Z", "instructions": None},
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "<environment_context><cwd>/srv/x</cwd>"}],
        },
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go on"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go on"}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["make"]}', "call_id": SHORT},
        {"type": "function_call_output", "call_id": SHORT, "output": '{"output":"x","metadata":{"exit_code":1}}'},
    ]
    run(db, rollout(tmp_path, log))
    assert texts(db)[1:] == ["go on", "go on", "make", "x"]
    assert rows(db, "session")[0][:4] == (log.session, "codex", "/srv/x", "2025-08-01T10:00:00.000Z")
    before = stored(db, but=("source_file",))
    run(db, rollout(tmp_path, log, "archived_sessions"))
    assert stored(db, but=("source_file",)) == before


def test_the_oldest_rollouts_are_documents(db: Path, tmp_path: Path) -> None:
    items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}]
    path = tmp_path / "sessions" / "rollout-2025-06-01-x.json"
    path.parent.mkdir()
    path.write_text(
        json.dumps({"session": {"id": "doc-1", "timestamp": "2025-06-01T00:00:00Z"}, "items": items}, indent=2)
    )
    report = run(db, tmp_path / "sessions", agent="codex")
    assert (report.sessions, report.messages, report.skipped) == (1, 1, ())
    assert run(db, tmp_path / "sessions", agent="codex").messages == 0


def test_a_short_id_of_one_session_says_nothing_of_another(db: Path, tmp_path: Path) -> None:
    """Two sessions of a local model, alike to the byte, each with its own `c1`."""
    first, second = twice_told(SHORT, "pe"), twice_told(SHORT, "pe")
    second.session = "019b9999-3333-7000-8000-00000000000c"
    second.records[0]["payload"]["id"] = second.session
    run(db, rollout(tmp_path, first), rollout(tmp_path, second))
    assert [row[0] for row in rows(db, "tool_call")] == sorted([first.session, second.session])
