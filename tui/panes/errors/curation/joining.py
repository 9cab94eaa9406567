"""Asking what a case is to be joined with, or which of its errors leave it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.app import App

from tui.panes.errors.curation.curating import Curating

if TYPE_CHECKING:
    from core.errors import Case


def ask_other(app: App[Any], curating: Curating, case: Case, then: Callable[[int], object]) -> None:
    """Which other case is the same?"""
    from tui.screens.pick_case import PickCase

    def picked(case_id: int | None) -> None:
        if case_id is not None:
            then(case_id)

    app.push_screen(PickCase(curating, case), picked)


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
