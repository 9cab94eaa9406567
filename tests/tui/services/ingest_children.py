"""Ingests in a process of their own that take as long as a test wants: until a file named `go on` lies beside."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from core.flows.ingest import api, batches
from core.library.ingest.report import IngestEvent, IngestReport
from core.process.worker import Call
from tui.services import tasks

GO_ON = "go on"


def slow(call: Call, casebook: Path, *given: Any) -> IngestReport:
    """The real ingest; after each file it waits until it is let go or stopped."""
    real = api.ingest
    go_on = casebook.with_name(GO_ON)
    tasks.EVERY = 0.01
    batches.MOST_FILES = 1  # else all files are written before the first is reported

    def slowly(store, roots, options, *, on_event, cancelled) -> IngestReport:
        def told(event: IngestEvent) -> None:
            on_event(event)
            while event.kind == "asset_finished" and not go_on.exists() and not cancelled():
                time.sleep(0.01)

        return real(store, roots, options, on_event=told, cancelled=cancelled)

    api.ingest = slowly
    return tasks.run_ingest(call, casebook, *given)


def killed(_call: Call, _casebook: Path, *_given: object) -> None:
    """Dies without a word."""
    os.kill(os.getpid(), signal.SIGKILL)
