"""Alignments as rows, the decisions of a person about them, and the messages of a session for the aligner.

Messages are read when they are needed, a bounded part at a time. Words that moved are found at their new place.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast, overload

import apsw

from core.align.result import Aligned, Concern, Difference, NearMiss, Span, hash_of
from core.base.fault import Fault
from core.base.trace import Outcome, Step
from core.base.wire import dumps, to_wire
from core.evidence.events import count_messages
from core.store.journal import Mirrored
from core.store.sql import storable

if TYPE_CHECKING:
    from core.align import Session  # with the aligner, which an import does not load

State = Literal["aligned", "flagged", "ambiguous", "near", "failed", "waiting", "accepted", "rejected"]
"""State of a quote in the review; `near` failed with a near miss to offer, `waiting` was not aligned yet."""
STATES: tuple[State, ...] = ("aligned", "flagged", "ambiguous", "near", "failed", "waiting", "accepted", "rejected")
GOOD: frozenset[State] = frozenset({"aligned", "accepted"})
"""The states that a promotion rests on."""
Verdict = Literal["accepted", "rejected"]
Act = Literal["accept", "choose", "adjust", "look", "words", "reject"]
MIRRORED: Mirrored = frozenset({("entry", "stage"), ("entry", "updated"), ("alignment", "anchor")})
"""Columns that follow from others: an entry falls back, and words move, without a person."""

_COLUMNS = (
    "v.id, v.entry_id, v.position, v.message_index, v.quote, v.quote_hash, v.original, e.session_id, e.type, e.title,"
    " e.stage, a.status, a.method, a.confidence, a.body, a.verdict, a.decision, a.anchor, a.decided_by, a.decided_at"
)
_FROM = " FROM evidence v JOIN entry e ON e.id = v.entry_id LEFT JOIN alignment a ON a.evidence_id = v.id"


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's decision: the accepted `spans` and their `words`, or the reason for a rejection."""

    act: Act
    spans: tuple[Span, ...] = ()
    words: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StoredQuote:
    """A quote as it is stored. `aligned` is what the machine found (None: not aligned yet), `decision` a person's.

    `anchor`: where accepted words stand now, if they moved; empty: nowhere any more.
    """

    id: int
    entry_id: str
    position: int
    message_index: int
    quote: str
    quote_hash: str
    original: str | None
    session_id: str
    type: str
    title: str
    stage: str
    aligned: Aligned | None
    verdict: Verdict | None
    decision: Decision | None
    anchor: tuple[Span, ...] | None
    decided_by: str | None
    decided_at: str | None
    mark: str

    @property
    def lapsed(self) -> bool:
        """Whether the words a person accepted are nowhere any more."""
        return self.verdict == "accepted" and self.anchor == ()

    @property
    def state(self) -> State:
        """State in the review; the same as in the derived table `review`."""
        if self.verdict is not None and not self.lapsed:
            return self.verdict
        if self.aligned is None:
            return "waiting"
        return "near" if self.aligned.near_misses and self.aligned.status == "failed" else self.aligned.status

    @property
    def spans(self) -> tuple[Span, ...]:
        """Current place: as decided, else as found; empty if open (ambiguous, failed, rejected)."""
        if self.state == "accepted" and self.decision is not None:
            return self.decision.spans if self.anchor is None else self.anchor
        if self.state in ("aligned", "flagged") and self.aligned is not None:
            return self.aligned.spans
        return ()


class _QuoteColumns(NamedTuple):
    """The columns of `_COLUMNS`."""

    id: int
    entry_id: str
    position: int
    message_index: int
    quote: str
    quote_hash: str
    original: str | None
    session_id: str | None
    type: str
    title: str
    stage: str
    status: Any
    method: Any
    confidence: Any
    body: str
    verdict: Any
    decision: str | None
    anchor: str | None
    decided_by: str | None
    decided_at: str | None


def read_quote(con: apsw.Connection, evidence_id: int) -> StoredQuote | None:
    """One quote, or None where there is none of that id."""
    row = con.execute(f"SELECT {_COLUMNS}{_FROM} WHERE v.id = ?", (evidence_id,)).fetchone()
    return None if row is None else _to_quote(row)


def read_quotes(con: apsw.Connection, ids: list[int]) -> list[StoredQuote]:
    """These quotes, in the order asked for; what is gone is left out."""
    rows = con.execute(f"SELECT {_COLUMNS}{_FROM} WHERE v.id IN (SELECT value FROM json_each(?))", (json.dumps(ids),))
    found = {one.id: one for one in map(_to_quote, rows.fetchall())}
    return [found[at] for at in ids if at in found]


def quotes_of(con: apsw.Connection, entry_id: str) -> list[StoredQuote]:
    """The quotes of an entry, in its order."""
    rows = con.execute(f"SELECT {_COLUMNS}{_FROM} WHERE v.entry_id = ? ORDER BY v.position", (entry_id,))
    return [_to_quote(row) for row in rows.fetchall()]


def _to_quote(row: tuple[Any, ...]) -> StoredQuote:
    quote = _QuoteColumns._make(row)
    text = json.dumps([quote.quote_hash, quote.status, quote.body, quote.verdict, quote.decision, quote.anchor])
    own = quote._asdict()
    status, *found = (own.pop(name) for name in ("status", "method", "confidence", "body"))
    own["session_id"] = quote.session_id or ""
    own["decision"] = None if quote.decision is None else decision_from(quote.decision)
    own["anchor"] = None if quote.anchor is None else spans_from(quote.anchor)
    aligned = None if status is None else aligned_from(status, *found)
    mark = blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return StoredQuote(**own, aligned=aligned, mark=mark)


def body_of(aligned: Aligned) -> str:
    """What the column `body` keeps of an alignment: all but what has a column of its own."""
    found = cast("dict[str, Any]", to_wire(aligned))
    return dumps({name: item for name, item in found.items() if name not in ("status", "method", "confidence")})


def as_stored(aligned: Aligned) -> Aligned:
    """An alignment as it comes back from the store: its numbers rounded."""
    near = tuple(replace(miss, similarity=round(miss.similarity, 6)) for miss in aligned.near_misses)
    sizes = {"similarity": round(aligned.similarity, 6), "confidence": round(aligned.confidence, 6)}
    return replace(aligned, near_misses=near, **sizes)


def aligned_from(status: str, method: str, confidence: float, body: str) -> Aligned:
    """An alignment as stored. Raises Fault db_damaged for a row that contradicts itself."""
    try:
        found = cast("Mapping[str, Any]", json.loads(body))
        return Aligned(
            cast("Any", status),
            cast("Any", method),
            confidence,
            spans=tuple(map(_span, found["spans"])),
            similarity=float(found["similarity"] or 0.0),
            failure=found["failure"],
            concerns=tuple(Concern(one["kind"], one["quote"], one["source"]) for one in found["concerns"]),
            diff=tuple(Difference(one["same"], one["quote"], one["source"]) for one in found["diff"]),
            near_misses=tuple(NearMiss(_span(one["span"]), one["similarity"]) for one in found["near_misses"]),
            relocated_from=found["relocated_from"],
            matched_hash=found["matched_hash"],
            trace=tuple(map(_step, found.get("trace", ()))),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Fault(
            "db_damaged", f"an alignment cannot be read: {error}", "run: casebook evidence align --session ID --again"
        ) from error


def decision_from(text: str) -> Decision:
    """A decision as stored. Raises Fault db_damaged."""
    try:
        found = cast("Mapping[str, Any]", json.loads(text))
        return Decision(found["act"], tuple(map(_span, found["spans"])), tuple(found["words"]), found["reason"])
    except (ValueError, KeyError, TypeError) as error:
        raise Fault("db_damaged", f"a decision cannot be read: {error}", "run: casebook db salvage") from error


def spans_of(spans: tuple[Span, ...]) -> str:
    """What the column `anchor` keeps; nothing for nowhere."""
    return dumps(spans) if spans else ""


def spans_from(text: str) -> tuple[Span, ...]:
    """The spans of an `anchor` column. Raises Fault db_damaged."""
    try:
        return tuple(map(_span, json.loads(text))) if text else ()
    except (ValueError, KeyError, TypeError) as error:
        raise Fault(
            "db_damaged", f"a location cannot be read: {error}", "run: casebook evidence align --session ID --again"
        ) from error


def _span(found: Mapping[str, int]) -> Span:
    return Span(found["message_index"], found["start"], found["end"])


def _step(found: Mapping[str, Any]) -> Step:
    return Step(
        found["stage"],
        cast("Outcome", found["outcome"]),
        found["reason"],
        tuple(found["facts"].items()),
        tuple(map(_step, found["steps"])),
        found["elapsed_ms"],
    )


HELD = 4 << 20
"""Code points of messages held in memory."""


class StoredMessages(Sequence[str]):
    """The texts of a session by message index; a missing index reads as the empty text. For one thread."""

    def __init__(self, con: apsw.Connection, session_id: str, held: int = HELD) -> None:
        self._con, self._session, self._most = con, session_id, held
        self._size = count_messages(con, session_id)
        self._texts: OrderedDict[int, str] = OrderedDict()
        self._held = 0

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(self._size))]
        if not 0 <= at < self._size:
            raise IndexError(at)
        if (known := self._texts.get(at)) is not None:
            self._texts.move_to_end(at)
            return known
        text = message_text(self._con, self._session, at)
        self._texts[at] = text
        self._held += len(text)
        while self._held > self._most and len(self._texts) > 1:
            self._held -= len(self._texts.popitem(last=False)[1])
        return text


def message_text(con: apsw.Connection, session_id: str, index: int) -> str:
    """The whole text of one message; empty where there is none."""
    row = con.execute("SELECT text FROM message WHERE session_id = ? AND idx = ?", (session_id, index)).fetchone()
    return "" if row is None else str(row[0])


def session_named(con: apsw.Connection, name: str) -> str:
    """The id of the session that `name` is, or is the beginning of. Raises Fault invalid_input."""
    name = storable(name)
    if con.execute("SELECT 1 FROM session WHERE id = ?", (name,)).fetchone():
        return name
    found = con.execute(
        "SELECT id FROM session WHERE id >= ? AND substr(id, 1, ?) = ? ORDER BY id LIMIT 2", (name, len(name), name)
    ).fetchall()
    if len(found) == 1 and name:
        return str(found[0][0])
    if found and name:
        raise Fault("invalid_input", f"several sessions start with {name[:80]!r}", "pass more characters of the id")
    raise Fault(
        "invalid_input", f"session {name[:80]!r} not found", "to import its transcript, run: casebook import auto"
    )


def words_at(messages: Sequence[str], spans: Sequence[Span]) -> tuple[str, ...] | None:
    """Return the text at the spans; None if one exceeds its message."""
    found: list[str] = []
    for span in spans:
        text = messages[span.message_index] if span.message_index < len(messages) else ""
        if span.end > len(text):
            return None
        found.append(text[span.start : span.end])
    return tuple(found)


def still_right(messages: Sequence[str], aligned: Aligned) -> bool:
    """Return whether the matched text of an alignment is still in its place."""
    spans = aligned.spans[:1] if aligned.status == "ambiguous" else aligned.spans
    words = words_at(messages, spans) if spans else None
    return words is not None and hash_of("".join(words)) == aligned.matched_hash


def anchored(session: Session, spans: Sequence[Span], words: Sequence[str]) -> tuple[Span, ...]:
    """Return the current place of the accepted words: the old one, else the only one of the nearest message with them.

    Nothing where they are nowhere, or where it cannot be told which of several places is theirs.
    """
    if words_at(session.messages, spans) == tuple(words):
        return tuple(spans)
    at = spans[0].message_index
    for index in (at, *session.others(at)) if at < len(session.messages) else range(len(session.messages))[::-1]:
        text = session.messages[index]
        starts: list[int] = []
        reached = 0
        for word in words:
            start = text.find(word, reached)
            if start < 0:
                break
            starts.append(start)
            reached = start + len(word)
        if len(starts) == len(words):
            if text.find(words[0], starts[0] + 1) >= 0:
                return ()
            return tuple(Span(index, start, start + len(word)) for start, word in zip(starts, words, strict=True))
    return ()
