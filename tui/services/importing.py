"""Importing from within the workbench: the sessions there are, one run at a time, stopped by Esc at a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from core.base.fault import Fault
from tui.actions.action import Acts, Performs
from tui.render.common.amounts import counted, report_line, report_text, size_of
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import fault_text, short_path
from tui.render.history import again_line
from tui.runtime.jobs import Job, Jobs, job_work
from tui.runtime.messages import PaneChanged, PaneSaid, PaneShowAll
from tui.services.tasks import harvest_task, import_task, job_of
from tui.widgets.workbench import AT_LIST, ELSEWHERE, Running, StatusLine

if TYPE_CHECKING:
    from core.base.config.settings_sources import Config
    from core.flows.transcripts.report import ImportAgain, ImportReport
    from core.process.task import Task
    from core.transcripts import Agent


Roots = Mapping["Agent", Sequence[Path]]
"""The folders where each agent keeps its sessions."""


@dataclass(frozen=True, slots=True)
class Source:
    """What there is of one agent: its folders that exist, how many files, how many bytes. `looked`: all its folders."""

    agent: Agent
    folders: tuple[Path, ...]
    files: int
    bytes: int
    looked: tuple[Path, ...] = ()


def roots_of(config: Config | None) -> Roots:
    """Where the agents keep their sessions: as the settings say, else where the agents themselves put them."""
    from core.base.config.settings import ImportSettings
    from core.flows.transcripts.files import agent_folders

    return agent_folders(config.values.imports if config else ImportSettings())


@job_work
def look_for(job: Job[tuple[Source, ...]], roots: Callable[[], Roots]) -> tuple[Source, ...]:
    """Count what the agents have left; nothing is opened."""
    from core.transcripts import discover

    found: list[Source] = []
    for agent, folders in roots().items():
        job.check()
        there = tuple(folder for folder in folders if folder.is_dir())
        files = discover(agent, there)
        job.check()
        found.append(Source(agent, there, len(files), sum(map(_size, files)), tuple(folders)))
    return tuple(found)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def describe_sources(sources: Sequence[Source]) -> str:
    """What was found, in a sentence."""
    from core.transcripts.detection import READERS

    found = [
        f"{READERS[one.agent].NAME}, {counted(one.files, 'file')}, {size_of(one.bytes)}" for one in sources if one.files
    ]
    if found:
        return f"Found on this computer: {' · '.join(found)}."
    looked = ", ".join(short_path(folder) for one in sources for folder in one.looked)
    return f"No sessions in {looked}." if looked else "No agent sessions found."


def _forget(path: Path) -> None:
    from core.flows.transcripts.reharvest import forget

    forget(path)


class Fillable(Protocol):
    """The list that an import fills. `filling`: its newest row stays the chosen one until the person moves."""

    filling: bool
    every: int

    @property
    def has_focus_within(self) -> bool:
        """Whether the focus is in the list."""
        ...

    def set_sources(self, sources: Sequence[Source]) -> None:
        """There is this to import."""
        ...

    def set_import(self, running: Running | None) -> None:
        """An import runs, or no more."""
        ...


class Incoming(Performs, StatusLine):
    """The status line of imports, and what the import actions do.

    `ask` opens the screen that asks what to import; `confirm` the one that shows what harvesting again would change.
    """

    def __init__(
        self,
        jobs: Jobs,
        signs: Signs,
        roots: Callable[[], Roots],
        results: Fillable,
        *,
        ask: Callable[[], object],
        confirm: Callable[[ImportAgain, Callable[[bool | None], None]], object],
        set_up: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(signs, id="incoming")
        self._jobs = jobs
        self._roots = roots
        self._results = results
        self._ask_what = ask
        self._confirm = confirm
        self._set_up = set_up
        self._run: Task[ImportReport] | Task[ImportAgain] | None = None
        self.sources: tuple[Source, ...] | None = None
        self.report: ImportReport | None = None
        self.named = ""
        """What a person named and could not be imported yet: mostly a path with a slip in it."""

    def watch_running(self, running: Running | None) -> None:
        """The empty list says how far it is, too."""
        super().watch_running(running)
        self._results.set_import(running)

    @property
    def busy(self) -> bool:
        """Return whether an import of this workbench runs."""
        return self._run is not None

    @property
    def folders(self) -> tuple[Path, ...]:
        """The agents' folders that hold something."""
        return tuple(folder for one in self.sources or () if one.files for folder in one.folders)

    def actions(self) -> Acts:
        return {
            "import.begin": self._ask,
            "import.setup": self._set_up,
            "import.stop": self.stop,
            "import.report": self._show_report,
            "import.demo": self._open_demo,
            "again.show": self.harvest_again,
        }

    def look(self, done: Callable[[], object] = lambda: None) -> None:
        """Look what there is to import; the empty list says it, and `done` is called. Not while it is imported."""
        if self.busy and self.sources is not None:
            done()
            return

        def keep(found: tuple[Source, ...], _final: bool) -> None:
            self.sources = found
            self._results.set_sources(found)
            done()

        self._jobs.run("look", look_for(self._roots), keep, lambda _fault: None)

    def begin(self, paths: Sequence[Path]) -> None:
        """Import these files and folders."""
        if self._run is None:
            self._run = import_task(self._jobs.path, paths)
            self._results.filling = not self._results.every
            way_out = AT_LIST if self._results.has_focus_within else ELSEWHERE
            self.running = Running(way_out=way_out)
            self._jobs.run("import", job_of(self._run), self._on_import, self._failed)
            self.post_message(PaneChanged())

    def harvest_again(self, *, apply: bool = False) -> None:
        """Harvest what was imported before again: show what would change, or `apply` it."""
        if self._run is None:
            self._run = harvest_task(self._jobs.path, apply=apply)
            way_out = AT_LIST if self._results.has_focus_within else ELSEWHERE
            self.running = Running(way_out=way_out, begins="Copying the casebook")
            self._jobs.run("import", job_of(self._run), self._on_reharvest, self._failed)
            self.post_message(PaneChanged())

    def stop(self) -> None:
        """Ask it to stop after the batch it is at; what was read stays."""
        if self._run is not None and self.running is not None:
            self._run.stop()
            self.running = replace(self.running, stopping=True)

    def way_out(self, keys: str) -> None:
        """Which keys stop it: that depends on where the focus is."""
        if self.running is not None:
            self.running = replace(self.running, way_out=keys)

    def _ask(self) -> None:
        """With an empty casebook begin at once with what was found; else ask what to import."""
        if not self._results.every and self.folders:
            self.begin(self.folders)
            return
        self._ask_what()

    def _open_demo(self) -> None:
        from tui.services.external_editor import open_demo

        if why := open_demo(self.app):
            self.post_message(PaneSaid(why, "warning"))

    def _show_report(self) -> None:
        if self.report is not None:
            self.post_message(PaneShowAll("Last import", report_text(self.report)))

    def _on_import(self, value: object, final: bool) -> None:
        from core.flows.transcripts.report import ImportReport, Progress

        if isinstance(value, Progress) and self.running is not None:
            self.running = replace(self.running, progress=value)
        if final and isinstance(value, ImportReport):
            self.report, self.named = value, ""
            self._end(report_line(value, self._signs), "warning" if value.skipped or value.canceled else "information")

    def _on_reharvest(self, value: object, final: bool) -> None:
        from core.flows.transcripts.report import ImportAgain, Progress

        if isinstance(value, Progress) and self.running is not None:
            self.running = replace(self.running, progress=value)
        if not final or not isinstance(value, ImportAgain):
            return
        if value.applied or value.canceled or value.changes_nothing:
            self._end(self._signs.fill_keys(again_line(value)), "warning" if value.canceled else "information")
            return
        self._run = self.running = None
        self.post_message(PaneChanged())
        self._confirm(value, self._decided)

    def _decided(self, apply: bool | None) -> None:
        if apply:
            self.harvest_again(apply=True)
        else:
            path = self._jobs.path
            self._jobs.run("again", lambda _job: _forget(path), lambda _value, _final: None, lambda _fault: None)

    def _failed(self, fault: Fault) -> None:
        self._end(fault_text(fault), "error")

    def _end(self, told: str, severity: str) -> None:
        self._run = None
        self.running = None
        self._jobs.run("filled", lambda job: job.pause(1.0), lambda _value, _final: self._filled(), lambda _fault: None)
        self.post_message(PaneSaid(told, severity))
        self.post_message(PaneChanged())

    def _filled(self) -> None:
        """The last cases of an import appear a moment after its end."""
        self._results.filling = self.busy and self._results.filling
