"""The first minute: what setting casebook up would do on this machine, and doing it. Nothing is done by looking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.base.config.settings import EmbeddingSettings
from core.base.fault import Fault
from core.base.program import program
from core.flows.hook.agents.forms import FORMS, found_forms
from core.flows.hook.agents.status import install_hooks

IMPORT_RATE = 4_000_000
"""Bytes of transcripts that an import reads in a second, on two cores that do other things too."""


@dataclass(frozen=True, slots=True)
class HookStep:
    """The hooks of one agent: the file they go into and how many events. `fault`: why they cannot."""

    agent: str
    title: str
    path: Path
    events: int
    note: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class SetupPlan:
    """What is left to set up: hooks of the agents found here, and a model (its id, '' for none, and its bytes).

    `installed`: the id of the model in use, '' for none. `agents`: the agents found here that can have hooks, of those
    that are `supported`, by title.
    """

    hooks: tuple[HookStep, ...]
    model: str = ""
    size: int = 0
    installed: str = ""
    agents: int = 0
    supported: tuple[str, ...] = tuple(form.title for form in FORMS.values())


def import_seconds(size: int) -> int:
    """About how long an import of so many bytes takes."""
    return max(1, round(size / IMPORT_RATE))


def setup_plan(settings: EmbeddingSettings | None, environ: Mapping[str, str]) -> SetupPlan:
    """What is left to set up. `settings` None: without a model."""
    hooks: list[HookStep] = []
    forms = found_forms(environ)
    for form in forms:
        path = form.path(environ)
        try:
            report = install_hooks(form, path, program(), dry=True)
        except Fault as fault:
            hooks.append(HookStep(form.agent, form.title, path, 0, fault=fault.message))
        else:
            if report.diff:
                hooks.append(HookStep(form.agent, form.title, path, len(form.events), form.note))
    model, size = _missing_model(settings)
    return SetupPlan(tuple(hooks), model, size, _model_in_use(settings), len(forms))


def install_planned(plan: SetupPlan) -> tuple[str, ...]:
    """Install the hooks of the plan; what went wrong, an agent each."""
    faults: list[str] = []
    for step in plan.hooks:
        if step.fault:
            continue
        try:
            install_hooks(FORMS[step.agent], step.path, program())
        except Fault as fault:
            faults.append(f"{step.title}: {fault.message}")
    return tuple(faults)


def pull_planned(plan: SetupPlan, stopped: Callable[[], bool]) -> bool:
    """Fetch the model of the plan; False if it was stopped. Raises Fault as `pull`."""
    from core.embedding.models.catalogue import CATALOGUE
    from core.embedding.models.models import pulled_folder
    from core.embedding.models.pull.pull import pull

    return pull(CATALOGUE[plan.model], pulled_folder(plan.model), stopped=stopped) is not None


def _model_in_use(settings: EmbeddingSettings | None) -> str:
    from core.embedding.models.models import Absent, current

    found = None if settings is None else current(settings)
    return "" if found is None or isinstance(found, Absent) else found.model.id


def _missing_model(settings: EmbeddingSettings | None) -> tuple[str, int]:
    from core.embedding.models.catalogue import CATALOGUE, RECOMMENDED
    from core.embedding.models.models import Absent, current

    if settings is None or settings.model or not isinstance(current(settings), Absent):
        return "", 0
    return RECOMMENDED, CATALOGUE[RECOMMENDED].size
