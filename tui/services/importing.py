"""Importing from within the workbench: the sessions there are, one run at a time, stopped by Esc at a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from core.base.paths import file_size
from core.process.task import Task
from tui.actions.action import Acts
from tui.render.common.amounts import counted, report_line, report_text, size_of
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import short_path
from tui.render.history import again_line
from tui.runtime.jobs import Job, Jobs, job_work
from tui.runtime.messages import PaneChanged, PaneImportBegan, PaneMessage, PaneShowAll
from tui.services.tasks import harvest_task, import_task, job_of
from tui.widgets.workbench import Running, TaskLine

if TYPE_CHECKING:
    from core.base.config.settings_sources import Config
    from core.flows.transcripts.report import ImportAgain, ImportReport
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
        found.append(Source(agent, there, len(files), sum(map(file_size, files)), tuple(folders)))
    return tuple(found)


_NAMED = 6
"""Folders that are named."""


def describe_sources(sources: Sequence[Source]) -> str:
    """What was found, in a sentence."""
    from core.transcripts.detection import READERS

    found = [
        f"{READERS[one.agent].NAME}, {counted(one.files, 'file')}, {size_of(one.bytes)}" for one in sources if one.files
    ]
    if found:
        return f"Found on this computer: {' · '.join(found)}."
    return no_sessions(sources)


def no_sessions(sources: Sequence[Source]) -> str:
    """Which folders have no sessions: the first ones by name, the others by number."""
    looked = [short_path(folder) for one in sources for folder in one.looked]
    if not looked:
        return "No agent sessions found."
    rest = f" and {counted(len(looked) - _NAMED, 'more folder')}" if len(looked) > _NAMED else ""
    return f"No sessions in {', '.join(looked[:_NAMED])}{rest}."


def _forget(path: Path) -> None:
    from core.flows.transcripts.reharvest import forget

    forget(path)


class Fillable(Protocol):
    """The list that an import fills. `filling`: its newest row stays the chosen one until the person moves."""

    filling: bool
    every: int

    def set_sources(self, sources: Sequence[Source]) -> None:
        """There is this to import."""
        ...

    def set_import(self, running: Running | None) -> None:
        """An import runs, or no more."""
        ...


class Incoming(TaskLine):
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
        super().__init__(jobs, signs, id="incoming")
        self._roots = roots
        self._results = results
        self._ask_what = ask
        self._confirm = confirm
        self._set_up = set_up
        self.sources: tuple[Source, ...] | None = None
        self.report: ImportReport | None = None
        self.named = ""
        """What a person named and could not be imported yet: mostly a path with a slip in it."""

    def watch_running(self, running: Running | None) -> None:
        """The empty list says how far it is, too."""
        super().watch_running(running)
        self._results.set_import(running)

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
            self._results.filling = not self._results.every
            self._start(import_task(self._jobs.path, paths), self._on_import, Running())
            self.post_message(PaneImportBegan())

    def harvest_again(self, *, apply: bool = False) -> None:
        """Harvest what was imported before again: show what would change, or `apply` it."""
        if self._run is None:
            task = harvest_task(self._jobs.path, apply=apply)
            self._start(task, self._on_reharvest, Running(begins="Copying the casebook"))

    def _start(self, task: Task[Any], came: Callable[[object, bool], None], running: Running) -> None:
        self.start("import", task, job_of(task), came, running)

    def _ask(self) -> None:
        """With an empty casebook begin at once with what was found; else ask what to import."""
        if not self._results.every and self.folders:
            self.begin(self.folders)
            return
        self._ask_what()

    def _open_demo(self) -> None:
        from tui.services.external_editor import open_demo

        if why := open_demo(self.app):
            self.post_message(PaneMessage(why, "warning"))

    def _show_report(self) -> None:
        if self.report is not None:
            self.post_message(PaneShowAll("Last import", report_text(self.report), wrapped=True))

    def _on_import(self, value: object, final: bool) -> None:
        from core.flows.transcripts.report import ImportReport

        self.show_progress(value)
        if final and isinstance(value, ImportReport):
            self.report, self.named = value, ""
            self.end(report_line(value, self._signs), "warning" if value.skipped or value.canceled else "information")

    def _on_reharvest(self, value: object, final: bool) -> None:
        from core.flows.transcripts.report import ImportAgain

        self.show_progress(value)
        if not final or not isinstance(value, ImportAgain):
            return
        if value.applied or value.canceled or value.changes_nothing:
            self.end(self._signs.fill_keys(again_line(value)), "warning" if value.canceled else "information")
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

    def end(self, summary: str, severity: str) -> None:
        """It is over; the last cases of an import appear a moment later."""
        super().end(summary, severity)
        self._jobs.run("filled", lambda job: job.pause(1.0), lambda _value, _final: self._filled(), lambda _fault: None)

    def _filled(self) -> None:
        self._results.filling = self.busy and self._results.filling
