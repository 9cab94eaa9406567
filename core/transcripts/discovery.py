"""Where agents keep their transcripts, and which files of a folder can be some."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from core.transcripts.records import Agent

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
