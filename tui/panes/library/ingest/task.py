"""Ingesting in a process of its own: it stops between two files."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.process.task import Task
from core.process.worker import Call

if TYPE_CHECKING:
    from core.base.config.settings import ChunkingSettings
    from core.library.ingest.report import IngestEvent, IngestPace, IngestReport

GRACE = 60.0
"""Seconds it has for the file it is at; then it is ended, and the next ingest reads that file again."""
EVERY = 0.1
"""Seconds between two words of how far it is: a library of unchanged files passes thousands a second."""


def ingest_task(
    casebook: Path, roots: Sequence[Path], chunking: ChunkingSettings, korean: str = "bigrams", *, ocr: bool = False
) -> Task[IngestReport]:
    """An ingest of these folders, or of all that are known where none is given; its progress is an `IngestPace`."""
    return Task("The ingest", run_ingest, (casebook, tuple(roots), chunking.as_dict(), korean, ocr), grace=GRACE)


def run_ingest(
    call: Call, casebook: Path, roots: Sequence[Path], chunking: dict[str, Any], korean: str, ocr: bool
) -> IngestReport:
    """Called there; the casebook is made if there is none.

    The report's items are those that are worth a look. Raises Fault: what `ingest` raises.
    """
    from core.base.config.settings import ChunkingSettings
    from core.flows.ingest.api import ingest
    from core.library.ingest.options import options_of
    from core.library.ingest.report import worth_a_look
    from core.store import open_store

    options = options_of(ChunkingSettings(**chunking), korean, ocr=ocr)
    with open_store(casebook, write=True, create=True) as store, _Paced(call.tell) as paced:
        report = ingest(store, roots, options, on_event=paced.heard, cancelled=call.is_cancelled)
    return worth_a_look(report)


class _Paced:
    """Folds the events as they come, and tells now and then how it stands, also while a large file is read."""

    def __init__(self, tell: Callable[[IngestPace], None]) -> None:
        from core.library.ingest.report import IngestPace

        self._tell = tell
        self._pace = IngestPace()
        self._began = time.monotonic()
        self._over = threading.Event()
        self._teller = threading.Thread(target=self._now_and_then, daemon=True)

    def __enter__(self) -> _Paced:
        self._teller.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._teller.join()
        self._tell(self._pace)

    def heard(self, event: IngestEvent) -> None:
        """One event of the ingest."""
        from core.library.ingest.report import paced

        self._pace = paced(self._pace, event, time.monotonic() - self._began)

    def _now_and_then(self) -> None:
        while not self._over.wait(EVERY):
            self._tell(replace(self._pace, elapsed_s=time.monotonic() - self._began))
