"""Asking what a case is to be joined with where they are not obviously the same, or which of its errors leave it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.app import App

from core.base.fault import Fault
from tui.panes.errors.curation.controller import Curating
from tui.panes.errors.queries import Read, read_case
from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.errors import Case
    from core.errors.cases.resolutions import Resolution
    from core.errors.curation import MergePreview

LANE = "merge"


def ask_other(app: App[Any], curating: Curating, case: Case, then: Callable[[int], object]) -> None:
    """Which other case is the same?"""
    from tui.panes.errors.curation.pick_case import PickCase

    def picked(case_id: int | None) -> None:
        if case_id is not None:
            then(case_id)

    app.push_screen(PickCase(curating, case), picked)


def ask_merge(
    app: App[Any],
    curating: Curating,
    into: int,
    others: Sequence[int],
    then: Callable[[MergePreview], object],
    known: Case | None = None,
) -> None:
    """Which other case is the same, where none is named; and whether to merge, where they are not obviously the same.

    `then` is given what was asked. `known`: the case that stays, as it is on the screen.
    """

    def failed(fault: Fault) -> None:
        curating.say(f"{fault.message}. {fault.hint}", "error")

    def pick(case: Case) -> None:
        ask_other(app, curating, case, lambda other: ask_merge(app, curating, into, [other], then, case))

    def read(found: Read | None, _final: bool) -> None:
        if found is None:
            curating.say("This case is gone.", "warning")
        else:
            pick(found.case)

    def told(preview: MergePreview, _final: bool) -> None:
        from tui.panes.errors.curation.merge_confirm import MergeScreen

        def answered(agreed: bool | None) -> None:
            if agreed:
                then(preview)

        if preview.differing:
            app.push_screen(MergeScreen(preview, curating.signs), answered)
        else:
            then(preview)

    if others:
        curating.jobs.run(LANE, read_merge(into, others, known), told, failed)
    elif known is not None:
        pick(known)
    else:
        curating.jobs.run(LANE, read_case(into), read, failed)


def read_merge(into: int, others: Sequence[int], known: Case | None) -> Callable[[Job[MergePreview]], MergePreview]:
    """What a merge would join, and what differs."""

    def work(job: Job[Any]) -> MergePreview:
        from core.errors.curation import preview_merge

        return preview_merge(job.store(), into, others, known)

    return work


@dataclass(frozen=True, slots=True)
class Parting:
    """What is to be split off: the `errors` that go, and the fixes for both sides that stay or go with them."""

    errors: tuple[str, ...]
    keep: tuple[int, ...] = ()
    take: tuple[int, ...] = ()


def ask_errors(
    app: App[Any], curating: Curating, case: Case, then: Callable[[Parting], object], *, fixed: bool = False
) -> None:
    """Which of its errors have another fix; and whose is a fix that was written for both sides, one by one.

    `fixed`: those that go are given a fix, so the others stay where they are.
    """
    from tui.panes.errors.curation.pick_errors import PickErrors

    if len(case.fingerprints) < 2:
        curating.say("This case has one error only: there is nothing to split off.", "warning")
        return

    def failed(fault: Fault) -> None:
        curating.say(f"{fault.message}. {fault.hint}", "error")

    def picked(marks: tuple[str, ...] | None) -> None:
        if marks and fixed:
            then(Parting(marks))
        elif marks:
            curating.jobs.run(LANE, read_shared(case.id, marks), told(Parting(marks)), failed)

    def told(asked: Parting) -> Callable[[tuple[Resolution, ...], bool], None]:
        return lambda shared, _final: ask_whose(app, curating, case, shared, asked, then)

    app.push_screen(PickErrors(case, curating.signs), picked)


def ask_whose(
    app: App[Any],
    curating: Curating,
    case: Case,
    shared: Sequence[Resolution],
    asked: Parting,
    then: Callable[[Parting], object],
) -> None:
    """Which side each of these fixes is for; `then` is given what was asked, unless a person goes back."""
    from tui.panes.errors.curation.whose_fix import WhoseFix

    if not shared:
        then(asked)
        return
    first, *rest = shared

    def answered(goes: bool | None) -> None:
        if goes is None:
            return
        keep, take = (asked.keep, (*asked.take, first.id)) if goes else ((*asked.keep, first.id), asked.take)
        ask_whose(app, curating, case, rest, Parting(asked.errors, keep, take), then)

    app.push_screen(WhoseFix(case, asked.errors, first, curating.signs), answered)


def read_shared(case_id: int, marks: tuple[str, ...]) -> Callable[[Job[Any]], tuple[Resolution, ...]]:
    """The fixes that a split of these errors must be told about."""

    def work(job: Job[Any]) -> tuple[Resolution, ...]:
        from core.errors.curation import shared_fixes

        return shared_fixes(job.store(), case_id, marks)

    return work
