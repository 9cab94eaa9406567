"""What the fix of the case cites from the library: a short list below it; Enter opens the place."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from textual.content import Content

from tui.render.common.glyphs import Signs
from tui.render.errors.case import draw_cited
from tui.runtime.jobs import Job, Jobs
from tui.services.external_editor import edit_in, editor_of
from tui.widgets.row_list import NoRows, RowList

if TYPE_CHECKING:
    from core.errors import Case
    from core.errors.cases.case import Cited
    from core.library.citations.location import FilePlace
    from tui.panes.errors.case_view import CaseView


@dataclass(frozen=True, slots=True)
class CitedRows:
    """The rows, all in memory."""

    read: tuple[Cited, ...]

    @property
    def total(self) -> int:
        """How many."""
        return len(self.read)

    def get(self, index: int) -> Cited | None:
        """The one at `index`."""
        return self.read[index] if 0 <= index < len(self.read) else None


class CitedView(RowList):
    """Shows them one a line, under a heading; hidden where there are none."""

    def __init__(self, signs: Signs) -> None:
        super().__init__(self._paint, id="case-cited")
        self._signs = signs
        self.add_class("block")

    @property
    def chosen_one(self) -> Cited | None:
        """The citation one is at."""
        return cast("Cited | None", self.rows.get(self.chosen))

    def say(self, cited: tuple[Cited, ...]) -> None:
        """Show these, or hide."""
        self.display = bool(cited)
        if not cited:
            self.show(NoRows())
            return
        lost = sum(one.status == "detached" for one in cited)
        self.border_title = Content(f" Cited from the library{f', {lost} detached' if lost else ''} ")
        self.styles.height = len(cited) + 2
        self.show(CitedRows(cited), min(self.chosen, len(cited) - 1))

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        return Content("") if row is None else draw_cited(cast("Cited", row), width, self._signs, chosen=chosen)


def read_cited(case_id: int) -> Callable[[Job[Case | None]], Case | None]:
    """The case with what its fix cites; None where it is gone."""

    def work(job: Job[Any]) -> Case | None:
        from core.errors import show_case
        from core.flows.ingest.case_citations import with_citations

        store = job.store()
        case = show_case(store, case_id)
        return None if case is None else with_citations(store, case, job.check)

    return work


def edit_cited(view: CaseView, jobs: Jobs, one: Cited, say: Callable[[str], None]) -> None:
    """Open the file that is cited, at its line, in the person's editor."""

    def find(job: Job[Any]) -> FilePlace:
        from core.library.citations.location import file_place

        return file_place(job.store().con, one.place or one.uri)

    def found(place: FilePlace, _final: bool) -> None:
        words, why = editor_of(os.environ, to_read=False)
        say(why or edit_in(view.app, words, Path(place.file), place.line) or place.told)

    jobs.run("cited-file", find, found, lambda fault: say(fault.message))
