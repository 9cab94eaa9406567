"""Setting casebook up: the sessions to import, the hooks and the model, each shown before Enter begins."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen

from core.base.fault import Fault
from tui.render.common.amounts import counted, size_of
from tui.render.common.untrusted import inline, short_path, title
from tui.runtime.jobs import Job, Jobs, job_work
from tui.runtime.messages import PaneMessage
from tui.services.importing import Incoming, no_sessions
from tui.widgets.scroll_text import HangingText, Reading
from tui.widgets.workbench import sheet, workbench

if TYPE_CHECKING:
    from core.base.config.settings import EmbeddingSettings
    from core.flows.setup import SetupPlan

_LANE, _RUN = "setup-plan", "setup"
_IMPORT, _HOOKS, _MODEL = "import", "hooks", "model"
_STEPS = (_IMPORT, _HOOKS, _MODEL)


@job_work
def _plan(job: Job[SetupPlan], settings: EmbeddingSettings | None) -> SetupPlan:
    from core.flows.setup import setup_plan

    job.check()
    return setup_plan(settings, os.environ)


@job_work
def _set_up(job: Job[tuple[str, ...]], plan: SetupPlan, chosen: frozenset[str]) -> tuple[str, ...]:
    """Install the hooks, then fetch the model; what went wrong, in words."""
    from core.flows.setup import install_planned, pull_planned

    faults = list(install_planned(plan)) if _HOOKS in chosen else []
    if _MODEL in chosen and plan.model:
        try:
            pull_planned(plan, lambda: job.stopped)
        except Fault as fault:
            faults.append(f"{plan.model}: {fault.message}")
    return tuple(faults)


class SetupScreen(ModalScreen[None]):
    """Enter runs the selected steps; a digit selects a step or clears it."""

    CSS_PATH = sheet("curation")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "begin", "Begin"),
        Binding("1", "choose('import')", "Import"),
        Binding("2", "choose('hooks')", "Hooks"),
        Binding("3", "choose('model')", "Model"),
        Binding("escape,q,ctrl+c", "dismiss", "Close", priority=True),
    ]

    def __init__(
        self, incoming: Incoming, settings: EmbeddingSettings | None, model_came: Callable[[], object]
    ) -> None:
        super().__init__()
        self._model_came = model_came
        self._incoming = incoming
        self._settings = settings
        self._plan: SetupPlan | None = None
        self._chosen = set(_STEPS)
        self._words = HangingText("setup-steps")

    def compose(self) -> ComposeResult:
        with Reading(id="again") as frame:
            frame.border_title = Content("Set up casebook")
            frame.border_subtitle = Content("enter starts, 1 2 3 select, esc closes")
            yield self._words

    def on_mount(self) -> None:
        self._show()
        self.query_one("#again").focus()
        self._incoming.look(self._show)
        self._jobs.run(_LANE, _plan(self._settings), self._planned, self._failed)

    def action_choose(self, step: str) -> None:
        self._chosen ^= {step}
        self._show()

    def action_begin(self) -> None:
        """Run the selected steps: the import in its own process, hooks and model in parallel."""
        plan = self._plan
        if plan is None or self._incoming.sources is None:
            return
        if why := "The last setup is still running." if self._jobs.busy(_RUN) else self._has_no_work():
            workbench(self).say(why)
            return
        chosen, app = frozenset(self._chosen), self.app
        self.dismiss()
        if _IMPORT in chosen and self._incoming.folders:
            self._incoming.begin(self._incoming.folders)
        if (_HOOKS in chosen and plan.hooks) or (_MODEL in chosen and plan.model):
            incoming, model_came = self._incoming, self._model_came
            begun = f"Downloading {plan.model}, {size_of(plan.size)}." if _MODEL in chosen and plan.model else ""

            def done(faults: tuple[str, ...], _final: bool) -> None:
                text = " ".join(title(one) for one in faults) or _done(plan, chosen)
                incoming.post_message(PaneMessage(text, "warning" if faults else "information", begun))
                model_came()

            def failed(fault: Fault) -> None:
                incoming.post_message(PaneMessage(f"Setup failed: {fault.message}", "error", begun))

            if begun:
                incoming.post_message(PaneMessage(begun))
            workbench(app).jobs.run(_RUN, _set_up(plan, chosen), done, failed)

    def _planned(self, plan: SetupPlan, _final: bool) -> None:
        self._plan = plan
        self._show()

    def _failed(self, fault: Fault) -> None:
        self._words.put(Content.styled(inline(fault.message, 300), "$cb-bad"))

    @property
    def _jobs(self) -> Jobs:
        return workbench(self).jobs

    def _show(self) -> None:
        if self.is_attached:
            self._words.put(Content.assemble(*self._lines()))

    def _lines(self) -> Iterator[tuple[str, str]]:
        yield from self._head(1, _IMPORT, "Import sessions")
        yield from ((f"    {line}\n", "$cb-soft") for line in self._import_lines())
        yield from self._head(2, _HOOKS, "Install hooks: when a command fails, your agents get known fixes")
        yield from ((f"    {line}\n", "$cb-soft") for line in self._hook_lines())
        yield from self._head(3, _MODEL, "Download the model to find reworded errors")
        yield from ((f"    {line}\n", "$cb-soft") for line in self._model_lines())

    def _head(self, number: int, step: str, text: str) -> Iterator[tuple[str, str]]:
        mark = "   " if self._is_done(step) else "[x]" if step in self._chosen else "[ ]"
        yield f"{number} {mark} ", "bold $cb-accent"
        yield f"{text}\n", "bold"

    def _is_done(self, step: str) -> bool:
        """Whether there is nothing to do in a step; not before that is known."""
        sources, plan = self._incoming.sources, self._plan
        if step == _IMPORT:
            return sources is not None and not sum(one.bytes for one in sources)
        return plan is not None and not (plan.hooks if step == _HOOKS else plan.model)

    def _has_no_work(self) -> str:
        """Why Enter would do nothing; empty if a selected step has work."""
        left = [step for step in _STEPS if not self._is_done(step)]
        if not left:
            return "There is nothing to set up."
        return "" if self._chosen.intersection(left) else "No step is selected."

    def _import_lines(self) -> Iterator[str]:
        from core.flows.setup import import_seconds
        from core.transcripts.detection import READERS

        sources = self._incoming.sources
        if sources is None:
            yield "Looking for sessions."
            return
        for one in sources:
            if one.files:
                where = ", ".join(map(short_path, one.folders))
                files = counted(one.files, "session file")
                yield f"{READERS[one.agent].NAME}: {files}, {size_of(one.bytes)} in {where}"
        size = sum(one.bytes for one in sources)
        if not size:
            yield no_sessions(sources)
            return
        yield f"About {_duration(import_seconds(size))}. Nothing leaves this computer. To stop, press esc twice."

    def _hook_lines(self) -> Iterator[str]:
        if self._plan is None:
            yield "Looking for agents."
            return
        for step in self._plan.hooks:
            adds = step.fault or f"{counted(step.events, 'event')} into {short_path(step.path)}"
            yield f"{step.title}: {inline(adds, 300)}"
            if step.note:
                yield f"  {step.note}"
        if not self._plan.agents:
            yield f"No agent that supports hooks found: {', '.join(self._plan.supported)}."
        elif not self._plan.hooks:
            yield "Hooks are installed for every agent found."

    def _model_lines(self) -> Iterator[str]:
        if self._plan is None:
            yield "Looking for a model."
        elif self._plan.model:
            yield f"{self._plan.model}, {size_of(self._plan.size)}, downloaded from the package index"
        else:
            yield (
                f"Installed: {self._plan.installed}"
                if self._plan.installed
                else "Your settings choose the model or disable it."
            )


def _done(plan: SetupPlan, chosen: frozenset[str]) -> str:
    parts = [counted(len(plan.hooks), "agent") + " with hooks"] if _HOOKS in chosen and plan.hooks else []
    parts += [f"the model {plan.model} is installed"] if _MODEL in chosen and plan.model else []
    notes = [f" {step.note}" for step in plan.hooks if step.note and _HOOKS in chosen]
    return f"Set up: {', '.join(parts)}.{''.join(notes)}"


def _duration(seconds: int) -> str:
    return counted(seconds, "second") if seconds < 120 else counted(round(seconds / 60), "minute")
