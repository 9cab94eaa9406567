"""An empty casebook: what is on this computer to fill it with, and the keys that do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tui.render.common.empty_states import Notice
from tui.render.common.progress import counted, size_of
from tui.render.common.untrusted import inline
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
    from core.flows.transcripts.agent_folders import agent_folders

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


def told(sources: Sequence[Source]) -> str:
    """What was found, in a sentence."""
    found = [
        f"{AGENT_NAMES[one.agent]}, {counted(one.files, 'file')}, {size_of(one.bytes)}" for one in sources if one.files
    ]
    return f"Found on this computer: {'; '.join(found)}." if found else "None were found where the agents keep them."


def first_run(sources: Sequence[Source] | None) -> Notice:
    """No cases yet: what to do about it. `sources` is None while they are looked for."""
    why = "Errors and their fixes are read from your agents' sessions. "
    why += "Looking for some on this computer." if sources is None else told(sources)
    any_there = sources is not None and any(one.files for one in sources)
    begin = "reads them in: {list.back} stops it at any time" if any_there else "names a file or a folder to read"
    return Notice(
        "No cases yet",
        why,
        (
            ("{import.begin}", begin),
            ("{import.demo}", "opens samples to look around in; quitting leads back"),
            ("{app.quit}", "quits"),
        ),
    )


def gone(path: Path) -> Notice:
    """The casebook was there, and is not any more."""
    return Notice(
        "The casebook under this workbench is gone",
        f"{inline(str(path), 200)} was deleted or moved, or its disk is away. Once it is back, it is shown again.",
        (
            ("casebook db restore", "brings a backup back"),
            ("{import.begin}", "fills a new one"),
            ("{app.quit}", "quits"),
        ),
        "$cb-bad",
    )
