"""Records of a transcript as rows to be stored: redacted first, then named and hashed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, NamedTuple, cast

from core.text import redact
from core.transcripts import Message, Record, SessionStart, Skipped, ToolCall, ToolResult, shell_command
from core.transcripts.fields import json_text
from core.transcripts.records import Failure, Kind, Role

_DEPTH = 48
"""Levels of a tool input that are kept as structure; what lies deeper is kept as JSON text."""

_SHORT = 12
"""Code points of a field's name that can be no secret."""


class CallRow(NamedTuple):
    """A tool call: its name, and its input as JSON."""

    name: str
    input_json: str


class ResultRow(NamedTuple):
    """What a tool result says of its call."""

    failure: Failure
    exit_code: int | None
    facts: Mapping[str, Any]


class MessageRow(NamedTuple):
    """A message of `session`, redacted, as `Message` has it; with the call it makes or the result it is.

    A flat tuple like the records it is made of: there are as many, and they come from another process.
    """

    session: str
    role: Role
    kind: Kind
    text: str
    uuid: str
    block: int
    ts: str
    sha: str
    chain: str
    meta: bool
    tool_use_id: str | None
    display: bool
    call: CallRow | None
    result: ResultRow | None


@dataclass(slots=True)
class Rows:
    """What one batch of lines holds, in order."""

    sessions: dict[str, SessionStart] = field(default_factory=dict[str, SessionStart])
    messages: list[MessageRow] = field(default_factory=list[MessageRow])
    skipped: list[Skipped] = field(default_factory=list[Skipped])


def rows_of(records: Iterable[Record], start: SessionStart) -> Rows:
    """The rows of `records`, whose session is `start` until they name another."""
    rows, session = Rows(), start.session_id
    keep = rows.messages.append
    for record in records:
        if isinstance(record, Message):
            keep(_row(session, record, redact(record.text)))
        elif isinstance(record, ToolCall):
            tool_input, name = redacted(record.input), _name(record.name)
            input_json, command = json_text(tool_input), shell_command(name, tool_input)
            text = input_json if command is None else command
            keep(_row(session, record.message, text, call=CallRow(name, input_json)))
        elif isinstance(record, ToolResult):
            result = ResultRow(record.failure, record.exit_code, redacted(record.facts) if record.facts else {})
            keep(_row(session, record.message, redact(record.message.text), result=result))
        elif isinstance(record, SessionStart):
            session = record.session_id
            rows.sessions[session] = _merged(rows.sessions.get(session), without_secrets(record))
        else:
            rows.skipped.append(record)
    return rows


def _row(
    session: str, message: Message, text: str, *, call: CallRow | None = None, result: ResultRow | None = None
) -> MessageRow:
    role, kind, _, uuid, block, ts, _, chain, meta, tool_use_id, display = message
    sha = sha256(text.encode()).hexdigest()
    return MessageRow(session, role, kind, text, uuid, block, ts, sha, chain, meta, tool_use_id, display, call, result)


def redacted(value: Mapping[str, Any]) -> dict[str, Any]:
    """An object of foreign JSON with the secrets in its strings masked; its shape stays, so it is still valid JSON."""
    return {_name(str(key)): _redacted(item, str(key), 1) for key, item in value.items()}


def _name(key: str) -> str:
    return key if len(key) <= _SHORT and key.isascii() else redact(key)


def _redacted(value: object, key: str, depth: int) -> Any:
    if isinstance(value, str):
        # The name of a field tells a secret as often as the value does: {"password": "…"}.
        return redact(f"{key}={value}")[len(key) + 1 :] if key else redact(value)
    if isinstance(value, (dict, list)) and depth >= _DEPTH:
        return redact(json_text(cast("object", value)))
    if isinstance(value, dict):
        inner = cast("dict[object, object]", value)
        return {_name(str(name)): _redacted(item, str(name), depth + 1) for name, item in inner.items()}
    if isinstance(value, list):
        return [_redacted(item, key, depth + 1) for item in cast("list[object]", value)]
    return value


def without_secrets(start: SessionStart) -> SessionStart:
    """The session with what could be a secret in its folder or remote masked."""
    if not start.project and not start.remote:
        return start
    return replace(start, project=redact(start.project), remote=redact(start.remote))


def _merged(known: SessionStart | None, more: SessionStart) -> SessionStart:
    if known is None:
        return more
    return SessionStart(
        known.session_id,
        known.agent,
        known.project or more.project,
        known.started or more.started,
        known.parent or more.parent,
        known.continues or more.continues,
        known.remote or more.remote,
    )
