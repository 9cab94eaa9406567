"""The merge driver: three lessons files into one, or one file with conflict markers into one without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from core.base.atomic import write_file
from core.base.fault import Fault
from core.flows.team.export import FileFault, file_faults
from core.flows.team.place import read_lessons
from core.team.lessons_file import EMPTY
from core.team.merge import merge


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
            raise Fault("invalid_input", f"there is no {path}", "pass lessons files")
    files = [read_lessons(path) for path in paths]
    base, sides, target = (EMPTY, files, paths[0]) if len(paths) == 1 else (files[0], files[1:], paths[1])
    merged = merge(base, sides)
    write_file(target, merged.lines(), replace=True, mode=target.stat().st_mode & 0o777)
    alive = sum(not one.is_withdrawn for one in merged.records.values())
    return TeamMerge(target, alive, len(merged.records) - alive, file_faults(merged.bad))
