"""Codex rollouts: JSON Lines of `{timestamp, type, payload}`, and the flat records of old versions.

Two logs interleave: what the model sees (`response_item`) and what the screen showed (`event_msg`). Both tell most
messages and results; those of the second are marked `display`, and a result tells its `call_id` both times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from core.text.timestamp import timestamp
from core.transcripts.codex_results import Told, command_told, output_told, patch_told, tool_server_told
from core.transcripts.codex_script import script_call
from core.transcripts.commands import call_text
from core.transcripts.fields import elements, fields, items, json_text, string, word
from core.transcripts.json_line import Fields, Line, objects, parse
from core.transcripts.records import Kind, Message, Record, Role, SessionStart, Skipped, ToolCall, ToolResult
from core.transcripts.repository import repository_of

_INJECTED = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<multi_agent_mode>",
    "<apps_instructions>",
    "<skills_instructions>",
    "<skill>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
)
_ENVELOPES = frozenset({"response_item", "event_msg"})
_ENDS = {"exec_command_end": command_told, "patch_apply_end": patch_told, "mcp_tool_call_end": tool_server_told}
DISPLAY = "display:"
"""How the names of messages begin that stand in the display log alone."""

_CWD = re.compile(r"<cwd>([^<\n]{1,1000})</cwd>")
_GLOBAL_ID = 16
"""A call id of this length is unique everywhere; a shorter one (`call_1`, of a local model) only in its session."""


def read_codex(lines: Iterable[Line], start: SessionStart | None = None) -> Iterator[Record]:
    """The records of numbered lines, in their order. `start` is the session, as `start_of` finds it in the head.

    A header in the middle (a fork replays its parent's) changes nothing. Results may come twice, see `ToolResult`.
    """
    session = start or SessionStart("unnamed", "codex")
    announced = False
    for number, data, record in objects(lines):
        if isinstance(record, Skipped):
            yield record
            continue
        for index, item in enumerate(_flat(record)):
            for found in _read(item, _Origin(session, number, data, index)):
                if isinstance(found, SessionStart):
                    session, announced = found, False
                    continue
                if not announced:
                    announced = True
                    yield session
                yield found


def start_from(record: Fields, start: SessionStart) -> SessionStart:
    """What a header record (`session_meta`, or the bare one of old files) says of the session; `start` fills gaps."""
    source = fields(record.get("payload")) or fields(record.get("session")) or record
    spawned = fields(fields(fields(source.get("source")).get("subagent")).get("thread_spawn"))
    parent = word(spawned.get("parent_thread_id")) or word(source.get("parent_thread_id"))
    return SessionStart(
        word(source.get("id")) or start.session_id,
        "codex",
        string(source.get("cwd")) or start.project,
        timestamp(source.get("timestamp")) or timestamp(record.get("timestamp")) or start.started,
        parent or start.parent,
        word(source.get("forked_from_id")) or start.continues,
        repository_of(string(fields(source.get("git")).get("repository_url"))) or start.remote,
    )


def is_header(record: Fields) -> bool:
    """Whether a record opens a rollout."""
    if record.get("type") == "session_meta" or isinstance(record.get("session"), dict):
        return True
    return {"id", "timestamp"} <= record.keys() and not record.keys() & {"type", "role", "text", "sessionId"}


def _flat(record: Fields) -> list[Fields]:
    """The records in one line: the one, or all of a whole session kept in one document (the oldest form)."""
    if isinstance(record.get("session"), dict) and isinstance(record.get("items"), list):
        return [fields(item) for item in items(record.get("items"))]
    return [record]


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a record stands; it makes the names of its messages, stable when the file is read again or copied."""

    session: SessionStart
    line: int
    data: bytes
    index: int

    def uuid(self, ts: str) -> str:
        """A record that carries its time is named by its content, so that a copy of the file repeats the name; with
        the end of its line, also where that was not written yet when it was read."""
        if ts:
            whole = self.data if self.data.endswith(b"\n") else self.data + b"\n"
            return f"codex:{blake2b(whole, digest_size=16).hexdigest()}"
        return f"{self.session.session_id}:{self.line}" + (f".{self.index}" if self.index else "")

    def display_uuid(self, ts: str) -> str:
        return f"{DISPLAY}{self.uuid(ts)}"

    def call_uuid(self, part: str, call_id: str, ts: str) -> str:
        if len(call_id) >= _GLOBAL_ID:
            return f"{part}:{call_id}"
        return f"{self.session.session_id}:{self.uuid(ts)}" if ts else self.uuid(ts)


def _read(record: Fields, origin: _Origin) -> Iterator[Record]:
    ts = timestamp(record.get("timestamp"))
    kind = word(record.get("type"), 60)
    payload = fields(record.get("payload")) if kind in _ENVELOPES else record
    shown = ts or origin.session.started
    if kind == "event_msg":
        yield from _event(payload, origin, ts, shown)
    elif kind == "compacted":
        text = string((fields(record.get("payload")) or record).get("message"))
        if text:
            yield Message("system", "summary", text, origin.uuid(ts), 0, shown, origin.line, meta=True)
    elif kind:
        yield from _item(payload, origin, ts, shown)


def _item(item: Fields, origin: _Origin, ts: str, shown: str) -> Iterator[Record]:
    kind = word(item.get("type"), 60)
    if kind == "message":
        yield from _message(item, origin, ts, shown)
    elif kind == "reasoning":
        parts = [*items(item.get("summary")), *items(item.get("content"))]
        for block, part in enumerate(parts):
            if text := string(fields(part).get("text")):
                yield Message("assistant", "thinking", text, origin.uuid(ts), block, shown, origin.line)
    elif kind in ("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"):
        yield _call(item, kind, origin, ts, shown)
    elif kind.endswith("_output"):
        told = output_told(item.get("output"))
        yield from _result(item, told, origin, ts, shown, display=False)


def _message(item: Fields, origin: _Origin, ts: str, shown: str) -> Iterator[Record]:
    given = word(item.get("role"), 20)
    role: Role = "user" if given == "user" else "assistant" if given == "assistant" else "system"
    for block, part in enumerate(elements(item.get("content"))):
        source = fields(part)
        text = string(part) or string(source.get("text"))
        kind: Kind = "text"
        if not text and word(source.get("type")).endswith("image"):
            text, kind = "[image]", "image"
        if not text:
            continue
        injected = role == "system" or (role == "user" and text[:200].lstrip().startswith(_INJECTED))
        if injected and not origin.session.project and (found := _CWD.search(text[:4000])):
            yield replace(origin.session, project=found[1])
        yield Message(role, kind, text, origin.uuid(ts), block, shown, origin.line, meta=injected)


def _call(item: Fields, kind: str, origin: _Origin, ts: str, shown: str) -> ToolCall:
    name = word(item.get("name")) or kind.removesuffix("_call")
    tool_input = _input(item, kind)
    if name == "exec" and kind == "custom_tool_call":
        name, tool_input = script_call(string(tool_input.get("input")))
    call_id = word(item.get("call_id")) or word(item.get("id"))
    uuid = origin.call_uuid("call", call_id, ts)
    call_id = call_id or uuid
    text = call_text(name, tool_input)
    message = Message("assistant", "tool_use", text, uuid, 0, shown, origin.line, tool_use_id=call_id)
    return ToolCall(call_id, name, tool_input, message)


def _input(item: Fields, kind: str) -> dict[str, Any]:
    if kind in ("local_shell_call", "web_search_call"):
        return fields(item.get("action"))
    given = item.get("arguments", item.get("input"))
    if kind == "function_call" and isinstance(given, str):
        try:
            given = parse(given.encode("utf-8", "surrogatepass"))
        except ValueError:
            return {"arguments": given}
    if given is None or given == {}:
        return {}
    if found := fields(given):
        return found
    return {
        "input" if kind == "custom_tool_call" else "arguments": given if isinstance(given, str) else json_text(given)
    }


def _result(item: Fields, told: Told, origin: _Origin, ts: str, shown: str, *, display: bool) -> Iterator[Record]:
    call_id = word(item.get("call_id")) or word(item.get("id"))
    uuid = origin.call_uuid("result", call_id, ts)
    message = Message(
        "tool", "tool_result", told.text, uuid, 0, shown, origin.line, tool_use_id=call_id or None, display=display
    )
    if call_id:
        yield ToolResult(call_id, told.failure, told.exit_code, message, dict(told.facts or {}))
    elif told.text:
        yield message


def _event(event: Fields, origin: _Origin, ts: str, shown: str) -> Iterator[Record]:
    kind = word(event.get("type"), 60)
    if kind in _ENDS:
        yield from _result(event, _ENDS[kind](event), origin, ts, shown, display=True)
        return
    role: Role = "user" if kind == "user_message" else "assistant"
    text = string(event.get("text" if kind == "agent_reasoning" else "message"))
    if kind == "turn_aborted":
        text = f"[turn aborted: {word(event.get('reason'), 60) or 'no reason given'}]"
        yield Message("system", "text", text, origin.uuid(ts), 0, shown, origin.line, meta=True)
    elif text and kind in ("user_message", "agent_message", "agent_reasoning"):
        said: Kind = "thinking" if kind == "agent_reasoning" else "text"
        meta = role == "user" and text[:200].lstrip().startswith(_INJECTED)
        yield Message(role, said, text, origin.display_uuid(ts), 0, shown, origin.line, meta=meta, display=True)
