"""Gemini CLI sessions: one JSON document (until 0.3x), or JSON Lines of the same messages that are appended.

In the lines a message is written again when it changes: the blocks that were given are known by their names. `$set` and
`$rewindTo` records change what a resumed session shows; what was said before stays said. A tool call and its result
are one record, in the message of the model. Source: `packages/core/src/services/chatRecordingService.ts` and
`tools/shell.ts` of google-gemini/gemini-cli, August 2026.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from core.transcripts.fields import elements, fields, items, joined, small_int, string, timestamp, word
from core.transcripts.lines import Fields, Line, head_objects, read_objects
from core.transcripts.records import Failure, Record, Role, SessionStart, Turn

NAME = "Gemini CLI"
FILES = ("session-*.json", "session-*.jsonl", "chats/*/*.jsonl")
KEYS = frozenset(["projectHash"])

_ROLES: Final[dict[str, Role]] = {
    "user": "user",
    "gemini": "assistant",
    "model": "assistant",
    "info": "system",
    "warning": "system",
    "error": "system",
}
_ENDED: Final[dict[str, Failure]] = {"success": "none", "error": "error", "cancelled": "interrupted"}
_EXIT: Final = re.compile(r"^Exit Code: (-?[0-9]{1,10})$", re.MULTILINE)
_LABELS: Final = re.compile(
    r"\A(?:Command: .{0,20000}?\nDirectory: [^\n]*\n)?Output: |^Error: \(none\)\n", re.DOTALL | re.M
)
"""What a shell result adds to its output: the label, in older versions also the command, its folder and no error."""
_TAIL: Final = 2000
"""Code points at the end of an output that hold its exit code."""


def owns(value: object) -> bool:
    """Whether it is a session of Gemini CLI, or the record that opens one."""
    record = fields(value)
    return isinstance(record.get("sessionId"), str) and isinstance(record.get("projectHash"), str)


def start_of(head: bytes, path: Path) -> SessionStart:
    """The session that the first record names. Its folder is in `.project_root`, next to the chats."""
    known = next((record for record in head_objects(head) if owns(record)), fields(None))
    own = word(known.get("sessionId")) or _in_head(head, "sessionId") or word(path.stem) or "unnamed"
    started = timestamp(known.get("startTime")) or timestamp(_in_head(head, "startTime"))
    parent = None
    if known.get("kind") == "subagent" and path.parent.parent.name == "chats":
        parent = word(path.parent.name) or None
    return SessionStart(f"{parent}/{own}" if parent else own, "gemini", _project(path), started, parent)


def places(env: Mapping[str, str], home: Path) -> list[Path]:
    """`GEMINI_CLI_HOME` replaces the home folder, as it does for Gemini CLI."""
    return [Path(env.get("GEMINI_CLI_HOME") or home) / ".gemini" / "tmp"]


def read(lines: Iterable[Line], start: SessionStart | None = None) -> Iterator[Record]:
    """The records of numbered lines: a document is one line, with all its messages."""
    return read_objects(lines, start or SessionStart("unnamed", "gemini"), _document)


def _document(record: Fields, session: SessionStart, number: int) -> Iterator[Record]:
    changed = fields(record.get("$set"))
    for message in items(record.get("messages")) or items(changed.get("messages")) or [record]:
        yield from _message(fields(message), session, number)


def _message(message: Fields, session: SessionStart, number: int) -> Iterator[Record]:
    role = _ROLES.get(word(message.get("type"), 20))
    own = word(message.get("id"))
    if role is None or not own:
        return
    ts = timestamp(message.get("timestamp")) or session.started
    for index, thought in enumerate(items(message.get("thoughts"))):
        parts = [string(fields(thought).get(key)) for key in ("subject", "description")]
        if text := joined([part for part in parts if part] or [""]):
            yield Turn(f"{own}:thought", ts, number).message("assistant", "thinking", text, index)
    turn = Turn(own, ts, number, meta=role == "system")
    for index, part in enumerate(elements(message.get("content"))):
        if text := string(part) or string(fields(part).get("text")):
            yield turn.message(role, "text", text, index)
        elif fields(part).get("inlineData") or fields(part).get("fileData"):
            yield turn.message(role, "image", "[image]", index)
    for index, call in enumerate(items(message.get("toolCalls"))):
        yield from _call(fields(call), own, ts, number, index)


def _call(call: Fields, message: str, ts: str, number: int, index: int) -> Iterator[Record]:
    own = word(call.get("id")) or f"{message}:{index}"
    yield Turn(f"{message}:call:{own}", ts, number).call(
        own, word(call.get("name")) or "unnamed", fields(call.get("args"))
    )
    status = word(call.get("status"), 20)
    if status not in _ENDED:
        return  # it waits or runs; the message is written again when it has ended
    text = response_text(call.get("result")) or string(call.get("resultDisplay"))
    code = exit_code(text)
    failure = "error" if status == "success" and code else _ENDED[status]
    when = timestamp(call.get("timestamp")) or ts
    yield Turn(f"{message}:result:{own}", when, number).result(own, text, failure, code)


def response_text(result: object) -> str:
    """Return the answer of a tool without its labels: the output or error of each response, and further texts."""
    found: list[str] = []
    for part in elements(result):
        source = fields(part)
        response = fields(fields(source.get("functionResponse")).get("response"))
        outputs = [_LABELS.sub("", string(response.get(key))) for key in ("output", "error", "content")]
        found += [text for text in (*outputs, string(source.get("text")), string(part)) if text]
    return joined(found or [""])


def exit_code(text: str) -> int | None:
    """The exit code that the output of a shell command ends with."""
    found = _EXIT.search(text, max(0, len(text) - _TAIL))
    return small_int(int(found[1])) if found else None


def _in_head(head: bytes, name: str) -> str:
    found = re.search(rb'"%b"\s{0,9}:\s{0,9}"([\w.:#-]{1,100})"' % name.encode(), head)
    return found[1].decode() if found else ""


def _project(path: Path) -> str:
    """The folder that the session worked in, as Gemini CLI notes it for all sessions of a project."""
    for folder in path.parents:
        if folder.name == "chats":
            try:
                with (folder.parent / ".project_root").open("rb") as file:
                    return file.read(4096).decode("utf-8", "replace").strip()
            except OSError:
                return ""
    return ""
