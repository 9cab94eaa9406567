"""Which other case is the same: type its words or its number, Enter picks it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

from core.base.fault import Fault
from tui.panes.errors.curation.controller import Curating
from tui.panes.errors.results import FoundRows
from tui.render.common.untrusted import inline
from tui.render.errors.case_list import Row, draw_row, row_of
from tui.runtime.jobs import DEBOUNCE, Job
from tui.runtime.stylesheets import sheet
from tui.widgets.row_list import PicksRow, RowList

if TYPE_CHECKING:
    from core.errors import Case, Hit
    from tui.services.vector_search import Meaning

_SHOWN = 100


def find_others(text: str, case: Case, meaning: Meaning) -> Callable[[Job[tuple[Row, ...]]], tuple[Row, ...]]:
    """Cases with these words, or of this number; without any, those that read or mean alike."""

    def work(job: Job[Any]) -> tuple[Row, ...]:
        from core.errors import case_rows
        from core.errors.cases.browse import browse
        from core.errors.retrieval.vector_tier import AlsoFor, Like

        store = job.store()
        number = text.removeprefix("#")
        found: Sequence[Hit] = ()
        if number.isascii() and number.isdigit() and len(number) < 18:
            ids = [int(number)]
        elif text:
            found = browse(store, text, _SHOWN)
            ids = [hit.id for hit in found]
        else:
            ids = [one.id for one in meaning.ask(job, AlsoFor(case.id))]
            ids += [one.row.id for one in meaning.ask(job, Like(case.id)).cases]
            found = browse(store, case.key_lines[0], _SHOWN)
            ids += [hit.id for hit in found]
        others = tuple(one for one in dict.fromkeys(ids) if one != case.id)
        lines = {hit.id: hit.key_line for hit in found}  # of the error that has the words, mostly not the case's first
        rows = (row_of(row) for row in case_rows(store, others))
        return tuple(replace(row, key_line=lines.get(row.id) or row.key_line) for row in rows)

    return work


class PickCase(PicksRow, ModalScreen[int | None]):
    """Ends with the number of a case, or with None."""

    CSS_PATH = sheet("curation")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "dismiss(None)", "Close", priority=True),
        Binding("down,ctrl+n", "move(1)", "Next", priority=True),
        Binding("up,ctrl+p", "move(-1)", "Previous", priority=True),
    ]

    def __init__(self, curating: Curating, case: Case) -> None:
        super().__init__()
        self._curating = curating
        self._case = case
        self._box = Input(placeholder="Words of the other case, or its number", select_on_focus=False)
        self.rows = RowList(self._paint, id="pick-rows")
        self.rows.can_focus = False

    def compose(self) -> ComposeResult:
        """A box, and what it finds."""
        with Vertical(id="pick") as frame:
            frame.border_title = Content(f"Which case is the same as #{self._case.id}?")
            frame.border_subtitle = Content(f"enter merges it into #{self._case.id}, esc closes")
            yield self._box
            yield self.rows

    def on_mount(self) -> None:
        """Offer what reads alike."""
        self._box.focus()
        self._find(0.0)

    def on_unmount(self) -> None:
        """Nobody waits for it any more."""
        self._curating.jobs.cancel("pick")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Find others."""
        event.stop()
        self._find(DEBOUNCE)

    def pick(self) -> None:
        """End with the chosen row."""
        row = self.rows.rows.get(self.rows.chosen)
        if isinstance(row, Row) and self.is_current and not self._curating.jobs.busy("pick"):
            self.dismiss(row.id)

    def _find(self, delay: float) -> None:
        def found(rows: tuple[Row, ...], _final: bool) -> None:
            self.rows.show(FoundRows(rows))

        work = find_others(self._box.value.strip(), self._case, self._curating.meaning)
        self._curating.jobs.run("pick", work, found, self._failed, delay=delay)

    def _failed(self, fault: Fault) -> None:
        self.query_one("#pick").border_subtitle = Content(inline(fault.message, 200))

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        if not isinstance(row, Row):
            return Content("")
        rows = self.rows.rows
        beside = [one.key_line for one in rows.rows if one is not row] if isinstance(rows, FoundRows) else []
        now = self._curating.clock()
        return draw_row(row, width, self._curating.signs, now, chosen=chosen, beside=beside)
