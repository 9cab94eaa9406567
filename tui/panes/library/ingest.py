"""Ingest from the workbench: one run at a time, shown in a line, stopped after a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.base.config.settings import ChunkingSettings
from core.base.fault import Fault
from core.process.task import Task
from tui.actions.action import Acts
from tui.render.common.glyphs import Signs
from tui.render.ingest import report_line
from tui.runtime.jobs import Job, Jobs
from tui.runtime.messages import PaneChanged
from tui.services.tasks import ingest_task, job_of
from tui.widgets.workbench import Running, StatusLine, TaskLine, on_open_screens, workbench

if TYPE_CHECKING:
    from core.library.ingest.report import IngestPace, IngestReport

SHOWS = "{library.ingest} shows it"
CLICK = "click cancels"
BEGINS = "Scanning folders"


@dataclass(frozen=True, slots=True)
class Ended:
    """What the last ingest came to: its report, or why it failed."""

    report: IngestReport | None = None
    fault: Fault | None = None


class Ingesting(TaskLine):
    """The run, and its line in the workbench; `IngestLine` shows the same elsewhere. Outlives every pane.

    `embed` is called at the end of a run: what is new waits for it.
    """

    stop_action = "library.stop_ingest"

    def __init__(
        self,
        jobs: Jobs,
        signs: Signs,
        chunking: ChunkingSettings,
        embed: Callable[[], object],
        korean: str,
        *,
        ocr: bool = False,
    ) -> None:
        super().__init__(jobs, signs, id="ingesting")
        self._chunking = chunking
        self._korean = korean
        self._ocr = ocr
        self._embed = embed
        self._lacking = ""  # what the settings ask for and is not installed, and its remedy; known once it runs
        self.roots: tuple[Path, ...] = ()
        self.pace: IngestPace | None = None
        self.ended: Ended | None = None
        self.stopping = False

    def watch_running(self, running: Running | None) -> None:
        """The lines of other panes show it too. Were it watched, it would keep those of panes that were left."""
        super().watch_running(running)
        for line in on_open_screens(self.app, IngestLine) if self.is_attached else ():
            line.follow(running)

    def actions(self) -> Acts:
        return {
            "library.ingest": self.open,
            "library.left_out": lambda: self.open(at_result=True),
            "library.stop_ingest": self.stop,
        }

    def open(self, *, at_result: bool = False) -> None:
        """The screen to choose folders in, and to see what runs and what came of it."""
        from tui.panes.library.ingest_screen import IngestScreen

        if not isinstance(self.app.screen, IngestScreen):
            screen = IngestScreen(self._jobs, self, self._signs, at_result=at_result)
            self.app.push_screen(screen, self._on_closed)

    def _on_closed(self, _nothing: None) -> None:
        """The keys are those of the pane below again, once it is there."""
        self.call_later(self._below)

    def _below(self) -> None:
        from tui.panes.library.screen import LibraryScreen

        self.post_message(PaneChanged())
        if isinstance(screen := self.app.screen, LibraryScreen):
            screen.changed()

    def begin(self, roots: Sequence[Path]) -> None:
        """Read these folders; none: all that are known."""
        if self._run is None:
            self.roots = tuple(roots)
            self.pace, self.ended, self.stopping = None, None, False
            task = ingest_task(self._jobs.path, roots, self._chunking, self._korean, ocr=self._ocr)
            self.start("ingest", task, self._work(task), self._on_progress, Running(way_out=CLICK, begins=BEGINS))

    def _work(self, task: Task[IngestReport]) -> Callable[[Job[object]], object]:
        def work(job: Job[object]) -> object:
            from core.library.parse.ocr import lacking as ocr_lacking
            from core.library.search.korean import lacking

            self._lacking = lacking(self._korean) or (ocr_lacking() if self._ocr else "")
            return job_of(task)(job)

        return work

    def stop(self) -> None:
        """Ask it to stop after the file it is at; what was read stays."""
        self.stopping = self.stopping or self.busy
        super().stop()

    def _on_progress(self, value: object, final: bool) -> None:
        from core.library.ingest.report import IngestPace, IngestReport

        if isinstance(value, IngestPace):
            self._show_pace(value)
        elif final and isinstance(value, IngestReport):
            summary = " ".join(filter(None, (report_line(value, self._signs), self._lacking)))
            self.ended = Ended(value)
            self.end(summary, "warning" if value.errors or self._lacking else "information")

    def _show_pace(self, pace: IngestPace) -> None:
        from core.base.reports import Progress

        self.pace = pace
        if pace.total:
            left = None if pace.remaining_s is None else round(pace.remaining_s, 1)
            self.show_progress(Progress("ingest", pace.done, pace.total, pace.rate, left, pace.path))

    def failed(self, fault: Fault) -> None:
        self.ended = Ended(fault=fault)
        super().failed(fault)

    def end(self, summary: str, severity: str) -> None:
        """It is over: what is new waits to be embedded."""
        super().end(summary, severity)
        self._embed()


class IngestLine(StatusLine):
    """The same line in another pane."""

    stop_action = "library.stop_ingest"

    def __init__(self, signs: Signs) -> None:
        super().__init__(signs, id="ingest-line")

    def on_mount(self) -> None:
        self.follow(workbench(self).reading)

    def follow(self, running: Running | None) -> None:
        """Show this run."""
        self.running = None if running is None else replace(running, way_out=SHOWS)
