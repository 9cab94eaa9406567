"""Whose transcript a file is, and which session it opens, told from its first bytes and its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from core.transcripts.codex import is_header, start_from
from core.transcripts.fields import fields, items, word
from core.transcripts.json_line import Fields, is_blank, parse
from core.transcripts.records import Agent, SessionStart
from core.transcripts.repository import repository_of

HEAD = 256 * 1024
"""Bytes of a file that are enough to know it (a Codex header carries its instructions)."""

_RECORDS = 50
_BROKEN = object()
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_CODEX_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"})
_CODEX_ITEMS = frozenset(
    {
        "function_call",
        "function_call_output",
        "local_shell_call",
        "custom_tool_call",
        "custom_tool_call_output",
        "reasoning",
    }
)
_CLAUDE_TYPES = frozenset({"user", "assistant", "system", "summary", "attachment", "progress", "file-history-snapshot"})


def detect(head: bytes, path: Path) -> Agent | None:
    """The agent that wrote a file beginning with `head`; None: nothing tells. `path` is not opened."""
    for value in _values(head):
        agent = _agent_of(value)
        if agent is not None:
            return agent
    if path.suffix == ".json" and head.lstrip().startswith(b"[") and len(head) >= HEAD:
        return "plain"
    if path.name.startswith("rollout-"):
        return "codex"
    if path.suffix == ".jsonl" and (_UUID.fullmatch(path.stem) or path.stem.startswith("agent-")):
        return "claude-code"
    return None


def _agent_of(value: object) -> Agent | None:
    if isinstance(value, str):
        return "plain"
    if first := items(value)[:1]:
        return "plain" if _agent_of(first[0]) == "plain" else None
    record = fields(value)
    kind = word(record.get("type"), 60)
    if kind in _CODEX_TYPES and ("payload" in record or "sessionId" not in record):
        return "codex"
    if "record_type" in record or kind in _CODEX_ITEMS or (kind == "message" and "role" in record):
        return "codex"
    if is_header(record) and "sessionId" not in record:
        return "codex"
    if kind and (kind in _CLAUDE_TYPES or "sessionId" in record):
        return "claude-code"
    if not kind and isinstance(record.get("text", record.get("content")), str):
        return "plain"
    return None


def start_of(agent: Agent, head: bytes, path: Path) -> SessionStart:
    """The session that a file opens. The same bytes and name give the same session, however far it was read before.

    Its id is empty where the file says too little yet: titles alone, under a name that is no session's.
    """
    return _STARTS[agent](head, path)


def _claude(head: bytes, path: Path) -> SessionStart:
    own = next((found for record in _objects(head) if (found := word(record.get("sessionId")))), "")
    own = own or _first(rb'"sessionId"\s*:\s*"([\w.-]{1,100})"', head)
    if not path.stem.startswith("agent-"):
        spoken = any(record.get("type") in ("user", "assistant") for record in _objects(head))
        named = spoken or len(head) >= HEAD or _UUID.fullmatch(path.stem) is not None
        return SessionStart(own or (word(path.stem) or "unnamed" if named else ""), "claude-code")
    folders = [parent.name for parent in path.parents]
    if not own and "subagents" in folders:
        own = word(folders[folders.index("subagents") + 1])
    return SessionStart(
        f"{own or 'unnamed'}/{word(path.stem.removeprefix('agent-'))}", "claude-code", parent=own or None
    )


def _codex(head: bytes, path: Path) -> SessionStart:
    named = _UUID.findall(path.stem)
    start = SessionStart(named[-1] if named else word(path.stem) or "unnamed", "codex")
    header = next((record for record in _objects(head) if is_header(record)), None)
    if header is not None:
        return start_from(header, start)
    line = head.partition(b"\n")[0]  # a header longer than the head: what can be seen of it
    if b'"session_meta"' not in line[:200]:
        return start
    own, cwd = _first(rb'"id"\s*:\s*"([\w.-]{1,100})"', line), _first(rb'"cwd"\s*:\s*"([^"\\]{1,1000})"', line)
    remote = repository_of(_first(rb'"repository_url"\s*:\s*"([^"\\]{1,1000})"', line))
    return replace(start, session_id=own or start.session_id, project=cwd, remote=remote)


def _plain(head: bytes, path: Path) -> SessionStart:
    place = blake2b(str(path.absolute()).encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
    return SessionStart(f"{word(path.stem, 80) or 'unnamed'}-{place}", "plain")


_STARTS: dict[Agent, Callable[[bytes, Path], SessionStart]] = {"claude-code": _claude, "codex": _codex, "plain": _plain}


def _first(pattern: bytes, head: bytes) -> str:
    found = re.search(pattern, head)
    return found[1].decode("utf-8", "replace") if found else ""


def _values(head: bytes) -> Iterator[object]:
    """The JSON values of the first lines that are whole; a document over many lines is one value."""
    lines = head.split(b"\n")
    whole = [line for line in (lines if len(head) < HEAD else lines[:-1]) if not is_blank(line)]
    document = _parsed(head) if whole and len(head) < HEAD and _parsed(whole[0]) is _BROKEN else _BROKEN
    if document is not _BROKEN:
        yield document
        return
    for line in whole[:_RECORDS]:
        value = _parsed(line)
        if value is not _BROKEN:
            yield value


def _parsed(data: bytes) -> object:
    try:
        return parse(data)
    except ValueError:
        return _BROKEN


def _objects(head: bytes) -> Iterator[Fields]:
    return (record for value in _values(head) if (record := fields(value)))
