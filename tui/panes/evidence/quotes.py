"""The quotes of the Evidence pane: their list with its filters, and the chosen one in its message."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from core.base.fault import Fault
from tui.actions.action import Acts, Performs
from tui.actions.registry import bindings
from tui.panes.common.filter_menu import Choices, FilterScreen, Value
from tui.panes.common.list_pane import ListView
from tui.panes.evidence.queries import (
    EARLIER,
    FILTERS,
    LATER,
    Compared,
    Kind,
    QuoteFilter,
    Quotes,
    ReadQuote,
    filters_of,
)
from tui.render.common.amounts import counted
from tui.render.common.empty_states import Notice, of_fault
from tui.render.common.glyphs import Signs
from tui.render.common.markdown import quote_bar
from tui.render.common.session import session_name
from tui.render.common.untrusted import inline, short_id, title
from tui.render.evidence import (
    draw_diff,
    draw_filter_choice,
    draw_labelled,
    draw_message,
    draw_neighbour,
    draw_places,
    draw_quote_row,
    draw_reasons,
    flat,
    reason_width,
)
from tui.runtime.jobs import Job, job_work
from tui.widgets.inputs import SearchBox
from tui.widgets.scroll_text import Reading

if TYPE_CHECKING:
    from core.align import Span
    from core.evidence import Choice, Place
    from tui.panes.evidence.screen import EvidenceScreen


NAME = 30
"""Cells of a session's name in the menu."""


@dataclass(frozen=True, slots=True)
class Counted:
    """How many quotes each value would list together with the other active filters: by state, by type, and by session,
    those with most left to decide first; the names that sessions have for a person."""

    states: Mapping[str, int]
    types: tuple[tuple[str, int], ...]
    sessions: tuple[tuple[str, int], ...]
    names: Mapping[str, str] = field(default_factory=dict[str, str])


@job_work
def count_choices(job: Job[Any], quote_filter: QuoteFilter) -> Counted:
    """Count what the menu offers."""
    from core.evidence import QuoteFilters, count_quotes, count_ready, count_sessions, count_types

    store = job.store()
    within = QuoteFilters((), quote_filter.session, quote_filter.type)
    found = count_quotes(store, within)
    states = {
        "to decide": found.left,
        "failed": found.failed,
        "ambiguous": found.ambiguous,
        "flagged": found.flagged,
        "waiting": found.waiting,
        "aligned": found.aligned,
        "accepted": found.accepted,
        "ready": count_ready(store, within),
        "rejected": found.rejected,
        "all": found.total,
    }
    listing = filters_of(quote_filter)
    sessions = count_sessions(store, listing)
    names = {one.session: session_name(one.session, one.started, one.project, NAME) for one in sessions}
    counts = tuple((one.session, one.listed) for one in sessions)
    return Counted(states, count_types(store, listing), counts, names)


class QuoteFilters(Choices[QuoteFilter, Counted]):
    """The filters of the quotes shown."""

    HINT: ClassVar[str] = "Filter by state, type or session"
    LANE: ClassVar[str] = "evidence-counts"

    def values(self) -> Sequence[Value]:
        """Every value with its count, where that is known; what is on is always among them."""
        found = self.found
        values: list[Value] = []
        for name in FILTERS:
            values.append(("state", name, None if found is None else found.states.get(name, 0)))
        values += _named("type", self.picked.type, () if found is None else found.types)
        values += _named("session", self.picked.session, () if found is None else found.sessions)
        return values

    def words(self, kind: str, value: str) -> str:
        """The kind and the value; of a session its name too."""
        return f"{kind} {value} {self._name(kind, value)}"

    def draw(self, kind: str, value: str, count: int | None) -> Content:
        """The value with how many quotes it shows."""
        own = cast("Kind", kind)
        return draw_filter_choice(own, self._name(kind, value), count, self.signs, on=self.picked.has(own, value))

    def _name(self, kind: str, value: str) -> str:
        """How a person knows it: a session by its day and project."""
        if kind != "session":
            return value
        return (self.found.names.get(value) if self.found is not None else None) or short_id(value)

    def settled(self, kind: str, value: str) -> bool:
        """Enter keeps an active filter: confirming a pick does not remove it."""
        return self.picked.has(cast("Kind", kind), value)

    def count(self) -> Callable[[Job[Any]], Counted]:
        return count_choices(self.picked)


def _named(kind: Kind, on: str | None, counts: Sequence[tuple[str, int]]) -> list[tuple[Kind, str, int | None]]:
    unknown: list[tuple[Kind, str, int | None]] = (
        [(kind, on, None)] if on is not None and on not in dict(counts) else []
    )
    return [*unknown, *((kind, value, count) for value, count in counts)]


class Listing(Performs):
    """What one does with the filters."""

    def __init__(self, screen: EvidenceScreen) -> None:
        self._screen = screen

    def actions(self) -> Acts:
        screen = self._screen
        return {
            "list.filter": self._filter,
            "list.unfilter": lambda: (screen.search.clear(), screen.show_only(QuoteFilter())),
            "evidence.session": lambda: self._only(session=True),
            "evidence.type": lambda: self._only(session=False),
        }

    def _filter(self) -> None:
        screen = self._screen
        screen.app.push_screen(
            FilterScreen(QuoteFilters(screen.quote_filter, screen.signs, screen.show_only), screen.jobs)
        )

    def _only(self, *, session: bool) -> None:
        screen = self._screen
        if (read := screen.view.read) is not None:
            row, quote_filter = read.quote.row, screen.quote_filter
            screen.show_only(quote_filter.only(session=row.session) if session else quote_filter.only(type=row.type))


_FEW = 3
"""Quotes that need no more than as many rows, where the list is above the message."""


class QuoteList(ListView):
    """Shows the quotes; the number of selected ones, or of each kind, is below."""

    def __init__(self, signs: Signs, box: SearchBox) -> None:
        super().__init__(("evidence-list", "evidence-rows", "evidence-notice"), self._paint, box=box)
        self._signs = signs
        self._marked: frozenset[int] = frozenset()
        self._lead = 0

    def show(self, quotes: Quotes, quote_filter: QuoteFilter, at: int) -> None:
        """Show these rows, row `at` chosen, the others where they are."""
        self._marked = quotes.marked
        self._lead = reason_width(quotes.rows, self._signs)
        self.rows.renew(quotes, at, round(self.rows.scroll_y))
        self.rows.reveal()
        searched = quotes.read is not None and quotes.read.words
        self.set_class(quotes.total <= _FEW and not searched, "-few")
        self._show_notice(None if quotes.total else _nothing(quotes, quote_filter))
        self.caption(quotes, quote_filter)

    def trouble(self, fault: Fault) -> None:
        """It could not be read."""
        self.border_title = Content("Quotes")
        self._show_notice(_none_yet() if fault.code == "not_indexed" else of_fault(fault))

    def show_reading(self) -> None:
        """Say that the first rows are being read."""
        self.body.show_notice(Notice("Loading the quotes"))

    def _show_notice(self, notice: Notice | None) -> None:
        """A notice in the place of the rows has more to say than a few of them; None: the rows."""
        self.set_class(notice is not None, "-none")
        self.body.show_notice(notice)

    def caption(self, quotes: Quotes, quote_filter: QuoteFilter) -> None:
        """How many are left, and which filter is on, above; how many are marked below."""
        dot = f" {self._signs.dot} "
        more = "+" if quotes.read is not None and quotes.read.more else ""
        parts = [f"Quotes {quote_filter.name}", f"{quotes.total:,}{more} shown", f"{quotes.remaining:,} left"]
        words = quotes.read.words if quotes.read is not None else ""
        if quote_filter.name == "to decide":
            found = [f"{quotes.total:,}{more} found"] if words else []
            parts = ["Open quotes", *found, f"{quotes.remaining:,} left"]
        if quote_filter.type is not None:
            parts.append(title(quote_filter.type))
        if quote_filter.session is not None:
            parts.append(f"session {short_id(quote_filter.session)}")
        self.border_title = Content(dot.join(parts))
        counts = quotes.read.counts if quotes.read is not None else None
        details = f"{len(quotes.marked):,} selected" if quotes.marked else ""
        if not details and counts is not None:
            details = f"{counts.failed:,} failed, {counts.ambiguous:,} ambiguous, {counts.flagged:,} flagged"
        self.border_subtitle = Content(details)

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        from core.evidence import QuoteRow

        if not isinstance(row, QuoteRow):
            return Content("")
        marked = row.id in self._marked
        return draw_quote_row(row, width, self._signs, lead=self._lead, chosen=chosen, marked=marked)


def _nothing(quotes: Quotes, quote_filter: QuoteFilter) -> Notice:
    if quotes.read is None:
        return Notice("Loading quotes")
    counts = quotes.read.counts
    if counts.total and quotes.read.words:
        among = {"all": "all quotes", "to decide": "the open quotes"}.get(
            quote_filter.name, f"the {quote_filter.name} quotes"
        )
        message = f'No matches for "{inline(quotes.read.words, 60)}" in {among} and their entries.'
        steps = (("{find.clear}", "show all quotes"), ("{evidence.filter}", "show other quotes"))
        return Notice("No matching quotes", message, steps)
    if not counts.total and quote_filter.session is None and quote_filter.type is None:
        return _none_yet()
    back = ("{evidence.filter}", "show other states")
    if quote_filter.name == "to decide" and not quotes.remaining:
        done = f"All {counts.total:,} quotes are aligned or decided."
        ready = ("{evidence.promote_ready}", "verify all ready entries")
        return Notice("No open quotes", done, (back, ready, ("{undo.last}", "undo the last decision")))
    return Notice("No quotes", "No quotes match the filter.", (back, ("{evidence.unfilter}", "clear the filter")))


def _none_yet() -> Notice:
    steps = (
        ("{import.begin}", "import sessions (explained fixes become entries)"),
        ("casebook evidence add FILE", "add entries with their quotes"),
        ("{pane.errors}", "show the errors"),
    )
    why = "Each entry is supported by quotes from a session. Review the quotes here."
    return Notice("No quotes yet", why, steps, alone=True)


class Message(Reading):
    """A message, scrolled to its place."""

    BINDINGS = bindings("case")


@dataclass(frozen=True, slots=True)
class ViewedPlace:
    """Which place is on the screen: one of the choices (`at`, from 0), or one drawn by hand or found (`drawn`)."""

    at: int = 0
    drawn: tuple[Span, ...] | None = None
    picked: bool = False
    found: bool = False


def _first(read: ReadQuote | None) -> ViewedPlace:
    return ViewedPlace(0 if read is None else max(0, read.quote.offered - 1))


class QuoteView(Vertical):
    """Shows one quote at one of its places."""

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="evidence-quote")
        self._signs = signs
        self.read: ReadQuote | None = None
        self.looked = ViewedPlace()
        self.asking = False  # whether the place waits for its confirmation
        self._compared: Compared | None = None
        self._head = Static(id="evidence-head")
        self._before, self._place, self._behind = (Static(classes="evidence-part") for _ in range(3))
        self._earlier, self._later = (Static(classes="evidence-part") for _ in range(2))
        self._where: tuple[int | None, tuple[Span, ...], object] = (None, (), None)
        self.message = Message(id="evidence-message")
        self._put_at = 0.0  # the scroll position of the place

    def compose(self) -> ComposeResult:
        yield self._head
        with self.message:
            yield from (self._earlier, self._before, self._place, self._behind, self._later)

    def on_mount(self) -> None:
        self.watch(self.message, "virtual_size", self._on_height, init=False)

    @property
    def start(self) -> ViewedPlace:
        """The place that is offered first."""
        return _first(self.read)

    @property
    def numbered(self) -> bool:
        """Whether its places are listed with their numbers."""
        return self.read is not None and len(self.read.quote.choices) > 1 and self.read.quote.row.state != "accepted"

    @property
    def spans(self) -> tuple[Span, ...]:
        """The place on the screen."""
        if self.read is None:
            return ()
        if self.looked.drawn is not None:
            return self.looked.drawn
        quote = self.read.quote
        if quote.spans and not self.looked.picked:
            return quote.spans
        return quote.choices[self.looked.at].spans if self.looked.at < len(quote.choices) else ()

    @property
    def text(self) -> str:
        """The message that the place lies in; else the one that the quote names."""
        if self.read is None:
            return ""
        found = self.read.messages.get(self.index)
        return "" if found is None else found.text

    @property
    def index(self) -> int:
        if self.read is None:
            return 0
        return self.spans[0].message_index if self.spans else self.read.quote.row.message_index

    def show(self, read: ReadQuote | None) -> None:
        """Show this quote, at its first place; the same one read again stays where it was looked at."""
        same = read is not None and self.read is not None and read.quote == self.read.quote
        if same and read is not None and self.read is not None:
            # A place found elsewhere lies in a message that was read for it alone.
            read = replace(read, messages={**self.read.messages, **read.messages})
        if not same:
            self.looked, self.asking, self._compared = _first(read), False, None
        self.read = read
        self.draw()

    def put(self, read: ReadQuote, looked: ViewedPlace) -> None:
        """Show this quote at this place."""
        self.read = read
        self.look(looked)

    def look(self, looked: ViewedPlace) -> None:
        self.looked, self.asking, self._compared = looked, False, None
        self.draw()

    def ask(self) -> None:
        """Show what differs, and ask whether it is accepted all the same."""
        self.asking = True
        self.draw()

    def compared(self, found: Compared) -> None:
        """What the quote says otherwise than the words at a place drawn by hand."""
        if self.read is not None and (found.evidence_id, found.spans) == (self.read.quote.row.id, self.spans):
            self._compared = found
            self.draw()

    def on_resize(self) -> None:
        self.draw()

    def draw(self) -> None:
        """Put it all on the screen."""
        if self.read is None:
            self.border_title, self.border_subtitle = Content("Quote"), Content("")
            self._where = (None, (), None)
            for part in (self._head, self._earlier, self._before, self._place, self._behind, self._later):
                part.update(Content(""))
            return
        row, mark = self.read.quote.row, self._signs.quote(self.read.quote.row.state)
        found = self.read.messages.get(self.index)
        self.border_title = Content(f"#{row.id} {mark.sign} {mark.words}")
        count = "" if found is None else f" {self._signs.dot} {counted(found.count, 'message')}"
        role = "" if found is None else f" ({title(found.role)})"
        self.border_subtitle = Content(f"message {self.index:,}{role}{count}" if found else "no such message")
        self._head.update(self._drawn_head())
        around = [self.read.messages.get(self.index + by) for by in (*EARLIER, *LATER)]
        where = (row.id, self.spans, (self.text, *around))
        if where == self._where:
            return
        self._where = where
        near = [one for one in around if one is not None and found is not None]
        earlier, later = (
            Content("\n").join(
                draw_neighbour(one, self._signs, before=before) for one in near if before == (one.index < self.index)
            )
            for before in (True, False)
        )
        parts = (self._earlier, self._before, self._place, self._behind, self._later)
        drawn = (earlier, *draw_message(self.text, self.spans, self._signs), later)
        for part, content in zip(parts, drawn, strict=True):
            part.update(content)
            part.display = bool(content.plain)
        self.call_after_refresh(self._to_place)

    def _to_place(self) -> None:
        """Scroll to the highlighted words, a line or two below the upper edge."""
        first = self._place if self.spans else self._behind
        preceded = self._earlier.display or (self.spans and self._before.display)
        y = max(0, first.virtual_region.y - 2) if preceded else 0
        self.message.scroll_to(y=y, animate=False, force=True, immediate=True)
        self._put_at = self.message.scroll_y

    def _on_height(self) -> None:
        """The messages have another height: keep the place in sight, unless the person has scrolled."""
        if self.read is not None and self.message.scroll_y == self._put_at:
            self.call_after_refresh(self._to_place)

    @property
    def place(self) -> Place | Choice | None:
        """The place on the screen, judged; None: it is accepted already, there is none, or it is being compared."""
        if self.read is None:
            return None
        quote = self.read.quote
        if self.looked.drawn is not None:
            return None if self._compared is None else self._compared.place
        if self.looked.at < len(quote.choices) and (self.looked.picked or quote.row.state != "accepted"):
            return quote.choices[self.looked.at]
        return None

    def _drawn_places(self) -> Content:
        assert self.read is not None
        texts = {index: message.text for index, message in self.read.messages.items()}
        return draw_places(self.read.quote, texts, self.looked.at, self._signs, max(20, self._head.size.width - 2))

    @property
    def question(self) -> str:
        """The open question about the place on the screen; empty if there is none."""
        if not self.asking or self.read is None:
            return ""
        quote = self.read.quote
        if quote.row.state != "ambiguous" or self.looked.picked or self.looked.drawn is not None:
            return self._signs.fill_keys("The meaning may differ. {list.open} accepts anyway, {list.back} cancels.")
        keys = f"{{list.open}} accepts location {quote.offered}, {{evidence.place}} shows another"
        return self._signs.fill_keys(f"{len(quote.choices):,} locations: {keys} ({quote.offered_why}).")

    def _drawn_head(self) -> Content:
        assert self.read is not None
        quote = self.read.quote
        place = self.place
        diff, reasons = ((), ()) if place is None else (place.diff, place.fit.reasons)
        parts: list[Content] = []
        width, bar = max(1, self._head.size.width), quote_bar(self._signs)
        if diff and any(not run.same for run in diff):
            parts.append(draw_diff(diff, width, bar))
        else:
            parts.append(draw_labelled("quote", Content.styled(flat(quote.quote), "$cb-text"), width, bar))
        if reasons:
            parts.append(draw_reasons(reasons, width))
        elif quote.row.reason and quote.row.state != "aligned":
            parts.append(Content.styled(title(quote.row.reason), "$cb-draft"))
        if self.numbered:
            parts.append(self._drawn_places())
        return Content("\n").join(parts)
