"""Codex rollouts: JSON Lines of `{timestamp, type, payload}`, and the flat records of old versions.

Two logs interleave: what the model sees (`response_item`) and what the screen showed (`event_msg`). Both have most
messages and results; those of the second are marked `display`, and a result gives its `call_id` both times.
Results are read in all the shapes that versions of Codex have written; commands and patches also from the string
literals of the scripts (`exec`) that Codex writes to call its tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from core.transcripts.commands import call_text
from core.transcripts.fields import (
    elements,
    fields,
    items,
    joined,
    json_text,
    small_facts,
    small_int,
    string,
    timestamp,
    word,
)
from core.transcripts.lines import Fields, Line, first_match, head_objects, objects, parse
from core.transcripts.records import Failure, Kind, Message, Record, Role, SessionStart, Skipped, ToolCall, ToolResult
from core.transcripts.repository import repository_of

NAME = "Codex"
FILES = ("*.jsonl", "*.jsonl.zst", "rollout-*.json")
KEYS = None

_TYPES: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"})
_ITEMS: Final = frozenset(
    {
        "function_call",
        "function_call_output",
        "local_shell_call",
        "custom_tool_call",
        "custom_tool_call_output",
        "reasoning",
    }
)
_ID: Final = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


def owns(value: object) -> bool:
    """Whether Codex wrote this record."""
    record = fields(value)
    kind = word(record.get("type"), 60)
    if kind in _TYPES and ("payload" in record or "sessionId" not in record):
        return True
    if "record_type" in record or kind in _ITEMS or (kind == "message" and "role" in record):
        return True
    return is_header(record) and "sessionId" not in record


def start_of(head: bytes, path: Path) -> SessionStart:
    """The session as the header says it, else as the file is named."""
    named = _ID.findall(path.name)
    start = SessionStart(named[-1] if named else word(path.stem) or "unnamed", "codex")
    header = next((record for record in head_objects(head) if is_header(record)), None)
    if header is not None:
        return start_from(header, start)
    line = head.partition(b"\n")[0]  # a header longer than the head: what can be seen of it
    if b'"session_meta"' not in line[:200]:
        return start
    own, cwd = (
        first_match(rb'"id"\s*:\s*"([\w.-]{1,100})"', line),
        first_match(rb'"cwd"\s*:\s*"([^"\\]{1,1000})"', line),
    )
    remote = repository_of(first_match(rb'"repository_url"\s*:\s*"([^"\\]{1,1000})"', line))
    return replace(start, session_id=own or start.session_id, project=cwd, remote=remote)


def places(env: Mapping[str, str], home: Path) -> list[Path]:
    """`CODEX_HOME` moves them, as it does for Codex."""
    base = Path(env.get("CODEX_HOME") or home / ".codex")
    return [base / "sessions", base / "archived_sessions"]


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
_NOT_RUN: Final = ("exec_command failed for `", "exec_command failed: ", "execution error:", "failed in sandbox")
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
_REFUSED_PATCH: Final = ("error: Failed to find expected lines", "error: invalid hunk at line", "error: invalid patch:")
"""How older versions of Codex refuse a patch; the result has no exit code."""
_BY_POLICY: Final = re.compile(r"` rejected: [\w ]{1,60}\Z")
"""The end of what Codex says of a command that its rules forbid."""


@dataclass(frozen=True, slots=True)
class OutputRecord:
    """A result in one record."""

    text: str
    failure: Failure = "none"
    exit_code: int | None = None
    facts: Mapping[str, Any] | None = None


def parse_output(output: object) -> OutputRecord:
    """The `output` of a `*_call_output` record: text, an envelope with an exit code, JSON in a string, or blocks."""
    parts = [string(fields(part).get("text")) or string(part) for part in items(output)]
    if parts and parts[0].startswith("Script "):
        return _parse_script(parts[0], [part for part in parts[1:] if part])
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
        return _parse_script(head + mark, [rest] if rest else [])
    facts = {"running": True} if code is None and _RUNNING.search(_header(text)) else None
    return OutputRecord(text, _failure(text, code, success), code, facts)


def parse_command_end(payload: Mapping[str, Any]) -> OutputRecord:
    """An `exec_command_end` event: what the command printed, and its exit code."""
    parts = [string(payload.get("stdout")), string(payload.get("stderr"))]
    text = string(payload.get("aggregated_output")) or joined([part for part in parts if part] or [""])
    text = text or string(payload.get("formatted_output"))
    code = small_int(payload.get("exit_code"))
    denied = word(payload.get("status")) == "declined"
    return OutputRecord(text, "denied" if denied else _failure(text, code, None), code)


def parse_patch_end(payload: Mapping[str, Any]) -> OutputRecord:
    """A `patch_apply_end` event."""
    parts = [string(payload.get("stdout")), string(payload.get("stderr"))]
    text = joined([part for part in parts if part] or [""])
    denied = word(payload.get("status")) == "declined"
    changed = [word(path, 300) for path in list(fields(payload.get("changes")))[:20]]
    facts = {"files": changed} if changed else None
    return OutputRecord(text, "denied" if denied else _failure(text, None, payload.get("success")), None, facts)


def parse_mcp_end(payload: Mapping[str, Any]) -> OutputRecord:
    """An `mcp_tool_call_end` event: `result` is `{Ok: …}` or `{Err: text}`."""
    result = fields(payload.get("result"))
    ok, error = fields(result.get("Ok")), result.get("Err")
    if error is not None:
        return OutputRecord(_text(error), "error")
    failed = ok.get("is_error") is True or ok.get("isError") is True
    facts = small_facts(fields(payload.get("invocation")), {"server": "server", "tool": "tool"})
    return OutputRecord(_text(ok.get("content")), "error" if failed else "none", None, facts)


def _text(output: object) -> str:
    if isinstance(output, str):
        return output
    parts = [part if isinstance(part, str) else string(fields(part).get("text")) for part in items(output)]
    return joined([part for part in parts if part] or [""])


def _wrapped(text: str) -> dict[str, Any] | None:
    """The object in a text that is `{"output": …, "metadata": {"exit_code": N, …}}` and nothing else; a script may
    print it without its output."""
    if text.startswith("Warning: truncated ") and (cut := _SHORTENED.match(text)):
        text = text[cut.end() :]
    ends = text[:_ENVELOPE_LIMIT] + text[-_ENVELOPE_LIMIT:]
    if not text.startswith("{") or not ('"output"' in ends or '"wall_time_seconds"' in ends):
        return None
    try:
        inner = fields(parse(text.encode("utf-8", "surrogatepass")))
    except ValueError:
        return None
    known = "metadata" in inner or "exit_code" in inner or "session_id" in inner
    whole = isinstance(inner.get("output"), str) or ("output" not in inner and "wall_time_seconds" in inner)
    return inner if known and whole else None


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


def _parse_script(head: str, printed: list[str]) -> OutputRecord:
    """What a script of Codex printed: texts, and results of commands as JSON, each with its exit code.

    Without such a result nobody knows the exit code of what it ran: the fact `script` says so.
    """
    codes: list[int] = []
    shown: list[str] = []
    sessions: list[str] = []
    apart = 0  # results whose output is printed as a text of its own
    for part in printed:
        inner = _wrapped(part)
        apart += inner is not None and "output" not in inner
        code = small_int((inner or {}).get("exit_code"))
        shown.append(part if inner is None else string(inner.get("output")))
        codes += [] if code is None else [code]
        if code is None and (session := _session(part, inner)):
            sessions.append(session)
    text = head + joined(shown or [""])
    if _RUNNING.match(head):
        return OutputRecord(text, "none", None, {"running": True})
    code = next((one for one in codes if one), codes[0] if codes else None)
    known = len(codes) == len(printed) - apart and bool(codes)
    failure = "error" if head.startswith("Script failed") else _failure(joined(shown or [""]), code, None)
    facts: dict[str, Any] = {} if known else {"script": True}
    if len(sessions) == 1 and not codes:
        facts["background"] = sessions[0]
    return OutputRecord(text, failure, code if known or code else None, facts or None)


def _session(part: str, inner: Mapping[str, Any] | None) -> str:
    """The session in which a command still runs, where a part of what a script printed names it."""
    if inner is not None:
        found = small_int(inner.get("session_id"))
        return "" if found is None else str(found)
    named = _SESSION.fullmatch(part.strip()) if len(part) < _SESSION_LENGTH else None
    return named[1] if named else ""


def _not_run(text: str) -> OutputRecord:
    """What Codex says of a command that it did not run, or that its sandbox stopped: the output, where it is in it."""
    if _REJECTED.search(text, 0, _HEADER_LIMIT):
        return OutputRecord(text, "denied")
    code, printed = _SANDBOX_CODE.search(text), _SANDBOX_OUTPUT.search(text)
    if printed is not None and printed[1].strip():
        text = _ESCAPED.sub(lambda found: _SIGNS.get(found[1], found[1]), printed[1])
    return OutputRecord(text, "error", small_int(int(code[1])) if code else None)


_SIGNS: Final = {"n": "\n", "t": "\t", "r": "\r"}


def _failure(text: str, code: int | None, success: object) -> Failure:
    head = text[:400].lstrip()
    if _INTERRUPTED.match(head):
        return "interrupted"
    if _DENIED.match(head) or (code is None and head.startswith("`") and _BY_POLICY.search(text[-100:].rstrip())):
        return "denied"
    if head.startswith(_MISUSED) or (code is None and head.startswith(_REFUSED_PATCH)):
        return "tool_use_error"
    return "error" if (code is not None and code != 0) or success is False else "none"


_LIMIT: Final = 200_000
_LITERAL: Final = r"""(?P<literal>"(?>(?:[^"\\\n]|\\.)*)"|'(?>(?:[^'\\\n]|\\.)*)'|`(?>(?:[^`\\]|\\.)*)`)"""
_COMMAND: Final = re.compile(rf"""(?<![\w.])["']?cmd["']?\s{{0,9}}:\s{{0,9}}{_LITERAL}""", re.DOTALL)
_FOLDER: Final = re.compile(rf"""(?<![\w.])["']?workdir["']?\s{{0,9}}:\s{{0,9}}{_LITERAL}""", re.DOTALL)
_LOOK: Final = re.compile(r"(?<![\w.])tools\.write_stdin\(")
_SCRIPT_SESSION: Final = re.compile(r"""(?<![\w.])["']?session_id["']?\s{0,9}:\s{0,9}["']?(\d{1,12})\b""")
_PATCH: Final = "*** Begin Patch"
_SCRIPT_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)


def script_call(script: str) -> tuple[str, dict[str, Any]]:
    """The tool that a script calls, and its input: its commands, one a line, as `cmd`; its patch; the session of a
    running command that it looks at; else itself."""
    source = script[:_LIMIT]
    if "exec_command" in source:
        commands = [_value(found["literal"]) for found in _COMMAND.finditer(source)]
        folders = {_value(found["literal"]) for found in _FOLDER.finditer(source)}
        if commands:
            folder = {"workdir": folders.pop()} if len(folders) == 1 else {}
            return "exec", {"cmd": "\n".join(commands), **folder, "input": script}
    elif "apply_patch" in source and _PATCH in source:
        literal = _literal_at(source, len(source[: source.find(_PATCH)].rstrip()) - 1)
        if literal:
            return "apply_patch", {"input": _value(literal).lstrip()}
    elif _LOOK.search(source) and len(sessions := {found[1] for found in _SCRIPT_SESSION.finditer(source)}) == 1:
        return "write_stdin", {"session_id": int(sessions.pop()), "input": script}
    return "exec", {"input": script}


def _literal_at(source: str, start: int) -> str:
    """The literal of JavaScript that a quote at `start` opens, with its quotes; empty where none does."""
    quote = source[start] if start >= 0 else ""
    end = start
    while quote and quote in "\"'`" and (end := source.find(quote, end + 1)) != -1:
        escapes = end
        while source[escapes - 1] == "\\":
            escapes -= 1
        if (end - escapes) % 2 == 0:
            return source[start : end + 1]
    return ""


def _value(literal: str) -> str:
    """What a literal of JavaScript says."""
    if literal.startswith('"'):
        try:
            return string(parse(literal.encode("utf-8", "surrogatepass")))
        except ValueError:
            pass
    return _SCRIPT_ESCAPED.sub(lambda found: _SIGNS.get(found[1], found[1]), literal[1:-1])


_INJECTED = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<multi_agent_mode>",
    "<apps_instructions>",
    "<skills_instructions>",
    "<skill>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
)
_ENVELOPES = frozenset({"response_item", "event_msg"})
_ENDS = {"exec_command_end": parse_command_end, "patch_apply_end": parse_patch_end, "mcp_tool_call_end": parse_mcp_end}
DISPLAY = "display:"
"""Prefix of the names of messages that exist in the display log only."""

_CWD = re.compile(r"<cwd>([^<\n]{1,1000})</cwd>")
_GLOBAL_ID = 16
"""A call id of this length is unique everywhere; a shorter one (`call_1`, of a local model) only in its session."""


def read_codex(lines: Iterable[Line], start: SessionStart | None = None) -> Iterator[Record]:
    """The records of numbered lines, in their order. `start` is the session, as `start_of` finds it in the head.

    A header in the middle (a fork replays its parent's) changes nothing. Results may come twice, see `ToolResult`.
    """
    session = start or SessionStart("unnamed", "codex")
    announced = False
    for number, data, record in objects(lines):
        if isinstance(record, Skipped):
            yield record
            continue
        for index, item in enumerate(_flat(record)):
            for found in _read(item, _Origin(session, number, data, index)):
                if isinstance(found, SessionStart):
                    session, announced = found, False
                    continue
                if not announced:
                    announced = True
                    yield session
                yield found


def start_from(record: Fields, start: SessionStart) -> SessionStart:
    """What a header record (`session_meta`, or the bare one of old files) says of the session; `start` fills gaps."""
    source = fields(record.get("payload")) or fields(record.get("session")) or record
    spawned = fields(fields(fields(source.get("source")).get("subagent")).get("thread_spawn"))
    parent = word(spawned.get("parent_thread_id")) or word(source.get("parent_thread_id"))
    return SessionStart(
        word(source.get("id")) or start.session_id,
        "codex",
        string(source.get("cwd")) or start.project,
        timestamp(source.get("timestamp")) or timestamp(record.get("timestamp")) or start.started,
        parent or start.parent,
        word(source.get("forked_from_id")) or start.continues,
        repository_of(string(fields(source.get("git")).get("repository_url"))) or start.remote,
    )


def is_header(record: Fields) -> bool:
    """Whether a record opens a rollout."""
    if record.get("type") == "session_meta" or isinstance(record.get("session"), dict):
        return True
    return {"id", "timestamp"} <= record.keys() and not record.keys() & {"type", "role", "text", "sessionId"}


def _flat(record: Fields) -> list[Fields]:
    """The records in one line: the one, or all of a whole session kept in one document (the oldest form)."""
    if isinstance(record.get("session"), dict) and isinstance(record.get("items"), list):
        return [fields(item) for item in items(record.get("items"))]
    return [record]


@dataclass(frozen=True, slots=True)
class _Origin:
    """The position of a record; it gives its messages stable names, also if the file is read again or copied."""

    session: SessionStart
    line: int
    data: bytes
    index: int

    def uuid(self, ts: str) -> str:
        """A record that carries its time is named by its content, so that a copy of the file repeats the name; with
        the end of its line, also where that was not written yet when it was read."""
        if ts:
            whole = self.data if self.data.endswith(b"\n") else self.data + b"\n"
            return f"codex:{blake2b(whole, digest_size=16).hexdigest()}"
        return f"{self.session.session_id}:{self.line}" + (f".{self.index}" if self.index else "")

    def display_uuid(self, ts: str) -> str:
        return f"{DISPLAY}{self.uuid(ts)}"

    def call_uuid(self, part: str, call_id: str, ts: str) -> str:
        if len(call_id) >= _GLOBAL_ID:
            return f"{part}:{call_id}"
        return f"{self.session.session_id}:{self.uuid(ts)}" if ts else self.uuid(ts)


def _read(record: Fields, origin: _Origin) -> Iterator[Record]:
    ts = timestamp(record.get("timestamp"))
    kind = word(record.get("type"), 60)
    payload = fields(record.get("payload")) if kind in _ENVELOPES else record
    shown = ts or origin.session.started
    if kind == "event_msg":
        yield from _event(payload, origin, ts, shown)
    elif kind == "compacted":
        text = string((fields(record.get("payload")) or record).get("message"))
        if text:
            yield Message("system", "summary", text, origin.uuid(ts), 0, shown, origin.line, meta=True)
    elif kind:
        yield from _item(payload, origin, ts, shown)


def _item(item: Fields, origin: _Origin, ts: str, shown: str) -> Iterator[Record]:
    kind = word(item.get("type"), 60)
    if kind == "message":
        yield from _message(item, origin, ts, shown)
    elif kind == "reasoning":
        parts = [*items(item.get("summary")), *items(item.get("content"))]
        for block, part in enumerate(parts):
            if text := string(fields(part).get("text")):
                yield Message("assistant", "thinking", text, origin.uuid(ts), block, shown, origin.line)
    elif kind in ("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"):
        yield _call(item, kind, origin, ts, shown)
    elif kind.endswith("_output"):
        output = parse_output(item.get("output"))
        yield from _result(item, output, origin, ts, shown, display=False)


def _message(item: Fields, origin: _Origin, ts: str, shown: str) -> Iterator[Record]:
    given = word(item.get("role"), 20)
    role: Role = "user" if given == "user" else "assistant" if given == "assistant" else "system"
    for block, part in enumerate(elements(item.get("content"))):
        source = fields(part)
        text = string(part) or string(source.get("text"))
        kind: Kind = "text"
        if not text and word(source.get("type")).endswith("image"):
            text, kind = "[image]", "image"
        if not text:
            continue
        injected = role == "system" or (role == "user" and text[:200].lstrip().startswith(_INJECTED))
        if injected and not origin.session.project and (found := _CWD.search(text[:4000])):
            yield replace(origin.session, project=found[1])
        yield Message(role, kind, text, origin.uuid(ts), block, shown, origin.line, meta=injected)


def _call(item: Fields, kind: str, origin: _Origin, ts: str, shown: str) -> ToolCall:
    name = word(item.get("name")) or kind.removesuffix("_call")
    tool_input = _input(item, kind)
    if name == "exec" and kind == "custom_tool_call":
        name, tool_input = script_call(string(tool_input.get("input")))
    call_id = word(item.get("call_id")) or word(item.get("id"))
    uuid = origin.call_uuid("call", call_id, ts)
    call_id = call_id or uuid
    text = call_text(name, tool_input)
    message = Message("assistant", "tool_use", text, uuid, 0, shown, origin.line, tool_use_id=call_id)
    return ToolCall(call_id, name, tool_input, message)


def _input(item: Fields, kind: str) -> dict[str, Any]:
    if kind in ("local_shell_call", "web_search_call"):
        return fields(item.get("action"))
    given = item.get("arguments", item.get("input"))
    if kind == "function_call" and isinstance(given, str):
        try:
            given = parse(given.encode("utf-8", "surrogatepass"))
        except ValueError:
            return {"arguments": given}
    if given is None or given == {}:
        return {}
    if found := fields(given):
        return found
    return {
        "input" if kind == "custom_tool_call" else "arguments": given if isinstance(given, str) else json_text(given)
    }


def _result(
    item: Fields, output: OutputRecord, origin: _Origin, ts: str, shown: str, *, display: bool
) -> Iterator[Record]:
    call_id = word(item.get("call_id")) or word(item.get("id"))
    uuid = origin.call_uuid("result", call_id, ts)
    message = Message(
        "tool", "tool_result", output.text, uuid, 0, shown, origin.line, tool_use_id=call_id or None, display=display
    )
    if call_id:
        yield ToolResult(call_id, output.failure, output.exit_code, message, dict(output.facts or {}))
    elif output.text:
        yield message


def _event(event: Fields, origin: _Origin, ts: str, shown: str) -> Iterator[Record]:
    kind = word(event.get("type"), 60)
    if kind in _ENDS:
        yield from _result(event, _ENDS[kind](event), origin, ts, shown, display=True)
        return
    role: Role = "user" if kind == "user_message" else "assistant"
    text = string(event.get("text" if kind == "agent_reasoning" else "message"))
    if kind == "turn_aborted":
        text = f"[turn aborted: {word(event.get('reason'), 60) or 'no reason given'}]"
        yield Message("system", "text", text, origin.uuid(ts), 0, shown, origin.line, meta=True)
    elif text and kind in ("user_message", "agent_message", "agent_reasoning"):
        message_kind: Kind = "thinking" if kind == "agent_reasoning" else "text"
        meta = role == "user" and text[:200].lstrip().startswith(_INJECTED)
        yield Message(role, message_kind, text, origin.display_uuid(ts), 0, shown, origin.line, meta=meta, display=True)


read = read_codex
