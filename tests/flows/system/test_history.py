"""The history of quotes: which quote a change was about, and where it stood before and after."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.align import Span
from core.errors.curation.history import Changed, ChangedQuote
from core.evidence import (
    accept,
    add_entries,
    align_session,
    choose,
    promote,
    reject,
    reject_all,
    take_words,
)
from core.flows.corrections.drafts import accept_draft, reject_draft
from core.flows.system.history import MOST_QUOTES, read_history, take_back
from core.store import Store, open_store
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
)  # fmt: skip
from tests.flows.corrections.chat import Transcript, imported

ONE, SEVERAL, NONE, FLAG, KO, NEARLY = 1, 2, 3, 4, 5, 6


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "casebook.db", write=True, create=True) as made:
        add_messages(made, MESSAGES)
        quotes = (ALIGNED, AMBIGUOUS, FAILED, FLAGGED, KOREAN, NEAR)
        add_entries(made, SESSION, [entry(f"e{at}", one) for at, one in enumerate(quotes, 1)])
        align_session(made, SESSION)
        yield made


def newest(store: Store) -> Changed:
    return read_history(store).changes[0]


def told(store: Store) -> ChangedQuote:
    (one,) = newest(store).quotes
    return one


def test_an_accepted_quote_names_itself_its_entry_its_session_and_its_place(store: Store) -> None:
    accept(store, "mina", FLAG, confirmed=True)
    one = told(store)
    assert (one.id, one.quote, one.entry_id, one.entry, one.session) == (FLAG, FLAGGED[1], "e4", "about e4", SESSION)
    assert (one.before, one.after, one.place) == (4, 4, "stays in message 4")
    assert not one.gone


def test_a_place_chosen_and_one_looked_for_are_told_with_what_there_was_before(store: Store) -> None:
    choose(store, "mina", SEVERAL, 2)
    assert (told(store).before, told(store).after, told(store).place) == (None, 3, "several locations → message 3")
    accept(store, "mina", ONE, [Span(4, 0, len(MESSAGES[4]))], confirmed=True)
    assert (told(store).before, told(store).after, told(store).place) == (1, 4, "message 1 → 4")
    accept(store, "mina", ONE, [Span(1, 0, len(MESSAGES[1]))], confirmed=True)
    assert told(store).place == "message 4 → 1", "before is where it was accepted, not where it was found"


def test_a_rejected_quote_stands_nowhere(store: Store) -> None:
    reject(store, "mina", ONE, "no")
    assert (told(store).before, told(store).after, told(store).place) == (1, None, "message 1 → rejected: no")
    reject(store, "mina", NONE, "no")
    assert told(store).place == "not found → rejected: no"
    accept(store, "mina", ONE)
    assert told(store).place == "rejected → message 1"


def test_what_is_taken_back_goes_back_to_where_it_was(store: Store) -> None:
    accept(store, "mina", NEARLY, confirmed=True)
    assert told(store).place == "not found → message 1"
    take_back(store, "mina")
    back, done = read_history(store).changes[:2]
    assert back.undoes == done.change
    assert back.quotes[0].place == "message 1 → not found"
    assert done.quotes[0].place == "not found → message 1", "the decision itself is told as it was"


def test_words_that_were_taken_are_the_quote(store: Store) -> None:
    take_words(store, "mina", FLAG)
    assert told(store).quote == MESSAGES[4]


def test_several_at_once_are_told_up_to_a_number(store: Store) -> None:
    many = [entry(f"m{at:02}", (0, f"word {at} that nobody has written anywhere")) for at in range(MOST_QUOTES + 3)]
    add_entries(store, SESSION, many)
    align_session(store, SESSION, again=True)
    ids = range(7, 7 + len(many))
    reject_all(store, "mina", [(one, "failed") for one in ids], "none")
    one = newest(store)
    assert [quote.id for quote in one.quotes] == list(ids)[:MOST_QUOTES]
    assert one.more_quotes == 3


def test_a_promotion_tells_its_stage_and_the_quotes_it_rests_on(store: Store) -> None:
    promote(store, "mina", "e1")
    one = newest(store)
    assert one.what == ("entry e1: candidate → verified",)
    assert [(quote.id, quote.place) for quote in one.quotes] == [(ONE, "message 1")]
    reject(store, "mina", ONE, "no")
    assert newest(store).what == ("entry e1: verified → candidate",)


def test_a_quote_that_is_gone_says_so_and_keeps_its_places(store: Store) -> None:
    accept(store, "mina", KO)
    reject(store, "mina", KO, "no")
    with store.transaction() as con:
        con.execute("DELETE FROM alignment WHERE evidence_id = ?", (KO,))
        con.execute("DELETE FROM evidence WHERE id = ?", (KO,))
        con.execute("DELETE FROM entry WHERE id = 'e5'")
    one = told(store)
    assert one.gone
    assert (one.entry_id, one.quote, one.session) == ("e5", "", "")
    assert one.place == "message 2 → rejected: no"


def test_a_decision_that_cannot_be_read_spoils_no_history(store: Store) -> None:
    accept(store, "mina", ONE)
    with store.transaction() as con:
        con.execute("UPDATE alignment SET decision = '{\"act\"', body = 'no json' WHERE evidence_id = ?", (ONE,))
    reject_all(store, "mina", [], "none")
    assert told(store).place == "not found → message 1"


def test_pages_and_one_case_go_on_as_before(store: Store) -> None:
    for quote in (ONE, SEVERAL, NONE):
        reject(store, "mina", quote, "no")
    first = read_history(store, 2)
    assert [one.quotes[0].id for one in first.changes] == [NONE, SEVERAL]
    second = read_history(store, 2, first.next)
    assert [one.quotes[0].id for one in second.changes] == [ONE]
    assert read_history(store, case_id=1).changes == ()


def test_it_is_read_in_a_few_queries_however_many_changes(store: Store) -> None:
    for at in range(30):
        reject(store, "mina", ONE, f"reason {at}")
    asked: list[str] = []
    store.con.exec_trace = lambda _con, sql, _values: asked.append(sql) or True  # pyright: ignore[reportAttributeAccessIssue]
    read_history(store, 30)
    assert sum("FROM evidence" in sql for sql in asked) == 1
    assert json.dumps(asked).count("kind = 'entry'") == 1


def test_a_change_of_a_draft_rule_names_its_status_its_reason_and_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    with open_store(tmp_path / "rules.db", create=True) as store:
        said = Transcript(tmp_path / "logs", "a", str(folder)).declines(
            "git push -f", "no! Never force push to shared branches"
        )
        imported(store, said)
        accept_draft(store, "kim", 1, folder / "CLAUDE.md")
        take_back(store, "kim")
        reject_draft(store, "kim", 1, "too strict")
        rejected, undone, accepted = (one.what for one in read_history(store, 3).changes)
    assert rejected == ("rule draft 1: draft → rejected: too strict",)
    assert undone == ("rule draft 1: accepted → draft", f"ERR-001 removed from {folder / 'CLAUDE.md'}")
    assert accepted == ("rule draft 1: draft → accepted", f"ERR-001 written to {folder / 'CLAUDE.md'}")
