"""Embedding in a process of its own that takes as long as a test wants: until a file named `go on` lies beside."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from core.base.reports import Progress
from core.embedding.runtime.report import EmbedReport
from core.flows.system import embedding
from core.process.worker import Call
from tui.services import tasks

GO_ON = "go on"


def slow(call: Call, casebook: Path, settings: dict[str, Any]) -> EmbedReport:
    """The real one; after each batch it waits until it is let go or stopped."""
    real = embedding.embed_pending
    go_on = casebook.with_name(GO_ON)

    def slowly(path: Path, *, progress: Any, stop: Any, **more: Any) -> EmbedReport:
        def told(step: Progress) -> None:
            progress(step)
            while not go_on.exists() and not stop():
                time.sleep(0.01)

        return real(path, progress=told, stop=stop, **more)

    embedding.embed_pending = slowly
    return tasks.run_embedding(call, casebook, settings)


def occupied(_call: Call, casebook: Path, _settings: dict[str, Any]) -> EmbedReport:
    """Another run is under way; the first time, one that has ended when the workbench looks again."""
    if not casebook.with_name(GO_ON).exists():
        casebook.with_name(GO_ON).touch()
        return EmbedReport("error", "model", "recipe", waiting=300, busy=True)
    return EmbedReport("error", "model", "recipe")
