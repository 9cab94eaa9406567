"""One quote or one entry whole: what was found, what a person decided, which places there are, what blocks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, cast

from core.align import Aligned, Concern, Difference, Span
from core.evidence.messages import StoredMessages, message_text
from core.evidence.promotion import Promotion, promotion_of
from core.evidence.review.acceptance_rules import Fit, Place, place_at
from core.evidence.review.candidate_order import offered
from core.evidence.review.decisions import choices
from core.evidence.review.queue import QuoteRow, near_words, quote_row
from core.evidence.rows import Act, Kept, kept, quotes_of
from core.evidence.span_check import words_at
from core.store import Store

_QUOTES_SHOWN = 500


@dataclass(frozen=True, slots=True)
class Choice:
    """A place that can be chosen by its `number`: its spans, the words there, how like the quote it is (0 to 1).

    `fit`: whether it is asked about before it is accepted, and why.
    """

    number: int
    kind: Literal["found", "one of several", "near miss"]
    spans: tuple[Span, ...]
    words: str
    similarity: float
    concerns: tuple[Concern, ...]
    diff: tuple[Difference, ...]
    fit: Fit


@dataclass(frozen=True, slots=True)
class Made:
    """A person's decision: what, by whom, when; `lapsed`: the accepted words are nowhere any more."""

    act: Act
    by: str
    at: str
    reason: str
    lapsed: bool


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote whole. `spans`: where it stands now (empty while that is open), `words` what stands there.

    `original`: the quote as it was extracted, where a person took other words. `mark` goes back as `expect`, so that
    nobody decides over another's decision unseen. `found.trace` is how the machine came to its answer. `offered`: the
    number of the choice to take first (0: none), and why that one of several.
    """

    SCHEMA: ClassVar[str] = "evidence_quote.v1"

    row: QuoteRow
    quote: str
    quote_hash: str
    original: str | None
    found: Aligned | None
    spans: tuple[Span, ...]
    words: tuple[str, ...]
    choices: tuple[Choice, ...]
    decision: Made | None
    promotion: Promotion
    mark: str
    offered: int = 0
    offered_why: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry with its quotes and what blocks its promotion."""

    SCHEMA: ClassVar[str] = "evidence_entry.v1"

    id: str
    session: str
    type: str
    title: str
    stage: Literal["candidate", "verified"]
    created: str
    updated: str
    quotes: tuple[QuoteRow, ...]
    promotion: Promotion


@dataclass(frozen=True, slots=True)
class MessageText:
    """A message as the middle of the review shows it."""

    session: str
    index: int
    role: str
    kind: str
    ts: str
    text: str
    count: int


def show_quote(store: Store, evidence_id: int) -> Quote | None:
    """One quote, or None where there is none of that id."""
    one = kept(store.con, evidence_id) if 0 < evidence_id < 1 << 63 else None
    if one is None:
        return None
    messages = StoredMessages(store.con, one.session_id)
    made = one.decision
    return Quote(
        quote_row(one, near_words(store.con, one)),
        one.quote,
        one.quote_hash,
        one.original,
        one.aligned,
        one.spans,
        words_at(messages, one.spans) or (),
        tuple(_choice(one, messages, at, spans) for at, spans in enumerate(choices(one), 1)),
        None if made is None else Made(made.act, one.decided_by or "", one.decided_at or "", made.reason, one.lapsed),
        promotion_of(store.con, one.entry_id),
        one.mark,
        *offered(store.con, one),
    )


def _choice(one: Kept, messages: StoredMessages, number: int, spans: tuple[Span, ...]) -> Choice:
    found = cast("Aligned", one.aligned)
    place = place_at(one, messages, spans)
    kind = {"failed": "near miss", "ambiguous": "one of several"}.get(found.status, "found")
    similarity = found.near_misses[number - 1].similarity if found.status == "failed" else found.similarity
    return Choice(
        number, cast("Literal['found']", kind), spans, place.words, similarity, place.concerns, place.diff, place.fit
    )


def show_place(store: Store, evidence_id: int, spans: tuple[Span, ...]) -> Place | None:
    """Any place of a quote, judged as accepting it there would; None where there is no such quote."""
    one = kept(store.con, evidence_id) if 0 < evidence_id < 1 << 63 else None
    return None if one is None else place_at(one, StoredMessages(store.con, one.session_id), spans)


def show_entry(store: Store, entry_id: str) -> Entry | None:
    """One entry, or None where there is none of that id; at most 500 of its quotes."""
    row = store.con.execute(
        "SELECT id, session_id, type, title, stage, created, updated FROM entry WHERE id = ?", (entry_id,)
    ).fetchone()
    if row is None:
        return None
    rows = tuple(quote_row(one) for one in quotes_of(store.con, entry_id)[:_QUOTES_SHOWN])
    return Entry(row[0], row[1] or "", *row[2:], quotes=rows, promotion=promotion_of(store.con, entry_id))


def show_message(store: Store, session_id: str, index: int) -> MessageText | None:
    """One message of a session, whole; None where there is none."""
    row = store.con.execute(
        "SELECT role, kind, ts FROM message WHERE session_id = ? AND idx = ?", (session_id, index)
    ).fetchone()
    if row is None:
        return None
    text = message_text(store.con, session_id, index)
    return MessageText(session_id, index, *row, text=text, count=len(StoredMessages(store.con, session_id)))
