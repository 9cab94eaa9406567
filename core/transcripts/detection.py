"""Where agents keep their transcripts, and whose transcript a file is, by its first bytes and its name."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import translate
from functools import cache
from pathlib import Path

from core.transcripts import aider, amp, claude_code, cline, codex, copilot, gemini, goose, opencode, pi, plain, qwen
from core.transcripts.fields import fields, items
from core.transcripts.lines import HEAD, head_values
from core.transcripts.records import Agent, Reader, SessionStart

READERS: dict[Agent, Reader] = {
    "claude-code": claude_code,
    "codex": codex,
    "gemini": gemini,
    "qwen": qwen,
    "opencode": opencode,
    "copilot": copilot,
    "pi": pi,
    "cline": cline,
    "roo": cline.ROO,
    "aider": aider,
    "goose": goose,
    "amp": amp,
    "plain": plain,
}
"""The module that reads each agent's transcripts, in the order in which people are shown them."""

_LEAST_PARTICULAR: tuple[Agent, ...] = ("claude-code", "plain")
"""Agents whose records are known by little; every other one is asked before them."""


def detect(head: bytes, path: Path) -> Agent | None:
    """Return the agent that wrote a file beginning with `head`; None if unknown. `path` is not opened."""
    if path.name in aider.FILES or head.lstrip().startswith(aider.BEGINNING):
        return "aider"
    values = head_values(head)
    keys = set(_keys(values))
    particular: list[Agent] = [one for one in READERS if one not in _LEAST_PARTICULAR]
    for agent in (*particular, *_LEAST_PARTICULAR):
        reader = READERS[agent]
        if (reader.KEYS is None or not keys.isdisjoint(reader.KEYS)) and any(map(reader.owns, values)):
            return cline.agent_of(path) if agent == "cline" else agent
    if path.suffix == ".json" and head.lstrip().startswith(b"[") and len(head) >= HEAD:
        return "plain"
    if path.name.startswith("rollout-"):
        return "codex"
    return "claude-code" if claude_code.is_named(path) else None


def _keys(values: Iterable[object]) -> Iterator[str]:
    """The keys of the values that are objects, and of those that arrays begin with."""
    for value in values:
        yield from fields(next(iter(items(value)), value))


def start_of(agent: Agent, head: bytes, path: Path) -> SessionStart:
    """The session that a file opens. The same bytes and name give the same session, however far it was read before.

    Its id is empty where the file says too little yet.
    """
    return READERS[agent].start_of(head, path)


_ASIDE = frozenset({"tool-results", "node_modules", ".git"})
"""Folders next to transcripts that contain none: outputs, and folders of other programs."""


def default_roots(
    agent: Agent | None, environ: Mapping[str, str] | None = None, home: Path | None = None
) -> list[Path]:
    """The folders where `agent` (None: every agent) keeps its transcripts; they need not be there.

    The variables with which an agent's users move its folders move them here too.
    """
    env, user = os.environ if environ is None else environ, home or Path.home()
    readers = READERS.values() if agent is None else [READERS[agent]]
    return list(dict.fromkeys(place for reader in readers for place in reader.places(env, user)))


@cache
def _file_names(agent: Agent | None) -> re.Pattern[str]:
    """What matches the path of a file that may be a transcript of `agent`, or of any."""
    readers = READERS.values() if agent is None else [READERS[agent]]
    names = {name for reader in readers if agent or reader is not plain for name in reader.FILES}
    return re.compile("|".join(f"(?:{translate('*/' + name)})" for name in sorted(names)))


def discover(
    agent: Agent | None, roots: Sequence[Path], unread: Callable[[OSError], object] | None = None
) -> list[Path]:
    """The files under `roots` that may be transcripts of `agent` (None: of any), sorted, each once.

    A root that is a file is taken itself. Only regular files; links that lead out of their root are not followed. A
    folder that cannot be read holds nothing, and is given to `unread` (`filename` and `strerror`). Nothing is opened.
    """
    found: dict[Path, None] = {}
    for root in roots:
        for path in sorted(_files(root, agent, unread)):
            found[path] = None
    return list(found)


def _files(root: Path, agent: Agent | None, unread: Callable[[OSError], object] | None) -> Iterator[Path]:
    try:
        real = root.resolve()
        mode = real.stat().st_mode
    except (OSError, RuntimeError):
        return
    if stat.S_ISREG(mode):
        yield real
    if not stat.S_ISDIR(mode):
        return
    names_of_agent = _file_names(agent)
    for folder, folders, names in os.walk(real, onerror=unread):
        folders[:] = sorted(name for name in folders if name not in _ASIDE)
        for name in names:
            path = Path(folder, name)
            if names_of_agent.match(path.as_posix()) and _may_be(path) and _is_inside(path, real):
                yield path


def _may_be(path: Path) -> bool:
    """Whether a file is no companion of a transcript. A compressed one is none where the plain one is there too."""
    if path.suffix == ".zst" and path.with_suffix("").exists():
        return False
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
