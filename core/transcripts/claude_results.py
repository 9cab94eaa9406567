"""Content of a Claude Code tool result: its text, its kind of failure, the exit code, and further facts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from core.transcripts.fields import fields, items, joined, small_facts, small_int, string, word
from core.transcripts.records import Failure

_EXIT: Final = re.compile(r"\s{0,9}(?:Error: )?Exit code (-?[0-9]{1,10})(?![0-9])")
_INTERRUPTED: Final = ("[Request interrupted", "[Tool use interrupted", "Interrupted by user")
_DENIED: Final = (
    "The user doesn't want to ",
    "User rejected",
    "Permission to use ",
    "Permission for this ",
    "Claude requested permission",
    "This command requires approval",
    "This Bash command contains",
)
_MISUSED: Final = (
    "<tool_use_error>",
    "InputValidationError",
    "Error: No such tool available",
    "Tool permission request failed",
    "Tool permission stream closed",
)
_BLOCKED: Final = re.compile(
    r"[^\n]{0,300} was blocked\. For security, Claude Code |This session is isolated in the worktree \S"
)
_HOOK: Final = re.compile(r"(?:Error: )?(?:Hook PreToolUse|PreToolUse)\b[^\n]{0,200}\b(?:denied|hook)")
_FACTS: Final = {
    "backgroundTaskId": "background",
    "filePath": "file",
    "returnCodeInterpretation": "interpretation",
    "agentId": "agent",
    "status": "status",
    "type": "type",
    "interrupted": "interrupted",
    "exitCode": "exit_code",
    "exit_code": "exit_code",
    "code": "exit_code",
}


def result_text(content: object, beside: object) -> str:
    """Return the text of a result: its string, its text blocks, or another field; images are named, not stored."""
    if isinstance(content, str) and content:
        return content
    parts = [_part(block) for block in items(content)]
    if any(parts):
        return joined([part for part in parts if part])
    if isinstance(beside, str):
        return beside
    source = fields(beside)
    return joined([text for text in (string(source.get("stdout")), string(source.get("stderr"))) if text] or [""])


def _part(block: object) -> str:
    if isinstance(block, str):
        return block
    source = fields(block)
    text = source.get("text")
    if isinstance(text, str):
        return text
    return media_note(source) if source.get("type") in ("image", "document") else ""


def media_note(block: Mapping[str, Any]) -> str:
    """An image or document as a note: its kind and media type, never its bytes."""
    media = word(fields(block.get("source")).get("media_type"), 60)
    return f"[{word(block.get('type'), 20)} {media}]" if media else f"[{word(block.get('type'), 20)}]"


def failure_of(text: str, is_error: object, denial: object, beside: object) -> Failure:
    """Whose failure a result is: `is_error` alone says that there was one, its text and `toolDenialKind` whose."""
    if isinstance(denial, str) and denial:
        return "interrupted" if denial in ("interrupted", "cancelled") else "denied"
    said = text[:400].lstrip()
    code = _EXIT.match(said)
    if (said if code is None else said[code.end() :].lstrip()).startswith(_INTERRUPTED) or fields(beside).get(
        "interrupted"
    ) is True:
        return "interrupted"
    if said.startswith(_DENIED[0]):
        return "denied"
    if is_error is not True:
        return "none"
    if said.startswith(_DENIED) or _HOOK.match(said):
        return "denied"
    return "tool_use_error" if said.startswith(_MISUSED) or _BLOCKED.match(said) else "error"


def exit_code_of(text: str, failure: Failure, beside: object) -> int | None:
    """Return the recorded exit code: `Exit code N` before a failed output, or a separate field."""
    if failure == "none":
        source = fields(beside)
        if "exitCode" not in source and "exit_code" not in source:
            return None
        return next(
            (code for key in ("exitCode", "exit_code") if (code := small_int(source.get(key))) is not None), None
        )
    for said in (text, string(beside)):
        found = _EXIT.match(said)
        if found:
            return small_int(int(found[1]))
    return next(
        (code for key in ("exitCode", "exit_code", "code") if (code := small_int(fields(beside).get(key))) is not None),
        None,
    )


def facts_of(beside: object) -> dict[str, Any]:
    """Return the few further facts of a result that later steps use (the changed file, a background task, …)."""
    source = fields(beside)
    found = small_facts(source, _FACTS) if source else {}
    found.pop("exit_code", None)
    if source.get("persistedOutputPath"):
        found["preview"] = True  # the whole output lies in another file, which is never opened
    return found
