"""Transcripts made for the tests: records in the shapes that Claude Code and Codex write, with content of our own."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any


def as_bytes(records: list[Any]) -> bytes:
    """Records as JSON Lines; bytes and strings stand for themselves."""
    out = b""
    for record in records:
        line = (
            record
            if isinstance(record, bytes)
            else json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")
        )
        out += line + b"\n"
    return out


def numbered(records: list[Any]) -> list[tuple[int, bytes]]:
    """Records as the numbered lines that readers take."""
    return [(number, line) for number, line in enumerate(as_bytes(records).split(b"\n")[:-1], 1)]


@dataclass
class Claude:
    """Writes the records of one Claude Code session; ids and times count up."""

    session: str = "0a6c1f7e-1111-4a2b-9c3d-000000000001"
    cwd: str = "/home/sora/work/ledger"
    records: list[Any] = field(default_factory=list)
    prefix: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    def base(self, kind: str, **more: Any) -> dict[str, Any]:
        n = len(self.records) + 1
        return {
            "parentUuid": self.records[-1].get("uuid") if self.records and isinstance(self.records[-1], dict) else None,
            "isSidechain": False,
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": "2.1.9",
            "type": kind,
            "uuid": f"{self.prefix or self.session[:8]}-u{n:04d}",
            "timestamp": f"2026-04-{1 + n // 3600:02d}T10:{n // 60 % 60:02d}:{n % 60:02d}.000Z",
            **self.extra,
            **more,
        }

    def add(self, record: Any) -> Any:
        self.records.append(record)
        return record

    def user(self, text: str, **more: Any) -> Any:
        return self.add(self.base("user", message={"role": "user", "content": text}, **more))

    def says(self, text: str, **more: Any) -> Any:
        return self.assistant([{"type": "text", "text": text}], **more)

    def assistant(self, blocks: list[Any], **more: Any) -> Any:
        message = {
            "id": f"msg_{len(self.records)}",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": blocks,
        }
        return self.add(self.base("assistant", message=message, **more))

    def call(self, tool_use_id: str, name: str, tool_input: Any, **more: Any) -> Any:
        return self.assistant([{"type": "tool_use", "id": tool_use_id, "name": name, "input": tool_input}], **more)

    def result(self, tool_use_id: str, content: Any, *, is_error: Any = None, beside: Any = None, **more: Any) -> Any:
        block = {"type": "tool_result", "tool_use_id": tool_use_id, "content": content}
        if is_error is not None:
            block["is_error"] = is_error
        if beside is not None:
            more["toolUseResult"] = beside
        return self.add(self.base("user", message={"role": "user", "content": [block]}, **more))

    def fails(self, tool_use_id: str, output: str, code: int = 1, **more: Any) -> Any:
        text = f"Exit code {code}\n{output}"
        return self.result(tool_use_id, text, is_error=True, beside=f"Error: {text}", **more)

    def works(self, tool_use_id: str, output: str, **more: Any) -> Any:
        beside = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        return self.result(tool_use_id, output, is_error=False, beside=beside, **more)

    def bytes(self) -> bytes:
        return as_bytes(self.records)


@dataclass
class Codex:
    """Writes the records of one rollout in the `{timestamp, type, payload}` form."""

    session: str = "019b0000-2222-7000-8000-00000000000a"
    cwd: str = "/home/sora/work/parser"
    records: list[Any] = field(default_factory=list)
    clock: int = 0

    def line(self, kind: str, payload: Any) -> Any:
        self.clock += 1
        stamp = f"2026-05-02T08:{self.clock // 60:02d}:{self.clock % 60:02d}.{self.clock % 1000:03d}Z"
        record = {"timestamp": stamp, "type": kind, "payload": payload}
        self.records.append(record)
        return record

    def meta(self, **more: Any) -> Any:
        payload = {
            "id": self.session,
            "timestamp": "2026-05-02T08:00:00.000Z",
            "cwd": self.cwd,
            "cli_version": "0.9",
            **more,
        }
        return self.line("session_meta", payload)

    def item(self, kind: str, **fields: Any) -> Any:
        return self.line("response_item", {"type": kind, **fields})

    def event(self, kind: str, **fields: Any) -> Any:
        return self.line("event_msg", {"type": kind, **fields})

    def says(self, role: str, text: str) -> Any:
        part = "output_text" if role == "assistant" else "input_text"
        return self.item("message", role=role, content=[{"type": part, "text": text}])

    def call(self, call_id: str, command: Any, name: str = "exec_command") -> Any:
        key = "command" if isinstance(command, list) else "cmd"
        return self.item("function_call", name=name, arguments=json.dumps({key: command}), call_id=call_id)

    def output(self, call_id: str, output: Any) -> Any:
        return self.item("function_call_output", call_id=call_id, output=output)

    def ended(self, call_id: str, text: str, code: int) -> Any:
        return self.event(
            "exec_command_end", call_id=call_id, aggregated_output=text, exit_code=code, stdout="", stderr=""
        )

    def bytes(self) -> bytes:
        return as_bytes(self.records)
