"""Status: path, contents, checks and their fixes. Read in jobs, shown as results arrive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from core.base.config.settings_sources import Config, default_config
from core.base.fault import Fault
from core.base.paths import home_name, log_file
from tui.render.common.empty_states import draw_notice, of_fault
from tui.render.common.glyphs import Signs
from tui.render.common.status import Facts, draw_checks, draw_facts, draw_versions
from tui.runtime.jobs import Job, Jobs, job_work
from tui.services.db_watch import Following, files_at, watch
from tui.widgets.scroll_text import Reading
from tui.widgets.workbench import workbench

if TYPE_CHECKING:
    from core.flows.system.doctor import Diagnosis
    from core.store import jobs

_RUNS = 3
"""Runs of a kind that are listed: the many of embedding must not hide the last import."""
_LOOKED_AT = 200


@job_work
def read_facts(job: Job[Facts], config: Config) -> Facts:
    """Look at the casebook of the job: its file, its rows, its long runs."""
    from importlib.metadata import version

    from core.flows.system.capabilities import capabilities
    from core.flows.system.embedding import vector_facts
    from core.store import jobs

    path = job.lane.path
    size = _size(path)
    embedding = config.values.embedding
    readonly, runs, vectors = "", (), None
    if size is not None:
        store = job.store()
        readonly, runs = store.readonly or "", _latest(jobs.recent(store, _LOOKED_AT))
        vectors = vector_facts(store, embedding, count=True)
    about = capabilities(path)
    written = home_name(Path(config.path)) if config.path else "the settings path"
    settings = written if config.exists else f"defaults (no file at {written})"
    log = home_name(log_file()) if config.values.log.level != "off" else "disabled (log.level)"
    textual = version("textual")
    return Facts(home_name(path), size, readonly, log, settings, textual, about, runs, vectors, embedding.auto)


def _latest(runs: Iterable[jobs.Job]) -> tuple[jobs.Job, ...]:
    """The newest runs of each kind, of `runs` from new to old."""
    listed = Counter[str]()
    found: list[jobs.Job] = []
    for run in runs:
        listed[run.kind] += 1
        if listed[run.kind] <= _RUNS:
            found.append(run)
    return tuple(found)


def _size(path: Path) -> int | None:
    """The bytes of a casebook, with those of its write-ahead log; None where there is none."""
    if not path.is_file():
        return None
    log = path.with_name(f"{path.name}-wal")
    return path.stat().st_size + (log.stat().st_size if log.is_file() else 0)


@job_work
def run_checks(job: Job[Diagnosis], config: Config) -> Diagnosis:
    """Let the doctor look."""
    from core.flows.system.doctor import diagnose

    path: Path = job.lane.path
    return diagnose(lambda: config, lambda _config: path)


_SETTLE = 0.5
"""Seconds between a change of the casebook and the next look at it."""


class StatusScreen(ModalScreen[None]):
    """Esc closes. What a run writes appears while it runs."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q,S", "dismiss", "Close"),
        ("p", "prove", "Run the checks again"),
        ("x", "stop", "Stop the import or the embedding"),
    ]

    def __init__(self, jobs: Jobs, config: Config | None, signs: Signs) -> None:
        super().__init__()
        self._jobs = jobs
        self._config = default_config() if config is None else config
        self._signs = signs
        self._facts, self._checks, self._versions = Static(), Static(), Static()
        self._found: Facts | None = None
        self._diagnosis: Diagnosis | None = None

    def compose(self) -> ComposeResult:
        with Reading(id="status") as frame:
            frame.border_title = Content("Status")
            yield from (self._facts, self._checks, self._versions)

    def on_mount(self) -> None:
        self.query_one("#status").focus()
        self._facts.update(draw_facts(None))
        jobs = self._jobs
        before = files_at(jobs.path)
        self.action_prove()
        following = Following(jobs, ("status",), self._again, self.set_timer)
        jobs.run("status-watch", watch(before), lambda _change, _final: following.changed(), lambda _fault: None)

    def _again(self) -> None:
        self._jobs.run("status", read_facts(self._config), self._read, self._failed, delay=_SETTLE)

    def action_stop(self) -> None:
        """Stop the import, else the embedding; or say that none runs."""
        bench = workbench(self)
        around = bench.situation().around
        bench.action_perform("import.stop" if around.importing or not around.embedding else "embed.stop")

    def _draw_keys(self) -> None:
        around = workbench(self).situation().around
        running = "import" if around.importing else "embedding" if around.embedding else ""
        stop = f"x stops the {running}, " if running else ""
        self.query_one("#status").border_subtitle = Content(f"{stop}p runs the checks again, esc closes")

    def action_prove(self) -> None:
        """Read everything again, and run the doctor's checks: one text in, one vector out."""
        self._diagnosis = None
        self._checks.update(draw_checks(None, self._signs))
        self._draw_keys()
        self._jobs.run("status", read_facts(self._config), self._read, self._failed)
        self._jobs.run("doctor", run_checks(self._config), self._checked, self._failed)

    def on_unmount(self) -> None:
        for lane in ("status", "status-watch", "doctor"):
            self._jobs.cancel(lane)

    def _read(self, facts: Facts, _final: bool) -> None:
        self._found = facts
        self._draw_texts()
        self._draw_keys()
        self._versions.update(draw_versions(facts))

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw_texts)

    def _draw_texts(self) -> None:
        if self._found is not None:
            self._facts.update(draw_facts(self._found, self._facts.content_size.width))
        if self._diagnosis is not None:
            self._checks.update(draw_checks(self._diagnosis, self._signs, self._checks.content_size.width))

    def _checked(self, found: Diagnosis, _final: bool) -> None:
        self._diagnosis = found
        self._draw_texts()

    def _failed(self, fault: Fault) -> None:
        self._facts.update(draw_notice(of_fault(fault), self._signs))
