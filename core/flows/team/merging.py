"""The merge driver: three lessons files into one, or one file with conflict markers into one without.

It also merges three versions of an agent's file: as text, but for casebook's block, of which it keeps ours. The next
export writes the block again.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from core.base.atomic import write_file
from core.base.fault import Fault
from core.base.managed_block import blocks, read_text
from core.flows.team.export import FileFault, file_faults
from core.flows.team.place import read_lessons
from core.team.lessons_file import EMPTY, merge


@dataclass(frozen=True, slots=True)
class TeamMerge:
    """What a merge wrote (`team_merge.v1`). `bad` names lines of the sides that are no lesson."""

    SCHEMA: ClassVar[str] = "team_merge.v1"

    path: Path
    lessons: int
    withdrawn: int
    bad: tuple[FileFault, ...]


def merge_files(paths: Sequence[Path]) -> TeamMerge:
    """Merge `BASE OURS THEIRS` into OURS, or resolve the conflicts of one file. Raises Fault; then nothing changed."""
    for path in paths:
        if not path.exists():
            raise Fault("invalid_input", f"{path} not found", "pass lessons files")
    if len(paths) == 3 and any(_has_block(path) for path in paths):
        _merge_agent_file(*paths)
        return TeamMerge(paths[1], 0, 0, ())
    files = [read_lessons(path) for path in paths]
    base, sides, target = (EMPTY, files, paths[0]) if len(paths) == 1 else (files[0], files[1:], paths[1])
    merged = merge(base, sides)
    write_file(target, merged.lines(), replace=True, mode=target.stat().st_mode & 0o777)
    alive = sum(not one.is_withdrawn for one in merged.records.values())
    return TeamMerge(target, alive, len(merged.records) - alive, file_faults(merged.bad))


def _has_block(path: Path) -> bool:
    with path.open("rb") as file:
        return not file.read(1).startswith(b"{") and b"<!-- casebook:start " in file.read(4 << 20)


def _merge_agent_file(base: Path, ours: Path, theirs: Path) -> None:
    """Merge an agent's file into `ours`. Raises Fault, and writes nothing, where its other text has a conflict."""
    text = read_text(ours)
    own = {block.kind: text[block.start : block.end] for block in blocks(text, str(ours))}
    with tempfile.TemporaryDirectory() as folder:
        sides: list[Path] = []
        for name, path in (("ours", ours), ("base", base), ("theirs", theirs)):
            side = Path(folder) / name
            side.write_bytes(_with_blocks(read_text(path), own, str(path)).encode("utf-8", "surrogateescape"))
            sides.append(side)
        try:
            done = subprocess.run(
                ["git", "merge-file", "-p", *map(str, sides)], capture_output=True, check=False, timeout=60
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Fault("io_error", f"git cannot be run: {error}", "check the installation of git") from error
    if done.returncode:
        raise Fault("invalid_input", "the text around the block has a conflict", "git merges the file as text")
    write_file(ours, [done.stdout], replace=True, mode=ours.stat().st_mode & 0o777)


def _with_blocks(text: str, own: dict[str, str], name: str) -> str:
    """The text with our blocks in the place of its own."""
    for block in reversed(blocks(text, name)):
        if block.kind in own:
            text = text[: block.start] + own[block.kind] + text[block.end :]
    return text
