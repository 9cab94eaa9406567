"""Records of a transcript as rows to be stored: redacted first, then named and hashed; some batches ahead.

Parsing and redacting are half of what an import reads, so a second process shares them. A process takes longer to start
than a few small files to read. Without a second process the same rows are made here, in the same order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import orjson

from core.flows.system.parallel import Question, Second
from core.flows.transcripts.files import Position, Source
from core.flows.transcripts.opening import NotATranscript, open_regular
from core.process.worker import Call
from core.text import redact
from core.transcripts import (
    LINE_CAP,
    Agent,
    Message,
    RawLine,
    Record,
    SessionStart,
    Skipped,
    ToolCall,
    ToolResult,
    read_claude_code,
    read_lines,
    shell_command,
)
from core.transcripts.detection import READERS
from core.transcripts.fields import json_text
from core.transcripts.records import Failure, Kind, Role

_DEPTH = 48
"""Levels of a tool input that are kept as structure; what lies deeper is kept as JSON text."""

_REPEATED = 200
"""Code points of a field that other calls may have too, such as a path: more than half of them."""
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


class PackedRows(NamedTuple):
    """`Rows` on their way from one process to the other: the messages as one piece of JSON, made by a library."""

    sessions: dict[str, SessionStart]
    messages: bytes
    skipped: list[Skipped]


def _packed(rows: Rows) -> Rows | PackedRows:
    """The rows to be sent; as they are where the library does not take a text (a lone surrogate)."""
    flat = [(*row[:-2], row.call and tuple(row.call), row.result and tuple(row.result)) for row in rows.messages]
    try:
        return PackedRows(rows.sessions, orjson.dumps(flat), rows.skipped)
    except (TypeError, orjson.JSONEncodeError):
        return rows


def unpacked(given: Rows | PackedRows) -> Rows:
    """The rows that were sent."""
    if isinstance(given, Rows):
        return given
    messages: list[MessageRow] = []
    for row in orjson.loads(given.messages):
        if row[-2] is not None:
            row[-2] = CallRow._make(row[-2])
        if row[-1] is not None:
            row[-1] = ResultRow._make(row[-1])
        messages.append(MessageRow._make(row))
    return Rows(given.sessions, messages, given.skipped)


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


_redacted_again = lru_cache(maxsize=4096)(redact)


@lru_cache(maxsize=1024)
def _name(key: str) -> str:
    return key if len(key) <= _SHORT and key.isascii() else redact(key)


def _redacted(value: object, key: str, depth: int) -> Any:
    if isinstance(value, str):
        # The name of a field tells a secret as often as the value does: {"password": "…"}.
        if not key:
            return redact(value)
        named = f"{key}={value}"
        return (redact(named) if len(named) > _REPEATED else _redacted_again(named))[len(key) + 1 :]
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


WORTH_IT = 8 * 1024 * 1024
"""Bytes to read from which a second process is started: it takes about a third of a second."""
_TOO_LONG = f"longer than {LINE_CAP // (1024 * 1024)} MiB"

ChainOf = Callable[[str], str | None]
Batch = list[RawLine]


class RowsAhead:
    """Makes the rows of batches in the second process, once there is so much to read that this is worth it."""

    def __init__(self, second: Second) -> None:
        self.second = second
        self.begun = 0

    def question(self, source: Source, position: Position, batch: Batch) -> Question | None:
        """What the second process is asked for the rows of a batch; None where they are better made here."""
        self.begun += batch[-1].end - position.offset
        if source.document or source.compressed or source.database:
            return None
        if not self.second.running and self.begun + source.size - batch[-1].end >= WORTH_IT:
            self.second.wake(__name__)
        if not self.second.running:
            return None
        return _rows_elsewhere, (
            source.agent, source.start, source.path, _identity(source.file), position, batch[-1].end
        )  # fmt: skip


def _identity(file: BinaryIO) -> tuple[int, int]:
    stat = os.fstat(file.fileno())
    return stat.st_dev, stat.st_ino


def rows_before_turn(agent: Agent, start: SessionStart, batch: Batch) -> Rows | None:
    """Return the rows of a batch before its predecessors are stored; None if the store must be asked."""
    try:
        return read_rows(agent, start, batch, _ask)
    except _AskTheStore:
        return None


def read_rows(agent: Agent, start: SessionStart, batch: list[RawLine], chain_of: ChainOf) -> Rows:
    return rows_of(records_of(agent, start, batch, chain_of), start)


def records_of(agent: Agent, start: SessionStart, batch: list[RawLine], chain_of: ChainOf) -> Iterator[Record]:
    """The records of a batch of lines; those too long to be read are skipped."""
    lines = [(line.number, line.data) for line in batch if line.data is not None]
    for line in batch:
        if line.data is None:
            yield Skipped(line.number, _TOO_LONG)
    if agent == "claude-code":
        yield from read_claude_code(lines, start, chain_of=chain_of)
    else:
        yield from READERS[agent].read(lines, start)


def _rows_elsewhere(
    _call: Call, agent: Agent, start: SessionStart, path: Path, same: tuple[int, int], position: Position, end: int
) -> Rows | PackedRows | None:
    """In the second process: the rows of the lines from `position` to byte `end` of the file at `path`.

    None where it is not the `same` file any more, or where the store must be asked, which only the first process can.
    """
    batch: Batch = []
    try:
        with open_regular(path) as file:
            for line in read_lines(file, position.offset, position.lines) if _identity(file) == same else ():
                batch.append(line)
                if line.end >= end:
                    break
    except (OSError, NotATranscript):
        return None
    made = rows_before_turn(agent, start, batch) if batch and batch[-1].end == end else None
    return None if made is None else _packed(made)


class _AskTheStore(Exception):
    """Whose message this answers is known to the store alone."""


def _ask(uuid: str) -> str | None:
    raise _AskTheStore(uuid)
