"""The review queue: pages by key, counts, and where to go next. Backed by indexes at any size."""

from __future__ import annotations

import heapq
import json
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import ClassVar, Literal, cast

import apsw

from core.align.diff import changes_of, reasons_of
from core.align.guard import compare
from core.evidence.promotion import READY
from core.evidence.rows import STATES, State, StoredQuote, read_quotes
from core.store import Store

Status = Literal["aligned", "flagged", "ambiguous", "failed", "waiting", "accepted", "rejected"]
"""A filter's state; `failed` includes those with a near miss."""
PROBLEMS: frozenset[State] = frozenset({"flagged", "ambiguous", "near", "failed", "waiting"})
"""States that block the promotion of an entry and are undecided."""
_COMPARED = 1_000
"""Code points of a quote that is compared with its near miss for the list."""
_AT_ONCE = 500
"""Quotes whose words are looked at together."""
QUOTE_SHOWN = 300
"""Code points of a quote in a list."""


_READY = (
    " AND EXISTS (SELECT 1 FROM evidence v JOIN entry e ON e.id = v.entry_id"
    f" WHERE v.id = review.evidence_id AND {READY})"
)


@dataclass(frozen=True, slots=True)
class QuoteFilters:
    """Which quotes to list: in one of `statuses` (none: any), of one `session`, of one entry `type`, with all `words`
    somewhere in the quote, or in its entry's title, type and id (which are not looked at where quotes are counted).
    `ready`: only those of entries that can be promoted (not looked at either)."""

    statuses: tuple[Status, ...] = ()
    session: str | None = None
    type: str | None = None
    words: str = ""
    ready: bool = False


EVERY = QuoteFilters()
OPEN = QuoteFilters(("failed", "ambiguous", "flagged", "waiting"))
"""What is left to decide."""


@dataclass(frozen=True, slots=True)
class QuoteRow:
    """A quote in the queue. `reason` says in plain words why it is not aligned, `brief` in a word or two; `near` is its
    best near miss (0..1).

    `75≠57`: the source has 75, the quote 57; `+not` is only in the quote, `-not` only in the source; `a⇄b` are swapped.
    """

    id: int
    entry_id: str
    type: str
    title: str
    stage: str
    session: str
    position: int
    message_index: int
    quote: str
    state: State
    method: str
    confidence: float
    reason: str
    near: float | None
    decided_by: str | None
    decided_at: str | None
    brief: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many quotes are in each state; `left` wait for a person, `total` are there. `failed` includes `near`."""

    left: int
    total: int
    aligned: int
    flagged: int
    ambiguous: int
    near: int
    failed: int
    waiting: int
    accepted: int
    rejected: int


@dataclass(frozen=True, slots=True)
class QuotePage:
    """One page of the queue, in the order the quotes came; `next` is the `after` of the page that follows."""

    SCHEMA: ClassVar[str] = "evidence_list.v1"

    quotes: tuple[QuoteRow, ...]
    counts: Counts
    next: int | None


def list_quotes(store: Store, filters: QuoteFilters = EVERY, limit: int = 50, after: int | None = None) -> QuotePage:
    """One page of quotes. Pages go by key, so the thousandth costs what the first does."""
    with store.moment():
        most = -1 if filters.words.strip() else limit + 1
        listed = _ids(store.con, _states(filters), filters, after or 0, most)
        ids = list(islice(_having(store.con, listed, filters.words), limit + 1))
        page = ids[:limit]
        rows = tuple(quote_row(one, near_words(store.con, one)) for one in read_quotes(store.con, page))
        return QuotePage(rows, count_quotes(store, filters), page[-1] if len(ids) > limit else None)


def count_quotes(store: Store, filters: QuoteFilters = EVERY) -> Counts:
    """The counts by state of the filter's session and type (its statuses are not looked at)."""
    where, values = _where(filters)
    rows = store.con.execute(f"SELECT state, sum(quotes) FROM review_count{where} GROUP BY state", values)
    found = {str(state): cast("int", total) for state, total in rows.fetchall()}
    by = {state: found.get(state, 0) for state in STATES}
    return Counts(
        left=sum(by[state] for state in PROBLEMS),
        total=sum(by.values()),
        **{**by, "failed": by["failed"] + by["near"]},
    )


def count_ready(store: Store, filters: QuoteFilters = EVERY) -> int:
    """How many quotes of the filter's session and type belong to an entry that can be promoted."""
    where, values = _where(filters)
    sql = f"SELECT count(*) FROM review{where or ' WHERE true'}{_READY}"
    row = store.con.execute(sql, values).fetchone()
    return cast("int", row[0]) if row else 0


def count_types(store: Store, filters: QuoteFilters = EVERY) -> tuple[tuple[str, int], ...]:
    """The entry types of the filter's session, each with how many quotes the filter would list of it, most first."""
    source, values = _counted(filters, session=filters.session)
    where, own = _where(QuoteFilters(session=filters.session))
    rows = store.con.execute(
        f"SELECT type, coalesce((SELECT sum(quotes) FROM ({source}) s WHERE s.type = c.type), 0)"
        f" FROM review_count c{where} GROUP BY type ORDER BY 2 DESC, 1",
        (*values, *own),
    )
    return tuple((str(kind), cast("int", total)) for kind, total in rows.fetchall())


def _counted(filters: QuoteFilters, *, session: str | None = None, type: str | None = None) -> tuple[str, list[str]]:
    """A query for how many quotes are in one of the filter's states, by session and entry type."""
    where, values = _where(QuoteFilters(session=session, type=type))
    where = f"{where}{' AND' if where else ' WHERE'} state IN (SELECT value FROM json_each(?))"
    values = [*values, json.dumps(_states(filters))]
    if filters.ready:
        return f"SELECT session_id, type, 1 AS quotes FROM review{where}{_READY}", values
    return f"SELECT session_id, type, quotes FROM review_count{where}", values


@dataclass(frozen=True, slots=True)
class SessionCount:
    """A session with quotes: how many a filter would list; when it began, in what project."""

    session: str
    listed: int
    started: str
    project: str


def count_sessions(store: Store, filters: QuoteFilters = EVERY, limit: int = 200) -> tuple[SessionCount, ...]:
    """Sessions with quotes, each with how many the filter would list of it; those with most to decide first."""
    problems = ", ".join(f"'{state}'" for state in sorted(PROBLEMS))
    source, values = _counted(filters, type=filters.type)
    rows = store.con.execute(
        "SELECT counted.session_id, coalesce(shown.quotes, 0), coalesce(session.started, ''), coalesce(p.shown, '')"
        f" FROM (SELECT session_id, sum(iif(state IN ({problems}), quotes, 0)) AS left_over FROM review_count"
        " GROUP BY session_id ORDER BY 2 DESC, 1 LIMIT ?) AS counted"
        f" LEFT JOIN (SELECT session_id, sum(quotes) AS quotes FROM ({source}) GROUP BY session_id) AS shown"
        " ON shown.session_id = counted.session_id"
        " LEFT JOIN session ON session.id = counted.session_id"
        " LEFT JOIN session_project AS p ON p.session_id = session.id"
        " ORDER BY counted.left_over DESC, counted.session_id",
        (limit, *values),
    )
    return tuple(SessionCount(*cast("tuple[str, int, str, str]", row)) for row in rows.fetchall())


def rank_of_quote(store: Store, evidence_id: int, filters: QuoteFilters = EVERY) -> int:
    """How many quotes are listed before this one; whether it is listed itself is not looked at."""
    where, values = _where(filters)
    where = f"{where}{' AND' if where else ' WHERE'} evidence_id < ? AND state IN (SELECT value FROM json_each(?))"
    where += _READY if filters.ready else ""
    sql = f"SELECT count(*) FROM review{where}"
    row = store.con.execute(sql, (*values, evidence_id, json.dumps(_states(filters)))).fetchone()
    return cast("int", row[0]) if row else 0


def next_problem(store: Store, after: int = 0, filters: QuoteFilters = EVERY) -> int | None:
    """The next quote after `after` that waits for a person, from the start again at the end; None: nothing is left."""
    return _next(store, PROBLEMS, after, filters)


def next_near_miss(store: Store, after: int = 0, filters: QuoteFilters = EVERY) -> int | None:
    """Like `next_problem`, of those that failed and have a place to offer."""
    return _next(store, frozenset({"near"}), after, filters)


def quote_row(one: StoredQuote, words: str = "") -> QuoteRow:
    """Return a quote as the queue shows it; `words`: the text at its best near miss."""
    found = one.aligned
    near = max((miss.similarity for miss in found.near_misses), default=None) if found is not None else None
    return QuoteRow(
        one.id, one.entry_id, one.type, one.title, one.stage, one.session_id, one.position, one.message_index,
        one.quote[:QUOTE_SHOWN], one.state, "none" if found is None else found.method,
        0.0 if found is None else found.confidence, reason_of(one), near, one.decided_by, one.decided_at,
        brief_of(one, words),
    )  # fmt: skip


def near_words(con: apsw.Connection, one: StoredQuote) -> str:
    """Return the text at the best near miss of a failed quote; empty if there is none."""
    if one.state != "near" or one.aligned is None or len(one.quote) > _COMPARED:
        return ""
    best = max(one.aligned.near_misses, key=lambda miss: miss.similarity)
    if best.similarity < _LIKE:
        return ""
    span = best.span
    row = con.execute(
        "SELECT substr(text, ?, ?) FROM message WHERE session_id = ? AND idx = ?",
        (span.start + 1, min(span.end - span.start, 2 * _COMPARED), one.session_id, span.message_index),
    ).fetchone()
    return "" if row is None else str(row[0])


@lru_cache(maxsize=2_000)
def _near_changes(quote: str, words: str) -> tuple[str, ...]:
    """What differs; kept, for the list is read again after each decision."""
    found = compare(quote, words, lambda word: False)
    return changes_of(found.concerns, found.diff)


_FAILURES = {
    "not_found": "not found in the session",
    "empty_quote": "the quote is empty",
    "quote_too_long": "the quote is too long to be compared",
    "index_out_of_range": "the message does not exist in the session",
}


def reason_of(one: StoredQuote) -> str:
    """Return the reason for the state of a quote; empty if it is simply found in its message."""
    if one.state == "rejected" and one.decision is not None:
        return one.decision.reason or "rejected"
    if one.state == "accepted":
        return "accepted manually"
    if one.aligned is None:
        return "not aligned yet"
    if one.lapsed:
        return "the accepted text is missing from the session"
    found = one.aligned
    if found.status == "failed":
        near = max((miss.similarity for miss in found.near_misses), default=None)
        if found.failure == "below_threshold" and near is not None:
            return f"only {near:.0%} similar: below the threshold"
        return _FAILURES.get(found.failure or "", "not found")
    if found.status == "ambiguous":
        return f"found at {len(found.spans)} locations"
    if found.status == "flagged":
        return "; ".join(reasons_of(found.concerns, found.diff)[:3])
    return "" if found.relocated_from is None else f"found in message {found.spans[0].message_index}"


_BRIEF = {
    "not_found": "not found",
    "below_threshold": "not found",
    "empty_quote": "empty",
    "quote_too_long": "too long",
    "index_out_of_range": "no message",
}
_FEW, _LIKE = 3, 0.7
"""A near miss that differs in more ways, or is less similar, is another text: its similarity says more."""


def brief_of(one: StoredQuote, words: str = "") -> str:
    """Return the reason for the state of a quote in a word or two; empty if it is simply found in its message.

    `words`: what stands at its best near miss, if that is known.
    """
    found = one.aligned
    if one.state in ("accepted", "rejected") or found is None or one.lapsed:
        return "gone" if one.lapsed else "accepted" if one.state == "accepted" else reason_of(one)
    if found.status == "failed":
        near = max((miss.similarity for miss in found.near_misses), default=None)
        if near is None:
            return _BRIEF.get(found.failure or "", "not found")
        changes = _near_changes(one.quote, words) if words else ()
        return "".join(changes[:1]) if len(changes) <= _FEW and changes else f"{near:.0%} similar"
    if found.status == "ambiguous":
        return f"{len(found.spans)} locations"
    if found.status == "flagged":
        return changes_of(found.concerns, found.diff)[0]
    return "" if found.relocated_from is None else f"message {found.spans[0].message_index}"


def _next(store: Store, states: Iterable[State], after: int, filters: QuoteFilters) -> int | None:
    for start in (after, 0):
        found = next(_ids(store.con, states, filters, start, 1), None)
        if found is not None:
            return found
    return None


def _states(filters: QuoteFilters) -> tuple[State, ...]:
    states = [
        state for status in filters.statuses for state in (("near", "failed") if status == "failed" else (status,))
    ]
    return cast("tuple[State, ...]", tuple(dict.fromkeys(states))) or STATES


def _where(filters: QuoteFilters) -> tuple[str, tuple[str, ...]]:
    tests = [
        (f"{name} = ?", value)
        for name, value in (("session_id", filters.session), ("type", filters.type))
        if value is not None
    ]
    return (f" WHERE {' AND '.join(test for test, _ in tests)}" if tests else ""), tuple(value for _, value in tests)


def _ids(con: apsw.Connection, states: Iterable[State], filters: QuoteFilters, after: int, limit: int) -> Iterator[int]:
    """The first quotes after a key: each state has an index in that order, and they are merged."""
    where, values = _where(filters)
    where = f"{where}{' AND' if where else ' WHERE'} state = ? AND evidence_id > ?{_READY if filters.ready else ''}"
    sql = f"SELECT evidence_id FROM review{where} ORDER BY evidence_id LIMIT ?"
    found = [
        [cast("int", row[0]) for row in con.execute(sql, (*values, state, after, limit)).fetchall()] for state in states
    ]
    return iter(list(heapq.merge(*found))[: limit if limit >= 0 else None])


def _having(con: apsw.Connection, ids: Iterator[int], words: str) -> Iterator[int]:
    """Those quotes that have every word, or half a word, in themselves or in what their entry is called."""
    terms = _folded(words).split()
    while terms and (some := list(islice(ids, _AT_ONCE))):
        rows = con.execute(
            "SELECT evidence.id, quote || char(10) || title || char(10) || type || char(10) || entry.id FROM evidence"
            " JOIN entry ON entry.id = entry_id WHERE evidence.id IN (SELECT value FROM json_each(?))",
            (json.dumps(some),),
        ).fetchall()
        texts = {cast("int", one): _folded(str(text)) for one, text in rows}
        yield from (one for one in some if all(word in texts.get(one, "") for word in terms))
    yield from ids


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()
