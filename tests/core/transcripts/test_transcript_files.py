"""Whose a file is, which session it opens, and where agents keep their files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from core.transcripts import HEAD, SessionStart, default_roots, detect, discover, read_plain, start_of
from core.transcripts.records import Message, Skipped
from tests.core.transcripts.builders import Claude, Codex, as_bytes, numbered

UUID = "0a6c1f7e-1111-4a2b-9c3d-000000000001"


@pytest.mark.parametrize(
    ("records", "agent"),
    [
        ([{"type": "user", "uuid": "u", "sessionId": "s", "message": {}}], "claude-code"),
        ([{"type": "summary", "summary": "x", "leafUuid": "y"}], "claude-code"),
        ([b"broken", {"type": "mode", "mode": "x", "sessionId": "s"}], "claude-code"),
        ([{"timestamp": "t", "type": "session_meta", "payload": {}}], "codex"),
        ([{"timestamp": "t", "type": "compacted", "payload": {}}], "codex"),
        ([{"id": "x", "timestamp": "t", "instructions": None}], "codex"),
        ([{"record_type": "state"}], "codex"),
        ([{"type": "message", "role": "user", "content": []}], "codex"),
        ([{"session": {"id": "x"}, "items": []}], "codex"),
        ([{"role": "user", "text": "hi"}], "plain"),
        ([{"role": "user", "content": "hi"}], "plain"),
        (["hi"], "plain"),
        ([["hi", {"role": "user", "text": "x"}]], "plain"),
        ([{"name": "something else"}], None),
        ([{"type": "started", "key": 1}], None),
        ([[], 5, None], None),
        ([], None),
    ],
)
def test_detect_by_records(records: list[Any], agent: str | None) -> None:
    assert detect(as_bytes(records), Path("some.jsonl")) == agent


@pytest.mark.parametrize(
    ("name", "agent"),
    [
        (f"rollout-2026-01-02T03-04-05-{UUID}.jsonl", "codex"),
        (f"{UUID}.jsonl", "claude-code"),
        ("agent-a1.jsonl", "claude-code"),
        ("notes.jsonl", None),
    ],
)
def test_detect_by_name_where_the_first_line_is_too_long(name: str, agent: str | None) -> None:
    assert detect(b'{"type":"x' + b"y" * HEAD, Path(name)) == agent


def test_a_document_over_many_lines_is_detected() -> None:
    assert detect(json.dumps(["a", "b"], indent=2).encode(), Path("talk.json")) == "plain"


def test_the_session_of_a_claude_file_is_the_recorded_one_else_the_name() -> None:
    log = Claude()
    log.add({"type": "summary", "summary": "x"})
    log.user("hi")
    assert start_of("claude-code", log.bytes(), Path("copy.jsonl")).session_id == log.session
    assert start_of("claude-code", b"", Path(f"{UUID}.jsonl")).session_id == UUID
    assert start_of("claude-code", b"", Path("copy.jsonl")).session_id == ""
    assert start_of("claude-code", b'{"type":"user"}\n', Path("copy.jsonl")).session_id == "copy"
    cut = b'{"type":"user","message":"' + b"x" * 50 + b'","sessionId":"from-afar","more":"'
    assert start_of("claude-code", cut, Path("a.jsonl")).session_id == "from-afar"


def test_the_session_of_a_subagents_file_names_both() -> None:
    log = Claude(extra={"isSidechain": True, "agentId": "a9"})
    log.user("hi")
    path = Path("/p/-home-x") / log.session / "subagents" / "agent-a9.jsonl"
    expected = SessionStart(f"{log.session}/a9", "claude-code", parent=log.session)
    assert start_of("claude-code", log.bytes(), path) == expected
    assert start_of("claude-code", b"", path) == expected


def test_the_session_of_a_rollout_is_in_its_header_else_in_its_name() -> None:
    log = Codex()
    log.meta(forked_from_id="the-origin", source={"subagent": {"thread_spawn": {"parent_thread_id": "the-parent"}}})
    path = Path(f"rollout-2026-01-02T03-04-05-{UUID}.jsonl")
    start = start_of("codex", log.bytes(), path)
    assert (start.session_id, start.project, start.parent, start.continues) == (
        log.session,
        log.cwd,
        "the-parent",
        "the-origin",
    )
    assert start_of("codex", b"", path).session_id == UUID
    long = {
        "timestamp": "t",
        "type": "session_meta",
        "payload": {"id": "long-one", "cwd": "/w", "base_instructions": "y" * HEAD},
    }
    start = start_of("codex", as_bytes([long])[:HEAD], path)
    assert (start.session_id, start.project) == ("long-one", "/w")
    assert start_of("codex", as_bytes([{"session": {"id": "doc"}, "items": []}]), path).session_id == "doc"


def test_plain_files_of_one_name_are_two_sessions(tmp_path: Path) -> None:
    one, two = (start_of("plain", b"", tmp_path / folder / "talk.json").session_id for folder in ("a", "b"))
    assert one.startswith("talk-") and two.startswith("talk-") and one != two


def test_plain_messages() -> None:
    records: list[Any] = [
        "bare",
        {"role": "Assistant", "text": "a"},
        {"role": "who", "content": "b", "timestamp": "2026-02-07T09:00:00Z"},
        7,
        {"role": "user"},
    ]
    found = list(read_plain(numbered([records]), SessionStart("s", "plain")))
    assert [(m.role, m.text, m.ts) for m in found if isinstance(m, Message)] == [
        ("user", "bare", ""),
        ("assistant", "a", ""),
        ("user", "b", "2026-02-07T09:00:00Z"),
    ]
    assert [one.reason for one in found if isinstance(one, Skipped)] == [
        "element 4 is neither a string nor an object with a role and a text",
        "element 5 is neither a string nor an object with a role and a text",
    ]
    assert [m.text for m in read_plain(numbered(["x", {"text": "y"}])) if isinstance(m, Message)] == ["x", "y"]


def test_default_roots_honour_the_agents_own_settings(tmp_path: Path) -> None:
    assert default_roots(None, {}, tmp_path)[:3] == [
        tmp_path / ".claude" / "projects",
        tmp_path / ".codex" / "sessions",
        tmp_path / ".codex" / "archived_sessions",
    ]
    env = {"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x"}
    assert default_roots("claude-code", env, tmp_path) == [Path("/c/projects")]
    assert default_roots("codex", env, tmp_path) == [Path("/x/sessions"), Path("/x/archived_sessions")]
    assert default_roots("plain", {}, tmp_path) == []


def _touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n")
    return path


def test_discover_walks_sorted_and_takes_only_what_may_be_a_transcript(tmp_path: Path) -> None:
    root = tmp_path / "projects"
    wanted = [
        _touch(root / "a" / UUID / "subagents" / "agent-1.jsonl"),
        _touch(root / "a" / UUID / "subagents" / "workflows" / "w" / "agent-2.jsonl"),
        _touch(root / "a" / f"{UUID}.jsonl"),
        _touch(root / "b" / "x.jsonl"),
    ]
    _touch(root / "a" / UUID / "tool-results" / "big.jsonl")
    _touch(root / "a" / UUID / "subagents" / "workflows" / "w" / "journal.jsonl")
    _touch(root / "a" / UUID / "subagents" / "agent-1.meta.json")
    _touch(root / "a" / "notes.md")
    assert discover("claude-code", [root, root / "b"]) == wanted
    assert discover("claude-code", [wanted[2]]) == [wanted[2]]
    assert discover("claude-code", [tmp_path / "nothing"]) == []


def test_discover_takes_old_documents_of_codex(tmp_path: Path) -> None:
    wanted = [_touch(tmp_path / "2026" / "01" / "rollout-1.jsonl"), _touch(tmp_path / "rollout-2025-06-01-x.json")]
    _touch(tmp_path / "config.json")
    assert discover("codex", [tmp_path]) == wanted


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_discover_follows_no_link_out_and_skips_what_is_no_file(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    inside, secret = _touch(root / "in.jsonl"), _touch(outside / "secret.jsonl")
    (root / "link.jsonl").symlink_to(secret)
    (root / "near.jsonl").symlink_to(inside)
    (root / "dangling.jsonl").symlink_to(root / "gone")
    (root / "folder").symlink_to(outside, target_is_directory=True)
    (root / "loop").symlink_to(root, target_is_directory=True)
    (root / "loop.jsonl").symlink_to(root / "loop.jsonl")
    os.mkfifo(root / "pipe.jsonl")
    assert discover(None, [root]) == [inside, root / "near.jsonl"]
    assert discover(None, [root / "pipe.jsonl"]) == []
