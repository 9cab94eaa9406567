"""What the ingest screen reads, each as the work of a job: the folders that are known, and the last run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.library.ingest.report import IngestReport


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
