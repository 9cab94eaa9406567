"""Pi sessions (also those of OpenClaw and oh-my-pi): JSON Lines that a `session` record opens.

Messages have a `message` of role user, assistant, toolResult or bashExecution; a call is a block of the assistant's
message. `isError` says that a tool failed; a shell command's exit code ends its output. Seen in version 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from core.transcripts.fields import elements, fields, instant, joined, small_int, string, word
from core.transcripts.lines import Fields, Line, head_objects, read_objects
from core.transcripts.records import Failure, Record, Role, SessionStart, Turn

NAME = "Pi"
FILES = ("*.jsonl",)
KEYS = frozenset(["id", "parentId"])

_EXIT: Final = re.compile(r"Command exited with code (-?[0-9]{1,10})\s{0,20}\Z")
_STOPPED: Final = re.compile(r"(?:Command aborted|Operation aborted|Skipped due to queued user message)\b")
_MISUSED: Final = re.compile(r"Tool \S{1,80} not found|Validation failed for tool ")
_TAIL: Final = 300


def owns(value: object) -> bool:
    """Whether it is the record that opens a session of Pi, or one of its messages."""
    record = fields(value)
    kind = record.get("type")
    if kind == "session":
        return "cwd" in record and "id" in record
    return kind == "message" and "parentId" in record and isinstance(record.get("message"), dict)


def start_of(head: bytes, path: Path) -> SessionStart:
    """The session that its record opens, else the one in the file's name (`TIME_ID.jsonl`)."""
    known = next((one for one in head_objects(head) if one.get("type") == "session"), fields(None))
    own = word(known.get("id")) or word(path.stem.rpartition("_")[2]) or "unnamed"
    continued = word(Path(string(known.get("parentSession")).replace("\\", "/")).stem.rpartition("_")[2]) or None
    return SessionStart(own, "pi", string(known.get("cwd")), instant(known.get("timestamp")), continues=continued)


def places(env: Mapping[str, str], home: Path) -> list[Path]:
    """`PI_CODING_AGENT_SESSION_DIR` and `PI_CODING_AGENT_DIR` move it, as they do for Pi; oh-my-pi has its own."""
    base = Path(env.get("PI_CODING_AGENT_DIR") or home / ".pi" / "agent")
    own = env.get("PI_CODING_AGENT_SESSION_DIR")
    return [Path(own) if own else base / "sessions", home / ".omp" / "agent" / "sessions"]


def read(lines: Iterable[Line], start: SessionStart | None = None) -> Iterator[Record]:
    """The records of numbered lines, in their order."""
    return read_objects(lines, start or SessionStart("unnamed", "pi"), _record)


def _record(record: Fields, session: SessionStart, number: int) -> Iterator[Record]:
    kind, message = record.get("type"), fields(record.get("message"))
    own = f"{session.session_id}:{word(record.get('id')) or number}"  # its ids are short: unique in a session only
    turn = Turn(own, instant(record.get("timestamp")) or session.started, number)
    if kind in ("compaction", "branch_summary"):
        if text := string(record.get("summary")):
            yield turn._replace(meta=True).message("system", "summary", text)
    elif kind == "custom_message":
        if text := _text(record.get("content")):
            yield turn._replace(meta=True).message("system", "text", text)
    elif kind == "message":
        role = message.get("role")
        if role == "toolResult":
            yield _result(message, turn)
        elif role == "bashExecution":
            yield from _own_command(message, turn)
        else:
            yield from _message(message, turn)


def _message(message: Fields, turn: Turn) -> Iterator[Record]:
    given = word(message.get("role"), 20)
    role: Role = "user" if given == "user" else "assistant" if given == "assistant" else "system"
    turn = turn._replace(meta=role == "system")
    for block, part in enumerate(elements(message.get("content"))):
        source = fields(part)
        kind = source.get("type")
        if text := string(part) or string(source.get("text")):
            yield turn.message(role, "text", text, block)
        elif text := string(source.get("thinking")):
            yield turn.message(role, "thinking", text, block)
        elif kind == "toolCall":
            call_id = word(source.get("id")) or f"{turn.uuid}:{block}"
            yield turn.call(call_id, word(source.get("name")) or "unnamed", fields(source.get("arguments")), block)
        elif kind == "image":
            yield turn.message(role, "image", "[image]", block)


def _result(message: Fields, turn: Turn) -> Record:
    text, call_id = _text(message.get("content")), word(message.get("toolCallId"))
    found = _EXIT.search(text[-_TAIL:])
    code = small_int(int(found[1])) if found else None
    failure: Failure = "none"
    if message.get("isError") is True:
        failure = "error"
        if _STOPPED.search(text[:_TAIL]) or _STOPPED.search(text[-_TAIL:]):
            failure = "interrupted"
        elif _MISUSED.match(text):
            failure = "tool_use_error"
    if not call_id:
        return turn.message("tool", "tool_result", text)
    return turn.result(call_id, text, failure, code)


def _own_command(message: Fields, turn: Turn) -> Iterator[Record]:
    """A command that the person ran."""
    code = small_int(message.get("exitCode"))
    failure: Failure = "interrupted" if message.get("cancelled") is True else "error" if code else "none"
    yield turn.call(turn.uuid, "bash", {"command": string(message.get("command"))})
    yield turn.result(turn.uuid, string(message.get("output")), failure, code, block=1)


def _text(content: object) -> str:
    parts = [
        string(part) or string(fields(part).get("text")) or ("[image]" if fields(part).get("type") == "image" else "")
        for part in elements(content)
    ]
    return joined([part for part in parts if part] or [""])
