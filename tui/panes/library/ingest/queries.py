"""What the ingest screen reads, each as the work of a job: the folders that are known, the last run, a path's ends."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.text import visible
from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.library.ingest.report import IngestReport

_ENTRIES = 20_000
"""Entries of a folder that are looked at for the rest of a path."""
_OFFERED = 40


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that the library knows or that was just named, and how many documents are read from it."""

    root: str
    documents: int | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """The folders that are known, and the last run with the time it ended."""

    folders: tuple[Folder, ...] = ()
    last: tuple[IngestReport, str] | None = None


@dataclass(frozen=True, slots=True)
class Ends:
    """Folders that a typed path may go on to; `typed` with what all of them share."""

    typed: str
    shared: str
    names: tuple[str, ...] = ()


def read_known(path: Path) -> Callable[[Job[Known]], Known]:
    """The folders and the last run; nothing where there is no casebook yet."""

    def work(job: Job[Any]) -> Known:
        from core.library.documents.read import documents_of_sources, sources
        from core.library.ingest.report import worth_a_look
        from core.library.ingest.runs import last_run

        if not path.exists():
            return Known()
        con = job.store().con
        counts = documents_of_sources(con)
        last = last_run(con)
        folders = tuple(Folder(one.root, counts.get(one.source_id, 0)) for one in sources(con))
        return Known(folders, None if last is None else (worth_a_look(last[0]), last[1]))

    return work


def read_ends(typed: str, *, files: bool = False) -> Callable[[Job[Ends]], Ends]:
    """The folders that `typed` may go on to; hidden ones only where a dot is typed. With `files` those too, and a
    slash behind each folder."""

    def work(job: Job[Any]) -> Ends:
        before, _, begun = typed.rpartition("/")
        folder = Path(f"{before}/" if "/" in typed else ".").expanduser()
        found: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for number, entry in enumerate(entries):
                    job.check()
                    hidden = entry.name.startswith(".") and not begun.startswith(".")
                    if not entry.name.startswith(begun) or hidden or visible(entry.name) != entry.name:
                        continue  # a name with control signs is not put into a box
                    if _is_folder(entry):
                        found.append(f"{entry.name}/" if files else entry.name)
                    elif files:
                        found.append(entry.name)
                    if number > _ENTRIES:
                        break
        except (OSError, ValueError):
            return Ends(typed, typed)
        found.sort()
        stem = f"{before}/" if "/" in typed else ""
        shared = stem + _shared(found[0], found[-1]) if found else typed
        return Ends(typed, shared + "/" if len(found) == 1 and not files else shared, tuple(found[:_OFFERED]))

    return work


def _shared(first: str, last: str) -> str:
    """How the first and the last of sorted names begin alike: so do all between them."""
    at = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), None)
    return first[: min(len(first), len(last)) if at is None else at]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
