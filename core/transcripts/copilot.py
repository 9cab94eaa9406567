"""Copilot CLI sessions: `events.jsonl`, one `{type, data, id, timestamp}` a line.

A call and its result are events of their own, paired by `toolCallId`. `success` says whether the tool worked, not the
command: that one's exit code ends the output. Seen in versions 1.0.40 to 1.0.79.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from core.transcripts.fields import fields, json_text, small_int, string, timestamp, word
from core.transcripts.lines import Fields, Line, head_objects, read_objects
from core.transcripts.records import NO_FACTS, Failure, Record, SessionStart, Turn
from core.transcripts.repository import repository_of

NAME = "Copilot CLI"
FILES = ("events.jsonl",)
KEYS = frozenset(["data"])

_EXIT: Final = re.compile(r"<[^<>\n]{1,80} completed with exit code (-?[0-9]{1,10})>\s{0,20}\Z")
_RUNS: Final = re.compile(r"<command [^<>\n]{0,40}(?:still running|started in background)[^<>\n]{0,200}")
_TAIL: Final = 600
_DENIED: Final = frozenset({"denied", "rejected", "permission_denied"})


def owns(value: object) -> bool:
    """Whether it is an event of Copilot CLI."""
    record = fields(value)
    kind = record.get("type")
    return isinstance(kind, str) and "." in kind and isinstance(record.get("data"), dict) and "timestamp" in record


def start_of(head: bytes, path: Path) -> SessionStart:
    """The session that the first event opens; the folder's name where that one is missing."""
    event = next((one for one in head_objects(head) if one.get("type") == "session.start"), fields(None))
    data = fields(event.get("data"))
    context = fields(data.get("context"))
    host, name = word(context.get("repositoryHost")) or "github.com", string(context.get("repository"))
    return SessionStart(
        word(data.get("sessionId")) or word(path.parent.name) or "unnamed",
        "copilot",
        string(context.get("cwd")),
        timestamp(data.get("startTime")) or timestamp(event.get("timestamp")),
        remote=repository_of(f"https://{host}/{name}") if name else "",
    )


def places(env: Mapping[str, str], home: Path) -> list[Path]:
    """`COPILOT_HOME` moves it, as it does for Copilot CLI."""
    return [Path(env.get("COPILOT_HOME") or home / ".copilot") / "session-state"]


def read(lines: Iterable[Line], start: SessionStart | None = None) -> Iterator[Record]:
    """The records of numbered lines, in their order."""
    return read_objects(lines, start or SessionStart("unnamed", "copilot"), _event)


def _event(event: Fields, session: SessionStart, number: int) -> Iterator[Record]:
    kind, data = word(event.get("type"), 60), fields(event.get("data"))
    ts = timestamp(event.get("timestamp")) or session.started
    agent = word(data.get("parentToolCallId"))
    turn = Turn(word(event.get("id")) or f"{session.session_id}:{number}", ts, number, agent or "main")
    text = string(data.get("content"))
    if kind == "user.message":
        if text:
            yield turn._replace(meta=bool(data.get("source"))).message("user", "text", text)
    elif kind == "assistant.message":
        if thought := string(data.get("reasoningText")):
            yield turn.message("assistant", "thinking", thought, 1)
        if text:
            yield turn.message("assistant", "text", text)
    elif kind == "tool.execution_start":
        yield _call(data, turn)
    elif kind == "tool.execution_complete":
        yield _result(data, turn)
    else:
        noted = {
            "system.notification": text,
            "session.error": string(data.get("message")),
            "session.compaction_complete": string(data.get("summaryContent")),
            "abort": f"[aborted: {word(data.get('reason'), 60)}]",
        }.get(kind, "")
        if noted:
            message_kind = "summary" if kind.startswith("session.compaction") else "text"
            yield turn._replace(meta=True).message("system", message_kind, noted)


def _call(data: Fields, turn: Turn) -> Record:
    given = data.get("arguments")
    tool_input = fields(given) or ({"input": given} if isinstance(given, str) and given else {})
    call_id = word(data.get("toolCallId")) or turn.uuid
    return turn.call(call_id, word(data.get("toolName")) or "unnamed", tool_input)


def _result(data: Fields, turn: Turn) -> Record:
    result, error = data.get("result"), fields(data.get("error"))
    text = string(result) or string(fields(result).get("content")) or string(error.get("message"))
    if not text and result is not None:
        text = json_text(result)
    end = text[-_TAIL:]
    found = _EXIT.search(end)
    code = small_int(int(found[1])) if found else None
    failure: Failure = "none"
    if data.get("success") is False:
        failure = "denied" if word(error.get("code"), 40) in _DENIED else "error"
    elif code:
        failure = "error"
    call_id = word(data.get("toolCallId"))
    if not call_id:
        return turn.message("tool", "tool_result", text)
    return turn.result(call_id, text, failure, code, facts={"running": True} if _RUNS.search(end) else NO_FACTS)
