"""Claude Code transcripts: JSON Lines of an internal format that may change, so nothing in it is required.

One record holds one message of the API; each content block becomes one message here. Records of unknown type pass
silently; `parentUuid` may point nowhere; results are paired by `tool_use_id` alone. Of a result, also what a hook
is handed: its text, its kind of failure, the exit code, and further facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from core.transcripts.commands import call_text
from core.transcripts.fields import fields, items, joined, small_facts, small_int, string, timestamp, word
from core.transcripts.lines import HEAD, Fields, Line, first_match, head_objects, objects
from core.transcripts.records import (
    Failure,
    Kind,
    Message,
    Record,
    Role,
    SessionStart,
    Skipped,
    ToolCall,
    ToolResult,
    Turn,
)

NAME = "Claude Code"
FILES = ("*.jsonl",)
KEYS = None

_TYPES: Final = frozenset({"user", "assistant", "system", "summary", "attachment", "progress", "file-history-snapshot"})
_ID: Final = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


def owns(value: object) -> bool:
    """Whether Claude Code wrote this record."""
    record = fields(value)
    kind = word(record.get("type"), 60)
    return bool(kind) and (kind in _TYPES or "sessionId" in record)


def is_named(path: Path) -> bool:
    """Whether a file has the name of a transcript."""
    return path.suffix == ".jsonl" and (_ID.fullmatch(path.stem) is not None or path.stem.startswith("agent-"))


def start_of(head: bytes, path: Path) -> SessionStart:
    """The session that the records name, else the file's name; a subagent's file is part of its session.

    The id is empty where the file says too little yet: titles alone, under a name that is no session's.
    """
    own = next((found for record in head_objects(head) if (found := word(record.get("sessionId")))), "")
    own = own or first_match(rb'"sessionId"\s*:\s*"([\w.-]{1,100})"', head)
    if not path.stem.startswith("agent-"):
        spoken = any(record.get("type") in ("user", "assistant") for record in head_objects(head))
        named = spoken or len(head) >= HEAD or _ID.fullmatch(path.stem) is not None
        return SessionStart(own or (word(path.stem) or "unnamed" if named else ""), "claude-code")
    folders = [parent.name for parent in path.parents]
    if not own and "subagents" in folders:
        own = word(folders[folders.index("subagents") + 1])
    return SessionStart(
        f"{own or 'unnamed'}/{word(path.stem.removeprefix('agent-'))}", "claude-code", parent=own or None
    )


def places(env: Mapping[str, str], home: Path) -> list[Path]:
    """`CLAUDE_CONFIG_DIR` moves it, as it does for Claude Code."""
    return [Path(env.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "projects"]


_INJECTED = (
    "<system-reminder>",
    "<command-name>",
    "<command-message>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<task-notification>",
    "Caveat: The messages below were generated",
    "This session is being continued from a previous conversation",
    "[Request interrupted",
)
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}
_KINDS = frozenset({"user", "assistant", "system", "summary", "attachment"})
_CHAINS_KEPT = 20_000


def read_claude_code(
    lines: Iterable[Line],
    start: SessionStart | None = None,
    *,
    chain_of: Callable[[str], str | None] | None = None,
) -> Iterator[Record]:
    """The records of numbered lines, in their order; a repeated block or tool-use id comes once.

    `start` is the session of what names none, as `start_of` finds it; with a `parent` it is a subagent's file and
    everything in it belongs to it. `chain_of` may know the chain of a message read earlier, by its uuid: inline
    subagents of old versions are told apart only by who answers whom.
    """
    reading = _Reading(start or SessionStart("unnamed", "claude-code"), chain_of or _unknown)
    for number, _, record in objects(lines):
        if isinstance(record, Skipped):
            yield record
        else:
            yield from reading.read(number, record)


def _unknown(uuid: str) -> str | None:
    return None


@dataclass(slots=True)
class _Reading:
    """What one pass over lines remembers: the session it is in, and what it has already given."""

    start: SessionStart
    chain_of: Callable[[str], str | None]
    announced: SessionStart | None = None
    settled: bool = False
    blocks: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    called: set[str] = field(default_factory=set[str])
    answered: set[str] = field(default_factory=set[str])
    chains: dict[str, str] = field(default_factory=dict[str, str])

    def read(self, number: int, record: Fields) -> list[Record]:
        """What one record gives: its session, where more is known of it than before, then its blocks."""
        own_file = self.start.parent is None
        chain = "main" if own_file and record.get("isSidechain") is not True else self._chain(record)
        kind = record.get("type")
        if not isinstance(kind, str) or kind not in _KINDS:
            return []
        session = self._session(record)
        uuid = word(record.get("uuid"))
        if "forkedFrom" in record:
            uuid = word(fields(record["forkedFrom"]).get("messageUuid")) or uuid
        uuid = uuid or f"{session.session_id}:{number}"
        origin = Turn(uuid, timestamp(record.get("timestamp")), number, chain, _is_meta(record))
        found = _blocks(record, origin, _ROLES[kind]) if kind in _ROLES else _notes(record, origin, kind)
        if found and session is not self.announced:
            self.announced, self.settled = session, bool(session.project and session.started)
            return [session, *(one for one in found if self._is_new(one))]
        return [one for one in found if self._is_new(one)]

    def _session(self, record: Fields) -> SessionStart:
        """The session of a record; the same object again while nothing new is known."""
        known = self.announced or self.start
        own = known.session_id if self.start.parent is not None else record.get("sessionId")
        if self.settled and own == known.session_id and "forkedFrom" not in record:
            return known
        own, project = word(own) or self.start.session_id, string(record.get("cwd"))
        if own != known.session_id:
            known = SessionStart(own, "claude-code", parent=self.start.parent)
        more = SessionStart(
            own,
            "claude-code",
            known.project or project,
            known.started or timestamp(record.get("timestamp")),
            known.parent,
            known.continues or word(fields(record.get("forkedFrom")).get("sessionId")) or None,
        )
        return known if more == self.announced else more

    def _chain(self, record: Fields) -> str:
        agent = word(record.get("agentId"))
        if agent or self.start.parent is not None:
            return agent or self.start.session_id.rpartition("/")[2]
        uuid, parent = word(record.get("uuid")), word(record.get("parentUuid"))
        chain = (self.chains.get(parent) or self.chain_of(parent)) if parent else None
        if chain is None or chain == "main":
            chain = f"side-{uuid}"
        self.chains[uuid] = chain
        if len(self.chains) > _CHAINS_KEPT:
            del self.chains[next(iter(self.chains))]
        return chain

    def _is_new(self, record: Message | ToolCall | ToolResult) -> bool:
        """Whether this block, call or result was not given before; what it is, is remembered."""
        if isinstance(record, Message):
            message = record
        else:
            seen, message = (self.called if isinstance(record, ToolCall) else self.answered), record.message
            if record.tool_use_id in seen:
                return False
            seen.add(record.tool_use_id)
        key = (message.uuid, message.block)
        if key in self.blocks:
            return False
        self.blocks.add(key)
        return True


def _is_meta(record: Fields) -> bool:
    if (
        record.get("isMeta") is True
        or record.get("isCompactSummary") is True
        or record.get("isVisibleInTranscriptOnly") is True
        or record.get("isApiErrorMessage") is True
    ):
        return True
    if "origin" in record:
        return fields(record["origin"]).get("kind") not in (None, "human")
    return False


def _blocks(record: Fields, origin: Turn, role: Role) -> list[Message | ToolCall | ToolResult]:
    sent = fields(record.get("message"))
    if sent.get("model") == "<synthetic>":
        origin = origin._replace(meta=True)
    content = sent.get("content")
    if isinstance(content, str):
        return [_text_message(origin, role, "text", content, 0)] if content else []
    found: list[Message | ToolCall | ToolResult] = []
    blocks = items(content)
    for index, block in enumerate(blocks):
        if isinstance(block, str):
            found += [_text_message(origin, role, "text", block, index)] if block else []
            continue
        source = fields(block)
        kind = string(source.get("type"))
        if kind == "text" or kind == "thinking":  # noqa: PLR1714 (narrows the type)
            text = string(source.get(kind))
            if text:
                found.append(_text_message(origin, role, kind, text, index))
        elif kind.endswith("tool_use"):
            found.append(_call(source, origin, index))
        elif kind.endswith("tool_result"):
            found.append(_result(source, record, origin, index, alone=_is_only_result(blocks)))
        elif kind in ("image", "document"):
            found.append(origin.message(role, "image", media_note(source), index))
    return found


def _is_only_result(blocks: list[object]) -> bool:
    return len(blocks) == 1 or sum(1 for block in blocks if fields(block).get("type") == "tool_result") == 1


def _text_message(origin: Turn, role: Role, kind: Kind, text: str, index: int) -> Message:
    if role == "user" and text[:200].lstrip().startswith(_INJECTED):
        origin = origin._replace(meta=True)
    return origin.message(role, kind, text, index)


def _call(block: Fields, origin: Turn, index: int) -> ToolCall:
    name, given = word(block.get("name")) or "unnamed", block.get("input")
    tool_input = fields(given) or ({"input": given} if given else {})
    tool_use_id = word(block.get("id")) or f"{origin.uuid}:{index}"
    message = origin.message("assistant", "tool_use", call_text(name, tool_input), index, tool_use_id)
    return ToolCall(tool_use_id, name, tool_input, message)


def _result(block: Fields, record: Fields, origin: Turn, index: int, *, alone: bool) -> Message | ToolResult:
    """Return one result; other fields of the record belong to it only if it is the record's `alone` result."""
    tool_result = record.get("toolUseResult") if alone else None
    text = result_text(block.get("content"), tool_result)
    tool_use_id = word(block.get("tool_use_id"))
    if not tool_use_id:
        return origin.message("tool", "tool_result", text, index)
    failure = failure_of(text, block.get("is_error"), record.get("toolDenialKind"), tool_result)
    return origin.result(
        tool_use_id, text, failure, exit_code_of(text, failure, tool_result), index, facts_of(tool_result)
    )


def _notes(record: Fields, origin: Turn, kind: str) -> list[Message | ToolCall | ToolResult]:
    """Return records outside the conversation with text: titles and summaries, system notes, queued prompts."""
    noted, role, message_kind = origin._replace(meta=True), "system", "text"
    if kind == "attachment":
        attached = fields(record.get("attachment"))
        prompt = attached.get("prompt")
        text = prompt if isinstance(prompt, str) else result_text(prompt, None)
        typed = attached.get("type") == "queued_command" and attached.get("commandMode") in (None, "prompt")
        return [_text_message(origin, "user", "text", text, 0)] if typed and text else []
    if kind == "summary":
        text, leaf, message_kind = string(record.get("summary")), word(record.get("leafUuid")), "summary"
        noted = noted._replace(uuid=f"summary:{leaf}" if leaf else origin.uuid)
    else:
        text = string(record.get("content"))
        message_kind = "summary" if record.get("subtype") == "compact_boundary" else "text"
    return [noted.message(role, message_kind, text, 0)] if text else []


read = read_claude_code


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


def result_text(content: object, tool_result: object) -> str:
    """Return the text of a result: its string, its text blocks, or another field; images are named, not stored."""
    if isinstance(content, str) and content:
        return content
    parts = [_part(block) for block in items(content)]
    if any(parts):
        return joined([part for part in parts if part])
    if isinstance(tool_result, str):
        return tool_result
    source = fields(tool_result)
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


def failure_of(text: str, is_error: object, denial: object, tool_result: object) -> Failure:
    """Whose failure a result is: `is_error` alone says that there was one, its text and `toolDenialKind` whose."""
    if isinstance(denial, str) and denial:
        return "interrupted" if denial in ("interrupted", "cancelled") else "denied"
    head = text[:400].lstrip()
    code = _EXIT.match(head)
    if (head if code is None else head[code.end() :].lstrip()).startswith(_INTERRUPTED) or fields(tool_result).get(
        "interrupted"
    ) is True:
        return "interrupted"
    if head.startswith(_DENIED[0]):
        return "denied"
    if is_error is not True:
        return "none"
    if head.startswith(_DENIED) or _HOOK.match(head):
        return "denied"
    return "tool_use_error" if head.startswith(_MISUSED) or _BLOCKED.match(head) else "error"


def exit_code_of(text: str, failure: Failure, tool_result: object) -> int | None:
    """Return the recorded exit code: `Exit code N` before a failed output, or a separate field."""
    if failure == "none":
        source = fields(tool_result)
        if "exitCode" not in source and "exit_code" not in source:
            return None
        return next(
            (code for key in ("exitCode", "exit_code") if (code := small_int(source.get(key))) is not None), None
        )
    for output in (text, string(tool_result)):
        found = _EXIT.match(output)
        if found:
            return small_int(int(found[1]))
    return next(
        (
            code
            for key in ("exitCode", "exit_code", "code")
            if (code := small_int(fields(tool_result).get(key))) is not None
        ),
        None,
    )


def facts_of(tool_result: object) -> dict[str, Any]:
    """Return the few further facts of a result that later steps use (the changed file, a background task, …)."""
    source = fields(tool_result)
    found = small_facts(source, _FACTS) if source else {}
    found.pop("exit_code", None)
    if source.get("persistedOutputPath"):
        found["preview"] = True  # the whole output lies in another file, which is never opened
    return found
