"""Codex rollouts: the new form, the flat old one, and every shape in which an exit code was written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.transcripts import Message, Record, SessionStart, Skipped, ToolCall, ToolResult, read_codex, shell_command
from tests.core.transcripts.builders import Codex, numbered

LONG = "call_Zq81mN4xTtR7wPp2LkV0"


def read(records: list[Any], start: SessionStart | None = None) -> list[Record]:
    return list(read_codex(numbered(records), start))


def said(found: list[Record]) -> list[Message]:
    return [
        one if isinstance(one, Message) else one.message
        for one in found
        if isinstance(one, (Message, ToolCall, ToolResult))
    ]


def results(found: list[Record]) -> list[ToolResult]:
    return [one for one in found if isinstance(one, ToolResult)]


def told(output: Any, kind: str = "function_call_output") -> ToolResult:
    log = Codex()
    log.item(kind, call_id=LONG, output=output)
    return results(read(log.records))[0]


def test_a_rollout_becomes_messages_calls_and_results() -> None:
    log = Codex()
    log.meta()
    log.line("turn_context", {"cwd": log.cwd, "model": "m"})
    log.says("user", "테스트를 고쳐 줘")
    log.item("reasoning", summary=[{"type": "summary_text", "text": "Look first."}], encrypted_content="SECRET")
    log.call(LONG, "pytest -q")
    log.output(LONG, "Chunk ID: ab12\nWall time: 0.4 seconds\nProcess exited with code 1\nOutput:\nE   KeyError: 'vat'")
    log.says("assistant", "Fixed.")
    log.line("world_state", {"full": True})
    start = SessionStart(log.session, "codex", log.cwd, "2026-05-02T08:00:00.000Z")
    found = read(log.records, start)
    assert found[0] == start
    assert [(m.role, m.kind, m.text) for m in said(found)][:3] == [
        ("user", "text", "테스트를 고쳐 줘"),
        ("assistant", "thinking", "Look first."),
        ("assistant", "tool_use", "pytest -q"),
    ]
    assert [(one.failure, one.exit_code) for one in results(found)] == [("error", 1)]
    assert "SECRET" not in repr(found)


@pytest.mark.parametrize(
    ("output", "failure", "code", "text"),
    [
        (json.dumps({"output": "boom", "metadata": {"exit_code": 2, "duration_seconds": 0.1}}), "error", 2, "boom"),
        (json.dumps({"output": "", "metadata": {"exit_code": 0}}), "none", 0, ""),
        ([{"type": "input_text", "text": json.dumps({"output": "2 passed", "exit_code": 0})}], "none", 0, "2 passed"),
        ("Wall time: 1 seconds\nProcess exited with code 137\nOutput:\nKilled", "error", 137, None),
        ("Exit code: 3\nWall time: 0.2 seconds\nOutput:\nProcess exited with code 0", "error", 3, None),
        ("Chunk ID: 1\nProcess running with session ID 7\nOutput:\n...", "none", None, None),
        ("Command: /bin/zsh -lc 'x'\nChunk ID: 1\nProcess exited with code 5\nOutput:\nno", "error", 5, None),
        (f"Command: {'x' * 1500}\nProcess exited with code 5\nOutput:\nno", "error", 5, None),
        ('exec_command failed for `rm -r x`: Rejected("rejected by user")', "denied", None, None),
        (
            'exec_command failed for `git add a`: CreateProcess { message: "Codex(Sandbox(Denied { output: Out '
            "{ exit_code: 128, aggregated_output: StreamOutput { text: "
            '\\"fatal: no\\\\nlock\\", truncated_after_lines: None',
            "error",
            128,
            "fatal: no\nlock",
        ),
        ('exec_command failed: CreateProcess { message: "Rejected(\\"rejected by user\\")" }', "denied", None, None),
        (
            'exec_command failed: SandboxDenied { message: "no\\nlock", output: Out { exit_code: 1, stdout: '
            'StreamOutput { text: "", truncated_after_lines: None }, '
            'aggregated_output: StreamOutput { text: "no\\nlock\\n", '
            "truncated_after_lines: None }, timed_out: false } }",
            "error",
            1,
            "no\nlock\n",
        ),
        (
            [{"text": "Script completed\nOutput:\n"}, {"text": "2 passed"}],
            "none",
            None,
            "Script completed\nOutput:\n2 passed",
        ),
        (
            [{"text": "Script completed\nOutput:\n"}, {"text": json.dumps({"output": "boom", "exit_code": 2})}],
            "error",
            2,
            "Script completed\nOutput:\nboom",
        ),
        (
            [{"text": "Script failed\nOutput:\n"}, {"text": "Script error: no"}],
            "error",
            None,
            "Script failed\nOutput:\nScript error: no",
        ),
        ("plain text that says Process exited with code 9", "none", None, None),
        ({"content": "MCP said no", "success": False}, "error", None, "MCP said no"),
        ({"content": [{"type": "input_text", "text": "blocks"}], "success": True}, "none", None, "blocks"),
        ('{"output": 5, "metadata": {"exit_code": 1}}', "none", None, '{"output": 5, "metadata": {"exit_code": 1}}'),
        ('{"output": "cut off', "none", None, '{"output": "cut off'),
        ("exec command rejected by user", "denied", None, None),
        ("`pwsh -Command 'rm -r dist; npm i'` rejected: blocked by policy", "denied", None, None),
        ("`make` says so: 2 patches rejected: by hand", "none", None, None),
        ("error: Failed to find expected lines in src/a.ts:\nx = 1", "tool_use_error", None, None),
        (
            json.dumps({"output": "error: invalid patch: no", "metadata": {"exit_code": 1}}),
            "error",
            1,
            "error: invalid patch: no",
        ),
        ("Wall time: 3.0 seconds\naborted by user", "interrupted", None, None),
        ("aborted by user after 5.1s", "interrupted", None, None),
        ("failed to parse function arguments: missing field `cmd`", "tool_use_error", None, None),
        (None, "none", None, ""),
        (7, "none", None, ""),
    ],
)
def test_a_result_in_every_shape(output: Any, failure: str, code: int | None, text: str | None) -> None:
    result = told(output)
    assert (result.failure, result.exit_code) == (failure, code)
    assert result.message.text == (output if text is None else text)


def test_a_command_that_still_runs_says_so() -> None:
    assert dict(told("Chunk ID: 1\nProcess running with session ID 7\nOutput:\n").facts) == {"running": True}


@pytest.mark.parametrize(
    ("script", "name", "given"),
    [
        ('const r = await tools.exec_command({"cmd":"npm test","workdir":"/w"}); text(r)', "exec", ("npm test", "/w")),
        ("text(await tools.exec_command({cmd: 'a \\'b\\''}))", "exec", ("a 'b'", None)),
        (
            "await Promise.all([tools.exec_command({cmd:`ls`}), tools.exec_command({cmd:`pwd`})])",
            "exec",
            ("ls\npwd", None),
        ),
        ("text(1 + 1)", "exec", (None, None)),
        ("const r = await tools.write_stdin({session_id: 41, chars:''}); text(r.output)", "write_stdin", (None, None)),
        ('tools.apply_patch("*** Begin Patch\\n*** End Patch")', "apply_patch", (None, None)),
    ],
)
def test_a_script_calls_what_it_names(script: str, name: str, given: tuple[str | None, str | None]) -> None:
    log = Codex()
    log.item("custom_tool_call", name="exec", call_id=LONG, input=script)
    (call,) = [one for one in read(log.records) if isinstance(one, ToolCall)]
    assert call.name == name
    assert (call.input.get("cmd"), call.input.get("workdir")) == given
    assert shell_command(call.name, call.input) == given[0]
    if name == "apply_patch":
        assert call.input == {"input": "*** Begin Patch\n*** End Patch"}


@pytest.mark.parametrize(
    ("printed", "text", "code", "facts"),
    [
        (['{"exit_code":1,"output":"a\\nboom"}'], "a\nboom", 1, {}),
        (['Warning: truncated output (original token count: 9)\n\n{"exit_code":1,"output":"boom"}'], "boom", 1, {}),
        (['{"session_id":41,"output":"so far"}'], "so far", None, {"script": True, "background": "41"}),
        (['{"chunk_id":"a","wall_time_seconds":5.0,"exit_code":2}', "boom"], "\nboom", 2, {}),
        (['{"wall_time_seconds":5.0,"session_id":41}', "a"], "\na", None, {"script": True, "background": "41"}),
        (["so far", "SESSION_ID=41"], "so far\nSESSION_ID=41", None, {"script": True, "background": "41"}),
        (["session 41 of 90 was long"], "session 41 of 90 was long", None, {"script": True}),
    ],
)
def test_what_a_script_printed_of_a_command(
    printed: list[str], text: str, code: int | None, facts: dict[str, object]
) -> None:
    head = "Script completed\nWall time 0.1 seconds\nOutput:\n"
    result = told([{"type": "input_text", "text": part} for part in (head, *printed)])
    assert (result.exit_code, dict(result.facts)) == (code, facts)
    assert result.message.text == head + text


def test_the_display_log_tells_exit_codes_patches_and_tool_servers() -> None:
    log = Codex()
    log.ended(LONG, "boom", 4)
    log.event("exec_command_end", call_id=LONG, stdout="out", stderr="err", exit_code=0)
    log.event("exec_command_end", call_id=LONG, aggregated_output="", exit_code=-1, status="declined")
    log.event(
        "patch_apply_end", call_id=LONG, stdout="", stderr="no such file", success=False, changes={"src/a.py": {}}
    )
    log.event(
        "mcp_tool_call_end", call_id=LONG, invocation={"server": "docs", "tool": "find"}, result={"Err": "timeout"}
    )
    log.event(
        "mcp_tool_call_end",
        call_id=LONG,
        result={"Ok": {"content": [{"type": "text", "text": "hit"}], "is_error": False}},
    )
    found = results(read(log.records))
    assert [(one.failure, one.exit_code, one.message.text, one.message.display) for one in found] == [
        ("error", 4, "boom", True),
        ("none", 0, "out\nerr", True),
        ("denied", -1, "", True),
        ("error", None, "no such file", True),
        ("error", None, "timeout", True),
        ("none", None, "hit", True),
    ]
    assert dict(found[3].facts) == {"files": ["src/a.py"]}


def test_both_tellings_of_a_result_have_one_name() -> None:
    log = Codex()
    log.call(LONG, "make")
    log.ended(LONG, "ok", 0)
    log.output(LONG, "ok")
    found = read(log.records)
    assert len({one.message.uuid for one in results(found)}) == 1


def test_tool_inputs_in_every_shape() -> None:
    log = Codex()
    log.call(LONG, ["bash", "-lc", "cargo test"], name="shell")
    log.item("custom_tool_call", name="apply_patch", input="*** Begin Patch\n*** End Patch", call_id=LONG)
    log.item("local_shell_call", call_id=LONG, status="completed", action={"type": "exec", "command": ["ls", "-l"]})
    log.item("function_call", name="odd", arguments="{not json", call_id=LONG)
    log.item("function_call", name="odd", arguments="[1]", call_id=LONG)
    log.item("function_call", name="odd", arguments="{}", call_id=LONG)
    log.item("web_search_call", status="completed", action={"type": "search", "query": "csv"})
    calls = [one for one in read(log.records) if isinstance(one, ToolCall)]
    assert [(one.name, dict(one.input)) for one in calls] == [
        ("shell", {"command": ["bash", "-lc", "cargo test"]}),
        ("apply_patch", {"input": "*** Begin Patch\n*** End Patch"}),
        ("local_shell", {"type": "exec", "command": ["ls", "-l"]}),
        ("odd", {"arguments": "{not json"}),
        ("odd", {"arguments": "[1]"}),
        ("odd", {}),
        ("web_search", {"type": "search", "query": "csv"}),
    ]
    assert [one.message.text for one in calls][:3] == [
        "cargo test",
        '{"input":"*** Begin Patch\\n*** End Patch"}',
        "ls -l",
    ]
    assert calls[-1].tool_use_id


@pytest.mark.parametrize(
    ("name", "tool_input", "command"),
    [
        ("Bash", {"command": "npm test"}, "npm test"),
        ("exec_command", {"cmd": "go vet ./..."}, "go vet ./..."),
        ("shell", {"command": ["/bin/zsh", "-lc", "make a"]}, "make a"),
        ("shell", {"command": ["C:\\Windows\\pwsh.exe", "-Command", "dir"]}, "dir"),
        ("shell", {"command": ["rg", "-c", "x"]}, "rg -c x"),
        ("shell", {"command": []}, None),
        ("Edit", {"command": "x"}, None),
    ],
)
def test_the_command_of_a_shell_tool(name: str, tool_input: dict[str, Any], command: str | None) -> None:
    assert shell_command(name, tool_input) == command


def test_what_codex_injects_is_meta() -> None:
    log = Codex()
    log.says("developer", "You are careful.")
    log.says("user", "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>")
    log.says("user", "# AGENTS.md instructions for /x")
    log.says("user", "fix it")
    log.event("turn_aborted", reason="interrupted")
    log.line("compacted", {"message": "We fixed it.", "replacement_history": [{"type": "message"}]})
    found = said(read(log.records))
    assert [(m.role, m.meta) for m in found] == [
        ("system", True),
        ("user", True),
        ("user", True),
        ("user", False),
        ("system", True),
        ("system", True),
    ]
    assert (found[4].text, found[5].kind) == ("[turn aborted: interrupted]", "summary")


def test_messages_of_the_display_log_are_marked() -> None:
    log = Codex()
    log.event("user_message", message="hello")
    log.event("agent_reasoning", text="hm")
    log.event("agent_message", message="hi")
    log.event("token_count", info={})
    assert [(m.role, m.kind, m.text, m.display) for m in said(read(log.records))] == [
        ("user", "text", "hello", True),
        ("assistant", "thinking", "hm", True),
        ("assistant", "text", "hi", True),
    ]


def test_the_flat_form_of_old_rollouts() -> None:
    records = [
        {"id": "old-1", "timestamp": "2025-08-01T10:00:00.000Z", "instructions": None},
        {"record_type": "state"},
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "<environment_context>\n<cwd>/srv/old</cwd>"}],
        },
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "again"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "again"}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["bash","-lc","ls"]}', "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": '{"output":"a","metadata":{"exit_code":0}}'},
    ]
    start = SessionStart("old-1", "codex", started="2025-08-01T10:00:00.000Z")
    found = read(records, start)
    assert [one.project for one in found if isinstance(one, SessionStart)] == ["/srv/old"]
    assert [(m.text, m.uuid, m.ts) for m in said(found)][1:3] == [
        ("again", "old-1:4", "2025-08-01T10:00:00.000Z"),
        ("again", "old-1:5", "2025-08-01T10:00:00.000Z"),
    ]
    assert [(one.exit_code, one.message.text) for one in results(found)] == [(0, "a")]


def test_the_oldest_form_is_one_document() -> None:
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "local_shell_call", "call_id": "s1", "action": {"command": ["make"]}},
        {
            "type": "local_shell_call_output",
            "call_id": "s1",
            "output": '{"output":"no rule","metadata":{"exit_code":2}}',
        },
    ]
    found = read([{"session": {"id": "doc-1", "timestamp": "2025-06-01T00:00:00Z"}, "items": items}])
    assert [m.text for m in said(found)] == ["hi", "make", "no rule"]
    assert len({m.uuid for m in said(found)}) == 3
    assert results(found)[0].failure == "error"


def test_names_do_not_depend_on_where_a_timed_record_stands() -> None:
    log = Codex()
    log.says("user", "one")
    log.says("user", "one")
    first = said(read(log.records))
    later = said(read([{"record_type": "state"}, *log.records], SessionStart("elsewhere", "codex")))
    assert [m.uuid for m in first] == [m.uuid for m in later]
    assert len({m.uuid for m in first}) == 2


def test_a_header_in_the_middle_changes_nothing() -> None:
    log = Codex()
    log.meta()
    log.says("user", "one")
    log.line("session_meta", {"id": "parent", "cwd": "/elsewhere"})
    log.says("user", "two")
    found = read(log.records, SessionStart(log.session, "codex", log.cwd))
    assert [one.session_id for one in found if isinstance(one, SessionStart)] == [log.session]


def test_odd_records_pass_and_broken_ones_are_named() -> None:
    records: list[Any] = [
        {"timestamp": 5, "type": "response_item", "payload": None},
        {"type": ["x"]},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": "bare"}},
        {"type": "response_item", "payload": {"type": "function_call"}},
        {"type": "response_item", "payload": {"type": "function_call_output"}},
        {"type": "response_item", "payload": {"type": "reasoning", "summary": [5, None]}},
        b"{broken",
        {
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": [{"type": "input_image", "image_url": "data:x"}]},
        },
    ]
    found = read(records)
    assert [one.line for one in found if isinstance(one, Skipped)] == [7]
    assert [m.text for m in said(found)] == ["bare", "{}", "[image]"]
