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
_HEADER_LIMIT: Final = 20_000
"""Code points in which the header of an output ends; it may repeat the command."""
_EXITED: Final = re.compile(r"^(?:Process exited with code|Exit code:) (-?[0-9]{1,10})[ \t]*$", re.MULTILINE)
_RUNNING: Final = re.compile(r"^(?:Process running with session ID|Script running with cell ID) ", re.MULTILINE)
_ENVELOPE: Final = (
    "Command:",
    "Chunk ID:",
    "Wall time:",
    "Process exited with code",
    "Process running with session ID",
    "Exit code:",
    "Script running",
)
_SHORTENED: Final = re.compile(r"Warning: truncated [^\n]{0,80}\n(?:Total output lines: \d{1,9}\n)?\s{0,4}(?=\{)")
"""What Codex puts before a long text that it cut in the middle."""
_SESSION: Final = re.compile(r"\W{0,3}(?:running )?session(?:[ _]?id)?\W{1,4}(\d{1,12})\W{0,3}", re.IGNORECASE)
"""A short text of a script that names the session in which its command still runs."""
_SESSION_LENGTH: Final = 60
_INTERRUPTED: Final = re.compile(r"(?:Wall time: [0-9.]{1,12} seconds\n)?aborted by user\b")
_DENIED: Final = re.compile(
    r"(?:exec command |patch |command )?(?:rejected|declined|denied|cancell?ed) by (?:the )?user\b|Rejected\("
    r"|user (?:rejected|declined|cancell?ed) ",
    re.IGNORECASE,
)
_NOT_RUN: Final = ("exec_command failed for `", "execution error:", "failed in sandbox")
_REJECTED: Final = re.compile(r"(?:: |\")Rejected\(\\?\"|\brejected by user\b")
_SANDBOX_CODE: Final = re.compile(r"\bexit[_ ]code: (-?\d{1,10}),")
_SANDBOX_OUTPUT: Final = re.compile(
    r'\baggregated_output: StreamOutput \{ text: \\?"(.*?)\\?", truncated_after_lines', re.DOTALL
)
_ESCAPED: Final = re.compile(r"\\+([ntr\"'\\])")
_MISUSED: Final = (
    "failed to parse function arguments",
    "unsupported call:",
    "unsupported custom tool call:",
    "apply_patch verification failed",
    "write_stdin failed:",
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
    parts = [string(fields(part).get("text")) or string(part) for part in items(output)]
    if parts and parts[0].startswith("Script "):
        return _script_told(parts[0], [part for part in parts[1:] if part])
    source = fields(output)
    text = _text(source.get("content", source.get("output")) if source else output)
    success = source.get("success")
    if text.startswith(_NOT_RUN):
        return _not_run(text)
    inner = _wrapped(text)
    if inner is not None:
        code = small_int(fields(inner.get("metadata")).get("exit_code", inner.get("exit_code")))
        text = string(inner.get("output"))
    else:
        code = _enveloped_code(text)
    if text.startswith("Script "):
        head, mark, rest = text.partition("Output:\n")
        return _script_told(head + mark, [rest] if rest else [])
    facts = {"running": True} if code is None and _RUNNING.search(_header(text)) else None
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
    if text.startswith("Warning: truncated ") and (cut := _SHORTENED.match(text)):
        text = text[cut.end() :]
    if not text.startswith("{") or '"output"' not in text[:_ENVELOPE_LIMIT] + text[-_ENVELOPE_LIMIT:]:
        return None
    try:
        inner = fields(parse(text.encode("utf-8", "surrogatepass")))
    except ValueError:
        return None
    known = "metadata" in inner or "exit_code" in inner or "session_id" in inner
    return inner if known and isinstance(inner.get("output"), str) else None


def _enveloped_code(text: str) -> int | None:
    """The exit code that the lines before `Output:` name."""
    if not text.startswith(_ENVELOPE):
        return None
    found = _EXITED.search(_header(text))
    return small_int(int(found[1])) if found else None


def _header(text: str) -> str:
    """The lines before `Output:`; they may repeat a long command."""
    head = text[:_HEADER_LIMIT] if text.startswith("Command:") else text[:_ENVELOPE_LIMIT]
    return head.partition("\nOutput:")[0]


def _script_told(head: str, printed: list[str]) -> Told:
    """What a script of Codex printed: texts, and results of commands as JSON, each with its exit code.

    Without such a result nobody knows the exit code of what it ran: the fact `script` says so.
    """
    codes: list[int] = []
    shown: list[str] = []
    sessions: list[str] = []
    for part in printed:
        inner = _wrapped(part)
        code = small_int((inner or {}).get("exit_code"))
        shown.append(part if inner is None else string(inner.get("output")))
        codes += [] if code is None else [code]
        if code is None and (session := _session(part, inner)):
            sessions.append(session)
    text = head + joined(shown or [""])
    if _RUNNING.match(head):
        return Told(text, "none", None, {"running": True})
    code = next((one for one in codes if one), codes[0] if codes else None)
    known = len(codes) == len(printed) and bool(codes)
    failure = "error" if head.startswith("Script failed") else _failure(joined(shown or [""]), code, None)
    facts: dict[str, Any] = {} if known else {"script": True}
    if len(sessions) == 1 and not codes:
        facts["background"] = sessions[0]
    return Told(text, failure, code if known or code else None, facts or None)


def _session(part: str, inner: Mapping[str, Any] | None) -> str:
    """The session in which a command still runs, where a part of what a script printed names it."""
    if inner is not None:
        found = small_int(inner.get("session_id"))
        return "" if found is None else str(found)
    named = _SESSION.fullmatch(part.strip()) if len(part) < _SESSION_LENGTH else None
    return named[1] if named else ""


def _not_run(text: str) -> Told:
    """What Codex says of a command that it did not run, or that its sandbox stopped: the output, where it is in it."""
    if _REJECTED.search(text, 0, _HEADER_LIMIT):
        return Told(text, "denied")
    code, printed = _SANDBOX_CODE.search(text), _SANDBOX_OUTPUT.search(text)
    if printed is not None and printed[1].strip():
        text = _ESCAPED.sub(lambda found: _SIGNS.get(found[1], found[1]), printed[1])
    return Told(text, "error", small_int(int(code[1])) if code else None)


_SIGNS: Final = {"n": "\n", "t": "\t", "r": "\r"}


def _failure(text: str, code: int | None, success: object) -> Failure:
    said = text[:400].lstrip()
    if _INTERRUPTED.match(said):
        return "interrupted"
    if _DENIED.match(said):
        return "denied"
    if said.startswith(_MISUSED):
        return "tool_use_error"
    return "error" if (code is not None and code != 0) or success is False else "none"
