"""The Evidence pane: quotes, the chosen one in its message, its entry; opened from elsewhere at one quote."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from core.base.fault import Fault
from tui.actions.action import Acts, Situation
from tui.actions.registry import bindings
from tui.panes.common.list_pane import Search, SearchPane
from tui.panes.common.pane_screen import PASTE_ELSEWHERE, PaneContext, PaneScreen, number_of, one_of, text_of
from tui.panes.evidence.actions import EvidenceNow
from tui.panes.evidence.places import ChosenPlace, Places
from tui.panes.evidence.queries import (
    FILTERS,
    PAGE,
    PROBLEMS,
    Ahead,
    Compared,
    FilterName,
    Listed,
    QuoteFilter,
    Quotes,
    ReadQuote,
    compare,
    filters_of,
    read_list,
    read_quotes,
)
from tui.panes.evidence.quotes import Listing, QuoteList, QuoteView, ViewedPlace
from tui.panes.evidence.review import READY, MessageLine, Outcome, Promoting, Reviewing, can_be_promoted
from tui.render.common.glyphs import Signs
from tui.render.common.trace import draw_trace
from tui.render.evidence import draw_entry
from tui.runtime.jobs import DEBOUNCE, Job, Jobs, job_work
from tui.runtime.messages import PaneCopied, PaneShowAll
from tui.runtime.state import Memory
from tui.services.db_watch import staying
from tui.widgets.inputs import SearchBox
from tui.widgets.row_list import RowList
from tui.widgets.scroll_text import HangingText, Reading
from tui.widgets.workbench import sheet, workbench

if TYPE_CHECKING:
    from core.align import Span
    from core.evidence import Choice
    from core.evidence import Place as QuotePlace


DEEP_LINK = "evidence-led"
_LISTED_BY: dict[str, FilterName] = {"aligned": "aligned", "accepted": "accepted", "rejected": "rejected"}
"""The filter that lists a state; any other is to be decided on."""


@dataclass(frozen=True, slots=True)
class Where:
    """A filter that lists the quote, and the number of quotes before it there."""

    quote_filter: QuoteFilter
    rank: int


@job_work
def read_where(job: Job[Any], evidence_id: int, quote_filter: QuoteFilter) -> Where | None:
    """Under which filter a quote is listed soon: the one that is on, if it is; None where the quote is gone."""
    from core.evidence import rank_of_quote, show_quote

    store = job.store()
    quote = show_quote(store, evidence_id)
    if quote is None:
        return None
    row = quote.row
    by_state = QuoteFilter(_LISTED_BY.get(row.state, "to decide"))
    ways = [by_state, replace(by_state, session=row.session)]
    listed = quote_filter.lets(row.state) and (quote_filter.name != "ready" or can_be_promoted(quote.promotion))
    if listed and quote_filter.session in (None, row.session) and quote_filter.type in (None, row.type):
        ways.insert(0, quote_filter)
    found = [Where(way, rank_of_quote(store, evidence_id, filters_of(way))) for way in ways]
    return next((one for one in found if one.rank < PAGE), found[-1])


class DeepLink:
    """Go to a quote. `visiting`: Esc returns to the previous place, and `came_back` says that it did."""

    def __init__(self, screen: EvidenceScreen) -> None:
        self._screen = screen
        self._visiting = False
        self._filter_before = QuoteFilter()
        self.came_back = False

    def go_to(self, evidence_id: int, *, visiting: bool = False) -> None:
        """Choose this quote, in the list."""
        screen, self._visiting = self._screen, visiting

        def on_place(where: Where | None, _final: bool) -> None:
            if not screen.is_attached:
                return
            if where is None:
                screen.say("This quote was deleted with its entry.", "warning")
                return
            screen.search.clear()
            screen.wanted, self._filter_before = evidence_id, where.quote_filter
            screen.show_only(where.quote_filter, max(PAGE, where.rank + PAGE // 10))
            screen.list.body.take_focus()

        screen.jobs.run(
            DEEP_LINK, read_where(evidence_id, screen.quote_filter), on_place, lambda fault: screen.say(fault.message)
        )

    @property
    def visiting(self) -> bool:
        return self._visiting and self._screen.quote_filter in (self._filter_before, QuoteFilter())

    def back(self) -> bool:
        """Back to where one came from; False where one came from nowhere, or has filtered since."""
        if not self.visiting:
            return False
        self.came_back = True
        self._screen.dismiss()
        return True


def _several_soon(screen: EvidenceScreen) -> bool:
    """Whether the chosen quote, which is not read yet, may have several places: a digit opens no other pane then."""
    row = screen.quotes.get(screen.list.rows.chosen)
    return row is not None and row.state in ("ambiguous", "near")


def recall(screen: EvidenceScreen, memory: Memory) -> None:
    """Put the pane as it was; what makes no sense any more is passed over. Before it is mounted."""
    name = one_of(FILTERS, memory.get("state")) or QuoteFilter().name
    screen.quote_filter = QuoteFilter(name, text_of(memory.get("session")), text_of(memory.get("type")))
    screen.why = one_of(("shown", "hidden"), memory.get("why"))
    screen.wanted = number_of(memory.get("quote"))


class EntryView(Reading):
    """Shows one entry, and below it the trace of the chosen quote."""

    BINDINGS = bindings("case")

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="evidence-entry")
        self._signs = signs
        self._read: ReadQuote | None = None
        self._entry = Static()
        self._trace = HangingText("evidence-steps")
        self.border_title = Content("Entry")

    def compose(self) -> ComposeResult:
        yield self._entry
        yield self._trace

    def show(self, read: ReadQuote | None) -> None:
        self._read = read
        self._entry.update(Content("") if read is None else draw_entry(read.quote, read.entry, self._signs))
        self.judged(None)

    def judged(self, place: QuotePlace | Choice | None) -> None:
        """Show how the place on the screen was judged, below how it was found."""
        if self._read is None:
            self._trace.put(Content(""))
            return
        found = self._read.quote.found
        head = Content.styled("\nLocation steps\n", "bold $cb-dim")
        steps = (*(found.trace if found is not None else ()), *(place.fit.trace if place is not None else ()))
        trace = draw_trace(steps, self._signs) if found is not None else Content("Not searched yet.")
        self._trace.put(Content.assemble(head, trace))


LANE = "evidence-quote"
AHEAD = 5
_QUOTE_LOADER_SOON = 0.03
"""Seconds that a row must stay chosen before it is read."""


class QuoteReader:
    """Caches the quotes around the selected one; `came` gets each that was read."""

    def __init__(self, jobs: Jobs, came: Callable[[int], object], failed: Callable[[Fault], object]) -> None:
        self._jobs = jobs
        self._came = came
        self._failed = failed
        self._read: dict[int, ReadQuote | None] = {}

    def get(self, evidence_id: int | None) -> ReadQuote | None:
        return None if evidence_id is None else self._read.get(evidence_id)

    def forget(self) -> None:
        """All are to be read again."""
        self._read.clear()

    def want(self, ids: tuple[int, ...]) -> None:
        """Read these, the first soonest; others are no longer kept."""
        self._read = {one: self._read[one] for one in ids if one in self._read}
        lacking = tuple(one for one in ids if one not in self._read)
        if lacking and (lacking[0] == ids[0] or len(lacking) > AHEAD // 2 or len(ids) < AHEAD):
            delay = _QUOTE_LOADER_SOON if lacking[0] == ids[0] else 0.0
            self._jobs.run(LANE, read_quotes(lacking), self._put, self._notify_fault, delay=delay)

    def compare(self, read: ReadQuote, spans: tuple[Span, ...], done: Callable[[Compared], None]) -> None:
        """What the quote says otherwise than the words at a place drawn by hand."""
        work = compare(read.quote.row.id, spans)
        self._jobs.run("evidence-compare", work, lambda value, _final: done(value), self._notify_fault)

    def _put(self, one: Ahead | None, _final: bool) -> None:
        if one is not None:
            self._read[one.evidence_id] = one.read
            self._came(one.evidence_id)

    def _notify_fault(self, fault: Fault) -> None:
        self._failed(fault)


_SOON = 0.05
_PATIENCE = 0.2
"""Seconds before a first read that takes longer says so."""
_KEEP_MESSAGE = ("list.why", "evidence.whole", "list.copy", "view.reload")
"""Actions that only show something: what was said stays."""


class EvidenceScreen(PaneScreen, SearchPane):
    """The quotes, the chosen one in its message, its entry."""

    PANE = "evidence"
    LIST = "evidence-list"
    LANES = ("evidence", LANE, DEEP_LINK, READY, "evidence-compare", "evidence-watch")
    CSS_PATH = sheet("evidence")
    BINDINGS = bindings("evidence")

    def __init__(self, context: PaneContext) -> None:
        super().__init__(context)
        jobs, signs = self.jobs, self.signs
        self.quote_filter = QuoteFilter()
        self.quotes = Quotes()
        self._limit = PAGE
        self.wanted: int | None = None  # the quote to go to once it is listed (again)
        self.why: str | None = None  # whether the user opened ("shown") or closed ("hidden") the entry and the trace
        box = SearchBox(id="evidence-box", placeholder="Search quotes and entries")
        self.list = QuoteList(signs, box)
        self.search = Search(
            self.list, box, jobs, "evidence", lambda text, _pasted: self.load(DEBOUNCE if text.strip() else 0.0),
            begin=self._begin_search,
        )  # fmt: skip
        self.view = QuoteView(signs)
        self.line = MessageLine(signs)
        self.entry = EntryView(signs)
        self.reader = QuoteReader(jobs, self._on_arrival, self._troubled)
        self.outcome = Outcome(self)
        self.reviewing = Reviewing(jobs, signs, self.outcome.ended)
        self.places = Places(self)
        self.promoting = Promoting(self)
        self.listing = Listing(self)
        self.deep_link = DeepLink(self)
        self._body = Container(id="evidence-body")
        recall(self, context.memory)
        self._body.update_classes({"-why": self.why == "shown", "-no-why": self.why == "hidden"})

    def compose_body(self) -> ComposeResult:
        with self._body:
            yield self.list
            with Container(id="evidence-reading"):
                yield self.view
                yield self.entry
        yield self.line

    def on_mount(self) -> None:
        """Read the quotes, and again after each write."""
        self.set_focus(self.list.rows)
        self.follow_casebook("evidence-watch", ("evidence", LANE), self.again)
        self.load()
        self.set_timer(_PATIENCE, self._still_reading)

    def _still_reading(self) -> None:
        if self.quotes.read is None and self.search.busy:
            self.list.show_reading()

    def on_screen_resume(self) -> None:
        """Back from another screen, where something may have been taken back."""
        if self.quotes.read is not None:
            self.again()

    def on_paste(self, event: events.Paste) -> None:
        """Nothing is searched here for a pasted text; a box takes its own."""
        event.stop()
        self.say(self.signs.fill_keys(PASTE_ELSEWHERE), "warning")

    def way_back(self) -> Callable[[], object] | None:
        return self.deep_link.back if self.deep_link.visiting else None

    def situation(self) -> Situation:
        read, view = self.view.read, self.view
        box = self.search.box
        return EvidenceNow(
            "box" if box.has_focus else "evidence",
            query=box.query_text,
            cases=self.quotes.total,
            quote=read is not None,
            places=0 if read is None else max(len(read.quote.choices), bool(view.spans)),
            numbered=_several_soon(self) if read is None else view.numbered,
            marked=len(self.quotes.marked),
            filtered=self.quote_filter != QuoteFilter() or bool(box.query_text),
            blocked=self.reviewing.blocked(read),
        )

    def load(self, delay: float = 0.0) -> None:
        """Read the rows again."""
        work = read_list(self.quote_filter, self._limit, self.search.words)
        self.search.read(work, self._loaded, self._troubled, delay)

    def again(self) -> None:
        """Read what is shown again."""
        self.reader.forget()
        self.load(_SOON)

    def _loaded(self, read: Listed, _final: bool) -> None:
        if not self.is_attached:
            return
        at, self.wanted = self.wanted, None
        quotes = self.quotes.renewed(read, self.quote_filter, self.reviewing.pending)
        at = None if quotes.index_of(at) is None else at  # it is not listed: we stay where we are
        if at is None and quotes.searched_after(self.quotes) and quotes.index_of(self.chosen_id) is None:
            at = quotes.rows[0].id if quotes.rows else None  # other words: the first that has them
        with nullcontext() if at is not None else staying(self.list.rows):
            self.put(quotes, self.chosen_id if at is None else at)

    def _troubled(self, fault: Fault) -> None:
        if not self.quotes.total:
            self.list.trouble(fault)
        else:
            self.say(fault.message, "error")

    @property
    def chosen_id(self) -> int | None:
        """The quote that the list points at."""
        row = self.quotes.get(self.list.rows.chosen)
        return None if row is None else row.id

    def put(self, quotes: Quotes, evidence_id: int | None = None) -> None:
        """Show these rows: at this quote if it is there, else where we are."""
        at = quotes.index_of(evidence_id)
        self.quotes = quotes
        self.list.show(
            quotes, self.quote_filter, min(self.list.rows.chosen, max(0, quotes.total - 1)) if at is None else at
        )
        self._show()

    def _show(self) -> None:
        """Show the chosen quote as soon as it is read, and read on ahead."""
        at = self.list.rows.chosen
        self.reader.want(tuple(row.id for row in self.quotes.rows[at : at + AHEAD]))
        self._on_arrival(self.chosen_id)

    def _on_arrival(self, evidence_id: int | None) -> None:
        if evidence_id != self.chosen_id or not self.is_attached:
            return
        read = self.reader.get(evidence_id)
        if read is not None or self.view.read is None or self.view.read.quote.row.id != evidence_id:
            self.view.show(read)
            self.entry.show(read)
        self.changed()

    def changed(self) -> None:
        """Other actions are possible now."""
        super().changed()
        if self.is_attached:
            self.entry.judged(self.view.place)
            self.line.draw(self.view.question, self.promoting.offered, self.size.width)

    def remembered(self) -> Memory:
        quote_filter = self.quote_filter
        return {
            "state": quote_filter.name,
            "session": quote_filter.session,
            "type": quote_filter.type,
            "why": self.why,
            "quote": self.chosen_id if self.chosen_id is not None else self.wanted,
        }

    def _begin_search(self) -> None:
        """In the list its quotes; in the message, the session that it is from."""
        if self.view.message.has_focus:
            self.places.perform("evidence.find")
        else:
            self.list.begin_search()

    def actions(self) -> Acts:
        return {
            **self.search.actions(),
            **self.listing.actions(),
            "evidence.next": lambda: self._next(PROBLEMS),
            "evidence.next_near": lambda: self._next(("near",)),
            "evidence.mark": self.outcome.mark,
            "evidence.mark_all": self.outcome.mark_all,
            "evidence.promote_ready": self.promoting.promote_ready,
            "list.why": self._toggle_why,
            "evidence.whole": self._whole,
            "list.copy": self._copy,
            "list.open": self._open,
            "list.back": self._back,
            "case.back": self.list.body.take_focus,
            "case.enter": lambda: self.places.confirm() or self._whole(),
            "undo.last": self._take_back,
            "undo.redo": lambda: self._take_back(again=True),
            "history.open": lambda: workbench(self).open_history(),
            "view.reload": self.again,
        }

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        if action_id not in _KEEP_MESSAGE:
            self.forget()
        return super().perform(action_id) or self.places.perform(action_id)

    def _next(self, states: Collection[str]) -> None:
        at = self.quotes.next_in(states, self.list.rows.chosen)
        what = "open quote" if states == PROBLEMS else "near miss"
        if at is None or at == self.list.rows.chosen:
            self.say(f"The list has no {what}." if at is None else f"The list has no other {what}.")
        else:
            self.list.rows.choose(at)

    def show_place(self, read: ReadQuote, found: ChosenPlace) -> None:
        """Show a place that was found in the session, to be accepted."""
        spans = (found.seen.span,)
        read = replace(read, messages={**read.messages, found.message.index: found.message})
        self.view.put(read, ViewedPlace(drawn=spans, picked=True, found=True))
        self.reader.compare(read, spans, self.places.compared)
        self.call_after_refresh(self.changed)

    def show_only(self, quote_filter: QuoteFilter, limit: int = PAGE) -> None:
        """Show these quotes only, the first of them."""
        self.forget()
        self.quote_filter, self._limit = quote_filter, limit
        self.load()

    def _open(self) -> None:
        if not self.places.confirm():
            self.view.message.focus()

    def _toggle_why(self) -> None:
        visible = self.entry.region.area > 0
        self.why = "hidden" if visible else "shown"
        self._body.update_classes({"-no-why": visible, "-why": not visible})
        if visible and self.entry.has_focus:
            self.list.body.take_focus()

    def _whole(self) -> None:
        if self.view.text:
            highlights = [(one.start, one.end) for one in self.view.spans if one.message_index == self.view.index]
            self.post_message(PaneShowAll(f"Message {self.view.index}", self.view.text, highlights, wrapped=True))

    def _copy(self) -> None:
        if self.view.read is not None:
            self.post_message(PaneCopied("quote", self.view.read.quote.quote))

    def _take_back(self, *, again: bool = False) -> None:
        """An open question is answered with no first: the line that reports an undo would not be visible."""
        if self.view.asking:
            self.places.back()
            self.say("Not accepted.")
        else:
            self.reviewing.take_back(again=again)

    def _back(self) -> None:
        if self.places.back() or self.outcome.unmark():
            return
        if self.entry.region.area and not self.view.region.area:
            self._toggle_why()  # the entry covers the message
            return
        if self.search.clear() or self.deep_link.back():
            return
        if self.quote_filter != QuoteFilter():
            self.show_only(QuoteFilter())

    def say(self, text: str, severity: str = "information") -> None:
        """In the line above the keys, until the next decision or move."""
        self.line.show(text, severity)
        self.changed()

    def forget(self) -> None:
        """What was said and offered is over."""
        self.line.forget()
        self.promoting.forget()

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        event.stop()
        self.forget()
        read = self.quotes.read
        if read is not None and read.more and event.index + 50 > self.quotes.total and not self.search.busy:
            self._limit = self.quotes.total + PAGE
            self.load()
        self._show()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Enter: into the message, unless it answers a question."""
        event.stop()
        self._open()
        self.changed()


open_pane = EvidenceScreen
