"""From a change in the history to what it is about: the quote in the Evidence pane, the case in the Errors pane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from tui.panes.errors.history import HistoryScreen
    from tui.shell.app import CasebookApp


def to_quote(history: HistoryScreen, app: CasebookApp, evidence_id: int) -> None:
    """Show this quote: in the Evidence pane beneath the history, else in one over it, from which Esc leads back."""
    from tui.panes.evidence.screen import EvidenceScreen

    if any(isinstance(one, EvidenceScreen) for one in app.screen_stack):
        while not isinstance(there := app.screen, EvidenceScreen):
            there.dismiss()
        there.led.go_to(evidence_id)
        return
    pane = EvidenceScreen(app.jobs, app.errors.curating, app.top.place, app.recalled("evidence"))

    def left(_ended: None) -> None:
        history.left = not pane.led.came_back

    app.push_screen(pane, left)
    pane.led.go_to(evidence_id, visiting=True)


def to_case(app: CasebookApp, case_id: int) -> None:
    """Show this case in the Errors pane: chosen in the list where it is read there, else beside it."""
    from tui.panes.errors.paged_rows import FoundRows, PagedRows
    from tui.panes.errors.results import Results

    while len(app.screen_stack) > 1:
        app.screen.dismiss()
    results = app.errors.results
    rows = results.rows.rows
    at = rows.index_of(case_id) if isinstance(rows, PagedRows | FoundRows) else None
    if at is None:
        app.errors.reader.go_to(case_id)
        app.errors.case.focus()
    else:
        results.rows.choose(at)
        results.post_message(Results.Opened())


def read_case_of(cases: Sequence[int]) -> Callable[[Job[int | None]], int | None]:
    """The first of these cases that there is, or the one that it was merged into; None: all are gone."""

    def work(job: Job[Any]) -> int | None:
        from core.errors import show_case
        from core.errors.curation import moved_to

        store = job.store()
        there = next((one for one in cases if show_case(store, one, 1) is not None), None)
        return there or next((into for one in cases if (into := moved_to(store.con, one)) is not None), None)

    return work
