"""Ingests in a process of their own that take as long as a test wants: until a file named `go on` lies beside."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from core.flows.ingest import api
from core.library.ingest.report import IngestEvent, IngestReport
from tui.panes.library.ingest import child

GO_ON = "go on"


def slow(casebook: str, *given: str) -> int:
    """The real ingest; after each file it waits until it is let go or stopped."""
    real = api.ingest
    go_on = Path(casebook).with_name(GO_ON)
    child.EVERY = 0.01

    def slowly(store, roots, options, *, on_event, cancelled) -> IngestReport:
        def told(event: IngestEvent) -> None:
            on_event(event)
            while event.kind == "asset_finished" and not go_on.exists() and not cancelled():
                time.sleep(0.01)

        return real(store, roots, options, on_event=told, cancelled=cancelled)

    api.ingest = slowly
    return child.main(casebook, *given)


def killed(_casebook: str, *_given: str) -> int:
    """Dies without a word."""
    os.kill(os.getpid(), signal.SIGKILL)
    return 0
