"""Claude Code's records, with every oddity that real files hold."""

from __future__ import annotations

from typing import Any

import pytest

from core.transcripts import Message, Record, SessionStart, Skipped, ToolCall, ToolResult, read_claude_code
from tests.core.transcripts.builders import Claude, numbered


def read(records: list[Any], start: SessionStart | None = None) -> list[Record]:
    return list(read_claude_code(numbered(records), start))


def messages(found: list[Record]) -> list[Message]:
    return [
        one if isinstance(one, Message) else one.message
        for one in found
        if isinstance(one, (Message, ToolCall, ToolResult))
    ]


def results(found: list[Record]) -> dict[str, ToolResult]:
    return {one.tool_use_id: one for one in found if isinstance(one, ToolResult)}


def one_result(**how: Any) -> ToolResult:
    log = Claude()
    log.call("t1", "Bash", {"command": "make"})
    content = how.pop("content", "")
    log.result("t1", content, **how)
    return results(read(log.records))["t1"]


def test_a_conversation_becomes_one_message_a_block() -> None:
    log = Claude()
    log.user("빌드가 깨졌어. 고쳐 줘")
    log.assistant(
        [{"type": "thinking", "thinking": "Run it first.", "signature": "x"}, {"type": "text", "text": "Let me see."}]
    )
    log.call("t1", "Bash", {"command": "make all", "description": "Build"})
    log.fails("t1", "ledger.c:3:5: error: expected ';'", 2)
    found = read(log.records)
    assert found[0] == SessionStart(log.session, "claude-code", log.cwd, log.records[0]["timestamp"])
    assert [(m.role, m.kind, m.text, m.block, m.line) for m in messages(found)] == [
        ("user", "text", "빌드가 깨졌어. 고쳐 줘", 0, 1),
        ("assistant", "thinking", "Run it first.", 0, 2),
        ("assistant", "text", "Let me see.", 1, 2),
        ("assistant", "tool_use", "make all", 0, 3),
        ("tool", "tool_result", "Exit code 2\nledger.c:3:5: error: expected ';'", 0, 4),
    ]
    result = results(found)["t1"]
    assert (result.failure, result.exit_code) == ("error", 2)
    assert [one for one in found if isinstance(one, SessionStart)] == found[:1]


def test_results_are_paired_by_id_whatever_their_order() -> None:
    log = Claude()
    log.call("a", "Read", {"file_path": "a"})
    log.call("b", "Read", {"file_path": "b"})
    log.result("b", "text of b")
    log.result("a", "text of a")
    assert {key: one.message.text for key, one in results(read(log.records)).items()} == {
        "a": "text of a",
        "b": "text of b",
    }


@pytest.mark.parametrize(
    ("how", "failure"),
    [
        ({"content": "fine"}, "none"),
        ({"content": "fine", "is_error": None}, "none"),
        ({"content": "fine", "is_error": False}, "none"),
        ({"content": "Exit code 1\nboom", "is_error": True}, "error"),
        (
            {"content": "<tool_use_error>String to replace not found</tool_use_error>", "is_error": True},
            "tool_use_error",
        ),
        (
            {"content": "<tool_use_error>Cancelled: parallel tool call failed</tool_use_error>", "is_error": True},
            "tool_use_error",
        ),
        ({"content": "The user doesn't want to proceed with this tool use. STOP", "is_error": True}, "denied"),
        ({"content": "The user doesn't want to take this action right now.", "is_error": True}, "denied"),
        ({"content": "Permission to use Bash with command rm has been denied.", "is_error": True}, "denied"),
        ({"content": "no", "is_error": True, "toolDenialKind": "user-rejected"}, "denied"),
        ({"content": "stopped", "is_error": True, "toolDenialKind": "interrupted"}, "interrupted"),
        ({"content": "[Request interrupted by user for tool use]", "is_error": True}, "interrupted"),
        ({"content": "half of it", "beside": {"stdout": "half of it", "interrupted": True}}, "interrupted"),
        ({"content": "the manual says: Exit code 1 means failure"}, "none"),
        (
            {
                "content": "This session is isolated in the worktree /w/a, but this command runs env.",
                "is_error": True,
            },
            "tool_use_error",
        ),
        ({"content": "quoting <tool_use_error> from the docs", "is_error": True}, "error"),
    ],
)
def test_whose_failure_it_is(how: dict[str, Any], failure: str) -> None:
    assert one_result(**how).failure == failure


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ({"content": "Exit code 127\nsh: tool: not found", "is_error": True}, 127),
        ({"content": "sh: tool: not found", "is_error": True, "beside": "Error: Exit code 127\nsh"}, 127),
        ({"content": "bad", "is_error": True, "beside": {"exitCode": 3}}, 3),
        ({"content": "fine", "beside": {"stdout": "fine", "exitCode": 0}}, 0),
        ({"content": "fine", "beside": {"stdout": "fine"}}, None),
        ({"content": "Exit code 99999999999999999999", "is_error": True}, None),
        ({"content": "Exit code 1 is what make said", "is_error": False}, None),
    ],
)
def test_the_exit_code_where_one_was_recorded(how: dict[str, Any], code: int | None) -> None:
    assert one_result(**how).exit_code == code


def test_facts_beside_a_result_are_kept_when_small_and_never_opened() -> None:
    beside = {
        "filePath": "/src/a.py",
        "oldString": "x" * 5000,
        "persistedOutputPath": "/etc/passwd",
        "userModified": False,
    }
    assert dict(one_result(content="ok", beside=beside).facts) == {"file": "/src/a.py", "preview": True}


def test_what_stands_beside_two_results_belongs_to_neither() -> None:
    log = Claude()
    blocks = [{"type": "tool_result", "tool_use_id": name, "content": name} for name in ("a", "b")]
    log.add(
        log.base(
            "user", message={"role": "user", "content": blocks}, toolUseResult={"interrupted": True, "filePath": "/x"}
        )
    )
    assert [(one.failure, dict(one.facts)) for one in results(read(log.records)).values()] == [
        ("none", {}),
        ("none", {}),
    ]


def test_a_result_of_blocks_keeps_its_texts_and_names_its_images() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD" * 1000}}
    result = one_result(
        content=[{"type": "text", "text": "one"}, image, {"type": "text", "text": "two"}, "three", 4, None]
    )
    assert result.message.text == "one\n[image image/png]\ntwo\nthree"


def test_an_empty_result_takes_what_stands_beside_it() -> None:
    assert one_result(content="", beside={"stdout": "out", "stderr": "err"}).message.text == "out\nerr"


def test_images_are_noted_without_their_bytes() -> None:
    log = Claude()
    source = {"type": "base64", "media_type": "image/jpeg", "data": "SECRETBYTES"}
    log.add(
        log.base(
            "user",
            message={"role": "user", "content": [{"type": "image", "source": source}, {"type": "text", "text": "see"}]},
        )
    )
    assert [(m.kind, m.text, m.block) for m in messages(read(log.records))] == [
        ("image", "[image image/jpeg]", 0),
        ("text", "see", 1),
    ]


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("This session is being continued from a previous conversation", {"isCompactSummary": True}),
        ("injected", {"isMeta": True}),
        ("shown only", {"isVisibleInTranscriptOnly": True}),
        ("<task-notification>done</task-notification>", {"origin": {"kind": "task-notification"}}),
        ("<command-name>/model</command-name>", {}),
        ("<local-command-stdout>set</local-command-stdout>", {}),
        ("Caveat: The messages below were generated by the user while running local commands.", {}),
        ("[Request interrupted by user for tool use]", {}),
    ],
)
def test_what_nobody_wrote_here_is_meta(text: str, more: dict[str, Any]) -> None:
    log = Claude()
    log.user(text, **more)
    log.user("mine", origin={"kind": "human"})
    assert [m.meta for m in messages(read(log.records))] == [True, False]


def test_summaries_system_notes_and_failed_requests_are_meta() -> None:
    log = Claude()
    log.add({"type": "summary", "summary": "Fix the ledger", "leafUuid": "leaf-1"})
    log.add(log.base("system", subtype="compact_boundary", content="Conversation compacted"))
    log.add(log.base("system", subtype="turn_duration", durationMs=5))
    log.says("API Error: 500", isApiErrorMessage=True)
    log.add(
        log.base(
            "assistant",
            message={
                "model": "<synthetic>",
                "role": "assistant",
                "content": [{"type": "text", "text": "No response requested."}],
            },
        )
    )
    found = messages(read(log.records))
    assert [(m.kind, m.meta, m.text) for m in found] == [
        ("summary", True, "Fix the ledger"),
        ("summary", True, "Conversation compacted"),
        ("text", True, "API Error: 500"),
        ("text", True, "No response requested."),
    ]
    assert found[0].uuid == "summary:leaf-1"


def test_a_prompt_typed_while_the_agent_works_is_the_users() -> None:
    log = Claude()
    log.add(
        log.base(
            "attachment", attachment={"type": "queued_command", "prompt": "also run lint", "commandMode": "prompt"}
        )
    )
    log.add(
        log.base(
            "attachment", attachment={"type": "queued_command", "prompt": "<x>", "commandMode": "task-notification"}
        )
    )
    log.add(log.base("attachment", attachment={"type": "todo_reminder", "content": "x"}))
    log.add({"type": "queue-operation", "operation": "enqueue", "content": "also run lint", "sessionId": log.session})
    assert [(m.role, m.text, m.meta) for m in messages(read(log.records))] == [("user", "also run lint", False)]


def test_unknown_records_pass_and_broken_ones_are_named_by_line() -> None:
    log = Claude()
    log.add({"type": "brand-new-thing", "sessionId": log.session, "data": [1]})
    log.add(b"")
    log.add(b'{"type": "user", "message": {"role"')
    log.add(b'"just a string"')
    log.add(b"42")
    log.add(b"[1]")
    log.add(b"null")
    log.add(b"[" * 5000 + b"]" * 5000)
    log.user("still here")
    found = read(log.records)
    assert [one.line for one in found if isinstance(one, Skipped)] == [3, 4, 5, 6, 7, 8]
    reasons = [one.reason for one in found if isinstance(one, Skipped)]
    assert reasons[0].startswith("not valid JSON: ") and reasons[1:5] == [
        f"a JSON {kind}, not a record" for kind in ("string", "number", "array", "constant")
    ]
    assert [m.text for m in messages(found)] == ["still here"]


def test_fields_of_the_wrong_kind_are_taken_as_nothing() -> None:
    log = Claude()
    for content in (
        None,
        5,
        {"type": "text"},
        [None, 7, {"type": "text", "text": 5}, {"type": 9}, {"type": "tool_result"}],
    ):
        log.add(log.base("user", message={"role": "user", "content": content}))
    log.add(log.base("user", message="no object"))
    log.add(log.base("user", uuid=5, sessionId=["x"], timestamp=12, cwd=None, message={"content": "odd envelope"}))
    log.add(log.base("assistant", message={"content": [{"type": "tool_use", "id": 3, "name": None, "input": "rm"}]}))
    found = read(log.records, SessionStart("fallback", "claude-code"))
    said = messages(found)
    assert [m.text for m in said if m.kind == "text"] == ["odd envelope"]
    odd = next(m for m in said if m.text == "odd envelope")
    assert (odd.uuid, odd.ts) == ("fallback:6", "")
    call = next(one for one in found if isinstance(one, ToolCall))
    assert (call.name, dict(call.input)) == ("unnamed", {"input": "rm"})


def test_a_repeated_block_or_tool_use_id_comes_once() -> None:
    log = Claude()
    log.user("hello")
    log.call("t1", "Bash", {"command": "ls"})
    log.works("t1", "a.txt")
    again = [dict(record) for record in log.records]
    other = [{**record, "uuid": f"other-{n}"} for n, record in enumerate(log.records[1:])]
    found = read([*log.records, *again, *other])
    assert [m.text for m in messages(found)] == ["hello", "ls", "a.txt"]


def test_a_result_without_its_call_stays_a_result() -> None:
    log = Claude()
    log.result("nobody", "orphan")
    assert results(read(log.records))["nobody"].message.text == "orphan"


def test_inline_subagents_are_chains_by_agent_id_or_by_who_answers_whom() -> None:
    log = Claude()
    log.user("go")
    first = log.user("task one", isSidechain=True, parentUuid=None)
    second = log.user("task two", isSidechain=True, parentUuid=None)
    log.says("one answers", isSidechain=True, parentUuid=first["uuid"])
    log.says("two answers", isSidechain=True, parentUuid=second["uuid"])
    log.says("named", isSidechain=True, agentId="a77", parentUuid="points-nowhere")
    log.says("done")
    chains = {m.text: m.chain for m in messages(read(log.records))}
    assert chains["go"] == chains["done"] == "main"
    assert chains["task one"] == chains["one answers"] != chains["task two"] == chains["two answers"]
    assert chains["task one"].startswith("side-") and chains["named"] == "a77"


def test_a_subagents_file_is_a_session_of_its_own() -> None:
    log = Claude(extra={"isSidechain": True, "agentId": "a1"})
    log.user("do it")
    start = SessionStart(f"{log.session}/a1", "claude-code", parent=log.session)
    found = read(log.records, start)
    assert isinstance(found[0], SessionStart)
    assert (found[0].session_id, found[0].parent) == (f"{log.session}/a1", log.session)
    assert [m.chain for m in messages(found)] == ["a1"]


def test_lines_of_two_sessions_in_one_file_keep_their_sessions() -> None:
    one, two = Claude(session="s-one", prefix="p"), Claude(session="s-two", prefix="q")
    one.user("first")
    two.user("second")
    found = read([*one.records, *two.records])
    assert [one.session_id for one in found if isinstance(one, SessionStart)] == ["s-one", "s-two"]


def test_a_fork_names_its_origin_and_its_copies_keep_their_names() -> None:
    log = Claude()
    log.user("copied", forkedFrom={"sessionId": "origin", "messageUuid": "first-uuid"})
    found = read(log.records)
    assert isinstance(found[0], SessionStart) and found[0].continues == "origin"
    assert messages(found)[0].uuid == "first-uuid"


def test_lone_surrogates_huge_numbers_and_raw_controls_are_still_read() -> None:
    log = Claude()
    log.add(b'{"type":"user","uuid":"a","message":{"content":"half \\ud83d pair"}}')
    log.add(b'{"type":"user","uuid":"b","n":' + b"9" * 6000 + b',"message":{"content":"big"}}')
    log.add(b'{"type":"user","uuid":"c","message":{"content":"tab\there"}}')
    log.add(b'\xef\xbb\xbf{"type":"user","uuid":"d","message":{"content":"bad \xff byte"}}\r')
    log.add(b'\0\0\0{"type":"user","uuid":"e","message":{"content":"padded"}}')
    found = read(log.records)
    assert not [one for one in found if isinstance(one, Skipped)]
    assert [m.text for m in messages(found)] == ["half \ud83d pair", "big", "tab\there", "bad \ufffd byte", "padded"]
