"""Fixes that a harvest drafts, many at a time: rejected ones stay rejected, and each case is named once at the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import identify, observe, show_case
from core.errors.cases.resolutions import Draft, add_drafts
from core.store import Store, open_store

NOTHING_KNOWS_IT = "something odd happened at 'one'"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "casebook.db", create=True) as store:
        yield store


def met(store: Store, error: str, stale: set[int]) -> int:
    return observe(
        store.con, identify(error), session_id=None, message_idx=None, tool=None, project=None, ts="2026", stale=stale
    )


def draft(case: int, text: str, session: str) -> Draft:
    return Draft(case, identify(NOTHING_KNOWS_IT).fingerprint, text, "Edit", ("Edit",), session, (1,), "2026")


def test_a_text_that_was_rejected_is_not_drafted_again_by_any_of_a_batch(store: Store) -> None:
    with store.transaction() as con:
        case = met(store, NOTHING_KNOWS_IT, stale := set[int]())
        assert add_drafts(con, [draft(case, "delete it all", "s")], stale) == 1
        con.execute("UPDATE resolution SET status = 'rejected'")
        again = [draft(case, text, session) for session in "tu" for text in ("delete it all",)]
        assert add_drafts(con, [*again, draft(case, "mend it", "v")], set()) == 3
    found = show_case(store, case)
    assert found is not None and found.resolution == "mend it"
    assert sorted((fix.text, fix.status) for fix in found.resolutions) == [
        ("delete it all", "rejected"),
        ("delete it all", "rejected"),
        ("delete it all", "rejected"),
        ("mend it", "draft"),
    ]


def test_a_case_is_named_after_the_first_tool_known_of_it_once_all_are_met(store: Store) -> None:
    with store.transaction() as con:
        stale = set[int]()
        unknown, known = met(store, NOTHING_KNOWS_IT, stale), met(store, "KeyError: 'one'", stale)
        con.execute("UPDATE fingerprint SET case_id = ?", (unknown,))
        assert stale == {unknown, known}
        add_drafts(con, (), stale)
    found = show_case(store, unknown)
    assert found is not None and found.tool == identify("KeyError: 'one'").tool != "unknown"
