"""What an agent's hook hands over: one JSON object, taken as what it should be or refused with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from core.text import redact
from core.transcripts.claude_code import exit_code_of, facts_of, failure_of, result_text
from core.transcripts.fields import fields, json_text, string, word
from core.transcripts.records import Failure

EventName = Literal["PostToolUseFailure", "PostToolUse", "PreToolUse", "SessionStart", "Stop", "SessionEnd"]
KNOWN: frozenset[str] = frozenset(get_args(EventName))

MOST_BYTES = 8 << 20
"""A payload this large is no tool's output but a mistake: it is refused whole."""
TEXT_KEPT = 262_144
"""Code points of a result that are looked at."""


@dataclass(frozen=True, slots=True)
class Payload:
    """One event of an agent, as far as casebook cares.

    `text` is what the tool said (its error, or its response), not yet redacted; `failure` says whose failure it is, as
    in a transcript. `chain` is `main` or the subagent's id. Strings that were not given are empty. `stopping_again`:
    a stop hook has made the agent go on since a person said something.
    """

    event: EventName
    session_id: str
    cwd: str
    transcript: str
    chain: str = "main"
    tool: str = ""
    tool_input: Mapping[str, Any] = field(default_factory=dict[str, Any])
    text: str = ""
    failure: Failure = "none"
    exit_code: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    stopping_again: bool = False


def read_payload(data: bytes) -> Payload | str | None:
    """The event in `data`; None for one that casebook does not know; else, in a few words, why it is no event.

    A missing field is empty and a field of a wrong type is taken as text, where that makes sense; an event that names
    no tool where it needs one is refused.
    """
    if len(data) > MOST_BYTES:
        return f"it is larger than {MOST_BYTES >> 20} MiB"
    given = _object(data)
    if isinstance(given, str):
        return given
    name = given.get("hook_event_name")
    if not isinstance(name, str):
        return "it has no event (hook_event_name)"
    if name not in KNOWN:
        return None
    common: dict[str, Any] = {
        "event": name,
        "session_id": word(given.get("session_id")),
        "cwd": word(given.get("cwd"), 4_096),
        "transcript": word(given.get("transcript_path"), 4_096),
        "chain": word(given.get("agent_id")) or "main",
    }
    if name in ("SessionStart", "Stop", "SessionEnd"):
        return Payload(**common, stopping_again=bool(given.get("stop_hook_active")))
    tool, tool_input = word(given.get("tool_name")), given.get("tool_input")
    if not tool:
        return "it has no tool (tool_name)"
    if tool_input is not None and not isinstance(tool_input, dict):
        return "its tool_input is not an object"
    common |= {"tool": tool, "tool_input": fields(tool_input)}
    if name == "PreToolUse":
        return Payload(**common)
    return _result(given, common, failed=name == "PostToolUseFailure")


def _object(data: bytes) -> Mapping[str, Any] | str:
    import json  # the standard library's takes the huge numbers and lone surrogates that a faster one refuses

    if not data.strip():
        return "it is empty"
    try:
        value: object
        try:
            value = json.loads(data)
        except UnicodeDecodeError:  # a byte of another encoding in what a tool said must not lose all of it
            value = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return "it is not JSON, or truncated"
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else "it is not a JSON object"


def _result(given: Mapping[str, Any], common: Mapping[str, Any], *, failed: bool) -> Payload:
    """What a tool answered: `error` of a failure (also when it is no string), else `tool_response`."""
    response = given.get("tool_response")
    error: object = next((given[key] for key in ("error", "error_message") if given.get(key)), None) if failed else None
    text = (_text_of(error) if error is not None else _response(response))[:TEXT_KEPT]
    interrupted = given.get("is_interrupt") is True or fields(response).get("interrupted") is True
    flagged = failed or fields(response).get("is_error") is True or fields(response).get("isError") is True
    failure = failure_of(text, flagged, "interrupted" if interrupted else None, response)
    facts = facts_of(response)
    if fields(response).get("exit_unknown") is True:  # an agent that does not tell it: the output has to
        facts["script"] = True
    return Payload(**common, text=text, failure=failure, exit_code=exit_code_of(text, failure, response), facts=facts)


def _text_of(error: object) -> str:
    if isinstance(error, str):
        return error
    error_fields = fields(error)
    return string(error_fields.get("message")) or result_text(error, error_fields) or json_text(error)


def _response(given_response: object) -> str:
    response = fields(given_response)
    return result_text(response.get("content", given_response), given_response)


INPUT_KEPT = 8_192
"""Code points of one text."""
_MOST = 50


def short_input(tool_input: Mapping[str, Any]) -> dict[str, object]:
    """Each text redacted and cut, deep values left out."""
    kept: dict[str, object] = {}
    for key, value in list(tool_input.items())[:_MOST]:
        if isinstance(value, str):
            kept[redact(key)] = redact(value)[:INPUT_KEPT]
        elif value is None or isinstance(value, bool | int | float):
            kept[redact(key)] = value
        elif isinstance(value, list) and all(isinstance(part, str) for part in cast("list[object]", value)):
            kept[redact(key)] = [redact(part)[:INPUT_KEPT] for part in cast("list[str]", value)[:_MOST]]
    return kept
