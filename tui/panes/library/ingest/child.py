"""What runs in the ingest's own process: see `tui.runtime.child_side`. It stops between two files."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tui.runtime.child_side import Tell, serve

if TYPE_CHECKING:
    from core.library.ingest.options import IngestOptions
    from core.library.ingest.progress import IngestPace
    from core.library.ingest.report import IngestEvent, IngestReport

GRACE = 60.0
"""Seconds it has for the file it is at; then it is ended, and the next ingest reads that file again."""
EVERY = 0.1
"""Seconds between two words of how far it is: a library of unchanged files passes thousands a second."""


def ingest_into(
    casebook: Path,
    roots: Sequence[Path],
    options: IngestOptions,
    tell: Callable[[IngestPace], None],
    cancelled: Callable[[], bool],
) -> IngestReport:
    """Ingest these folders, or all that are known where none is given; the casebook is made if there is none.

    The report's items are those that are worth a look. Raises Fault: what `ingest` raises.
    """
    from core.flows.ingest.api import ingest
    from core.library.ingest.report import worth_a_look
    from core.store import open_store

    with open_store(casebook, write=True, create=True) as store, _Paced(tell) as paced:
        report = ingest(store, roots, options, on_event=paced.heard, cancelled=cancelled)
    return worth_a_look(report)


class _Paced:
    """Folds the events as they come, and tells now and then how it stands, also while a large file is read."""

    def __init__(self, tell: Callable[[IngestPace], None]) -> None:
        from core.library.ingest.progress import IngestPace

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
        from core.library.ingest.progress import paced

        self._pace = paced(self._pace, event, time.monotonic() - self._began)

    def _now_and_then(self) -> None:
        while not self._over.wait(EVERY):
            self._tell(replace(self._pace, elapsed_s=time.monotonic() - self._began))


def main(casebook: str, options: str, *roots: str) -> int:
    """Ingest, telling each `IngestPace`, and at the end the `ingest_report.v1` or an `error.v1`.

    `options`: the settings of chunking, and how Korean is indexed, as JSON.
    """

    def work(tell: Tell, stopped: Callable[[], bool]) -> object:
        from core.base.config.settings import ChunkingSettings
        from core.library.ingest.options import options_of

        chunking, korean = json.loads(options)
        chosen = options_of(ChunkingSettings(**chunking), korean)
        return ingest_into(Path(casebook), [Path(root) for root in roots], chosen, tell, stopped)

    return serve(work, GRACE)
