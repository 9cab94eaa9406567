"""Amp threads: one JSON document, whose messages have content blocks as in Anthropic's API.

A result is a `tool_result` block with `toolUseID` and a `run` of a status and a result. The document is written again
while an answer streams and while a tool runs. Built from published readers of the format: Amp's source is not public,
and new versions keep threads on a server.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from core.transcripts.fields import elements, fields, instant, items, json_text, small_int, string, word
from core.transcripts.lines import Fields, Line, head_objects, read_objects
from core.transcripts.records import Failure, Record, Role, SessionStart, Turn

NAME = "Amp"
FILES = ("T-*.json",)
KEYS = frozenset(["messages"])

_FAILED: Final[dict[str, Failure]] = {
    "error": "error",
    "cancelled": "interrupted",
    "canceled": "interrupted",
    "rejected-by-user": "denied",
}
_RUNNING: Final = frozenset({"queued", "blocked-on-user", "in-progress"})


def owns(value: object) -> bool:
    """Whether it is a thread of Amp."""
    record = fields(value)
    return string(record.get("id")).startswith("T-") and isinstance(record.get("messages"), list)


def start_of(head: bytes, path: Path) -> SessionStart:
    """The thread, in the first folder of its workspace."""
    known = next((one for one in head_objects(head) if owns(one)), fields(None))
    trees = items(fields(fields(known.get("env")).get("initial")).get("trees"))
    folder = string(fields(next(iter(trees), None)).get("uri")).removeprefix("file://")
    own = word(known.get("id")) or word(path.stem) or "unnamed"
    return SessionStart(own, "amp", unquote(folder), instant(known.get("created")))


def places(env: Mapping[str, str], home: Path) -> list[Path]:
    """`XDG_DATA_HOME` moves it; the folder is the same on every system."""
    return [Path(env.get("XDG_DATA_HOME") or home / ".local" / "share") / "amp" / "threads"]


def read(lines: Iterable[Line], start: SessionStart | None = None) -> Iterator[Record]:
    """The records of a document, which is one line."""
    return read_objects(lines, start or SessionStart("unnamed", "amp"), _thread)


def _thread(thread: Fields, session: SessionStart, number: int) -> Iterator[Record]:
    for index, message in enumerate(items(thread.get("messages"))):
        if fields(fields(message).get("state")).get("type") == "streaming":
            return  # the last one: the document will hold the rest of it
        yield from _message(fields(message), session, number, index)


def _message(message: Fields, session: SessionStart, number: int, index: int) -> Iterator[Record]:
    role: Role = "user" if message.get("role") == "user" else "assistant"
    own = small_int(message.get("messageId"))
    ts = instant(fields(message.get("meta")).get("sentAt")) or session.started
    turn = Turn(f"{session.session_id}:{index if own is None else own}", ts, number)
    for block, part in enumerate(elements(message.get("content"))):
        source = fields(part)
        kind, text = source.get("type"), string(part) or string(source.get("text"))
        if kind == "tool_use":
            call_id = word(source.get("id")) or f"{turn.uuid}:{block}"
            yield turn.call(call_id, word(source.get("name")) or "unnamed", fields(source.get("input")), block)
        elif kind == "tool_result":
            if word(fields(source.get("run")).get("status"), 30) not in _RUNNING:
                yield _result(source, turn, block)
        elif text:
            yield turn.message(role, "text", text, block)
        elif thought := string(source.get("thinking")):
            yield turn.message(role, "thinking", thought, block)
        elif kind == "image":
            yield turn.message(role, "image", "[image]", block)


def _result(source: Fields, turn: Turn, block: int) -> Record:
    run = fields(source.get("run"))
    answered = run.get("result", source.get("content"))
    inner = fields(answered)
    error = string(run.get("error")) or string(fields(run.get("error")).get("message"))
    text = string(answered) or string(inner.get("output")) or error
    if not text and answered is not None:
        text = json_text(answered)
    code = small_int(inner.get("exitCode"))
    failure = _FAILED.get(word(run.get("status"), 30), "none")
    if failure == "none" and (code or source.get("is_error") is True):
        failure = "error"
    call_id = word(source.get("toolUseID")) or word(source.get("tool_use_id"))
    if not call_id:
        return turn.message("tool", "tool_result", text, block)
    return turn.result(call_id, text, failure, code, block)
