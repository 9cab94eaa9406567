"""What a Codex tool result says, in all the shapes that versions of Codex have written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from core.transcripts.fields import fields, items, joined, small_facts, small_int, string, word
from core.transcripts.json_line import parse
from core.transcripts.records import Failure

_ENVELOPE_LIMIT: Final = 1000
_EXITED: Final = re.compile(r"^(?:Process exited with code|Exit code:) (-?[0-9]{1,10})[ \t]*$", re.MULTILINE)
_RUNNING: Final = re.compile(r"^(?:Process running with session ID|Script running with cell ID) ", re.MULTILINE)
_ENVELOPE: Final = (
    "Chunk ID:",
    "Wall time:",
    "Process exited with code",
    "Process running with session ID",
    "Exit code:",
    "Script running",
)
_INTERRUPTED: Final = re.compile(r"(?:Wall time: [0-9.]{1,12} seconds\n)?aborted by user\b")
_DENIED: Final = re.compile(
    r"(?:exec command |patch |command )?rejected by user\b|(?:exec_command failed[^\n]{0,200})?Rejected\("
)
_MISUSED: Final = (
    "failed to parse function arguments",
    "unsupported call:",
    "unsupported custom tool call:",
    "apply_patch verification failed",
)


@dataclass(frozen=True, slots=True)
class Told:
    """A result as one record tells it."""

    text: str
    failure: Failure = "none"
    exit_code: int | None = None
    facts: Mapping[str, Any] | None = None


def output_told(output: object) -> Told:
    """The `output` of a `*_call_output` record: text, an envelope with an exit code, JSON in a string, or blocks."""
    source = fields(output)
    text = _text(source.get("content", source.get("output")) if source else output)
    success = source.get("success")
    inner = _wrapped(text)
    if inner is not None:
        code = small_int(fields(inner.get("metadata")).get("exit_code", inner.get("exit_code")))
        text = string(inner.get("output"))
    else:
        code = _enveloped_code(text)
    facts = {"running": True} if code is None and _RUNNING.search(text[:_ENVELOPE_LIMIT]) else None
    return Told(text, _failure(text, code, success), code, facts)


def command_told(payload: Mapping[str, Any]) -> Told:
    """An `exec_command_end` event: what the command printed, and its exit code."""
    parts = [string(payload.get("stdout")), string(payload.get("stderr"))]
    text = string(payload.get("aggregated_output")) or joined([part for part in parts if part] or [""])
    text = text or string(payload.get("formatted_output"))
    code = small_int(payload.get("exit_code"))
    denied = word(payload.get("status")) == "declined"
    return Told(text, "denied" if denied else _failure(text, code, None), code)


def patch_told(payload: Mapping[str, Any]) -> Told:
    """A `patch_apply_end` event."""
    parts = [string(payload.get("stdout")), string(payload.get("stderr"))]
    text = joined([part for part in parts if part] or [""])
    denied = word(payload.get("status")) == "declined"
    changed = [word(path, 300) for path in list(fields(payload.get("changes")))[:20]]
    facts = {"files": changed} if changed else None
    return Told(text, "denied" if denied else _failure(text, None, payload.get("success")), None, facts)


def tool_server_told(payload: Mapping[str, Any]) -> Told:
    """An `mcp_tool_call_end` event: `result` is `{Ok: …}` or `{Err: text}`."""
    result = fields(payload.get("result"))
    ok, error = fields(result.get("Ok")), result.get("Err")
    if error is not None:
        return Told(_text(error), "error")
    failed = ok.get("is_error") is True or ok.get("isError") is True
    facts = small_facts(fields(payload.get("invocation")), {"server": "server", "tool": "tool"})
    return Told(_text(ok.get("content")), "error" if failed else "none", None, facts)


def _text(output: object) -> str:
    if isinstance(output, str):
        return output
    parts = [part if isinstance(part, str) else string(fields(part).get("text")) for part in items(output)]
    return joined([part for part in parts if part] or [""])


def _wrapped(text: str) -> dict[str, Any] | None:
    """The object in a text that is `{"output": …, "metadata": {"exit_code": N, …}}` and nothing else."""
    if not text.startswith("{") or '"output"' not in text[:_ENVELOPE_LIMIT] + text[-_ENVELOPE_LIMIT:]:
        return None
    try:
        inner = fields(parse(text.encode("utf-8", "surrogatepass")))
    except ValueError:
        return None
    known = "metadata" in inner or "exit_code" in inner
    return inner if known and isinstance(inner.get("output"), str) else None


def _enveloped_code(text: str) -> int | None:
    """The exit code that the lines before `Output:` name."""
    if not text.startswith(_ENVELOPE):
        return None
    found = _EXITED.search(text[:_ENVELOPE_LIMIT].partition("\nOutput:")[0])
    return small_int(int(found[1])) if found else None


def _failure(text: str, code: int | None, success: object) -> Failure:
    said = text[:400].lstrip()
    if _INTERRUPTED.match(said):
        return "interrupted"
    if _DENIED.match(said):
        return "denied"
    if said.startswith(_MISUSED):
        return "tool_use_error"
    return "error" if (code is not None and code != 0) or success is False else "none"
