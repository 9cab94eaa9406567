"""Imports in a process of their own that take as long as a test wants: until a file named `go on` lies beside."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from core.flows.transcripts import api
from core.flows.transcripts.report import ImportReport, Progress
from tui.services import import_child

GO_ON = "go on"


def slow(casebook: str, *paths: str) -> int:
    """The real import; after each piece that it tells about it waits until it is let go or stopped."""
    return _waiting(("import", "harvest"), casebook, *paths)


def slow_harvest(casebook: str, *paths: str) -> int:
    """The real import; it waits once it has harvested something."""
    return _waiting(("harvest",), casebook, *paths)


def _waiting(kinds: tuple[str, ...], casebook: str, *paths: str) -> int:
    real = api.import_transcripts
    go_on = Path(casebook).with_name(GO_ON)

    def slowly(store, agent, paths, *, on_progress, cancelled) -> ImportReport:
        def told(progress: Progress) -> None:
            on_progress(progress)
            while progress.kind in kinds and not go_on.exists() and not cancelled():
                time.sleep(0.01)

        return real(store, agent, paths, on_progress=told, cancelled=cancelled)

    api.import_transcripts = slowly
    return import_child.main(casebook, *paths)


def deaf(casebook: str, *_paths: str) -> int:
    """Does nothing, and does not hear that it is to stop."""
    Path(casebook).with_name("deaf").touch()
    end = time.monotonic() + 60
    while not Path(casebook).with_name(GO_ON).exists() and time.monotonic() < end:
        time.sleep(0.01)
    return 0


def killed(_casebook: str, *_paths: str) -> int:
    """Dies without a word."""
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def raising(casebook: str, *paths: str) -> int:
    """Has a fault of its own."""

    def broken(*_given: object, **_more: object) -> ImportReport:
        raise RuntimeError("a fault of its own")

    api.import_transcripts = broken
    return import_child.main(casebook, *paths)
