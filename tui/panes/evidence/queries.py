"""What the Evidence pane reads, and the quotes as it has them, with decisions that are on their way to disk."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from tui.runtime.jobs import Job, job_work
from tui.widgets.row_list import FixedRows

if TYPE_CHECKING:
    from core.align import Span
    from core.evidence import Counts, Entry, MessageText, NamedEntry, Place, Quote, QuoteFilters, QuoteRow
    from core.evidence.rows import State


FilterName = Literal[
    "to decide", "failed", "ambiguous", "flagged", "waiting", "aligned", "accepted", "ready", "rejected", "all"
]
Kind = Literal["state", "session", "type"]
PAGE = 500
"""Rows read at a time."""
FILTERS: tuple[FilterName, ...] = get_args(FilterName)


@dataclass(frozen=True, slots=True)
class QuoteFilter:
    """Which quotes are shown: a filter by state, perhaps of one session, of one entry type only."""

    name: FilterName = "to decide"
    session: str | None = None
    type: str | None = None

    def only(self, *, session: str | None = None, type: str | None = None) -> QuoteFilter:
        """Only this session, or only this type; whichever is on already goes off."""
        if session is not None:
            return replace(self, session=None if self.session is not None else session)
        return replace(self, type=None if self.type is not None else type)

    def has(self, kind: Kind, value: str) -> bool:
        return {"state": self.name, "session": self.session, "type": self.type}[kind] == value

    def toggled(self, kind: Kind, value: str) -> QuoteFilter:
        """With this on in the place of another of its kind; or off, if it was on."""
        on = self.has(kind, value)
        if kind == "state":
            return replace(self, name="to decide" if on else cast("FilterName", value))
        return replace(self, **{kind: None if on else value})

    def lets(self, state: str) -> bool:
        """Whether a quote in this state is shown."""
        return self.name == "all" or state in _STATES[self.name]


_STATES: dict[str, tuple[str, ...]] = {
    "to decide": ("near", "failed", "ambiguous", "flagged", "waiting"),
    "failed": ("near", "failed"),
    "ambiguous": ("ambiguous",),
    "flagged": ("flagged",),
    "waiting": ("waiting",),
    "aligned": ("aligned",),
    "accepted": ("accepted",),
    "ready": ("aligned", "accepted"),
    "rejected": ("rejected",),
}


@dataclass(frozen=True, slots=True)
class Listed:
    """The beginning of the queue as it was read, the counts, and whether there are further rows. `words`: searched."""

    rows: tuple[QuoteRow, ...]
    counts: Counts
    more: bool
    readonly: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class ReadQuote:
    """A quote whole, its entry, and the messages that its places lie in, by their index, with those around them."""

    quote: Quote
    entry: Entry | None
    messages: dict[int, MessageText]


@dataclass(frozen=True, slots=True)
class Ahead:
    """One of several quotes that are read; `read` None: it is gone."""

    evidence_id: int
    read: ReadQuote | None


@dataclass(frozen=True, slots=True)
class Compared:
    """A place of a quote that was drawn or found by hand, judged; `place` None: the quote is gone."""

    evidence_id: int
    spans: tuple[Span, ...]
    place: Place | None


@job_work
def read_list(job: Job[Any], quote_filter: QuoteFilter, limit: int, words: str = "") -> Listed:
    """The first `limit` rows of what is shown (and has all of the words), with the counts."""
    from core.evidence import list_quotes

    store = job.store()
    page = list_quotes(store, replace(filters_of(quote_filter), words=words), limit)
    return Listed(page.quotes, page.counts, page.next is not None, store.readonly or "", words.strip())


def filters_of(quote_filter: QuoteFilter) -> QuoteFilters:
    """The core's own filters."""
    from core.evidence import OPEN, QuoteFilters

    statuses: dict[str, Any] = {"to decide": OPEN.statuses, "ready": _STATES["ready"], "all": ()}
    chosen = statuses.get(quote_filter.name, (quote_filter.name,))
    return QuoteFilters(chosen, quote_filter.session, quote_filter.type, ready=quote_filter.name == "ready")


@job_work
def read_ready(job: Job[Any], quote_filter: QuoteFilter) -> tuple[NamedEntry, ...]:
    """The entries that can be promoted, of the session and the type that are on."""
    from core.evidence import ready_entries

    return ready_entries(job.store(), session=quote_filter.session, type=quote_filter.type)


@job_work
def read_quotes(job: Job[Any], ids: Sequence[int]) -> None:
    """These quotes, the first of them soonest, each as a partial result."""
    for evidence_id in ids:
        job.partial(Ahead(evidence_id, _read(job, evidence_id)))


_WITH_NEIGHBOURS = 3
"""The most messages of one quote that are read with the messages around them."""
EARLIER, LATER = (-1,), (1, 2, 3, 4, 5)
"""The messages around one, by their distance from it."""


def _read(job: Job[Any], evidence_id: int) -> ReadQuote | None:
    from core.evidence import show_entry, show_message, show_quote

    store = job.store()
    quote = show_quote(store, evidence_id)
    if quote is None:
        return None
    row = quote.row
    places = [span for choice in quote.choices for span in choice.spans] or list(quote.spans)
    indices = {span.message_index for span in (*places, *quote.spans)} or {row.message_index}
    if len(indices) <= _WITH_NEIGHBOURS:
        indices |= {index + by for index in indices for by in (*EARLIER, *LATER) if index + by >= 0}
    found = {index: show_message(store, row.session, index) for index in sorted(indices)}
    messages = {index: message for index, message in found.items() if message is not None}
    return ReadQuote(quote, show_entry(store, row.entry_id), messages)


@job_work
def compare(job: Job[Any], evidence_id: int, spans: tuple[Span, ...]) -> Compared:
    """What the quote says otherwise than the words there, and how they fit."""
    from core.evidence import show_place

    return Compared(evidence_id, spans, show_place(job.store(), evidence_id, spans))


PROBLEMS = frozenset({"flagged", "ambiguous", "near", "failed", "waiting"})


@dataclass(frozen=True, slots=True)
class Quotes(FixedRows["QuoteRow"]):
    """Rows for the list. `decided`: what a decision that is not read again yet makes of a quote."""

    read: Listed | None = None
    decided: Mapping[int, str] = field(default_factory=dict[int, str])
    marked: frozenset[int] = frozenset()

    @property
    def marked_rows(self) -> tuple[QuoteRow, ...]:
        """The marked ones in their order, each in the state it is shown in."""
        return tuple(row for row in self.rows if row.id in self.marked)

    def toggled(self, evidence_id: int) -> Quotes:
        """Marked, or no longer."""
        return replace(self, marked=self.marked ^ {evidence_id})

    def all_marked(self) -> Quotes:
        """Every row that is there is marked; none, if all are already."""
        every = frozenset(row.id for row in self.rows)
        return replace(self, marked=frozenset() if self.marked >= every else every)

    @property
    def remaining(self) -> int:
        """How many quotes wait for a person, read or not."""
        if self.read is None:
            return 0
        before = {row.id: row.state for row in self.read.rows}
        return self.read.counts.left - sum(before.get(one, "") in PROBLEMS for one in self.decided)

    def searched_after(self, before: Quotes) -> bool:
        """Whether other words were searched before."""
        return self.read is not None and before.read is not None and self.read.words != before.read.words

    def index_of(self, evidence_id: int | None) -> int | None:
        """Return the row of a quote."""
        return next((at for at, row in enumerate(self.rows) if row.id == evidence_id), None)

    def renewed(self, read: Listed, quote_filter: QuoteFilter, pending: Collection[int]) -> Quotes:
        """The same, read again; only what is still on its way to disk (`pending`) is kept as it was decided."""
        pending_states = {one: state for one, state in self.decided.items() if one in pending}
        marked = self.marked & {row.id for row in read.rows}
        return Quotes(read=read, decided=pending_states, marked=marked).under(quote_filter)

    def after(self, evidence_id: int, state: str, quote_filter: QuoteFilter) -> Quotes:
        """With a quote decided about."""
        return replace(self, decided={**self.decided, evidence_id: state}).under(quote_filter)

    def without(self, evidence_id: int, quote_filter: QuoteFilter) -> Quotes:
        """With a decision that did not come about forgotten."""
        others = {one: state for one, state in self.decided.items() if one != evidence_id}
        return replace(self, decided=others).under(quote_filter)

    def under(self, quote_filter: QuoteFilter) -> Quotes:
        """The rows that the filter shows."""
        if self.read is None:
            return self
        rows = (_as_decided(row, self.decided.get(row.id)) for row in self.read.rows)
        return replace(
            self, rows=tuple(row for row in rows if row.id not in self.decided or quote_filter.lets(row.state))
        )

    def next_in(self, states: Collection[str], after: int) -> int | None:
        """The next row behind number `after` in one of these states, from the start again at the end."""
        order = (*range(after + 1, self.total), *range(min(after + 1, self.total)))
        return next((at for at in order if self.rows[at].state in states), None)


def _as_decided(row: QuoteRow, state: str | None) -> QuoteRow:
    return row if state is None else replace(row, state=cast("State", state), reason=f"{state} by you")
