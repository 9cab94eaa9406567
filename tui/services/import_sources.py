"""The sessions on this computer that can be imported: where the agents keep them, how many there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tui.render.common.amounts import counted, size_of
from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.base.config.settings_sources import Config
    from core.transcripts import Agent

Roots = Mapping["Agent", Sequence[Path]]
"""The folders where each agent keeps its sessions."""

AGENT_NAMES = {"claude-code": "Claude Code", "codex": "Codex", "plain": "Plain"}


@dataclass(frozen=True, slots=True)
class Source:
    """What there is of one agent: its folders that exist, how many files, how many bytes."""

    agent: Agent
    folders: tuple[Path, ...]
    files: int
    bytes: int


def roots_of(config: Config | None) -> Roots:
    """Where the agents keep their sessions: as the settings say, else where the agents themselves put them."""
    from core.base.config.settings import ImportSettings
    from core.flows.transcripts.files import agent_folders

    return agent_folders(config.values.imports if config else ImportSettings())


def look_for(roots: Callable[[], Roots]) -> Callable[[Job[tuple[Source, ...]]], tuple[Source, ...]]:
    """Count what the agents have left; nothing is opened."""

    def work(job: Job[tuple[Source, ...]]) -> tuple[Source, ...]:
        from core.transcripts import discover

        found: list[Source] = []
        for agent, folders in roots().items():
            job.check()
            there = tuple(folder for folder in folders if folder.is_dir())
            files = discover(agent, there)
            job.check()
            found.append(Source(agent, there, len(files), sum(map(_size, files))))
        return tuple(found)

    return work


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def describe_sources(sources: Sequence[Source]) -> str:
    """What was found, in a sentence."""
    found = [
        f"{AGENT_NAMES[one.agent]}, {counted(one.files, 'file')}, {size_of(one.bytes)}" for one in sources if one.files
    ]
    return f"Found on this computer: {'; '.join(found)}." if found else "None were found where the agents keep them."
