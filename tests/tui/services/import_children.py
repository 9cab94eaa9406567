"""Imports in a process of their own that take as long as a test wants: until a file named `go on` lies beside."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from core.flows.transcripts import api
from core.flows.transcripts import reharvest as again
from core.flows.transcripts.report import ImportAgain, ImportReport, Progress
from core.process.worker import Call
from core.store import Store
from tui.services import tasks

GO_ON = "go on"


def slow(call: Call, casebook: Path, paths: Sequence[Path]) -> ImportReport:
    """The real import; after each piece that it tells about it waits until it is let go or stopped."""
    return _waiting(("import", "harvest"), call, casebook, paths)


def slow_harvest(call: Call, casebook: Path, paths: Sequence[Path]) -> ImportReport:
    """The real import; it waits once it has harvested something."""
    return _waiting(("harvest",), call, casebook, paths)


def _waiting(kinds: tuple[str, ...], call: Call, casebook: Path, paths: Sequence[Path]) -> ImportReport:
    real = api.import_transcripts
    go_on = casebook.with_name(GO_ON)

    def slowly(store, agent, paths, *, on_progress, cancelled) -> ImportReport:
        def told(progress: Progress) -> None:
            on_progress(progress)
            while progress.kind in kinds and not go_on.exists() and not cancelled():
                time.sleep(0.01)

        return real(store, agent, paths, on_progress=told, cancelled=cancelled)

    api.import_transcripts = slowly
    return tasks.run_import(call, casebook, paths)


def stopped_again(call: Call, casebook: Path, apply: bool) -> ImportAgain:
    """The real harvest of what was imported before; it waits with its first progress until it is stopped."""
    real = again.harvest_again

    def slowly(
        store: Store, *, cancelled: Callable[[], bool], on_progress: Callable[[object], None], **how: Any
    ) -> ImportAgain:
        def stopped() -> bool:
            on_progress(Progress("harvest", 0, 1, 0.0, None))
            while not cancelled():
                time.sleep(0.01)
            return True

        return real(store, cancelled=stopped, on_progress=on_progress, **how)

    again.harvest_again = slowly
    return tasks.run_harvest(call, casebook, apply)


def deaf(_call: Call, casebook: Path, _paths: Sequence[Path]) -> int:
    """Does nothing, and does not hear that it is to stop."""
    casebook.with_name("deaf").touch()
    end = time.monotonic() + 120
    while not casebook.with_name(GO_ON).exists() and time.monotonic() < end:
        time.sleep(0.01)
    os._exit(0)


def killed(_call: Call, _casebook: Path, _given: object) -> None:
    """Dies without a word."""
    os.kill(os.getpid(), signal.SIGKILL)


def raising(call: Call, casebook: Path, paths: Sequence[Path]) -> ImportReport:
    """Has a fault of its own."""

    def broken(*_given: object, **_more: object) -> ImportReport:
        raise RuntimeError("a fault of its own")

    api.import_transcripts = broken
    return tasks.run_import(call, casebook, paths)
