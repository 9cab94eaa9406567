"""One short session in the form of each agent: a command fails, a file is edited, the command works.

Written for the tests after the agents' source code and public sessions; no real session is copied."""

from __future__ import annotations

import json
from typing import Any

from tests.core.transcripts.builders import as_bytes

FOLDER = "/home/sora/work/shop"
COMMAND = "python -m pytest tests/test_cart.py"
FAILURE = """\
Traceback (most recent call last):
  File "/home/sora/work/shop/tests/test_cart.py", line 3, in <module>
    from shop.cart import total_price
ImportError: cannot import name 'total_price' from 'shop.cart' (/home/sora/work/shop/shop/cart.py)"""
OLD, NEW = "def totalprice(items):", "def total_price(items):"
FILE = f"{FOLDER}/shop/cart.py"
MS = 1_775_000_000_000


def stamp(second: int) -> str:
    return f"2026-03-31T23:33:{second:02d}.000Z"


def gemini_messages() -> list[Any]:
    def call(own: str, name: str, args: Any, output: str, status: str = "success") -> Any:
        response = {"functionResponse": {"id": own, "name": name, "response": {"output": output}}}
        return {"id": own, "name": name, "args": args, "status": status, "timestamp": stamp(9), "result": [response]}

    failed = call("g1", "run_shell_command", {"command": COMMAND}, f"Output: {FAILURE}\nExit Code: 1")
    edited = call("g2", "replace", {"file_path": FILE, "old_string": OLD, "new_string": NEW}, "Successfully modified")
    works = call("g3", "run_shell_command", {"command": COMMAND}, "Output: 1 passed\nProcess Group PGID: 7")
    base = {"type": "gemini", "model": "gemini-3-pro"}
    return [
        {"id": "m1", "timestamp": stamp(1), "type": "user", "content": [{"text": "Run the tests."}]},
        {**base, "id": "m2", "timestamp": stamp(2), "content": "I run them.", "thoughts": [
            {"subject": "Plan", "description": "Run pytest.", "timestamp": stamp(2)}], "toolCalls": [failed]},
        {**base, "id": "m3", "timestamp": stamp(3), "content": "", "toolCalls": [edited]},
        {**base, "id": "m4", "timestamp": stamp(4), "content": "Fixed.", "toolCalls": [works]},
        {"id": "m5", "timestamp": stamp(5), "type": "info", "content": "Update available"},
    ]  # fmt: skip


GEMINI_HEAD = {"sessionId": "gem-1", "projectHash": "ab" * 32, "startTime": stamp(0), "lastUpdated": stamp(9)}


def gemini_document() -> bytes:
    return json.dumps({**GEMINI_HEAD, "messages": gemini_messages()}, indent=2).encode()


def gemini_lines() -> bytes:
    """As it is appended: a message comes again when its tool has ended."""
    lines: list[Any] = [GEMINI_HEAD]
    for message in gemini_messages():
        calls = [{**call, "status": "executing", "result": None} for call in message.get("toolCalls", [])]
        lines += [{**message, "toolCalls": calls}, {"$set": {"lastUpdated": stamp(9)}}] if calls else []
        lines.append(message)
    return as_bytes([*lines, {"$rewindTo": "m4"}])


def qwen() -> bytes:
    base = {"sessionId": "qwen-1", "cwd": FOLDER, "version": "0.9.0"}

    def record(number: int, kind: str, role: str, parts: list[Any], **more: Any) -> Any:
        message = {"role": role, "parts": parts}
        own = {"uuid": f"q{number}", "parentUuid": f"q{number - 1}", "timestamp": stamp(number)}
        return {**base, **own, "type": kind, "message": message, **more}

    def result(number: int, own: str, output: str, status: str = "success") -> Any:
        response = {"functionResponse": {"id": own, "name": "t", "response": {"output": output}}}
        return record(number, "tool_result", "user", [response], toolCallResult={"callId": own, "status": status})

    def call(own: str, name: str, args: Any) -> Any:
        return {"functionCall": {"id": own, "name": name, "args": args}}

    edit = {"file_path": FILE, "old_string": OLD, "new_string": NEW}
    return as_bytes(
        [
            record(1, "user", "user", [{"text": "Run the tests."}]),
            record(2, "assistant", "model", [{"text": "Plan.", "thought": True}, {"text": "I run them."}]),
            record(3, "assistant", "model", [call("w1", "run_shell_command", {"command": COMMAND})]),
            result(4, "w1", f"Command: {COMMAND}\nDirectory: (root)\nOutput: {FAILURE}\nError: (none)\nExit Code: 1"),
            record(5, "assistant", "model", [call("w2", "edit", edit)]),
            result(6, "w2", "Successfully modified"),
            record(7, "assistant", "model", [call("w3", "run_shell_command", {"command": COMMAND})]),
            result(8, "w3", "Output: 1 passed"),
            {**base, "uuid": "q9", "type": "system", "subtype": "ui_telemetry", "systemPayload": {"uiEvent": {}}},
        ]
    )


def opencode_parts() -> list[Any]:
    def tool(own: str, name: str, given: Any, output: str, **metadata: Any) -> Any:
        state = {"status": "completed", "input": given, "output": output, "metadata": metadata, "title": ""}
        return {"id": own, "type": "tool", "callID": f"call_{own}", "tool": name, "state": {
            **state, "time": {"start": MS + 3000, "end": MS + 4000}}}  # fmt: skip

    return [
        {"id": "prt_1", "type": "step-start"},
        {"id": "prt_2", "type": "reasoning", "text": "Run pytest."},
        {"id": "prt_3", "type": "text", "text": "I run them."},
        tool("prt_4", "bash", {"command": COMMAND, "description": "Runs tests"}, FAILURE, exit=1),
        tool("prt_5", "edit", {"filePath": FILE, "oldString": OLD, "newString": NEW}, "Edit applied."),
        tool("prt_6", "bash", {"command": COMMAND}, "1 passed", exit=0),
        {"id": "prt_7", "type": "step-finish", "reason": "stop"},
    ]


def opencode_messages() -> list[Any]:
    return [
        {"info": {"id": "msg_1", "role": "user", "time": {"created": MS}},
         "parts": [{"id": "prt_0", "type": "text", "text": "Run the tests."}]},
        {"info": {"id": "msg_2", "role": "assistant", "time": {"created": MS + 1000, "completed": MS + 9000}},
         "parts": opencode_parts()},
    ]  # fmt: skip


OPENCODE_INFO = {"id": "ses_1", "directory": FOLDER, "time": {"created": MS, "updated": MS + 9000}}


def opencode_export() -> bytes:
    return json.dumps({"info": OPENCODE_INFO, "messages": opencode_messages()}, indent=2).encode()


def copilot() -> bytes:
    def event(number: int, kind: str, **data: Any) -> Any:
        return {"type": kind, "data": data, "id": f"e{number}", "timestamp": stamp(number), "parentId": None}

    def call(number: int, own: str, name: str, **given: Any) -> Any:
        return event(number, "tool.execution_start", toolCallId=own, toolName=name, arguments=given)

    def result(number: int, own: str, text: str) -> Any:
        return event(number, "tool.execution_complete", toolCallId=own, success=True, result={"content": text})

    context = {"cwd": FOLDER, "repository": "sora/shop", "repositoryHost": "github.com"}
    return as_bytes(
        [
            event(1, "session.start", sessionId="cop-1", startTime=stamp(0), context=context),
            event(2, "user.message", content="Run the tests."),
            event(3, "assistant.message", content="I run them.", reasoningText="Run pytest."),
            call(4, "call_aaaaaaaaaaaaaaaa1", "bash", command=COMMAND, description="Run tests"),
            result(5, "call_aaaaaaaaaaaaaaaa1", f"{FAILURE}\n<shellId: 0 completed with exit code 1>"),
            call(6, "call_aaaaaaaaaaaaaaaa2", "edit", path=FILE, old_str=OLD, new_str=NEW),
            result(7, "call_aaaaaaaaaaaaaaaa2", "File updated."),
            call(8, "call_aaaaaaaaaaaaaaaa3", "bash", command=COMMAND),
            result(9, "call_aaaaaaaaaaaaaaaa3", "1 passed\n<shellId: 0 completed with exit code 0>"),
            event(10, "session.shutdown", shutdownType="routine"),
        ]
    )


def pi() -> bytes:
    def line(number: int, **message: Any) -> Any:
        own = {"type": "message", "id": f"{number:08x}", "parentId": f"{number - 1:08x}", "timestamp": stamp(number)}
        return {**own, "message": message}

    def call(number: int, own: str, name: str, given: Any) -> Any:
        return line(number, role="assistant", content=[
            {"type": "text", "text": "I run them."},
            {"type": "toolCall", "id": own, "name": name, "arguments": given}])  # fmt: skip

    def result(number: int, own: str, text: str, *, failed: bool = False) -> Any:
        content = [{"type": "text", "text": text}]
        return line(number, role="toolResult", toolCallId=own, toolName="t", content=content, isError=failed)

    edits = [{"oldText": OLD, "newText": NEW}]
    return as_bytes(
        [
            {"type": "session", "version": 3, "id": "pi-1", "timestamp": stamp(0), "cwd": FOLDER},
            line(1, role="user", content=[{"type": "text", "text": "Run the tests."}]),
            call(2, "p1", "bash", {"command": COMMAND}),
            result(3, "p1", f"{FAILURE}\n\n\nCommand exited with code 1", failed=True),
            call(4, "p2", "edit", {"path": FILE, "edits": edits}),
            result(5, "p2", "Edited."),
            call(6, "p3", "bash", {"command": COMMAND}),
            result(7, "p3", "1 passed"),
        ]
    )


def cline_messages() -> list[Any]:
    def user(number: int, *blocks: Any) -> Any:
        return {"role": "user", "content": list(blocks), "ts": MS + number * 1000}

    def says(number: int, *blocks: Any) -> Any:
        return {"role": "assistant", "content": list(blocks), "ts": MS + number * 1000}

    def text(said: str) -> Any:
        return {"type": "text", "text": said}

    xml = f"I run them.\n\n<execute_command>\n<command>{COMMAND}</command>\n</execute_command>"
    edit = {"path": FILE, "old_string": OLD, "new_string": NEW}
    where = f"<environment_details>\n# Current Working Directory ({FOLDER}) Files\nshop/\n</environment_details>"
    failed = f"Command executed in terminal. Exit code: 1\nOutput:\n{FAILURE}"
    return [
        user(1, text("<task>\nRun the tests.\n</task>"), text(where)),
        says(2, text(xml)),
        user(3, text(f"[execute_command for '{COMMAND}'] Result:"), text(failed), text(where)),
        says(4, {"type": "tool_use", "id": "toolu_1", "name": "replace_in_file", "input": edit}),
        user(5, {"type": "tool_result", "tool_use_id": "toolu_1", "content": [text("Saved.")]}),
        says(6, {"type": "tool_use", "id": "toolu_2", "name": "execute_command", "input": {"command": COMMAND}}),
        user(7, text(f"[execute_command for '{COMMAND}'] Result:\nExit code: 0\nOutput:\n1 passed")),
    ]


def cline() -> bytes:
    return json.dumps(cline_messages()).encode()


def goose_messages() -> list[tuple[str, list[Any]]]:
    def call(own: str, name: str, given: Any) -> Any:
        return {"type": "toolRequest", "id": own, "toolCall": {"status": "success", "value": {
            "name": name, "arguments": given}}}  # fmt: skip

    def result(own: str, text: str, *, failed: bool = False) -> Any:
        value = {"content": [{"type": "text", "text": text}], "isError": failed}
        return {"type": "toolResponse", "id": own, "toolResult": {"status": "success", "value": value}}

    edit = {"command": "str_replace", "path": FILE, "old_str": OLD, "new_str": NEW}
    return [
        ("user", [{"type": "text", "text": "Run the tests."}]),
        ("assistant", [{"type": "thinking", "thinking": "Run pytest.", "signature": ""}, {
            "type": "text", "text": "I run them."}, call("go1", "developer__shell", {"command": COMMAND})]),
        ("user", [result("go1", f"{FAILURE}\nCommand exited with code 1", failed=True)]),
        ("assistant", [call("go2", "developer__text_editor", edit)]),
        ("user", [result("go2", "Edited.")]),
        ("assistant", [call("go3", "developer__shell", {"command": COMMAND})]),
        ("user", [result("go3", "1 passed")]),
    ]  # fmt: skip


def goose() -> bytes:
    head = {"description": "Tests", "working_dir": FOLDER, "message_count": 7}
    return as_bytes([head, *({"role": role, "created": MS // 1000 + at, "content": content}
                             for at, (role, content) in enumerate(goose_messages()))])  # fmt: skip


def amp() -> bytes:
    def call(own: str, name: str, given: Any) -> Any:
        return {"role": "assistant", "content": [{"type": "tool_use", "id": own, "name": name, "input": given}]}

    def result(own: str, output: str, code: int | None) -> Any:
        answered = output if code is None else {"output": output, "exitCode": code}
        run = {"status": "done", "result": answered}
        return {"role": "user", "content": [{"type": "tool_result", "toolUseID": own, "run": run}]}

    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Run the tests."}], "meta": {"sentAt": MS}},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "Run pytest."}]},
        call("toolu_a1", "Bash", {"cmd": COMMAND}),
        result("toolu_a1", FAILURE, 1),
        call("toolu_a2", "edit_file", {"path": FILE, "old_str": OLD, "new_str": NEW}),
        result("toolu_a2", "```diff\n```", None),
        call("toolu_a3", "Bash", {"cmd": COMMAND}),
        result("toolu_a3", "1 passed", 0),
    ]
    trees = [{"displayName": "shop", "uri": f"file://{FOLDER}"}]
    thread = {"v": 9, "id": "T-1", "created": MS, "env": {"initial": {"trees": trees}}, "messages": messages}
    return json.dumps(thread).encode()


def aider() -> bytes:
    quoted = "\n".join(f"> {line}  " for line in FAILURE.split("\n"))
    return f"""
# aider chat started at 2026-03-31 10:00:00

> Aider v0.86.1  
#### /run {COMMAND}  
{quoted}
#### Fix it.  

The name is wrong:

```python
#### this line is code
{NEW}
```

> Applied edit to shop/cart.py  
#### /run {COMMAND}  
> 1 passed  

# aider chat started at 2026-03-31 11:00:00

#### What is left?  
Nothing.
""".encode()  # noqa: W291 (as Aider writes it)


NAMES = {
    "gemini": "chats/session-2026-03-31T23-33-gem1.json",
    "qwen": "chats/qwen-1.jsonl",
    "opencode": "opencode-ses_1.json",
    "copilot": "cop-1/events.jsonl",
    "pi": "2026-03-31T23-33-00_pi-1.jsonl",
    "cline": "1775000000000/api_conversation_history.json",
    "goose": "20260331_233300.jsonl",
    "amp": "T-1.json",
    "aider": ".aider.chat.history.md",
}
MADE = {
    "gemini": gemini_document,
    "qwen": qwen,
    "opencode": opencode_export,
    "copilot": copilot,
    "pi": pi,
    "cline": cline,
    "goose": goose,
    "amp": amp,
    "aider": aider,
}
