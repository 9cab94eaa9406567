"""One quote or one entry whole: what was found, what a person decided, which places there are, what blocks it.

Which of a quote's places is offered first, and why: the one that a person most likely means.

Looking elsewhere for a quote: in another message of its session, or for any words in the whole session.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, cast

import apsw

from core.align import Aligned, AlignSettings, Concern, Difference, Session, Span, ViewCache, align_quote
from core.align.exact_match import find
from core.align.normalized_view import View
from core.base.fault import Fault
from core.evidence.promotion import Promotion, promotion_of
from core.evidence.review.decisions import Fit, Place, choices, place_at
from core.evidence.review.queue import QuoteRow, near_words, quote_row
from core.evidence.rows import Act, StoredMessages, StoredQuote, message_text, quotes_of, read_quote, words_at
from core.store import Store


def offered(con: apsw.Connection, one: StoredQuote) -> tuple[int, str]:
    """The number of the place, counted from 1 as in `choices` (0: there is none), and why that one, in plain words.

    Of several equal places: the nearest to the entry's other quotes in that message, and none that another quote of
    the entry with the same words has taken already.
    """
    places = choices(one)
    if one.aligned is None or one.aligned.status != "ambiguous" or not places:
        return (1, "") if places else (0, "")
    others = [other for other in quotes_of(con, one.entry_id) if other.id != one.id]
    taken = {other.spans for other in others if other.quote == one.quote}
    free = [at for at, spans in enumerate(places) if spans not in taken] or list(range(len(places)))
    index = places[0][0].message_index
    near = [span for other in others if other.quote != one.quote for span in other.spans if span.message_index == index]
    if near:
        at = min(free, key=lambda place: min(_distance(places[place][0], span) for span in near))
        return at + 1, "nearest to another quote of the entry"
    return free[0] + 1, "first location that no other quote of the entry uses" if taken & set(
        places
    ) else "first location"


def _distance(one: Span, other: Span) -> int:
    return max(one.start - other.end, other.start - one.end, 0)


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
    """A person's decision: what, by which author, when; `lapsed`: the accepted words are gone."""

    act: Act
    by: str
    at: str
    reason: str
    lapsed: bool


@dataclass(frozen=True, slots=True)
class Quote:
    """A full quote. `spans`: its current place (empty while open), `words`: the text there.

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
    one = read_quote(store.con, evidence_id) if 0 < evidence_id < 1 << 63 else None
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


def _choice(one: StoredQuote, messages: StoredMessages, number: int, spans: tuple[Span, ...]) -> Choice:
    found = cast("Aligned", one.aligned)
    place = place_at(one, messages, spans)
    kind = {"failed": "near miss", "ambiguous": "one of several"}.get(found.status, "found")
    similarity = found.near_misses[number - 1].similarity if found.status == "failed" else found.similarity
    return Choice(
        number, cast("Literal['found']", kind), spans, place.words, similarity, place.concerns, place.diff, place.fit
    )


def show_place(store: Store, evidence_id: int, spans: tuple[Span, ...]) -> Place | None:
    """Any place of a quote, judged as accepting it there would; None where there is no such quote."""
    one = read_quote(store.con, evidence_id) if 0 < evidence_id < 1 << 63 else None
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


_AROUND = 120
_MOST = 200


@dataclass(frozen=True, slots=True)
class Seen:
    """A place in a session: its span, and a line of its context (`text[start:end]` are the words there)."""

    span: Span
    similarity: float
    text: str
    start: int
    end: int


def find_in_session(
    store: Store,
    session_id: str,
    words: str,
    *,
    near: int = 0,
    limit: int = 50,
    cancelled: Callable[[], bool] = lambda: False,
    cache: ViewCache | None = None,
) -> tuple[Seen, ...]:
    """Search words in a session, in the normalized forms of quotes; nearest to the message `near` first.

    Pass the same `cache` again and the next search takes a fraction of the time. For a job: it reads every message.
    """
    if not words.strip():
        return ()
    messages = StoredMessages(store.con, session_id)
    session, view = Session(messages, cache), View(words)
    near = min(max(near, 0), max(len(messages) - 1, 0))
    found: list[Seen] = []
    for index in (near, *session.others(near)) if len(messages) else ():
        if cancelled() or len(found) >= min(limit, _MOST):
            break
        hit = find(session.view(index), view)
        for start, end in hit.spans if hit is not None else ():
            found.append(_found_span(messages[index], Span(index, start, end), 1.0))
    return tuple(found[:limit])


_WORDS_LOOKED_AT = 60
_SHORT_WORD = 3
"""ASCII letters of a word that is no place by itself."""
_WORD = re.compile(r"\w[\w'’./-]*")


def _is_telling(word: str) -> bool:
    return len(word) > _SHORT_WORD or not word.isascii()


def rarest_words(
    store: Store,
    session_id: str,
    quote: str,
    *,
    cancelled: Callable[[], bool] = lambda: False,
    cache: ViewCache | None = None,
) -> str:
    """Two words of the quote, as they follow each other in it, that fewest messages of the session have; else one word.

    Empty if no message has a word of it. For a job: it reads every message.
    """
    found = list(_WORD.finditer(quote))[:_WORDS_LOOKED_AT]
    messages = StoredMessages(store.con, session_id)
    session = Session(messages, cache)
    for many in (2, 1):
        starts = zip(*(found[at:] for at in range(many)), strict=False)
        runs = [quote[run[0].start() : run[-1].end()] for run in starts if many > 1 or _is_telling(run[0][0])]
        phrases = {View(run).folded: run for run in dict.fromkeys(runs)}
        seen = dict.fromkeys(phrases, 0)
        for index in range(len(messages)):
            if cancelled():
                return ""
            text = session.view(index).folded
            for folded in phrases:
                seen[folded] += folded in text
        if had := [folded for folded in phrases if seen[folded]]:
            return phrases[min(had, key=lambda folded: (seen[folded], -len(folded)))]
    return ""


def look_in(store: Store, evidence_id: int, message_index: int) -> tuple[Seen, ...]:
    """The places of a quote in one message of its session, the best first, near misses included; none: it is not there.

    Raises Fault not_indexed where there is no such quote.
    """
    one = read_quote(store.con, evidence_id)
    if one is None:
        raise Fault("not_indexed", f"quote {evidence_id} not found", "run: casebook evidence list")
    messages = StoredMessages(store.con, one.session_id)
    if not 0 <= message_index < len(messages):
        return ()
    text = messages[message_index]
    found = align_quote(Session([text]), 0, one.quote, AlignSettings())
    places = [(miss.span, miss.similarity) for miss in found.near_misses]
    if found.status == "ambiguous":
        places = [(span, found.similarity) for span in found.spans]
    elif found.spans:
        whole = Span(0, found.spans[0].start, found.spans[-1].end)
        places = [(whole, found.similarity)]
    return tuple(_found_span(text, replace(span, message_index=message_index), like) for span, like in places)


def _found_span(text: str, span: Span, similarity: float) -> Seen:
    low, high = max(0, span.start - _AROUND), min(len(text), max(span.end, span.start) + _AROUND)
    return Seen(span, similarity, text[low:high], span.start - low, span.end - low)
