"""The demonstration: the sample transcripts through the real importer, then searches whose answers show their trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from core.errors import SearchAnswer, search
from core.flows.import_report import ImportReport, Progress
from core.flows.importing import import_transcripts
from core.samples import DEMO_QUERIES, sample_paths
from core.store import open_store


@dataclass(frozen=True, slots=True)
class Demo:
    """What the demonstration did: the import, and the answers to its questions, in order."""

    SCHEMA: ClassVar[str] = "demo.v1"

    report: ImportReport
    answers: tuple[SearchAnswer, ...]


def fill_demo(database: Path, on_progress: Callable[[Progress], None] | None = None) -> ImportReport:
    """Import the sample transcripts into the casebook at `database`, which is made. Raises Fault."""
    with open_store(database, write=True, create=True) as store:
        return import_transcripts(store, "auto", sample_paths(), on_progress=on_progress)


def run_demo(database: Path, on_progress: Callable[[Progress], None] | None = None) -> Demo:
    """Import the samples and ask the demonstration's questions of them. Raises Fault."""
    report = fill_demo(database, on_progress)
    with open_store(database, write=True) as store:
        return Demo(report, tuple(search(store, query) for query in DEMO_QUERIES))
