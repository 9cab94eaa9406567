"""The first commit of a team: the dearest lessons of a repository, its files, and git's merge driver."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, cast

from core.base.atomic import write_file
from core.base.fault import Fault
from core.base.managed_block import read_text
from core.base.program import program
from core.errors.cases.resolutions import answering
from core.errors.retrieval.answer import Status
from core.flows.agent_file import SyncedFile, has_block
from core.flows.team.collect import belongs
from core.flows.team.export import TeamExport
from core.flows.team.place import TeamPlace
from core.store import Store, faults
from core.team.lessons_file import NAME

DEAREST: Final = 5
_AGENT_FILES: Final = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
_ATTRIBUTE: Final = f"{NAME} merge=casebook"
_LOOKED_AT: Final = 200
"""Cases of a repository, the most expensive first, of which the dearest with a fix are taken."""


@dataclass(frozen=True, slots=True)
class DearLesson:
    """A fix of this repository and what its error cost: seconds in so many sessions. `do`: what to do, on one line."""

    case_id: int
    fix_id: int
    key_line: str
    status: Status
    do: str
    seconds: float
    sessions: int


@dataclass(frozen=True, slots=True)
class TeamInit:
    """What the first steps of a team did (`team_init.v1`). `imported`: sessions read; `export` null: nothing written.

    `merge_driver`: git uses casebook to merge the lessons file in this clone.
    """

    SCHEMA: ClassVar[str] = "team_init.v1"

    path: Path
    repository: str
    imported: int
    dearest: tuple[DearLesson, ...]
    export: TeamExport | None
    files: tuple[SyncedFile, ...]
    merge_driver: bool


def dearest(store: Store, place: TeamPlace) -> tuple[DearLesson, ...]:
    """The five fixes of a repository whose errors cost most: time first, then how often they were seen."""
    found: list[DearLesson] = []
    with faults(store.path):
        rows = store.con.execute(
            "SELECT case_id, seconds, sessions FROM case_state WHERE status IN ('draft', 'verified')"
            " AND worth <> 'slip' AND repository IN (SELECT value FROM json_each(?))"
            " ORDER BY seconds DESC, sessions DESC, seen DESC, case_id LIMIT ?",
            (json.dumps(sorted(place.names)), _LOOKED_AT),
        ).fetchall()
        for case_id, seconds, sessions in cast("list[tuple[int, float, int]]", rows):
            fix = answering(store.con, case_id)
            if fix is None or (fix.status != "verified" and fix.strength != "strong"):
                continue
            if not belongs(store.con, fix.id, place.names):  # it was found elsewhere, and is not shared from here
                continue
            named = store.con.execute(
                "SELECT key_line FROM fingerprint WHERE case_id = ? ORDER BY fingerprint = ? DESC, first_seen LIMIT 1",
                (case_id, fix.fingerprint),
            ).fetchone()
            do = fix.text if fix.lesson is None else fix.lesson.do.text
            line = "" if named is None else str(named[0])
            found.append(DearLesson(case_id, fix.id, line, fix.status, " ".join(do.split()), seconds, sessions))
            if len(found) == DEAREST:
                break
    return tuple(found)


def block_files(place: TeamPlace) -> tuple[Path, ...]:
    """The files of agents that get the block: those that the repository has, else `AGENTS.md`. A link to another of
    them is left out."""
    there = [place.root / name for name in _AGENT_FILES if (place.root / name).is_file()]
    own = [path for path in there if not path.is_symlink()]
    return tuple(own or there[:1] or [place.root / _AGENT_FILES[0]])


def has_merge_driver(place: TeamPlace) -> bool:
    """Whether `.gitattributes` names the driver and this clone has it."""
    return _names_driver(place) and bool(_git(place, "config", "--get", "merge.casebook.driver").strip())


def set_merge_driver(place: TeamPlace) -> None:
    """Have git merge the lessons file, and files with the block, with casebook: lines in `.gitattributes`, and the
    driver in this clone's settings. Where casebook is gone or refuses, the driver merges as text. Raises Fault."""
    command = shlex.join(program())
    there = f"[ -x {shlex.quote(program()[0])} ]"
    driver = f"{there} && {command} team merge %O %A %B || git merge-file %A %O %B"
    _git(place, "config", "merge.casebook.name", "casebook lessons")
    _git(place, "config", "merge.casebook.driver", driver)
    path = place.root / ".gitattributes"
    text = read_text(path)
    wanted = [_ATTRIBUTE, *(f"{one.name} merge=casebook" for one in block_files(place) if has_block(one))]
    known = [line.split() for line in text.splitlines()]
    if missing := [line for line in wanted if line.split() not in known]:
        gap = "" if not text or text.endswith("\n") else "\n"
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        new = "\n".join((f"{text}{gap}{missing[0]}", *missing[1:], "")).encode("utf-8", "surrogateescape")
        write_file(path.resolve(), [new], replace=True, mode=mode)


def _names_driver(place: TeamPlace) -> bool:
    lines = read_text(place.root / ".gitattributes").splitlines()
    return any(line.split() == _ATTRIBUTE.split() for line in lines)


def _git(place: TeamPlace, *args: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(place.root), *args], capture_output=True, text=True, check=False, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Fault("io_error", f"git cannot be run: {error}", "install git, or skip the merge driver") from error
    if done.returncode not in (0, 1):
        raise Fault("io_error", f"git {args[0]} failed: {done.stderr.strip()[:200]}", "check the repository")
    return done.stdout


def unverified(lessons: Sequence[DearLesson]) -> tuple[DearLesson, ...]:
    """Those that a person has not verified yet."""
    return tuple(one for one in lessons if one.status != "verified")
