"""What a person decides about a quote: each act one change in the history that can be undone, and one event.

Widening and narrowing a span by words, and what a quote says otherwise than the words at a place.

Whether a place may be taken for a quote by a word of consent, must be asked about, or is none: a pure decision.

One act on several quotes: one change in the history, so that one undo takes all of it back.

After an undo: what was decided about quotes is brought up to date, and told as an event.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Literal

import apsw
from rapidfuzz.distance import Levenshtein

from core.align import Concern, Difference, Session, Span
from core.align.diff import reasons_of, verbatim
from core.align.fuzzy import CERTAIN
from core.align.guard import compare
from core.align.normalized_view import View
from core.align.result import JOIN, hash_of
from core.base.fault import Fault
from core.base.trace import Step, facts
from core.base.wire import dumps
from core.evidence.events import EventType, append, entry_images, evidence_images, ingested
from core.evidence.promotion import Promotion, demote_unfounded, promotion_of
from core.evidence.rows import (
    Act,
    Decision,
    State,
    StoredMessages,
    StoredQuote,
    Verdict,
    anchored,
    read_quote,
    read_quotes,
    spans_of,
    words_at,
)
from core.store import Store, change, now
from core.store.journal import Touched, title_text
from core.store.sql import storable
from core.text import redact

Edge = Literal["start", "end"]
_WORD = re.compile(r"\S+")
_REACH = 4_000
"""Code points looked through on each side of an edge."""
COMPARED = 20_000
"""Code points of each side that are compared."""


def adjusted(text: str, span: Span, edge: Edge, words: int) -> Span:
    """`span` of the message `text` with one edge moved by so many words: positive widens it, negative narrows it.

    An edge inside a word first moves to that word's end (or start). At least a word stays; the message's ends hold.
    """
    for _ in range(min(abs(words), 1_000)):
        moved = _step(text, span, edge, widen=words > 0)
        if moved == span:
            break
        span = moved
    return span


def _step(text: str, span: Span, edge: Edge, *, widen: bool) -> Span:
    if edge == "end":
        found = _forward(text, span.end, min(len(text), span.end + _REACH)) if widen else _last(text, span)
        return span if found is None else replace(span, end=found)
    found = _backward(text, span.start) if widen else _first(text, span)
    return span if found is None else replace(span, start=found)


def _forward(text: str, at: int, limit: int) -> int | None:
    """Return the end of the word at `at`, or of the next one."""
    match = _WORD.search(text, at, limit)
    return None if match is None else match.end()


def _backward(text: str, at: int) -> int | None:
    low = max(0, at - _REACH)
    last = None
    for match in _WORD.finditer(text, low, at):
        last = match
    return None if last is None else last.start()


def _last(text: str, span: Span) -> int | None:
    """Where the span ends without its last word."""
    low = max(span.start, span.end - _REACH)
    ends = [match.end() for match in _WORD.finditer(text, low, span.end)]
    ends = [end for end in ends if end < span.end] if ends and ends[-1] < span.end else ends[:-1]
    return ends[-1] if ends else None


def _first(text: str, span: Span) -> int | None:
    starts = [match.start() for match in _WORD.finditer(text, span.start, min(span.end, span.start + _REACH))]
    starts = [start for start in starts if start > span.start]
    return starts[0] if starts else None


def differences(quote: str, source: str) -> tuple[tuple[Concern, ...], tuple[Difference, ...]]:
    """What the guard finds between a quote and the words at a place, and the verbatim diff of the two."""
    mine, yours = quote[:COMPARED], source[:COMPARED]
    return compare(mine, yours, lambda word: False).concerns, verbatim(mine, yours)


FitVerdict = Literal["fits", "asks", "too_little"]
HALF = 0.5
"""A place with less of the quote's length than this is asked about."""
LONG = 30
"""From so many characters on, a word or two are no place for a quote."""
_WORDS, _QUARTER = 2, 0.25
TOO_LITTLE = "the selection is too short for this quote. Extend it, or choose another location."


@dataclass(frozen=True, slots=True)
class Fit:
    """How words fit a quote. `reasons`: what to ask about, in plain words; `too_little` cannot be said yes to.

    `similarity` (0 to 1): in folded form; `covers`: its length against the quote's, 1 at most.
    """

    verdict: FitVerdict
    similarity: float
    covers: float
    reasons: tuple[str, ...]
    trace: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a quote as it is judged: the words there, what the quote says otherwise, how they fit."""

    spans: tuple[Span, ...]
    words: str
    concerns: tuple[Concern, ...]
    diff: tuple[Difference, ...]
    fit: Fit


def fit_of(
    quote: str,
    words: str,
    concerns: Sequence[Concern] = (),
    similarity: float | None = None,
    diff: Sequence[Difference] = (),
) -> Fit:
    """How `words` fit `quote`, of which the guard says `concerns`; `similarity` where the aligner knows it."""
    quoted, there = (View(text[:COMPARED]).folded.strip() for text in (quote, words))
    like = Levenshtein.normalized_similarity(quoted, there) if similarity is None else similarity
    covers = min(1.0, len(there) / len(quoted)) if quoted else 1.0
    count = len(there.split())
    reasons: list[str] = []
    if like < CERTAIN:
        reasons.append(f"only {like:.0%} similar: below the threshold")
    if covers < HALF:
        reasons.append(f"the selection covers {covers:.0%} of the quote")
    reasons += reasons_of(concerns, diff)
    little = len(quoted) >= LONG and count <= _WORDS and covers < _QUARTER
    verdict: FitVerdict = "too_little" if little else "asks" if reasons else "fits"
    question = "1 reason to ask" if len(reasons) == 1 else f"{len(reasons)} reasons to ask"
    reason = TOO_LITTLE if little else question if reasons else "same meaning"
    step = Step(
        "place",
        "hit" if verdict == "fits" else "rejected",
        reason,
        facts(similarity=round(like, 4), covers=round(covers, 4), words=count),
        tuple(Step("reason", "rejected", one) for one in reasons),
    )
    return Fit(verdict, like, covers, tuple(reasons), (step,))


def place_at(one: StoredQuote, messages: StoredMessages, spans: tuple[Span, ...]) -> Place:
    """A place of a quote, judged: where the machine looked, by what it found; elsewhere by the words there."""
    found, words = one.aligned, JOIN.join(words_at(messages, spans) or ())
    known: float | None = None
    concerns, diff = differences(one.quote, words)
    if found is not None and one.original is None:
        looked = {(miss.span,): miss.similarity for miss in found.near_misses}
        ways = [(span,) for span in found.spans] if found.status == "ambiguous" else [found.spans]
        known = {**looked, **dict.fromkeys(ways, found.similarity)}.get(spans)
        if found.status in ("aligned", "flagged") and spans == found.spans:
            concerns = found.concerns
    return Place(spans, words, concerns, diff, fit_of(one.quote, words, concerns, known, diff))


Refusal = Literal[
    "needs_confirmation", "too_little", "choose_a_place", "no_place", "not_aligned", "changed_meanwhile", "as_it_was"
]
REASON_KEPT = 2_000
"""Code points of the reason for a rejection."""
WORDS_KEPT = 20_000
"""Code points that a person may take for a quote."""
_REFUSAL_MESSAGES: dict[Refusal, str] = {
    "needs_confirmation": "the meaning may differ, so you must confirm",
    "too_little": TOO_LITTLE,
    "choose_a_place": "it was found at several locations: choose one",
    "no_place": "no location was found: search the session for the quote",
    "not_aligned": "it is not aligned yet: align its session first",
    "changed_meanwhile": "it changed in the meantime: review it again",
    "as_it_was": "you already decided on it",
}
_EVENT: dict[Act, EventType] = {"words": "quote_replaced", "reject": "evidence_rejected"}


@dataclass(frozen=True, slots=True)
class Decided:
    """What an act came to. `change` None: nothing was changed, `refused` says why and `message` in plain words.

    `spans` and `words`: the place taken (or, where a confirmation is needed, asked about), `concerns` and `diff` what
    the quote says otherwise, `trace` how the place was judged. `promotion`: what blocks the entry now; `demoted`: it
    was verified, and fell back.
    """

    SCHEMA: ClassVar[str] = "evidence_decision.v1"

    act: Act
    evidence_id: int
    entry_id: str
    change: int | None
    refused: Refusal | None
    message: str
    state: State
    spans: tuple[Span, ...]
    words: tuple[str, ...]
    concerns: tuple[Concern, ...]
    diff: tuple[Difference, ...]
    promotion: Promotion
    demoted: bool = False
    trace: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be stored: the decision, and the quote where it changes."""

    decision: Decision
    verdict: Verdict = "accepted"
    quote: str | None = None
    refused: Refusal | None = None
    place: Place | None = None


_Planning = Callable[[StoredQuote, StoredMessages], Plan]


def accept(
    store: Store,
    actor: str,
    evidence_id: int,
    spans: Sequence[Span] | None = None,
    *,
    confirmed: bool = False,
    expect: str | None = None,
    act: Act | None = None,
) -> Decided:
    """Accept a quote at `spans`; by default where it was found, or at its best near miss.

    A place that may not say the same (`fit_of`) needs `confirmed`; an ambiguous quote needs `spans`. `expect`: the
    `mark` the quote had when the person looked at it. Raises Fault not_indexed (no such quote), invalid_input (spans
    out of the session), and what `Store.transaction` raises.
    """
    chosen: Act = act or ("accept" if spans is None else "look")
    return _decide(
        store, actor, chosen, evidence_id, expect, lambda one, messages: _place(one, messages, chosen, spans, confirmed)
    )


def choose(
    store: Store, actor: str, evidence_id: int, number: int, *, confirmed: bool = False, expect: str | None = None
) -> Decided:
    """Accept a quote at its place with that number, as `choices` counts them from 1. Raises as `accept`."""

    def plan(one: StoredQuote, messages: StoredMessages) -> Plan:
        places = choices(one)
        if not 1 <= number <= len(places):
            raise Fault(
                "invalid_input",
                f"quote {one.id} has no location {number}",
                f"pass a number from 1 to {len(places)}" if places else "search the session for the quote",
            )
        return _place(one, messages, "choose", places[number - 1], confirmed)

    return _decide(store, actor, "choose", evidence_id, expect, plan)


def adjust(
    store: Store,
    actor: str,
    evidence_id: int,
    edge: Edge,
    words: int,
    *,
    confirmed: bool = False,
    expect: str | None = None,
) -> Decided:
    """Accept a quote at its place with one edge moved by so many words (negative narrows). Raises as `accept`."""

    def plan(one: StoredQuote, messages: StoredMessages) -> Plan:
        spans = list(current(one) or ())
        if not spans or words_at(messages, spans) is None:
            return _place(one, messages, "adjust", None, confirmed)
        at = 0 if edge == "start" else -1
        spans[at] = adjusted(messages[spans[at].message_index], spans[at], edge, words)
        return _place(one, messages, "adjust", spans, confirmed)

    return _decide(store, actor, "adjust", evidence_id, expect, plan)


def take_words(
    store: Store, actor: str, evidence_id: int, spans: Sequence[Span] | None = None, *, expect: str | None = None
) -> Decided:
    """Replace the quote by the original's words at `spans` (default: its place or near miss). Raises as `accept`."""

    def plan(one: StoredQuote, messages: StoredMessages) -> Plan:
        found = _place(one, messages, "words", spans, confirmed=True)
        if found.refused not in (None, "as_it_was"):
            return found
        quote = JOIN.join(found.decision.words)
        same = "as_it_was" if quote == one.quote and found.refused else None
        return Plan(found.decision, quote=quote, refused=same, place=found.place)

    return _decide(store, actor, "words", evidence_id, expect, plan)


def reject(store: Store, actor: str, evidence_id: int, reason: str, *, expect: str | None = None) -> Decided:
    """Say that a quote is no evidence, and why. An entry that was verified on it falls back. Raises as `accept`."""
    why = storable(redact(reason)).strip()[:REASON_KEPT]

    def plan(one: StoredQuote, messages: StoredMessages) -> Plan:
        decision = Decision("reject", reason=why)
        same = one.verdict == "rejected" and one.decision == decision
        return Plan(decision, "rejected", refused="as_it_was" if same else None)

    return _decide(store, actor, "reject", evidence_id, expect, plan)


def choices(one: StoredQuote) -> tuple[tuple[Span, ...], ...]:
    """The places that can be chosen, each by its spans: where it was found, else near misses, the best first."""
    if one.aligned is None:
        return ()
    if one.aligned.status == "failed":
        return tuple((miss.span,) for miss in one.aligned.near_misses)
    if one.aligned.status == "ambiguous":
        return tuple((span,) for span in one.aligned.spans)
    return (one.aligned.spans,)


def current(one: StoredQuote) -> tuple[Span, ...] | None:
    """The one place that an act without a place means; None where there is none, or more than one."""
    if one.spans:
        return one.spans
    places = choices(one)
    if not places or (one.aligned is not None and one.aligned.status == "ambiguous"):
        return None
    return places[0]


def _place(one: StoredQuote, messages: StoredMessages, act: Act, spans: Sequence[Span] | None, confirmed: bool) -> Plan:
    taken = current(one) if spans is None else tuple(spans)
    if not taken:
        ambiguous = one.aligned is not None and one.aligned.status == "ambiguous"
        return Plan(Decision(act), refused="choose_a_place" if ambiguous else "no_place")
    decision = Decision(act, taken, _words(messages, taken))
    place = place_at(one, messages, taken)
    refused: Refusal | None = None
    if one.state == "accepted" and one.decision is not None and one.spans == taken:
        refused = "as_it_was"
    elif place.fit.verdict == "too_little":
        refused = "too_little"
    elif place.fit.verdict == "asks" and not confirmed:
        refused = "needs_confirmation"
    return Plan(decision, refused=refused, place=place)


def _words(messages: StoredMessages, spans: tuple[Span, ...]) -> tuple[str, ...]:
    """Return the text at the spans. Raises Fault invalid_input for an invalid place."""
    words = words_at(messages, spans)
    in_order = all(before.end <= after.start for before, after in pairwise(spans))
    if words is None or not in_order or len({span.message_index for span in spans}) != 1:
        raise Fault("invalid_input", "invalid location", "pass a message and a range of its code points")
    if sum(map(len, words)) > WORDS_KEPT or not "".join(words).strip():
        raise Fault(
            "invalid_input",
            "the text at this location is blank or too long for a quote",
            f"select at most {WORDS_KEPT:,} characters",
        )
    return words


def _decide(store: Store, actor: str, act: Act, evidence_id: int, expect: str | None, plan: _Planning) -> Decided:
    doing = "reject" if act == "reject" else "replace with the source text" if act == "words" else "accept"
    with change(store, actor, f"{doing} the quote: {_about(_there(store.con, evidence_id))}") as made:
        con = store.con
        one = _there(con, evidence_id)
        planned = plan(one, StoredMessages(con, one.session_id))
        refused = planned.refused if expect in (None, one.mark) else "changed_meanwhile"
        if one.aligned is None:
            refused = "not_aligned"
        demoted = False
        if refused is None:
            store_plan(con, actor, one, planned)
            made.subjects.add(("entry", one.entry_id))
            demoted = bool(demote_unfounded(con, [one.entry_id], actor))
        now_ = _there(con, evidence_id)
        done, place = planned.decision, planned.place
        promotion = promotion_of(con, one.entry_id)
    message = "" if refused is None else _REFUSAL_MESSAGES[refused]
    return Decided(
        act, evidence_id, one.entry_id, made.id, refused, message, now_.state, done.spans, done.words,
        *(((), ()) if place is None else (place.concerns, place.diff)), promotion, demoted,
        () if place is None else place.fit.trace,
    )  # fmt: skip


def _there(con: apsw.Connection, evidence_id: int) -> StoredQuote:
    found = read_quote(con, evidence_id) if 0 < evidence_id < 1 << 63 else None
    if found is None:
        raise Fault("not_indexed", f"quote {evidence_id} not found", "run: casebook evidence list")
    return found


def _about(one: StoredQuote) -> str:
    return title_text(one.quote)


def accept_plan(one: StoredQuote, messages: StoredMessages) -> Plan:
    """What accepting a quote where it was found would store, or why it is refused."""
    try:
        return _place(one, messages, "accept", None, confirmed=False)
    except Fault:  # its place is gone from the session, or too long: the others are decided all the same
        return Plan(Decision("accept"), refused="no_place")


def store_plan(con: apsw.Connection, actor: str, one: StoredQuote, planned: Plan) -> None:
    """Store what was decided, with its event, inside the caller's change."""
    if planned.quote is not None and planned.quote != one.quote:
        con.execute(
            "UPDATE evidence SET original = coalesce(original, quote), quote = ?, quote_hash = ? WHERE id = ?",
            (planned.quote, hash_of(planned.quote), one.id),
        )
    con.execute(
        "UPDATE alignment SET verdict = ?, decision = ?, anchor = NULL, decided_by = ?, decided_at = ?"
        " WHERE evidence_id = ?",
        (planned.verdict, dumps(planned.decision), storable(actor), now(), one.id),
    )
    body = {"actor": actor, "act": planned.decision.act, "evidence": evidence_images(con, [one.id])}
    kind = _EVENT.get(planned.decision.act, "evidence_accepted")
    append(con, kind, one.session_id, body, ingested(con, one.session_id))


@dataclass(frozen=True, slots=True)
class DecidedMany:
    """What was done about several quotes; `left` were not decided, each with why. `change` None: none was."""

    change: int | None
    done: tuple[int, ...]
    left: tuple[tuple[int, Refusal], ...]


def reject_all(store: Store, actor: str, seen: Sequence[tuple[int, State]], reason: str) -> DecidedMany:
    """Reject these quotes, each with the state it was seen in, for one reason; one decided otherwise meanwhile is left.

    Raises what `Store.transaction` raises.
    """
    why = storable(redact(reason)).strip()[:REASON_KEPT]
    return _all(store, actor, seen, Plan(Decision("reject", reason=why), "rejected"))


def accept_all(store: Store, actor: str, seen: Sequence[tuple[int, State]]) -> DecidedMany:
    """Accept those of these quotes that need no question where they were found; the others are left."""
    return _all(store, actor, seen, None)


def _all(store: Store, actor: str, seen: Sequence[tuple[int, State]], plan: Plan | None) -> DecidedMany:
    done: list[int] = []
    left: list[tuple[int, Refusal]] = []
    with change(store, actor, f"{'accept' if plan is None else 'reject'} {len(seen):,} quotes") as made:
        entries: set[str] = set()
        for evidence_id, state in seen:
            one = read_quote(store.con, evidence_id)
            if one is None or one.state != state:
                left.append((evidence_id, "changed_meanwhile"))
                continue
            planned = plan or accept_plan(one, StoredMessages(store.con, one.session_id))
            refused = _refused(one, planned)
            if refused is not None:
                left.append((evidence_id, refused))
                continue
            store_plan(store.con, actor, one, planned)
            entries.add(one.entry_id)
            done.append(evidence_id)
        made.subjects |= {("entry", entry_id) for entry_id in entries}
        demote_unfounded(store.con, sorted(entries), actor)
    return DecidedMany(made.id, tuple(done), tuple(left))


def _refused(one: StoredQuote, planned: Plan) -> Refusal | None:
    if one.aligned is None:
        return "not_aligned"
    return "as_it_was" if one.verdict == planned.verdict else planned.refused


def refresh_touched(con: apsw.Connection, touched: Touched, actor: str) -> None:
    """Bring the touched quotes and entries up to date inside the undo's transaction, and append `change_undone`."""
    ids = sorted({key for table, key in touched if table in ("evidence", "alignment") and isinstance(key, int)})
    con.execute(  # a quote that the undo removed leaves no alignment behind
        "DELETE FROM alignment WHERE verdict IS NULL AND evidence_id IN (SELECT value FROM json_each(?))"
        " AND evidence_id NOT IN (SELECT id FROM evidence WHERE id IN (SELECT value FROM json_each(?)))",
        (json.dumps(ids), json.dumps(ids)),
    )
    quotes = read_quotes(con, ids)
    names = {key for table, key in touched if table == "entry" and isinstance(key, str)}
    names |= {one.entry_id for one in quotes}
    if not names:
        return
    sessions = {one.session_id for one in quotes}
    for one in quotes:
        if one.verdict != "accepted" or one.decision is None:
            continue
        place = anchored(Session(StoredMessages(con, one.session_id)), one.decision.spans, one.decision.words)
        anchor = None if place == one.decision.spans else spans_of(place)
        con.execute(
            "UPDATE alignment SET anchor = ? WHERE evidence_id = ? AND anchor IS NOT ?", (anchor, one.id, anchor)
        )
    # What the machine found meanwhile beneath a decision may be old: the next alignment looks again.
    con.execute(
        "DELETE FROM evidence_session WHERE session_id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(sessions)),),
    )
    entries = entry_images(con, sorted(names))
    for session in dict.fromkeys(entry["session_id"] for entry in entries):
        mine = [entry for entry in entries if entry["session_id"] == session]
        here = [one.id for one in quotes if one.session_id == (session or "")]
        body = {"actor": actor, "entries": mine, "evidence": evidence_images(con, here)}
        append(con, "change_undone", session, body)
    demote_unfounded(con, sorted(names), actor)
