"""A hook's payload: real shapes are read, everything else is refused with a reason and never raises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.flows.hook.agents.translation import translate
from core.flows.hook.payload import MOST_BYTES, Payload, read_payload

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def _failure(**more: Any) -> Payload:
    given = {
        "hook_event_name": "PostToolUseFailure",
        "session_id": "s1",
        "cwd": "/home/me/shop",
        "tool_name": "Bash",
        "tool_input": {"command": "npm test"},
        "error": "Exit code 1\nError: boom",
    } | more
    payload = read_payload(json.dumps(given).encode())
    assert isinstance(payload, Payload)
    return payload


def test_a_failed_command_is_an_error_with_its_exit_code() -> None:
    payload = _failure()
    assert (payload.failure, payload.exit_code, payload.text) == ("error", 1, "Exit code 1\nError: boom")
    assert (payload.session_id, payload.cwd, payload.chain) == ("s1", "/home/me/shop", "main")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        ({"message": "Exit code 2\nno"}, "Exit code 2\nno"),
        ([{"type": "text", "text": "Exit code 3\nnein"}], "Exit code 3\nnein"),
        ({"code": 7}, '{"code":7}'),
        (17, "17"),
    ],
)
def test_an_error_that_is_no_string_is_read_all_the_same(error: object, text: str) -> None:
    payload = _failure(error=error)
    assert payload.failure == "error"
    assert text in payload.text


def test_a_missing_error_may_be_called_error_message_or_stand_in_the_response() -> None:
    assert _failure(error=None, error_message="Exit code 4\nx").exit_code == 4
    assert "out\nerr" in _failure(error=None, tool_response={"stdout": "out", "stderr": "err"}).text


@pytest.mark.parametrize(
    ("more", "failure"),
    [
        ({"is_interrupt": True}, "interrupted"),
        ({"error": "The user doesn't want to proceed with this tool use."}, "denied"),
        ({"error": "<tool_use_error>File has not been read yet.</tool_use_error>"}, "tool_use_error"),
    ],
)
def test_the_agents_own_failures_are_told_apart(more: dict[str, Any], failure: str) -> None:
    assert _failure(**more).failure == failure


def test_a_response_is_read_like_a_result_in_a_transcript() -> None:
    payload = read_payload(
        b'{"hook_event_name":"PostToolUse","session_id":"s","agent_id":"a7","tool_name":"Bash",'
        b'"tool_input":{"command":"ls"},"tool_response":{"stdout":"a\\nb","stderr":"","interrupted":false}}'
    )
    assert isinstance(payload, Payload)
    assert (payload.text, payload.failure, payload.chain) == ("a\nb", "none", "a7")


@pytest.mark.parametrize("name", ["UserPromptSubmit", "SubagentStop", "PreCompact", "SomethingNew"])
def test_an_event_that_casebook_does_not_know_passes(name: str) -> None:
    assert read_payload(json.dumps({"hook_event_name": name}).encode()) is None


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b'{"hook_event_name": "PostToolUse", "tool_na', "truncated"),
        (b"[1]", "not a JSON object"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"{" + b'"a":[' * 100_000, "not JSON"),
        (b"{}", "hook_event_name"),
        (b'{"hook_event_name": 7}', "hook_event_name"),
        (b'{"hook_event_name": "PostToolUse"}', "tool_name"),
        (b'{"hook_event_name": "PreToolUse", "tool_name": ["Bash"]}', "tool_name"),
        (b'{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": "ls"}', "tool_input"),
        (b'"' + b"x" * MOST_BYTES + b'"', "larger than 8 MiB"),
    ],
)
def test_what_is_no_payload_is_refused_with_the_reason(data: bytes, said: str) -> None:
    assert said in str(read_payload(data))


def test_a_byte_of_another_encoding_loses_only_itself() -> None:
    data = b'{"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": "Error: \xc0\xaf boom"}'
    found = read_payload(data)
    assert isinstance(found, Payload)
    assert found.text == "Error: \ufffd\ufffd boom"
    foreign = translate(data.replace(b"{", b'{"cursor_version": "1", ', 1), "cursor")
    assert foreign is not None
    assert b"boom" in foreign.payload


@given(
    st.sampled_from(["PostToolUseFailure", "PostToolUse", "PreToolUse", "SessionStart", "Stop", "SessionEnd"]),
    st.dictionaries(
        st.sampled_from(
            ["session_id", "cwd", "tool_name", "tool_input", "tool_response", "error", "is_interrupt", "agent_id"]
        ),
        _json,
    ),
)
def test_no_field_of_any_type_breaks_it(name: str, body: dict[str, Any]) -> None:
    read = read_payload(json.dumps(body | {"hook_event_name": name}).encode())
    assert isinstance(read, Payload | str)
