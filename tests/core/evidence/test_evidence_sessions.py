"""Entries taken once, a session aligned and aligned again: what holds is kept, what moved is followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.align import Span
from core.base.fault import Fault
from core.evidence import (
    accept,
    add_entries,
    align_session,
    count_quotes,
    promote,
    read_events,
    reject,
    replay_events,
    sessions_to_align,
    show_entry,
    show_quote,
)
from core.evidence.events import mark_to_align, unmark
from core.store import Store, open_store
from tests.core.evidence.evidence_support import (
    ALIGNED,
    EVERY,
    FAILED,
    KOREAN,
    MESSAGES,
    MISSING,
    NEAR,
    SESSION,
    add_messages,
    entry,
    everything,
    replace_messages,
    states,
)


def test_every_state_a_quote_can_have(store: Store) -> None:
    added = add_entries(store, SESSION, [entry("one", *EVERY), entry("bare")])
    assert (added.added, added.quotes, added.known, added.left) == (("one", "bare"), 7, 0, ())
    assert sessions_to_align(store.con) == ((SESSION, ""),)
    done = align_session(store, SESSION)
    assert states(store) == dict(
        enumerate(("aligned", "flagged", "ambiguous", "near", "failed", "aligned", "failed"), 1)
    )
    assert (done.aligned, done.flagged, done.ambiguous, done.failed, done.waiting, done.looked) == (2, 1, 1, 3, 0, 7)
    assert sessions_to_align(store.con) == ()
    with store.transaction() as con:
        mark_to_align(con, SESSION)
        mark_to_align(con, "another")
    ((session, mark),) = sessions_to_align(store.con)
    assert session == SESSION
    with store.transaction() as con:
        unmark(con, SESSION, "an older one")
    assert sessions_to_align(store.con) == ((SESSION, mark),)
    with store.transaction() as con:
        unmark(con, SESSION, mark)
    assert sessions_to_align(store.con) == ()


def test_taking_and_aligning_again_changes_nothing(store: Store) -> None:
    add_entries(store, SESSION, [entry("one", *EVERY)])
    align_session(store, SESSION)
    before = everything(store)
    again = add_entries(store, SESSION, [entry("one", *EVERY)])
    assert (again.added, again.known) == ((), 1)
    assert align_session(store, SESSION).looked == 0
    forced = align_session(store, SESSION, again=True)
    assert (forced.looked, forced.changed) == (7, 0)
    assert everything(store) == before


def test_an_id_belongs_to_one_session_and_keeps_its_quotes(store: Store) -> None:
    add_messages(store, ["another one"], "other")
    add_entries(store, SESSION, [entry("e1", ALIGNED)])
    other = add_entries(store, "other", [entry("e1", (0, "another one"))])
    assert other.added == ("e1@other",)
    assert add_entries(store, "other", [entry("e1", (0, "another one"))]).known == 1
    (left,) = add_entries(store, SESSION, [entry("e1", KOREAN)]).left
    assert (left.entry_id, left.reason) == ("e1", "it already exists with other quotes")
    with pytest.raises(Fault, match="not found"):
        add_entries(store, "nowhere", [entry("e2", ALIGNED)])


def test_hostile_entries_are_stored_inert_and_nameless_ones_are_named(store: Store) -> None:
    nasty = "\x1b]52;c;x\x07 \ud800 \0 \u202e password=hunter2secret"
    add_entries(store, SESSION, [entry("", (None, nasty)), entry("long", (0, "x" * 100_001))])
    align_session(store, SESSION)
    quote = show_quote(store, 1)
    assert quote is not None
    assert quote.row.entry_id.startswith("ent_")
    assert quote.row.message_index == -1
    assert "hunter2secret" not in quote.quote
    assert quote.row.state == "failed"
    assert add_entries(store, SESSION, [entry("", (None, nasty))]).known == 1
    assert show_entry(store, "long") is None


def test_a_session_that_grows_is_searched_again_and_what_holds_is_kept(store: Store) -> None:
    add_entries(store, SESSION, [entry("one", ALIGNED, FAILED, (5, "the cache was cold after the restart"))])
    align_session(store, SESSION)
    assert states(store) == {1: "aligned", 2: "failed", 3: "failed"}
    first = everything(store)["alignment"][0]
    add_messages(store, ["It was slow since the cache was cold after the restart.", FAILED[1] + "."])
    done = align_session(store, SESSION)
    assert states(store) == {1: "aligned", 2: "aligned", 3: "aligned"}
    assert done.looked == 2
    assert everything(store)["alignment"][0] == first
    moved = show_quote(store, 2)
    assert moved is not None
    assert moved.found is not None
    assert moved.found.relocated_from == 0


def test_another_import_moves_places_and_takes_some_away(store: Store) -> None:
    add_entries(
        store, SESSION, [entry("moved", ALIGNED), entry("gone", KOREAN), entry("kept", NEAR), entry("lost", NEAR)]
    )
    align_session(store, SESSION)
    assert promote(store, "mina", "moved").change is not None
    assert promote(store, "mina", "gone").change is not None
    accept(store, "mina", 3, confirmed=True)
    assert promote(store, "mina", "kept").promotion.stage == "verified"
    accept(store, "mina", 4, [Span(4, 0, 30)], confirmed=True)
    replace_messages(store, ["A new beginning.", *MESSAGES[:2], "Nothing else."])
    done = align_session(store, SESSION)
    assert states(store) == {1: "aligned", 2: "failed", 3: "accepted", 4: "failed"}
    assert done.demoted == ("gone",)
    assert done.returned == 1
    quote, kept = show_quote(store, 1), show_quote(store, 3)
    assert quote is not None
    assert kept is not None
    assert kept.decision is not None
    assert (quote.spans[0].message_index, kept.spans[0].message_index) == (2, 2)
    assert (kept.decision.by, kept.decision.act) == ("mina", "accept")
    assert MESSAGES[1][quote.spans[0].start : quote.spans[0].end] == ALIGNED[1]
    assert [one.stage for name in ("moved", "gone", "kept") if (one := show_entry(store, name))] == [
        "verified",
        "candidate",
        "verified",
    ]
    replace_messages(store, MESSAGES)
    align_session(store, SESSION)
    assert states(store) == {1: "aligned", 2: "aligned", 3: "accepted", 4: "accepted"}


def test_an_entry_falls_back_when_the_place_a_person_took_is_gone_though_the_quote_still_stands(store: Store) -> None:
    add_entries(store, SESSION, [entry("one", ALIGNED)])
    align_session(store, SESSION)
    accept(store, "mina", 1, [Span(2, 0, 30)], confirmed=True)
    assert promote(store, "mina", "one").promotion.stage == "verified"
    replace_messages(store, MESSAGES[:2])
    done = align_session(store, SESSION)
    assert (done.returned, done.demoted) == (1, ("one",))
    assert states(store) == {1: "aligned"}
    last = list(read_events(store))[-1]
    assert (last.type, last.body["reason"]) == (
        "entry_demoted",
        "The text of an accepted quote is missing from the session.",
    )
    assert promote(store, "mina", "one").promotion.stage == "verified"


def test_a_run_that_is_stopped_keeps_what_it_found(store: Store) -> None:
    add_entries(store, SESSION, [entry("one", *EVERY)])
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 3

    assert align_session(store, SESSION, cancelled=stop).canceled
    assert count_quotes(store).waiting == 4
    seen: list[tuple[int, int]] = []
    assert not align_session(store, SESSION, on_progress=lambda done, total: seen.append((done, total))).canceled
    assert seen[-1] == (7, 7)
    assert count_quotes(store).waiting == 0


def test_the_events_alone_rebuild_everything(store: Store, tmp_path: Path) -> None:
    add_entries(store, SESSION, [entry("one", *EVERY), entry("two", ALIGNED), entry("bare")])
    align_session(store, SESSION)
    accept(store, "mina", 4, confirmed=True)
    reject(store, "mina", 5, "나오지 않는 말")
    promote(store, "mina", "two")
    add_messages(store, [MISSING[1]])
    align_session(store, SESSION)
    with open_store(tmp_path / "again.db", create=True) as target:
        assert replay_events(target, read_events(store)) > 5
        assert everything(target) == everything(store)
        with pytest.raises(Fault):
            replay_events(target, read_events(store))


def test_events_cannot_be_changed_and_tell_what_the_seed_asks_for(store: Store) -> None:
    add_entries(store, SESSION, [entry("one", ALIGNED, FAILED)])
    align_session(store, SESSION)
    came, extracted, aligned = read_events(store)
    assert [one.type for one in (came, extracted, aligned)] == [
        "session_ingested",
        "memory_extracted",
        "evidence_aligned",
    ]
    assert (aligned.source, extracted.source) == (came.id, came.id)
    assert aligned.body["source_event_id"] == came.id
    assert (aligned.body["aligned_count"], aligned.body["failed_count"]) == (1, 1)
    assert aligned.body["failed_quotes"] == [FAILED[1]]
    assert len(aligned.body["evidence"]) == 2
    for sql in ("UPDATE event SET body = ''", "DELETE FROM event"):
        with pytest.raises(Exception, match="append-only"):
            store.con.execute(sql)
