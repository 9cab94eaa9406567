"""Translate an agent's hook payload into casebook's own form, and casebook's reply into that agent's form.

casebook's own form is that of Claude Code. A hook process loads this module only for another agent. Sources, read in
November 2026: openai/codex `codex-rs/hooks/schema/generated`, google-gemini/gemini-cli `docs/hooks/reference.md`,
github/docs `copilot/reference/hooks-reference.md`, cursor.com/docs/hooks.md, anomalyco/opencode
`packages/plugin/src/index.ts`.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

AGENTS = ("codex", "gemini", "copilot", "opencode", "cursor")
"""Agents whose payloads differ from Claude Code's."""
COPILOT_CONTEXT = 2
"""Copilot reads the standard output of a `postToolUseFailure` hook as context only with this exit code."""
_CORE_EVENTS = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "SessionStart", "SessionEnd", "Stop")
_EVENTS = {
    "BeforeTool": "PreToolUse",
    "AfterTool": "PostToolUse",
    "AfterAgent": "Stop",
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "tool.execute.after": "PostToolUse",
    "agentStop": "Stop",
    "stop": "Stop",
    "sessionStart": "SessionStart",
    "sessionEnd": "SessionEnd",
}
_TOOLS = {
    "run_shell_command": "Bash",
    "bash": "Bash",
    "Shell": "Bash",
    "powershell": "PowerShell",
    "write_file": "Write",
    "create": "Write",
    "write": "Write",
    "replace": "Edit",
    "edit": "Edit",
    "str_replace_editor": "Edit",
    "StrReplace": "Edit",
}
_FIELDS = {
    "path": "file_path",
    "filePath": "file_path",
    "old_str": "old_string",
    "new_str": "new_string",
    "oldString": "old_string",
    "newString": "new_string",
    "file_text": "content",
    "contents": "content",
}
_GEMINI_TAIL = re.compile(r"\n(Error|Exit Code|Signal|Background PIDs|Process Group PGID): ([^\n]*)(?=\n|$)")
_GEMINI_WRAP = re.compile(r"\s*<untrusted_context>\n?(.*?)\n?</untrusted_context>\s*", re.DOTALL)
_COPILOT_EXIT = re.compile(r"\n?<(?:exited|completed) with exit code (-?[0-9]{1,10})>\s*$")


class Translation:
    """A payload in casebook's form. `payload` is empty for an event that casebook has no use for.

    Plain, because a dataclass takes longer to load than the rest.
    """

    def __init__(self, agent: str, event: str, payload: bytes) -> None:
        self.agent, self.event, self.payload = agent, event, payload

    def reply(self, answer: Mapping[str, Any]) -> tuple[str, int]:
        """What to print for casebook's `answer`, and the exit code. An empty text: this event takes no reply."""
        fields = _fields(answer.get("hookSpecificOutput"))
        context, reason = str(fields.get("additionalContext") or ""), str(answer.get("reason") or "")
        if self.agent == "copilot" and self.event in ("postToolUseFailure", "PostToolUseFailure"):
            return (f"{context}\n", COPILOT_CONTEXT) if context else ("", 0)
        reply = _reply_fields(self.agent, self.event, context, reason)
        return (json.dumps(reply) + "\n", 0) if reply else ("", 0)


def _reply_fields(agent: str, event: str, context: str, reason: str) -> dict[str, object]:
    """The reply object in the agent's documented form; empty where the event takes none."""
    stops = _EVENTS.get(event, event) == "Stop"
    if agent == "codex":
        named = {"hookEventName": event, "additionalContext": context}
        return {"decision": "block", "reason": reason} if stops else {"hookSpecificOutput": named}
    if agent == "gemini":
        if event == "BeforeTool":
            return {}
        named = {"hookEventName": event, "additionalContext": context}
        return {"decision": "deny", "reason": reason} if stops else {"hookSpecificOutput": named}
    if _EVENTS.get(event, event) == "PreToolUse":
        return {}
    if agent == "copilot":
        return {"decision": "block", "reason": reason} if stops else {"additionalContext": context}
    if agent == "cursor":
        return {"followup_message": reason} if stops else {"additional_context": context}
    return {} if stops else {"append": context}


def agent_of(payload: bytes) -> str:
    """The agent that sent a payload to the hook line of Claude Code; empty for Claude Code itself.

    Codex loads the hooks of a Claude Code plugin, Cursor and Copilot those of Claude Code's settings.
    """
    for agent, mark in (("cursor", b'"cursor_version"'), ("codex", b'"turn_id"'), ("copilot", b'_result_for_llm"')):
        if mark in payload:
            return agent
    return ""


def translate(data: bytes, agent: str, *, guessed: bool = False) -> Translation | None:
    """The payload `data` of `agent` in casebook's form; None if it is none of that agent's.

    `guessed`: `agent` is what `agent_of` said, and a field of a tool's output may have misled it.
    """
    given = _fields(_loaded(data))
    if not given or (guessed and not _is_of(given, agent)):
        return None
    event = str(given.get("hook_event_name") or given.get("hookEventName") or "") or _unnamed(given)
    core = _EVENTS.get(event, event)
    if core not in _CORE_EVENTS:
        return Translation(agent, event, b"")
    common = _common(given, core)
    if core in ("SessionStart", "SessionEnd"):
        return Translation(agent, event, _dumped(common))
    if core == "Stop":
        again = bool(given.get("stop_hook_active")) or bool(given.get("loop_count"))
        ended = given.get("status") in (None, "completed")
        return Translation(agent, event, _dumped({**common, "stop_hook_active": again}) if ended else b"")
    common |= _call(given, agent)
    if core != "PreToolUse":
        outcome = _OUTCOMES[agent](given, core)
        if outcome is None:
            return Translation(agent, event, b"")
        common |= outcome
    return Translation(agent, event, _dumped(common))


def _is_of(given: Mapping[str, Any], agent: str) -> bool:
    if agent == "cursor":
        return "cursor_version" in given
    return "turn_id" in given if agent == "codex" else "tool_result" in given or "toolResult" in given


def _unnamed(given: Mapping[str, Any]) -> str:
    """The event of a payload that does not name it: Copilot's, in its own form."""
    if "toolName" in given:
        result = "postToolUse" if "toolResult" in given else "preToolUse"
        return "postToolUseFailure" if "error" in given else result
    if "stopReason" in given:
        return "agentStop"
    if "reason" in given:
        return "sessionEnd"
    return "sessionStart" if "source" in given else ""


def _common(given: Mapping[str, Any], event: str) -> dict[str, object]:
    roots: list[Any] = given["workspace_roots"] if isinstance(given.get("workspace_roots"), list) else []
    root = roots[0] if roots else None
    return {
        "hook_event_name": event,
        "session_id": given.get("session_id") or given.get("sessionId") or given.get("conversation_id"),
        "cwd": given.get("cwd") or root,
        "transcript_path": given.get("transcript_path") or given.get("transcriptPath"),
    }


def _call(given: Mapping[str, Any], agent: str) -> dict[str, object]:
    """The tool and its input, under the names that casebook knows."""
    name = str(given.get("tool_name") or given.get("toolName") or "")
    value: object = given.get("tool_input", given.get("toolArgs"))
    source = (_fields(_loaded(value)) or {"input": value}) if isinstance(value, str) else _fields(value)
    if name == "apply_patch":
        patch = source.get("command", source.get("input"))
        return {"tool_name": name, "tool_input": {"input": patch} if isinstance(patch, str) else source}
    if agent == "codex":
        return {"tool_name": name, "tool_input": source}
    own = _TOOLS.get(name, name)
    known = own in ("Write", "Edit")
    return {"tool_name": own, "tool_input": {(_FIELDS.get(key, key) if known else key): source[key] for key in source}}


def _failed(text: str, code: int | None) -> dict[str, object]:
    error = text if code is None else f"Exit code {code}\n{text}"
    return {"hook_event_name": "PostToolUseFailure", "error": error or "failed without output"}


def _passed(text: str, *, unknown: bool = False) -> dict[str, object]:
    """Return a passed result; `unknown`: there is no exit code, so the output decides."""
    response: dict[str, object] = {"stdout": text, "stderr": ""}
    return {"hook_event_name": "PostToolUse", "tool_response": response | ({"exit_unknown": True} if unknown else {})}


def _codex(given: Mapping[str, Any], event: str) -> dict[str, object] | None:
    """Codex sends `PostToolUse` for failed commands too, with or without their exit code."""
    from core.transcripts.codex import parse_command_end, parse_output
    from core.transcripts.fields import fields, small_int, string

    response = given.get("tool_response")
    source = fields(response)
    if "stdout" in source or "stderr" in source or "aggregated_output" in source:
        result, code = parse_command_end(source), small_int(source.get("exit_code"))
    elif "output" in source:
        result = parse_output(string(source.get("output")))
        code = small_int(fields(source.get("metadata")).get("exit_code", source.get("exit_code")))
    else:
        result, code = parse_output(response), None
    if result.failure in ("denied", "interrupted", "tool_use_error"):
        return None
    code = result.exit_code if code is None else code
    failed = code != 0 if code is not None else result.failure == "error"
    failed = failed or source.get("isError") is True or event == "PostToolUseFailure"
    running = bool(result.facts and "running" in result.facts)
    if failed:
        return _failed(result.text, code)
    return _passed(result.text, unknown=code is None and not running and given.get("tool_name") == "Bash")


def _gemini(given: Mapping[str, Any], event: str) -> dict[str, object] | None:
    """`llmContent` of a shell command: `Output: …`, then lines such as `Exit Code: 1`, only where there are such."""
    response = _fields(given.get("tool_response")) or {"llmContent": given.get("tool_response")}
    text, error = _text(response.get("llmContent")), response.get("error")
    if given.get("tool_name") != "run_shell_command":
        return _failed(_message(error) or text, None) if error else _passed(text)
    wrapped = _GEMINI_WRAP.fullmatch(text)
    text = (wrapped[1] if wrapped else text).removeprefix("Output: ")
    if text.startswith(("Command was cancelled", "User cancelled")):
        return None
    tail = {found[1]: found[2] for found in _GEMINI_TAIL.finditer(text[-2_000:])}
    body = text[: len(text) - len(text[-2_000:])] + _GEMINI_TAIL.sub("", text[-2_000:])
    code = int(tail["Exit Code"]) if re.fullmatch(r"-?[0-9]{1,10}", tail.get("Exit Code", "")) else None
    if "Error" in tail:
        body += f"\n{tail['Error']}"
    return _failed(body, code) if code or error or "Error" in tail or "Signal" in tail else _passed(body)


def _copilot(given: Mapping[str, Any], event: str) -> dict[str, object] | None:
    """A shell command that failed is a result of type `success` that ends in `<exited with exit code 1>`."""
    result = _fields(given.get("tool_result", given.get("toolResult")))
    text = str(result.get("text_result_for_llm") or result.get("textResultForLlm") or "")
    kind = str(result.get("result_type") or result.get("resultType") or "success")
    if event == "PostToolUseFailure":
        text = _message(given.get("error"))
    elif kind in ("rejected", "denied"):
        return None
    found = _COPILOT_EXIT.search(text[-200:])
    code = int(found[1]) if found else None
    body = text[: len(text) - len(found[0])] if found else text
    return _failed(body, code) if code or event == "PostToolUseFailure" or kind == "failure" else _passed(body)


def _cursor(given: Mapping[str, Any], event: str) -> dict[str, object] | None:
    """`postToolUse` has `tool_output`, JSON in a string; `postToolUseFailure` has `error_message`."""
    if event == "PostToolUseFailure":
        if given.get("failure_type") == "permission_denied":
            return None
        result = _failed(_text(given.get("error_message", given.get("error"))), None)
        return {**result, "is_interrupt": given.get("is_interrupt") is True}
    given_output: object = given.get("tool_output", given.get("tool_response"))
    output = _fields(
        _loaded(given_output) if isinstance(given_output, str) and given_output.startswith("{") else given_output
    )
    if not output:
        return _passed(_text(given_output))
    code: object = output.get("exitCode", output.get("exit_code"))
    text = _text(output.get("output", output.get("content", output.get("stdout"))))
    return _failed(text, code) if isinstance(code, int) and code else _passed(text)


def _opencode(given: Mapping[str, Any], event: str) -> dict[str, object] | None:
    """What casebook's plugin sends: the tool's `output`, and its `metadata`, where `exit` is the exit code."""
    code: object = _fields(given.get("metadata")).get("exit")
    text = _text(given.get("output"))
    return _failed(text, code) if isinstance(code, int) and code else _passed(text)


_OUTCOMES = {"codex": _codex, "gemini": _gemini, "copilot": _copilot, "cursor": _cursor, "opencode": _opencode}


def _text(value: object) -> str:
    """A text, or the texts of a list of parts."""
    if isinstance(value, str):
        return value
    parts: list[Any] = value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]
    texts: list[object] = [part if isinstance(part, str) else _fields(part).get("text") for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))


def _message(error: object) -> str:
    """The text of an error: itself, or its `message`."""
    return error if isinstance(error, str) else str(_fields(error).get("message") or "")


def _loaded(data: str | bytes) -> object:
    try:
        try:
            return json.loads(data)
        except UnicodeDecodeError as error:
            return json.loads(error.object.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _fields(value: Any) -> dict[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _dumped(payload: Mapping[str, object]) -> bytes:
    return json.dumps(payload).encode("utf-8", "surrogatepass")
