"""However a file grew, and however it was cut into batches, the same rows come out."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.flows.transcripts import files
from tests.core.transcripts.builders import Claude, Codex
from tests.flows.transcripts.support import count_harvests, run, stored

SLOW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    count_harvests(monkeypatch)


def claude() -> bytes:
    log = Claude()
    log.add({"type": "summary", "summary": "제목", "leafUuid": "leaf"})
    log.user("고쳐 줘")
    log.call("a", "Bash", {"command": "make"})
    log.call("b", "Read", {"file_path": "x"})
    log.add(b'{"type": "user", "message": {"role"')
    log.result("b", "text of b")
    log.fails("a", "boom", 2)
    side = log.user("task", isSidechain=True, parentUuid=None)
    other = log.user("other task", isSidechain=True, parentUuid=None)
    log.says("answers", isSidechain=True, parentUuid=side["uuid"])
    log.says("answers too", isSidechain=True, parentUuid=other["uuid"])
    log.add({**log.records[1]})
    log.add(b"")
    log.add(b'{"type":"user","uuid":"h","sessionId":"second","message":{"content":"half \\udfff"}}')
    log.result("nobody", "orphan")
    log.add({**log.records[3], "uuid": "re-emitted"})
    log.call("c", "KillShell", {"shell_id": "1"})
    log.result("c", "gone", is_error=True)
    log.says("끝")
    return log.bytes()


def codex(parent: Codex) -> bytes:
    log = Codex(session="019b5555-0000-7000-8000-00000000000c")
    log.meta(forked_from_id=parent.session)
    for record in parent.records:
        log.line(record["type"], record["payload"])
    log.event("user_message", message="continue")
    log.says("user", "continue")
    for call_id in ("call_Zq81mN4xTtR7wPp2LkV1", "c2"):
        log.call(call_id, "make")
        log.ended(call_id, "boom", 2)
        log.output(call_id, "Chunk ID: 1\nOutput:\nboom")
    log.says("assistant", "done, as far as one can see")
    log.event("agent_message", message="done, as far as one can see")
    log.event("user_message", message="continue")
    log.says("user", "continue")
    log.call("c3", "make")
    log.output("c3", "fine")
    log.ended("c3", "fine", 0)
    return log.bytes()


def parent_log() -> Codex:
    log = Codex()
    log.meta()
    log.says("user", "start")
    log.call("call_parent_with_a_long_id", "ls")
    log.output("call_parent_with_a_long_id", "a.txt")
    log.says("assistant", "there is one file")
    return log


def in_steps(whole: bytes, cuts: list[int], before: bytes | None, batch: int) -> dict[str, list[tuple[Any, ...]]]:
    """Everything stored when the file is imported after each cut, in batches of `batch` lines."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "BATCH_LINES", batch)
        db, path = Path(folder, "casebook.db"), Path(folder, "growing.jsonl")
        if before is not None:
            Path(folder, "before.jsonl").write_bytes(before)
            run(db, Path(folder, "before.jsonl"))
        for cut in [*cuts, len(whole)]:
            path.write_bytes(whole[:cut])
            run(db, path)
        tables = stored(db, but=("source_file",))
        size = path.stat().st_size
        with_place = [row[1:] for row in stored(db)["source_file"]]
        assert max(row[2] for row in with_place) <= max(size, len(before or b""))
        return {**tables, "place": with_place}


@pytest.fixture(scope="module")
def once() -> dict[str, Any]:
    parent = parent_log()
    with pytest.MonkeyPatch.context() as patch:
        count_harvests(patch)
        return {
            "claude": in_steps(claude(), [], None, 1000),
            "codex": in_steps(codex(parent), [], parent.bytes(), 1000),
        }


@SLOW
@given(st.lists(st.integers(0, len(claude())), max_size=3), st.integers(1, 9))
def test_a_claude_file_read_in_parts(once: dict[str, Any], cuts: list[int], batch: int) -> None:
    assert in_steps(claude(), sorted(cuts), None, batch) == once["claude"]


@SLOW
@given(st.lists(st.integers(0, len(codex(parent_log()))), max_size=3), st.integers(1, 9))
@example([codex(parent_log()).index(b'"c2"}}\n') + len('"c2"}}')], 1)  # all of a line but its end
def test_a_rollout_read_in_parts(once: dict[str, Any], cuts: list[int], batch: int) -> None:
    parent = parent_log()
    assert in_steps(codex(parent), sorted(cuts), parent.bytes(), batch) == once["codex"]


def test_what_was_read_at_once_is_what_it_should_be(once: dict[str, Any]) -> None:
    assert [(row[0][:6], row[1], row[4]) for row in once["codex"]["message"] if row[0].endswith("c")] == [
        ("019b55", idx, text)
        for idx, text in enumerate(
            ["continue", "make", "boom", "make", "boom", "done, as far as one can see", "continue", "make", "fine"]
        )
    ]
    assert [row[4] for row in once["claude"]["message"] if row[0] == "second"] == ["half \ufffd"]
    assert all(row[3] for row in once["claude"]["tool_call"])
