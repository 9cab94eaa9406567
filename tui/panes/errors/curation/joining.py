"""Asking what a case is to be joined with and which fix is kept, or which of its errors leave it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import App

from tui.jobs import Job
from tui.panes.errors.curation.curating import Curating

if TYPE_CHECKING:
    from core.errors import Case
    from core.errors.curation import Fixes


def ask_other(app: App[Any], curating: Curating, case: Case, then: Callable[[int], object]) -> None:
    """Which other case is the same?"""
    from tui.screens.pick_case import PickCase

    def picked(case_id: int | None) -> None:
        if case_id is not None:
            then(case_id)

    app.push_screen(PickCase(curating, case), picked)


def ask_merge(
    app: App[Any], curating: Curating, case: Case, others: Sequence[int], then: Callable[[Sequence[int]], object]
) -> None:
    """Which other case is the same, where none is named; and whether to merge, where their fixes differ."""
    if not others:
        ask_other(app, curating, case, lambda other: ask_merge(app, curating, case, [other], then))
        return

    def told(fixes: Fixes, _final: bool) -> None:
        from tui.screens.merging import MergeScreen

        if not fixes.past:
            then(others)
            return

        def answered(agreed: bool | None) -> None:
            if agreed:
                then(others)

        app.push_screen(MergeScreen(case, len(others), fixes, curating.signs), answered)

    curating.jobs.run("merge", read_fixes(case.id, others), told, lambda fault: curating.say(fault.message, "error"))


def read_fixes(into: int, others: Sequence[int]) -> Callable[[Job[Fixes]], Fixes]:
    """What a merge makes of their fixes."""

    def work(job: Job[Any]) -> Fixes:
        from core.errors.curation import fixes_of_merge

        return fixes_of_merge(job.store().con, into, others)

    return work


def ask_errors(app: App[Any], curating: Curating, case: Case, then: Callable[[tuple[str, ...]], object]) -> None:
    """Which of its errors have another fix?"""
    from tui.screens.pick_errors import PickErrors

    if len(case.fingerprints) < 2:
        curating.say("This case has one error only: there is nothing to split off.", "warning")
        return

    def picked(marks: tuple[str, ...] | None) -> None:
        if marks:
            then(marks)

    app.push_screen(PickErrors(case, curating.signs), picked)
