"""Promoting several entries: only those whose quotes are all aligned or accepted, in one change."""

from __future__ import annotations

import pytest

from core.evidence import (
    OPEN,
    QuoteFilters,
    accept,
    list_entries,
    list_quotes,
    promote,
    promote_many,
    read_events,
    ready_entries,
    reject,
    show_entry,
)
from core.evidence.entries import add_entries
from core.evidence.realign import align_session
from core.flows.system.history import take_back
from core.store import Store, history
from tests.core.evidence.evidence_support import (
    ALIGNED,
    FAILED,
    FLAGGED,
    KOREAN,
    MESSAGES,
    SESSION,
    entry,
    everything,
    replace_messages,
)


@pytest.fixture
def entries(store: Store) -> Store:
    """Entries: `both` and `korean` are ready, `mixed` and `flagged` have an open quote, `bare` has no quote."""
    kind = "decision"
    add_entries(store, SESSION, [
        entry("both", ALIGNED, KOREAN), entry("korean", KOREAN, kind=kind), entry("mixed", ALIGNED, FAILED),
        entry("flagged", FLAGGED), entry("bare"),
    ])  # fmt: skip
    align_session(store, SESSION)
    return store


def stages(store: Store) -> dict[str, str]:
    return {row.id: row.stage for row in list_entries(store).entries}


def names(found: object) -> list[str]:
    return [one.entry_id for one in found]  # pyright: ignore[reportAttributeAccessIssue, reportGeneralTypeIssues]


def test_what_is_ready_has_every_quote_aligned_or_accepted(entries: Store) -> None:
    assert names(ready_entries(entries)) == ["both", "korean"]
    assert names(ready_entries(entries, type="decision")) == ["korean"]
    assert names(ready_entries(entries, session="another")) == []
    assert accept(entries, "mina", 6, confirmed=True).refused is None
    assert names(ready_entries(entries)) == ["both", "flagged", "korean"]
    promote(entries, "mina", "both")
    assert names(ready_entries(entries)) == ["flagged", "korean"]
    assert [row.id for row in list_entries(entries, ready=True).entries] == ["flagged", "korean"]
    assert [row.id for row in list_quotes(entries, QuoteFilters(ready=True)).quotes] == [3, 6]
    assert list_quotes(entries, QuoteFilters(OPEN.statuses, ready=True)).quotes == ()


def test_every_ready_entry_is_promoted_in_one_change_that_is_undone_as_a_whole(entries: Store) -> None:
    before = everything(entries)
    dry = promote_many(entries, "mina", dry_run=True)
    assert (names(dry.promoted), dry.change, dry.dry_run) == (["both", "korean"], None, True)
    assert everything(entries) == before
    done = promote_many(entries, "mina")
    assert (names(done.promoted), done.blocked, done.verified_before, done.dry_run) == (
        ["both", "korean"],
        (),
        0,
        False,
    )
    assert stages(entries) == {
        "both": "verified", "korean": "verified", "mixed": "candidate", "flagged": "candidate", "bare": "candidate",
    }  # fmt: skip
    (made, *_) = history(entries)
    assert (made.id, made.title, made.actor) == (done.change, "verify 2 entries", "mina")
    promoted = [event for event in read_events(entries) if event.type == "entry_promoted"]
    assert len(promoted) == 2
    assert promote_many(entries, "mina").change is None
    take_back(entries, "mina")
    assert set(stages(entries).values()) == {"candidate"}


def test_of_those_named_the_blocked_come_back_with_the_reason(entries: Store) -> None:
    promote(entries, "mina", "korean")
    done = promote_many(entries, "mina", ["mixed", "both", "korean", "bare", "gone", "both"])
    assert names(done.promoted) == ["both"]
    assert [(one.entry_id, one.reason) for one in done.blocked] == [
        ("mixed", "Evidence alignment failed: of 2 quotes, 1 failed."),
        ("bare", "Evidence alignment failed: the entry has no quotes."),
        ("gone", "entry 'gone' not found."),
    ]
    assert done.blocked[0].failed_quotes == (FAILED[1],)
    assert done.verified_before == 1
    assert history(entries)[0].title == "verify: about both"


def test_an_entry_whose_words_are_gone_is_blocked_though_the_list_calls_it_ready(entries: Store) -> None:
    replace_messages(entries, [MESSAGES[0], "rewritten", *MESSAGES[2:]])
    done = promote_many(entries, "mina")
    assert names(done.promoted) == ["korean"]
    assert [(one.entry_id, one.reason) for one in done.blocked] == [
        ("both", "Evidence alignment failed: of 2 quotes, 1 missing from its location.")
    ]
    shown = show_entry(entries, "both")
    assert shown is not None
    assert shown.stage == "candidate"


def test_a_rejected_quote_makes_its_entry_not_ready(entries: Store) -> None:
    reject(entries, "mina", 1, "made up")
    assert names(promote_many(entries, "mina").promoted) == ["korean"]
