"""The queue as a list with its frame: what waits, how much is left, what was decided last."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from tui.panes.errors.curation.queue import Entry, Queue
from tui.render.curation import draw_entry
from tui.render.foreign import inline
from tui.render.signs import Signs
from tui.render.states import Notice
from tui.widgets.notice_view import NoticeView
from tui.widgets.row_list import RowList
from tui.widgets.rows_or_notice import RowsOrNotice


class QueueView(Vertical):
    """Shows a queue; `said` stands in its frame until something is marked."""

    def __init__(self, signs: Signs, clock: Callable[[], datetime]) -> None:
        super().__init__(id="triage-list")
        self._signs = signs
        self._clock = clock
        self.rows = RowList(self._paint, id="triage-rows")
        self.body = RowsOrNotice(self.rows, NoticeView(id="triage-notice"))
        self.said = ""

    def compose(self) -> ComposeResult:
        """The rows, or in their place a notice."""
        yield self.body.rows
        yield self.body.notice

    def show(self, queue: Queue, at: int) -> None:
        """Show this queue, row `at` chosen, the others where they are."""
        top = round(self.rows.scroll_y)
        self.rows.renew(queue, at, top)
        self.rows.reveal()
        self.body.tell(None if queue.total else _nothing_waits(queue.left))
        self.caption(queue)

    def caption(self, queue: Queue) -> None:
        """How many wait, above; what was decided last, or how many are marked, below."""
        marked = len(queue.marked)
        self.border_title = Content(f"To decide {self._signs.dot} {queue.left:,} left")
        self.border_subtitle = Content(f"{marked:,} marked" if marked else inline(self.said, 200))

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        if not isinstance(row, Entry):
            return Content("")
        return draw_entry(
            row.row, width, self._signs, self._clock(), chosen=chosen, marked=row.marked, skipped=row.skipped
        )


def _nothing_waits(left: int) -> Notice:
    if left:
        return Notice("Reading what waits")
    steps = (("{undo.last}", "takes the last decision back"), ("{triage.back}", "goes back to the cases"))
    return Notice("Nothing waits for a decision", "Every case has a verified fix, or was decided otherwise.", steps)
