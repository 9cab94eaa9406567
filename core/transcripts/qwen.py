"""Qwen Code sessions: JSON Lines of records with `uuid`, `parentUuid` and a message of Gemini's API (`parts`).

A call is a `functionCall` part of the model; its result is a record of type `tool_result`, with a status beside it.
Source: `packages/core/src/services/chatRecordingService.ts` of QwenLM/qwen-code, 2026.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from core.transcripts.fields import fields, items, json_text, string, timestamp, word
from core.transcripts.gemini import exit_code, response_text
from core.transcripts.lines import Fields, Line, head_objects, read_objects
from core.transcripts.records import Failure, Record, SessionStart, Turn

NAME = "Qwen Code"
FILES = ("chats/*.jsonl",)
KEYS = frozenset(["sessionId"])

_TYPES: Final = frozenset({"user", "assistant", "tool_result", "system"})
_FAILED: Final[dict[str, Failure]] = {"error": "error", "cancelled": "interrupted"}
_INJECTED: Final = frozenset({"notification", "cron", "agent_bootstrap", "agent_launch_prompt", "goal_runtime"})


def owns(value: object) -> bool:
    """Whether Qwen Code wrote this record: Claude Code's have no `parts`."""
    record = fields(value)
    if not isinstance(record.get("sessionId"), str) or word(record.get("type"), 20) not in _TYPES:
        return False
    return isinstance(fields(record.get("message")).get("parts"), list) or "systemPayload" in record


def start_of(head: bytes, path: Path) -> SessionStart:
    """The session as its records name it, with the folder of the first."""
    known = next((record for record in head_objects(head) if word(record.get("sessionId"))), fields(None))
    own = word(known.get("sessionId")) or word(path.stem) or "unnamed"
    return SessionStart(own, "qwen", string(known.get("cwd")), timestamp(known.get("timestamp")))


def places(env: Mapping[str, str], home: Path) -> list[Path]:
    """`QWEN_RUNTIME_DIR` moves them, else `QWEN_HOME`, as they do for Qwen Code."""
    base = env.get("QWEN_RUNTIME_DIR") or env.get("QWEN_HOME")
    return [(Path(base) if base else home / ".qwen") / "projects"]


def read(lines: Iterable[Line], start: SessionStart | None = None) -> Iterator[Record]:
    """The records of numbered lines, in their order."""
    return read_objects(lines, start or SessionStart("unnamed", "qwen"), _record)


def _record(record: Fields, session: SessionStart, number: int) -> Iterator[Record]:
    kind = word(record.get("type"), 20)
    own = word(record.get("uuid")) or f"{session.session_id}:{number}"
    ts = timestamp(record.get("timestamp")) or session.started
    agent = word(record.get("agentId")) if record.get("isSidechain") is True else ""
    meta = kind == "system" or word(record.get("subtype"), 40) in _INJECTED
    turn = Turn(own, ts, number, agent or "main", meta)
    if kind not in _TYPES:
        return
    for block, part in enumerate(items(fields(record.get("message")).get("parts"))):
        source = fields(part)
        call, response = fields(source.get("functionCall")), fields(source.get("functionResponse"))
        if text := string(source.get("text")):
            role = "user" if kind == "user" else "assistant" if kind == "assistant" else "system"
            yield turn.message(role, "thinking" if source.get("thought") is True else "text", text, block)
        elif call:
            call_id = word(call.get("id")) or f"{own}:{block}"
            yield turn.call(call_id, word(call.get("name")) or "unnamed", fields(call.get("args")), block)
        elif response:
            yield _result(record, response, part, turn, block)
        elif source.get("inlineData") or source.get("fileData"):
            yield turn.message("user" if kind == "user" else "tool", "image", "[image]", block)


def _result(record: Fields, response: Fields, part: object, turn: Turn, block: int) -> Record:
    call_result = fields(record.get("toolCallResult"))
    call_id = word(response.get("id")) or word(call_result.get("callId"))
    answered = fields(response.get("response"))
    text = response_text(part) or (json_text(answered) if answered else "")
    code = exit_code(text)
    failure = _FAILED.get(word(call_result.get("status"), 20), "none")
    if failure == "none" and (code or call_result.get("error") or string(answered.get("error"))):
        failure = "error"
    if not call_id:
        return turn.message("tool", "tool_result", text, block)
    return turn.result(call_id, text, failure, code, block)
