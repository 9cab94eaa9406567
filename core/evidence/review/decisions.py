"""What a person decides about a quote: each act one change in the history that can be undone, and one event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import apsw

from core.align import Concern, Difference, Span
from core.align.result import hash_of
from core.align.spans import JOIN
from core.base.fault import Fault
from core.base.trace import Step
from core.evidence.events import EventType, append, evidence_images, ingested
from core.evidence.messages import StoredMessages
from core.evidence.promotion import Promotion, demote_unfounded, promotion_of
from core.evidence.review.acceptance_rules import TOO_LITTLE, Place, place_at
from core.evidence.review.span_edit import Edge, adjusted
from core.evidence.rows import Act, Decision, Kept, State, Verdict, decision_of, kept
from core.evidence.span_check import words_at
from core.store import Store, change, now
from core.store.sql import storable
from core.text import redact

Refusal = Literal[
    "needs_confirmation", "too_little", "choose_a_place", "no_place", "not_aligned", "changed_meanwhile", "as_it_was"
]
REASON_KEPT = 2_000
"""Code points of the reason for a rejection."""
WORDS_KEPT = 20_000
"""Code points that a person may take for a quote."""
_SAID: dict[Refusal, str] = {
    "needs_confirmation": "the place may not say the same; say that you accept it",
    "too_little": TOO_LITTLE,
    "choose_a_place": "it stands in several places; choose one",
    "no_place": "no place is known; look for one in the session",
    "not_aligned": "it was not looked for yet; align its session first",
    "changed_meanwhile": "somebody decided about it meanwhile; look at it again",
    "as_it_was": "that is decided already",
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


_Planning = Callable[[Kept, StoredMessages], Plan]


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
    """Say that a quote stands at `spans`; by default where it was found, or at its best near miss.

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
    """Say that a quote stands at its place of that number, as `choices` counts them from 1. Raises as `accept`."""

    def plan(one: Kept, messages: StoredMessages) -> Plan:
        places = choices(one)
        if not 1 <= number <= len(places):
            raise Fault("invalid_input", f"quote {one.id} has no place {number}", f"it has {len(places)}")
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

    def plan(one: Kept, messages: StoredMessages) -> Plan:
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
    """Make the original's words at `spans` (by default where it stands, or nearly) the quote. Raises as `accept`."""

    def plan(one: Kept, messages: StoredMessages) -> Plan:
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

    def plan(one: Kept, messages: StoredMessages) -> Plan:
        decision = Decision("reject", reason=why)
        same = one.verdict == "rejected" and one.decision == decision
        return Plan(decision, "rejected", refused="as_it_was" if same else None)

    return _decide(store, actor, "reject", evidence_id, expect, plan)


def choices(one: Kept) -> tuple[tuple[Span, ...], ...]:
    """The places that can be chosen, each by its spans: where it was found, else near misses, the best first."""
    if one.aligned is None:
        return ()
    if one.aligned.status == "failed":
        return tuple((miss.span,) for miss in one.aligned.near_misses)
    if one.aligned.status == "ambiguous":
        return tuple((span,) for span in one.aligned.spans)
    return (one.aligned.spans,)


def current(one: Kept) -> tuple[Span, ...] | None:
    """The one place that an act without a place means; None where there is none, or more than one."""
    if one.spans:
        return one.spans
    places = choices(one)
    if not places or (one.aligned is not None and one.aligned.status == "ambiguous"):
        return None
    return places[0]


def _place(one: Kept, messages: StoredMessages, act: Act, spans: Sequence[Span] | None, confirmed: bool) -> Plan:
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
    """What stands at the spans. Raises Fault invalid_input for what is no place of this session."""
    words = words_at(messages, spans)
    in_order = all(before.end <= after.start for before, after in pairwise(spans))
    if words is None or not in_order or len({span.message_index for span in spans}) != 1:
        raise Fault("invalid_input", "that is no place in the session", "name one message and code points inside it")
    if sum(map(len, words)) > WORDS_KEPT or not "".join(words).strip():
        raise Fault("invalid_input", "that place is blank or too long for a quote", f"take at most {WORDS_KEPT:,}")
    return words


def _decide(store: Store, actor: str, act: Act, evidence_id: int, expect: str | None, plan: _Planning) -> Decided:
    doing = "reject" if act == "reject" else "take the original's words for" if act == "words" else "accept"
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
    message = "" if refused is None else _SAID[refused]
    return Decided(
        act, evidence_id, one.entry_id, made.id, refused, message, now_.state, done.spans, done.words,
        *(((), ()) if place is None else (place.concerns, place.diff)), promotion, demoted,
        () if place is None else place.fit.trace,
    )  # fmt: skip


def _there(con: apsw.Connection, evidence_id: int) -> Kept:
    found = kept(con, evidence_id) if 0 < evidence_id < 1 << 63 else None
    if found is None:
        raise Fault("not_indexed", f"there is no quote {evidence_id}", "see casebook evidence list")
    return found


def _about(one: Kept) -> str:
    return " ".join(one.quote[:200].split())[:80]


def accept_plan(one: Kept, messages: StoredMessages) -> Plan:
    """What accepting a quote where it was found would store, or why it is refused."""
    try:
        return _place(one, messages, "accept", None, confirmed=False)
    except Fault:  # its place is gone from the session, or too long: the others are decided all the same
        return Plan(Decision("accept"), refused="no_place")


def store_plan(con: apsw.Connection, actor: str, one: Kept, planned: Plan) -> None:
    """Store what was decided, with its event, inside the caller's change."""
    if planned.quote is not None and planned.quote != one.quote:
        con.execute(
            "UPDATE evidence SET original = coalesce(original, quote), quote = ?, quote_hash = ? WHERE id = ?",
            (planned.quote, hash_of(planned.quote), one.id),
        )
    con.execute(
        "UPDATE alignment SET verdict = ?, decision = ?, anchor = NULL, decided_by = ?, decided_at = ?"
        " WHERE evidence_id = ?",
        (planned.verdict, decision_of(planned.decision), storable(actor), now(), one.id),
    )
    body = {"actor": actor, "act": planned.decision.act, "evidence": evidence_images(con, [one.id])}
    kind = _EVENT.get(planned.decision.act, "evidence_accepted")
    append(con, kind, one.session_id, body, ingested(con, one.session_id))
