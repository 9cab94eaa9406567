"""The quotes on the left, or in their place what there is to say; what is left stands in the frame."""

from __future__ import annotations

from collections.abc import Hashable

from textual.content import Content

from core.base.fault import Fault
from tui.panes.common.list_pane import ListView
from tui.panes.evidence.queries import Shown
from tui.panes.evidence.queue import Quotes
from tui.render.common.empty_states import Notice, of_fault
from tui.render.common.glyphs import Signs
from tui.render.common.session import short_id
from tui.render.common.untrusted import inline, title
from tui.render.evidence import draw_quote_row, reason_width
from tui.widgets.search_box import SearchBox


class QuoteList(ListView):
    """Shows the quotes; how many are marked, or how many there are of each kind, stands below."""

    def __init__(self, signs: Signs, box: SearchBox) -> None:
        super().__init__(("evidence-list", "evidence-rows", "evidence-notice"), self._paint, box=box)
        self._signs = signs
        self._marked: frozenset[int] = frozenset()
        self._lead = 0

    def show(self, quotes: Quotes, shown: Shown, at: int) -> None:
        """Show these rows, row `at` chosen, the others where they are."""
        self._marked = quotes.marked
        self._lead = reason_width(quotes.rows, self._signs)
        self.rows.renew(quotes, at, round(self.rows.scroll_y))
        self.rows.reveal()
        self._tell(None if quotes.total else _nothing(quotes, shown))
        self.caption(quotes, shown)

    def trouble(self, fault: Fault) -> None:
        """It could not be read."""
        self.border_title = Content("Quotes")
        self._tell(_none_yet() if fault.code == "not_indexed" else of_fault(fault))

    def _tell(self, notice: Notice | None) -> None:
        """A notice in the place of the rows has more to say than a few of them; None: the rows."""
        self.set_class(notice is not None, "-none")
        self.body.tell(notice)

    def caption(self, quotes: Quotes, shown: Shown) -> None:
        """How many are left, and which filter is on, above; how many are marked below."""
        dot = f" {self._signs.dot} "
        more = "+" if quotes.read is not None and quotes.read.more else ""
        parts = [f"Quotes {shown.name}", f"{quotes.total:,}{more} shown", f"{quotes.left:,} left"]
        words = quotes.read.words if quotes.read is not None else ""
        if shown.name == "to decide":
            found = [f"{quotes.total:,}{more} found"] if words else []
            parts = ["Quotes to decide", *found, f"{quotes.left:,} left"]
        if shown.type is not None:
            parts.append(title(shown.type))
        if shown.session is not None:
            parts.append(f"session {short_id(shown.session)}")
        self.border_title = Content(dot.join(parts))
        counts = quotes.read.counts if quotes.read is not None else None
        told = f"{len(quotes.marked):,} marked" if quotes.marked else ""
        if not told and counts is not None:
            told = f"{counts.failed:,} failed, {counts.ambiguous:,} ambiguous, {counts.flagged:,} flagged"
        self.border_subtitle = Content(told)

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        from core.evidence import QuoteRow

        if not isinstance(row, QuoteRow):
            return Content("")
        marked = row.id in self._marked
        return draw_quote_row(row, width, self._signs, lead=self._lead, chosen=chosen, marked=marked)


def _nothing(quotes: Quotes, shown: Shown) -> Notice:
    if quotes.read is None:
        return Notice("Reading the quotes")
    counts = quotes.read.counts
    if counts.total and quotes.read.words:
        among = "all quotes" if shown.name == "all" else f"the quotes {shown.name}"
        told = f'"{inline(quotes.read.words, 60)}" was looked for among {among}, in them and their entries\' names.'
        steps = (("{find.clear}", "goes back to all of them"), ("{evidence.filter}", "shows others"))
        return Notice("No quote has these words", told, steps)
    if not counts.total and shown.session is None and shown.type is None:
        return _none_yet()
    back = ("{evidence.filter}", "shows others: failed, flagged, aligned, accepted, ready, rejected, all")
    if shown.name == "to decide" and not quotes.left:
        done = f"Every quote of {counts.total:,} stands, or was decided about."
        ready = ("{evidence.promote_ready}", "lists the entries that are ready, and promotes them")
        return Notice("Nothing is left to decide", done, (back, ready, ("{undo.last}", "undoes the last decision")))
    return Notice("No quotes here", "The filter lets none through.", (back, ("{evidence.unfilter}", "clears it")))


def _none_yet() -> Notice:
    steps = (
        ("{import.begin}", "imports sessions; explained fixes become entries with quotes"),
        ("casebook evidence add FILE", "takes entries with their quotes"),
        ("{pane.errors}", "goes back to the errors"),
    )
    return Notice(
        "No quotes yet", "What an entry claims rests on quotes from a session; here they are reviewed.", steps
    )
