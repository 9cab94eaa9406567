"""What a person decides about quotes: each act, its event, its undo, and what it does to a promotion."""

from __future__ import annotations

import pytest

from core.align import Span
from core.base.fault import Fault
from core.evidence import (
    OPEN,
    Decided,
    accept,
    accept_all,
    add_entries,
    adjust,
    align_session,
    choose,
    count_quotes,
    demote,
    find_in_session,
    list_quotes,
    look_in,
    next_near_miss,
    next_problem,
    promote,
    promotion_of,
    read_events,
    reject,
    reject_all,
    show_quote,
    take_words,
)
from core.evidence.review.queue import QuoteFilters
from core.flows.system.history import bring_back, take_back
from core.store import Store, history, history_of
from tests.core.evidence.evidence_support import (
    ALIGNED,
    AMBIGUOUS,
    FAILED,
    FLAGGED,
    KOREAN,
    MESSAGES,
    NEAR,
    SESSION,
    add_messages,
    entry,
    replace_messages,
    states,
)


@pytest.fixture
def reviewed(store: Store) -> Store:
    add_entries(store, SESSION, [entry(f"e{at}", quote) for at, quote in enumerate((FLAGGED, AMBIGUOUS, NEAR, FAILED))])
    align_session(store, SESSION)
    return store


def last_event(store: Store) -> str:
    return list(read_events(store))[-1].type


def test_a_flagged_quote_is_accepted_only_when_it_is_said_twice(reviewed: Store) -> None:
    asked = accept(reviewed, "mina", 1)
    assert (asked.change, asked.refused, asked.state) == (None, "needs_confirmation", "flagged")
    assert asked.concerns
    assert any(not run.same for run in asked.diff)
    assert promote(reviewed, "mina", "e0").change is None
    done = accept(reviewed, "mina", 1, confirmed=True)
    assert (done.refused, done.state, done.promotion.promotionBlocked) == (None, "accepted", False)
    assert last_event(reviewed) == "evidence_accepted"
    assert promote(reviewed, "mina", "e0").promotion.stage == "verified"
    quote = show_quote(reviewed, 1)
    assert quote is not None
    assert quote.decision is not None
    assert quote.decision.by == "mina"
    assert quote.row.method == "fuzzy"  # what the machine found stays told


def test_an_ambiguous_quote_wants_a_place(reviewed: Store) -> None:
    assert accept(reviewed, "mina", 2).refused == "choose_a_place"
    done = choose(reviewed, "mina", 2, 2)
    assert (done.state, done.words) == ("accepted", (AMBIGUOUS[1],))
    assert done.spans[0].start == MESSAGES[3].rfind(AMBIGUOUS[1])
    assert choose(reviewed, "mina", 2, 2).refused == "as_it_was"
    with pytest.raises(Fault, match="no location 3"):
        choose(reviewed, "mina", 2, 3)


def test_of_several_places_the_nearest_to_the_other_quote_or_the_free_one_is_offered(store: Store) -> None:
    text = "The queue is full. One. The port is 80. The queue is full. Two. The queue is full."
    add_messages(store, [text])
    at = len(MESSAGES)
    add_entries(store, SESSION, [entry("near", (at, "The queue is full."), (at, "Two.")),
                                 entry("same", (at, "The queue is full."), (at, "The queue is full.")),
                                 entry("sole", (at, "The queue is full."))])  # fmt: skip
    align_session(store, SESSION)
    shown = [show_quote(store, number) for number in (1, 3, 5)]
    assert [(one.offered, one.offered_why) for one in shown if one is not None] == [
        (2, "nearest to another quote of the entry"),
        (1, "first location"),
        (1, "first location"),
    ]
    choose(store, "mina", 3, 1)
    other = show_quote(store, 4)
    assert other is not None
    assert (other.offered, other.offered_why) == (2, "first location that no other quote of the entry uses")


def test_a_near_miss_is_taken_widened_and_made_the_quote(reviewed: Store) -> None:
    assert accept(reviewed, "mina", 3).refused == "needs_confirmation"
    done = accept(reviewed, "mina", 3, confirmed=True)
    assert done.state == "accepted"
    assert adjust(reviewed, "mina", 3, "end", -1).refused == "needs_confirmation", "another place is another question"
    wider = adjust(reviewed, "mina", 3, "end", -1, confirmed=True)
    assert done.words[0].startswith(wider.words[0])
    assert done.words[0][len(wider.words[0]) :].strip().count(" ") == 0
    back = adjust(reviewed, "mina", 3, "end", 1, confirmed=True)
    assert back.words[0].rstrip(".") == done.words[0].rstrip(".")
    taken = take_words(reviewed, "mina", 3)
    quote = show_quote(reviewed, 3)
    assert quote is not None
    assert quote.quote == taken.words[0] == back.words[0]
    assert quote.original == NEAR[1]
    assert last_event(reviewed) == "quote_replaced"
    assert add_entries(reviewed, SESSION, [entry("e2", NEAR)]).known == 1
    take_back(reviewed, "mina")
    undone = show_quote(reviewed, 3)
    assert undone is not None
    assert (undone.quote, undone.original, undone.words) == (NEAR[1], None, back.words)


def test_a_quote_is_looked_for_elsewhere(reviewed: Store) -> None:
    assert accept(reviewed, "mina", 4).refused == "no_place"
    (seen, *_) = find_in_session(reviewed, SESSION, "TIMEOUT is  30 seconds", near=1)
    assert MESSAGES[3][seen.span.start : seen.span.end] == "timeout is 30 seconds"
    assert seen.text[seen.start : seen.end] == "timeout is 30 seconds"
    assert find_in_session(reviewed, SESSION, "nobody said so") == ()
    assert look_in(reviewed, 3, 1)
    assert look_in(reviewed, 3, 99) == ()
    assert accept(reviewed, "mina", 4, [seen.span]).refused == "needs_confirmation"
    done = accept(reviewed, "mina", 4, [seen.span], confirmed=True)
    assert (done.act, done.state, done.spans) == ("look", "accepted", (seen.span,))
    for bad in ([Span(3, 0, 9_999)], [Span(99, 0, 1)], [Span(1, 0, 3), Span(2, 0, 3)], [Span(0, 3, 4)]):
        with pytest.raises(Fault):
            accept(reviewed, "mina", 4, bad)


def test_a_rejection_has_a_reason_and_blocks(reviewed: Store) -> None:
    done = reject(reviewed, "mina", 4, " 없는 말 ")
    assert (done.state, done.promotion.failedQuotes) == ("rejected", (FAILED[1],))
    assert reject(reviewed, "mina", 4, "없는 말").refused == "as_it_was"
    page = list_quotes(reviewed, QuoteFilters(("rejected",)))
    assert [(row.id, row.reason, row.decided_by) for row in page.quotes] == [(4, "없는 말", "mina")]
    align_session(reviewed, SESSION, again=True)
    assert states(reviewed)[4] == "rejected"


def test_several_are_decided_as_one_change_and_what_asks_is_left(reviewed: Store) -> None:
    add_entries(reviewed, SESSION, [entry("good", ALIGNED)])
    align_session(reviewed, SESSION)
    before = states(reviewed)
    done = accept_all(reviewed, "mina", [(1, "flagged"), (2, "ambiguous"), (3, "near"), (4, "failed"), (5, "aligned")])
    assert done.done == (5,)
    assert [why for _, why in done.left] == ["needs_confirmation", "choose_a_place", "needs_confirmation", "no_place"]
    take_back(reviewed, "mina")
    assert states(reviewed) == before
    done = reject_all(reviewed, "mina", [(1, "flagged"), (3, "near"), (4, "aligned")], "not so")
    assert (done.done, done.left) == ((1, 3), ((4, "changed_meanwhile"),))
    page = list_quotes(reviewed, QuoteFilters(("rejected",)))
    assert [(row.id, row.reason) for row in page.quotes] == [(1, "not so"), (3, "not so")]
    assert len(history(reviewed)) == 3, "the accepting, its undo, the rejecting"
    take_back(reviewed, "mina")
    assert states(reviewed) == before
    assert reject_all(reviewed, "mina", [(4, "aligned")], "x").change is None


def test_a_place_that_an_import_took_away_is_none_to_move_or_to_accept(reviewed: Store) -> None:
    reject(reviewed, "mina", 1, "no")  # at message 4; what is rejected is not looked for again
    replace_messages(reviewed, MESSAGES[:2])
    align_session(reviewed, SESSION)
    with pytest.raises(Fault, match="invalid location"):
        adjust(reviewed, "mina", 1, "start", 1)
    done = accept_all(reviewed, "mina", [(1, "rejected"), (3, "near")])
    assert done.left == ((1, "no_place"), (3, "needs_confirmation"))


def test_somebody_elses_decision_is_not_overridden_unseen(reviewed: Store) -> None:
    seen = show_quote(reviewed, 3)
    assert seen is not None
    reject(reviewed, "jun", 3, "no")
    late = accept(reviewed, "mina", 3, expect=seen.mark)
    assert (late.change, late.refused, late.state) == (None, "changed_meanwhile", "rejected")


def test_undo_takes_the_promotion_with_it_and_redo_brings_the_decision_back(reviewed: Store) -> None:
    first = accept(reviewed, "mina", 3, confirmed=True).change
    assert first is not None
    promoted = promote(reviewed, "mina", "e2")
    assert promoted.change is not None
    take_back(reviewed, "mina", first)
    assert states(reviewed)[3] == "near"
    assert promotion_of(reviewed.con, "e2").stage == "candidate"
    assert [one.type for one in read_events(reviewed)][-2:] == ["change_undone", "entry_demoted"]
    assert promote(reviewed, "mina", "e2").change is None
    bring_back(reviewed, "mina")
    assert (states(reviewed)[3], promotion_of(reviewed.con, "e2").stage) == ("accepted", "verified")
    assert demote(reviewed, "mina", "e2").promotion.stage == "candidate"
    assert history_of(reviewed, "entry", ["e2"])[0].title.startswith("make a candidate")
    assert len(history(reviewed)) == 5


def test_rejecting_a_verified_entrys_quote_demotes_it(store: Store) -> None:
    add_entries(store, SESSION, [entry("e", ALIGNED, KOREAN)])
    assert promote(store, "mina", "e").promotion.promotionBlockReason == (
        "Evidence alignment failed: of 2 quotes, 2 not aligned yet."
    )
    assert accept(store, "mina", 1).refused == "not_aligned"
    align_session(store, SESSION)
    promote(store, "mina", "e")
    done = reject(store, "mina", 2, "wrong")
    assert (done.demoted, done.promotion.stage) == (True, "candidate")
    take_back(store, "mina")
    assert promotion_of(store.con, "e").stage == "verified"


def test_seed_5_promotion_is_refused(store: Store) -> None:
    """evidence-aligner-v2, plan: an entry whose evidence is not aligned stays a candidate, and the reason says so."""
    add_entries(store, SESSION, [entry("e", FAILED)])
    align_session(store, SESSION)
    done = promote(store, "mina", "e")
    assert (done.change, done.promotion.stage, done.promotion.promotionBlocked) == (None, "candidate", True)
    assert "Evidence alignment failed" in (done.promotion.promotionBlockReason or "")
    assert done.promotion.failedQuotes == (FAILED[1],)


def test_an_entry_without_a_quote_is_never_promoted(store: Store) -> None:
    add_entries(store, SESSION, [entry("bare")])
    done = promote(store, "mina", "bare")
    assert (done.change, done.promotion.promotionBlocked, done.promotion.failedQuotes) == (None, True, ())
    assert done.promotion.promotionBlockReason == "Evidence alignment failed: the entry has no quotes."
    for act in (lambda: promote(store, "mina", "none"), lambda: accept(store, "mina", 99)):
        with pytest.raises(Fault) as raised:
            act()
        assert raised.value.code == "not_indexed"


def test_the_queue_pages_filters_counts_and_leads_on(reviewed: Store) -> None:
    add_entries(reviewed, SESSION, [entry("more", ALIGNED, KOREAN, kind="decision")])
    align_session(reviewed, SESSION)
    page = list_quotes(reviewed, OPEN, limit=3)
    assert ([row.id for row in page.quotes], page.next) == ([1, 2, 3], 3)
    rest = list_quotes(reviewed, OPEN, limit=3, after=page.next)
    assert ([row.id for row in rest.quotes], rest.next) == ([4], None)
    counts = count_quotes(reviewed)
    assert (counts.left, counts.total, counts.aligned, counts.failed, counts.near) == (4, 6, 2, 2, 1)
    typed = list_quotes(reviewed, QuoteFilters(session=SESSION, type="decision"))
    assert ([row.id for row in typed.quotes], typed.counts.total) == ([5, 6], 2)
    assert list_quotes(reviewed, QuoteFilters(("failed",))).quotes[0].near
    assert [next_problem(reviewed, at) for at in (0, 1, 4, 6)] == [1, 2, 1, 1]
    assert next_near_miss(reviewed, 3) == 3
    assert next_problem(reviewed, 0, QuoteFilters(type="decision")) is None
    left = counts.left
    for act in (lambda: accept(reviewed, "m", 1, confirmed=True), lambda: choose(reviewed, "m", 2, 1)):
        done: Decided = act()
        assert done.change is not None
        left -= 1
        assert count_quotes(reviewed).left == left
