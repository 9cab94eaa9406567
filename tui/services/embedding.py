"""Automatic background embedding: one run at a time, shown in the status line if it takes long."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from core.base.fault import Fault
from tui.actions.action import Acts
from tui.render.common.glyphs import Signs
from tui.render.common.status import model_changed, no_model, report_line
from tui.render.common.untrusted import title
from tui.runtime.jobs import Job, Jobs, job_work
from tui.runtime.messages import PaneChanged, PaneMessage
from tui.services.tasks import embedding_task, job_of
from tui.widgets.workbench import BY_STATUS, Running, TaskLine

if TYPE_CHECKING:
    from core.base.config.settings import EmbeddingSettings
    from core.flows.system.embedding import VectorFacts

AFTER = 1.5
"""Seconds of quiet before it looks what waits: after the first frame, and after whatever was written."""
LATEST = 10.0
"""Seconds after which it looks all the same where others write without a pause."""
QUIET = 50
"""Texts that are embedded without a word: that takes a moment."""


@job_work
def look(job: Job[VectorFacts], settings: EmbeddingSettings) -> VectorFacts:
    """Look what waits, and whether there is a model for it; loads nothing."""
    from core.flows.system.embedding import vector_facts

    store = job.store()
    if store.readonly:
        raise Fault("db_readonly", store.readonly)
    return vector_facts(store, settings)


def quiet_for(since: float, now: float) -> float:
    """Return the seconds to wait for quiet at `now`, after an unread write at `since`."""
    return max(0.0, min(AFTER, since + LATEST - now))


class Embedding(TaskLine):
    """The status line of embedding. Without settings it does nothing at all.

    `others`: whether something else runs that it has to wait for. `has_warned_no_model` is remembered with the
    casebook.
    """

    stop_action = "embed.stop"

    def __init__(
        self, jobs: Jobs, signs: Signs, settings: EmbeddingSettings | None, others: Callable[[], bool]
    ) -> None:
        super().__init__(jobs, signs, id="embedding")
        self._settings = self.settings = settings
        self._others = others
        self._off = settings is None or not settings.auto  # for this session: it was cancelled, or it failed
        self._requested = False
        self._since: float | None = None  # when something was written that it has not looked for
        self._offered = False
        self._facts: VectorFacts | None = None
        self.has_warned_no_model = False

    @property
    def busy(self) -> bool:
        """Return whether a visible run of this workbench is active."""
        return self._run is not None and self.running is not None

    def runs(self) -> bool:
        """Return whether a run of this workbench is active, visible or not."""
        return self._run is not None

    @property
    def why_not(self) -> str:
        """Why it cannot be begun by hand now; empty if it can."""
        if self._settings is None:
            return "Embedding is not available."
        return "Embedding is already running." if self._run is not None else ""

    def actions(self) -> Acts:
        return {"embed.begin": self.ask, "embed.stop": self.stop}

    def changed(self) -> None:
        """Something was written, or the workbench was opened: look what waits, once it is quiet."""
        if self._settings is not None and self._run is None:
            now = monotonic()
            self._since = now if self._since is None else self._since
            self._look(quiet_for(self._since, now))

    def ask(self) -> None:
        """A person wants it: also after it was cancelled, and after the model was changed."""
        self._requested = True
        self._look(0.0)

    def stop(self) -> None:
        """Stop it; what is embedded stays. It does not begin by itself again while the workbench is open."""
        if self._run is not None:
            self._off = True
            super().stop()

    def _look(self, delay: float) -> None:
        if self._settings is not None:
            self._jobs.run("backlog", look(self._settings), self._on_facts, self._on_facts_fault, delay=delay)

    def _on_facts(self, facts: VectorFacts, _final: bool) -> None:
        self._facts, self._since = facts, None
        requested, self._requested = self._requested, False
        if self._run is not None:
            return
        if facts.model is None:
            self._notify_no_model(facts, requested=requested)
        elif facts.running is not None:
            self._notify_if(requested, f"Another process is embedding this casebook (process {facts.running.pid}).")
        elif not facts.due:
            self._notify_if(requested, "All cases, rules and passages are embedded.")
        elif requested:
            self._begin(facts)
        elif facts.other and not self._offered:
            self._offered = True
            self.post_message(PaneMessage(self._signs.fill_keys(model_changed(facts))))
        elif not self._off and not facts.other and not self._others():
            self._begin(facts)

    def _on_facts_fault(self, fault: Fault) -> None:
        self._since = None
        requested, self._requested = self._requested, False
        self._notify_if(requested, f"Embedding failed: {title(fault.message)}.")

    def _notify_if(self, requested: bool, text: str) -> None:
        if requested:
            self.post_message(PaneMessage(text))

    def _notify_no_model(self, facts: VectorFacts, *, requested: bool) -> None:
        if requested or (facts.cases and not self.has_warned_no_model):
            self.has_warned_no_model = True
            self.post_message(PaneMessage(no_model(facts)))
            self.post_message(PaneChanged())

    def _begin(self, facts: VectorFacts) -> None:
        if self._settings is None:
            return
        task = embedding_task(self._jobs.path, self._settings)
        running = Running(way_out=BY_STATUS, begins="Loading the model") if facts.due > QUIET else None
        self.start("embed", task, job_of(task), self._on_progress, running)

    def _on_progress(self, value: object, final: bool) -> None:
        from core.embedding.runtime.report import EmbedReport

        self.show_progress(value)
        if final and isinstance(value, EmbedReport):
            shown = (self.running is not None and not value.busy) or value.failed  # a pane may be embedding its rules
            summary = report_line(value, self._signs) if shown else ""
            self.end(summary, "warning" if value.failed else "information")
            self.changed()  # what came meanwhile

    def failed(self, fault: Fault) -> None:
        """It does not begin by itself again while the workbench is open."""
        self._off = True
        super().failed(fault)
