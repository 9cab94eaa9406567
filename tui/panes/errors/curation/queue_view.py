"""The queue as a list with its frame: what waits, how much is left, what was decided last, what a merge would join."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from tui.panes.errors.curation.queue import Entry, Joins, Queue
from tui.render.common.empty_states import Notice
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline
from tui.render.errors.curation import draw_entry
from tui.widgets.row_list import NoticeView, RowList, RowsOrNotice


class QueueView(Vertical):
    """Shows a queue; what was `said` of the last decision stands in its frame until something is marked."""

    def __init__(self, signs: Signs, clock: Callable[[], datetime], said: Callable[[], str]) -> None:
        super().__init__(id="triage-list")
        self._signs = signs
        self._clock = clock
        self.rows = RowList(self._paint, id="triage-rows")
        self.body = RowsOrNotice(self.rows, NoticeView(id="triage-notice"))
        self.trouble = ""  # why it could not be read again
        self._said = said
        self._into: int | None = None  # which of the marked ones a merge keeps

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
        """How many wait, above; what was decided last, or how many are marked and what `M` joins, below."""
        self.border_title = Content(f"To decide {self._signs.dot} {queue.left:,} left")
        self.border_subtitle = Content(inline(self.trouble or self._said(), 200))
        joins = queue.joins(self.rows.chosen) if queue.marked else None
        if joins is not None:
            self.border_subtitle = Content(inline(_marked(joins, self._signs), 200))
        into = joins.into.id if joins is not None and joins.others else None
        if into != self._into:
            self._into = into
            self.rows.repaint_rows()

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        if not isinstance(row, Entry):
            return Content("")
        mark = "stays" if row.row.id == self._into else "marked" if row.marked else "skipped" if row.skipped else ""
        return draw_entry(row.row, width, self._signs, self._clock(), chosen=chosen, mark=mark, part=row.part)


def _marked(joins: Joins, signs: Signs) -> str:
    """How many are marked, and what a merge would join: which number goes into which, and its name."""
    many = f"{len(joins.others):,}" if joins.others[1:] else f"#{joins.others[0]}" if joins.others else "another"
    merge = f"  {{triage.merge}} merges {many} into #{joins.into.id}"
    told = f"{len(joins.others) + 1:,} marked"
    return told if signs.lacks(merge) else f"{told}{signs.told(merge)} {joins.into.key_line}"


def _nothing_waits(left: int) -> Notice:
    if left:
        return Notice("Reading what waits")
    steps = (("{undo.last}", "takes the last decision back"), ("{triage.back}", "goes back to the cases"))
    return Notice("Nothing waits for a decision", "Every case has a verified fix, or was decided otherwise.", steps)
