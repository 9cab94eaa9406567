"""Where agents keep their transcripts, and whose transcript a file is, by its first bytes and its name."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from core.transcripts.codex import is_header, start_from
from core.transcripts.fields import fields, items, word
from core.transcripts.lines import Fields, is_blank, parse
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


_SUFFIXES: dict[Agent | None, tuple[str, ...]] = {
    "claude-code": (".jsonl",),
    "codex": (".jsonl", ".json"),
    "plain": (".jsonl", ".json"),
    None: (".jsonl",),
}
_ASIDE = frozenset({"tool-results", "node_modules", ".git"})
"""Folders beside transcripts that hold none: outputs, and what is no agent's."""


def default_roots(
    agent: Agent | None, environ: Mapping[str, str] | None = None, home: Path | None = None
) -> list[Path]:
    """The folders where `agent` (None: every agent) keeps its transcripts; they need not be there.

    `CLAUDE_CONFIG_DIR` and `CODEX_HOME` move them, as they do for the agents.
    """
    env, user = os.environ if environ is None else environ, home or Path.home()
    roots: list[Path] = []
    if agent in ("claude-code", None):
        roots.append(Path(env.get("CLAUDE_CONFIG_DIR") or user / ".claude") / "projects")
    if agent in ("codex", None):
        base = Path(env.get("CODEX_HOME") or user / ".codex")
        roots += [base / "sessions", base / "archived_sessions"]
    return roots


def discover(
    agent: Agent | None, roots: Sequence[Path], unread: Callable[[OSError], object] | None = None
) -> list[Path]:
    """The files under `roots` that may be transcripts of `agent` (None: of any), sorted, each once.

    A root that is a file stands for itself. Only regular files; links that lead out of their root are not followed. A
    folder that cannot be read holds nothing, and is given to `unread` (`filename` and `strerror`). Nothing is opened.
    """
    found: dict[Path, None] = {}
    for root in roots:
        for path in sorted(_files(root, _SUFFIXES[agent], agent, unread)):
            found[path] = None
    return list(found)


def _files(
    root: Path, suffixes: tuple[str, ...], agent: Agent | None, unread: Callable[[OSError], object] | None
) -> Iterator[Path]:
    try:
        real = root.resolve()
        mode = real.stat().st_mode
    except (OSError, RuntimeError):
        return
    if stat.S_ISREG(mode):
        yield real
    if not stat.S_ISDIR(mode):
        return
    for folder, folders, names in os.walk(real, onerror=unread):
        folders[:] = sorted(name for name in folders if name not in _ASIDE)
        for name in names:
            path = Path(folder, name)
            if name.endswith(suffixes) and _may_be(path, agent) and _is_inside(path, real):
                yield path


def _may_be(path: Path, agent: Agent | None) -> bool:
    if agent == "codex" and path.suffix == ".json":
        return path.name.startswith("rollout-")
    return "subagents" not in path.parts or path.name.startswith("agent-")


def _is_inside(path: Path, root: Path) -> bool:
    """Whether `path` is a regular file in `root`, seen through links; a dangling one is not."""
    try:
        info = path.lstat()
        if stat.S_ISLNK(info.st_mode):
            target = path.resolve()
            return target.is_relative_to(root) and stat.S_ISREG(target.stat().st_mode)
        return stat.S_ISREG(info.st_mode)
    except (OSError, RuntimeError, ValueError):
        return False
