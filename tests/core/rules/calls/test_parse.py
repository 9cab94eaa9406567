"""A call as a person types it: what is wrong is said in whole words, with its place."""

from __future__ import annotations

import json

import pytest

from core.base.fault import Fault
from core.rules.calls import typed_call


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"command": "ls', "line 1, column 13: unterminated string"),
        ('{"command":\n ls}', "line 2, column 2: expecting value"),
        ('["ls"]', "this is not a JSON object"),
        ('{"c": NaN}', "NaN is not JSON"),
        ('{"c": [-Infinity]}', "-Infinity is not JSON"),
        ('{"c": 1, "c": 2}', 'duplicate key "c"'),
        ('{"a": {"c": 1, "c": 1}}', 'duplicate key "c"'),
        ('{"c": "' + "x" * 999_993 + '"}', "too long: 1,000,002 characters, at most 1,000,000"),
    ],
)
def test_what_is_wrong_with_typed_json_is_said_in_whole_words(text: str, told: str) -> None:
    with pytest.raises(Fault) as found:
        typed_call("Bash", text)
    assert found.value.message == told


@pytest.mark.parametrize("tool", ["Bash", "exec_command"])
def test_the_input_of_a_shell_may_be_the_command(tool: str) -> None:
    assert dict(typed_call(tool, ' git push "origin"\n').call.tool_input) == {"command": 'git push "origin"'}
    with pytest.raises(Fault, match="expecting value"):
        typed_call("Write", "main.py")


PAYLOAD = json.dumps(
    {
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w/shop", "tool_name": "Bash",
        "tool_input": {"command": "git push --force"},
    }
)  # fmt: skip


@pytest.mark.parametrize(("tool", "text"), [("", PAYLOAD), ("Write", PAYLOAD), (PAYLOAD, ""), (f" {PAYLOAD}", " ")])
def test_a_payload_of_a_hook_is_taken_apart_in_either_box(tool: str, text: str) -> None:
    found = typed_call(tool, text)
    assert (found.call.tool_name, dict(found.call.tool_input)) == ("Bash", {"command": "git push --force"})
    assert (found.wrapped, found.folder) == (True, "/w/shop")


@pytest.mark.parametrize(
    ("tool", "text", "told"),
    [
        ('{"command": "ls"}', "", "this is JSON, not a tool name"),
        ("", '{"command": "ls"}', "the tool has no name"),
        ("", "ls", "the tool has no name"),
        ("", "", "the tool has no name"),
    ],
)
def test_what_stands_in_the_wrong_box_is_told(tool: str, text: str, told: str) -> None:
    with pytest.raises(Fault) as found:
        typed_call(tool, text)
    assert found.value.message == told


@pytest.mark.parametrize("tool", ["git push --force", "  npm ci "])
def test_a_command_in_the_place_of_the_tool_is_a_call_of_bash(tool: str) -> None:
    found = typed_call(tool, "")
    assert (found.call.tool_name, dict(found.call.tool_input)) == ("Bash", {"command": tool.strip()})


def test_an_input_with_such_names_in_it_is_no_payload() -> None:
    found = typed_call("mcp__log", '{"tool_name": "Bash", "text": "x"}')
    assert not found.wrapped and found.call.tool_name == "mcp__log"
