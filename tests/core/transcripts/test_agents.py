"""Every agent's reader: whose a file is, what it holds, and that nothing foreign makes a reader fall over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.transcripts import Message, Record, SessionStart, ToolCall, ToolResult, default_roots, detect, start_of
from core.transcripts.detection import READERS, discover
from core.transcripts.fields import instant
from core.transcripts.lines import HEAD, head_values
from core.transcripts.records import Skipped
from tests.core.transcripts import foreign
from tests.core.transcripts.builders import as_bytes, numbered

LINES = ("qwen", "copilot", "pi", "goose")
WITH_CODES = sorted({*foreign.MADE} - {"aider"})


def read(agent: Any, data: bytes, path: Path | None = None) -> list[Record]:
    place = path or Path("/x") / foreign.NAMES[agent]
    start = start_of(agent, data[:HEAD], place)
    lines = list(enumerate(data.splitlines(keepends=True), 1)) if agent in LINES else [(1, data)]
    return list(READERS[agent].read(lines, start))


def results(found: list[Record]) -> list[ToolResult]:
    return [one for one in found if isinstance(one, ToolResult)]


@pytest.mark.parametrize("agent", foreign.MADE)
def test_a_file_is_known_by_its_content_alone(agent: str) -> None:
    data = foreign.MADE[agent]()
    assert detect(data, Path("some.json")) == agent
    assert detect(data, Path("/x") / foreign.NAMES[agent]) == agent


@pytest.mark.parametrize("odd", [{}, [], None, 1, [[]]])
@pytest.mark.parametrize("key", ["type", "role", "sessionId", "info", "messages", "data", "id", "message"])
def test_a_field_of_another_kind_never_stops_the_detection(key: str, odd: object) -> None:
    record = {"type": "user", "sessionId": "s", "id": "T-1", "role": "user", "info": {}, "timestamp": "", "message": {}}
    detect(as_bytes([{**record, key: odd}]), Path("some.jsonl"))


@pytest.mark.parametrize("agent", WITH_CODES)
def test_calls_and_results_are_paired_with_their_exit_code(agent: str) -> None:
    found = read(agent, foreign.MADE[agent]())
    calls = [one for one in found if isinstance(one, ToolCall)]
    failed, edited, works = results(found)
    assert [one.tool_use_id for one in calls] == [one.tool_use_id for one in (failed, edited, works)]
    assert (failed.failure, failed.exit_code) == ("error", 1)
    assert set(foreign.FAILURE.splitlines()) <= set(failed.message.text.splitlines())
    assert "Error: (none)" not in failed.message.text
    assert (edited.failure, works.failure) == ("none", "none")
    assert works.exit_code in (0, None)
    assert calls[0].message.text == foreign.COMMAND
    assert foreign.OLD in str(calls[1].input)
    assert not [one for one in found if isinstance(one, Skipped)]


@pytest.mark.parametrize("agent", WITH_CODES)
def test_the_session_its_folder_and_the_times_are_known(agent: str) -> None:
    found = read(agent, foreign.MADE[agent]())
    start = found[0]
    assert isinstance(start, SessionStart)
    assert start.agent == agent
    assert start.project == ("" if agent == "gemini" else foreign.FOLDER)
    assert (start.remote == "github.com/sora/shop") == (agent == "copilot")
    assert all(one.message.ts.startswith("2026-") for one in results(found))
    said = [one for one in found if isinstance(one, Message) and one.role == "user" and not one.meta]
    assert "Run the tests." in said[0].text
    names = [(one.uuid, one.block) for one in _messages(found)]
    assert len(names) == len(set(names))


def _messages(found: list[Record]) -> list[Message]:
    kept = [one.message if isinstance(one, ToolCall | ToolResult) else one for one in found]
    return [one for one in kept if isinstance(one, Message)]


def test_a_message_of_gemini_that_is_written_again_keeps_its_names() -> None:
    lines = list(enumerate(foreign.gemini_lines().splitlines(keepends=True), 1))
    found = list(READERS["gemini"].read(lines, SessionStart("gem-1", "gemini")))
    whole = read("gemini", foreign.gemini_document())
    assert {(one.uuid, one.block) for one in _messages(found)} == {(one.uuid, one.block) for one in _messages(whole)}
    assert [one.tool_use_id for one in results(found)] == ["g1", "g2", "g3"]


def test_gemini_notes_the_folder_beside_its_chats(tmp_path: Path) -> None:
    path = tmp_path / "tmp" / "shop" / "chats" / "session-1.json"
    path.parent.mkdir(parents=True)
    (path.parent.parent / ".project_root").write_text(foreign.FOLDER)
    assert start_of("gemini", foreign.gemini_document(), path).project == foreign.FOLDER


def test_roo_is_known_by_its_folder() -> None:
    data = foreign.cline()
    path = Path("/h/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/1/api_conversation_history.json")
    assert detect(data, path) == "roo"
    assert start_of("roo", data, path).agent == "roo"


def test_a_history_of_aider_holds_its_sessions() -> None:
    found = read("aider", foreign.aider(), Path("/home/sora/work/shop/.aider.chat.history.md"))
    starts = [one for one in found if isinstance(one, SessionStart)]
    assert [one.started for one in starts] == ["2026-03-31 10:00:00", "2026-03-31 11:00:00"]
    assert {one.project for one in starts} == {foreign.FOLDER}
    first, second = results(found)
    assert first.message.text.split("\n")[-1].startswith("ImportError")
    assert second.message.text == "1 passed"
    said = [one.text for one in found if isinstance(one, Message) and one.role == "user"]
    assert said == ["Fix it.", "What is left?"]
    assert any("#### this line is code" in one.text for one in found if isinstance(one, Message))


def test_parts_of_opencode_whose_ids_are_masked_keep_names_of_their_own() -> None:
    messages = foreign.opencode_messages()
    masked = [
        {"info": {**one["info"], "id": "REDACTED"}, "parts": [{**part, "id": "REDACTED"} for part in one["parts"]]}
        for one in messages
    ]
    found = read("opencode", json.dumps({"info": foreign.OPENCODE_INFO, "messages": masked}).encode())
    names = [(one.uuid, one.block) for one in _messages(found)]
    assert len(names) == len(set(names)) == 9


def chat() -> list[Any]:
    def call(own: str, command: str) -> Any:
        function = {"name": "bash", "arguments": json.dumps({"command": command})}
        calls = [{"id": own, "type": "function", "function": function}]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    return [
        {"role": "system", "content": "You are an agent."},
        {"role": "user", "content": [{"type": "text", "text": "Run the tests."}]},
        call("c1", foreign.COMMAND),
        {"role": "tool", "tool_call_id": "c1", "content": f"<returncode>1</returncode>\n{foreign.FAILURE}"},
        call("c2", "ls"),
        {"role": "tool", "tool_call_id": "c2", "content": "exit code: 0"},
    ]


@pytest.mark.parametrize("form", ["document", "array", "lines"])
def test_a_chat_of_openai_has_calls_and_results(form: str) -> None:
    whole = {"document": {"messages": chat()}, "array": chat()}.get(form)
    data = as_bytes(chat() if whole is None else [whole])
    assert detect(data, Path("chat.json")) == "plain"
    found = list(READERS["plain"].read(list(enumerate(data.splitlines(), 1)), SessionStart("s", "plain")))
    assert [(one.tool_use_id, one.failure, one.exit_code) for one in results(found)] == [
        ("c1", "error", 1),
        ("c2", "none", 0),
    ]
    assert [one.message.text for one in found if isinstance(one, ToolCall)] == [foreign.COMMAND, "ls"]
    assert [one.text for one in found if isinstance(one, Message)] == ["You are an agent.", "Run the tests."]


def test_a_document_longer_than_the_head_is_known_by_its_opening() -> None:
    for agent in ("gemini", "opencode", "cline", "amp"):
        data = foreign.MADE[agent]()
        padded = data.rstrip(b" \n]}") + b'"' + b"x" * HEAD
        head = (padded if len(padded) >= HEAD else padded.ljust(HEAD, b"x"))[:HEAD]
        assert detect(head, Path("a.json")) == agent
        assert start_of(agent, head, Path("/x") / foreign.NAMES[agent]) == start_of(
            agent, data, Path("/x") / foreign.NAMES[agent]
        )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1_775_000_000, "2026-03-31T23:33:20.000Z"),
        (1_775_000_000_123, "2026-03-31T23:33:20.123Z"),
        (1_775_000_000.5, "2026-03-31T23:33:20.500Z"),
        ("2026-03-31T23:33:20Z", "2026-03-31T23:33:20Z"),
        *[(bad, "") for bad in (-1, True, None, "yesterday", float("nan"), float("inf"), 10**30, [])],
    ],
)
def test_an_instant_is_a_time_or_nothing(value: object, expected: str) -> None:
    assert instant(value) == expected


def test_the_agents_own_variables_move_their_places(tmp_path: Path) -> None:
    def roots(agent: Any, **env: str) -> list[str]:
        return [one.relative_to(tmp_path).as_posix() for one in default_roots(agent, env, tmp_path)]

    assert roots("gemini") == [".gemini/tmp"]
    assert roots("gemini", GEMINI_CLI_HOME=str(tmp_path / "g")) == ["g/.gemini/tmp"]
    assert roots("opencode", XDG_DATA_HOME=str(tmp_path / "d")) == ["d/opencode"]
    assert roots("copilot", COPILOT_HOME=str(tmp_path / "c")) == ["c/session-state"]
    assert roots("amp") == [".local/share/amp/threads"]
    assert ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks" in roots("cline")
    assert "a/Cursor/User/globalStorage/rooveterinaryinc.roo-cline/tasks" in roots("roo", APPDATA=str(tmp_path / "a"))


@pytest.mark.parametrize("agent", foreign.MADE)
def test_the_files_of_an_agent_are_found_by_their_names(agent: Any, tmp_path: Path) -> None:
    path = tmp_path / foreign.NAMES[agent]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(foreign.MADE[agent]())
    (tmp_path / "notes.txt").write_text("x")
    assert discover(agent, [tmp_path]) == [path.resolve()]
    assert discover(None, [tmp_path]) == [path.resolve()]


KEYS = sorted(
    {
        *("type", "role", "content", "message", "messages", "parts", "id", "info", "state", "status", "input", "text"),
        *("toolCalls", "result", "functionResponse", "functionCall", "response", "args", "data", "toolCallId", "time"),
        *("timestamp", "ts", "created", "sessionId", "projectHash", "toolResult", "toolCall", "value", "run", "tool"),
        *("toolUseID", "edits", "oldText", "$set", "thinking", "metadata", "exit", "error", "session", "is_error"),
    }
)
WORDS = [
    *("user", "assistant", "gemini", "tool", "tool_use", "tool_result", "toolRequest", "toolResponse", "text", "error"),
    *(
        "toolCall",
        "toolResult",
        "completed",
        "success",
        "session",
        "message",
        "tool.execution_complete",
        "user.message",
    ),
    *("tool.execution_start", "[execute_command] Result:", "<read_file>\n<path>x</path></read_file>", "\0", "\ud800"),
]
FOREIGN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)


@given(st.lists(FOREIGN, max_size=4), st.sampled_from(sorted(READERS)))
def test_no_foreign_value_makes_a_reader_fall_over(values: list[Any], agent: Any) -> None:
    lines = numbered(values)
    data = as_bytes(values)
    start = start_of(agent, data, Path("/x/a.jsonl"))
    detect(data, Path("/x/a.jsonl"))
    for one in READERS[agent].read(lines, start):
        for message in _messages([one]):
            assert isinstance(message.text, str)
            assert isinstance(message.uuid, str)
            assert isinstance(message.block, int)


@given(st.binary(max_size=300), st.sampled_from(sorted(READERS)))
def test_no_foreign_bytes_make_a_reader_fall_over(data: bytes, agent: Any) -> None:
    list(READERS[agent].read([(1, data)], start_of(agent, data, Path("/x/a.jsonl"))))
    list(head_values(data.ljust(HEAD, b"[")))


@pytest.mark.parametrize("error", ["No such tool", {"message": "No such tool"}])
def test_an_error_of_amp_is_its_text_or_its_message(error: object) -> None:
    block = {"type": "tool_result", "toolUseID": "t", "run": {"status": "error", "error": error}}
    thread = {"id": "T-1", "messages": [{"role": "user", "content": [block]}]}
    (found,) = results(read("amp", json.dumps(thread).encode()))
    assert (found.message.text, found.failure) == ("No such tool", "error")
