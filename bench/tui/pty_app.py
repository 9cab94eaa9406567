"""The workbench with a heartbeat, for measuring: `python -m bench.tui.pty_app CASEBOOK REPORT [TRANSCRIPT]`.

A task of the event loop sleeps again and again and writes down how late it wakes. F9 imports TRANSCRIPT into CASEBOOK
as the workbench does; F10 runs a job on a thread that imports it into a casebook beside it and never looks whether it
is to stop. What waits is embedded by itself, as the settings say. What was seen is written to REPORT (JSON) at the end;
that F9 has ended, a file `.imported` beside it says, that embedding has, a file `.embedded`.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import time
from pathlib import Path
from typing import ClassVar

from textual.binding import BindingType

from cli.main import end_process
from core.base.config.settings_sources import load_config
from tui.runtime.jobs import Job
from tui.services.environment import Surroundings
from tui.shell.app import CasebookApp

BEAT = 0.004
"""Seconds between two beats of an event loop that nothing holds up."""

LANES = ("rows", "count", "search", "case", "import", "deaf", "meaning", "embed")


class BeatingApp(CasebookApp):
    """Knows when its event loop was held up, and which jobs ran when it was left."""

    BINDINGS: ClassVar[list[BindingType]] = [("f9", "bench_import", ""), ("f10", "bench_deaf", "")]

    def __init__(self, db_path: Path, report: Path, transcript: Path | None) -> None:
        super().__init__(db_path, around=Surroundings(load_config()))
        self._report = report
        self.late: list[tuple[float, float]] = []
        self.busy: list[str] = []
        self.imported: list[float] = []
        self.embedding: list[float] = []
        self._transcript = transcript
        self._beating: asyncio.Task[None] | None = None

    def on_ready(self) -> None:
        """Begin once the first frame is out."""
        self._beating = asyncio.create_task(self._beat())
        self.set_interval(0.1, self._note_embedding)

    async def _beat(self) -> None:
        before = time.monotonic()
        while True:
            await asyncio.sleep(BEAT)
            now = time.monotonic()
            self.late.append((now, now - before - BEAT))
            before = now

    def _note_embedding(self) -> None:
        """From when to when a run of embedding went on that a person sees; its end shows in a file."""
        if self.errors.embedding.busy:
            self.embedding[:] = [*self.embedding[:1], time.monotonic()] if self.embedding else [time.monotonic()]
        elif len(self.embedding) > 1:
            self._report.with_suffix(".embedded").touch()

    def leave(self) -> None:
        """Remember what ran, then quit as the app does."""
        self.busy = [lane for lane in LANES if self.jobs.busy(lane)]
        super().leave()

    def action_bench_import(self) -> None:
        """Import as the workbench does; note from when to when."""
        if self._transcript is None:
            return
        self.imported.append(time.monotonic())
        self.errors.incoming.begin([self._transcript])
        self._ending = self.set_interval(0.1, self._note_end)

    def _note_end(self) -> None:
        if not self.errors.incoming.busy:
            self.imported.append(time.monotonic())
            self._ending.stop()
            self._report.with_suffix(".imported").touch()

    def action_bench_deaf(self) -> None:
        """Import in a job that does not listen; the title says so once it is on its way."""
        transcript = self._transcript
        if transcript is None:
            return

        def work(_job: Job[None]) -> None:
            from core.flows.transcripts.api import import_transcripts
            from core.store import open_store

            target = transcript.with_name(f"import-{os.getpid()}.db")
            with open_store(target, write=True, create=True) as store:
                self.call_later(self._importing)
                import_transcripts(store, "claude-code", [transcript])

        self.jobs.run("deaf", work, lambda _value, _final: None, lambda _fault: None)

    def _importing(self) -> None:
        self.errors.box.border_title = "bench importing"


def main(casebook: str, report: str, transcript: str = "") -> int:
    """Run it, then write the report."""
    gc.disable()  # as `cli.context` does
    app = BeatingApp(Path(casebook), Path(report), Path(transcript) if transcript else None)
    app.run()
    gc.freeze()  # as `tui.shell.app.run` does
    seen = {"late": app.late, "busy": app.busy, "imported": app.imported, "embedding": app.embedding}
    Path(report).write_text(json.dumps(seen), encoding="utf-8")
    end_process(app.return_code or 0)  # as `cli.main` does
    return app.return_code or 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
