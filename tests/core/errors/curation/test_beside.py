"""What else a case holds where the fix that answers for it was decided on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.errors import add_resolution, observe
from core.errors.cases.record import Name
from core.errors.curation.decisions import mark_noise, reject, verify
from core.errors.curation.transaction import Beside, look, look_at_error
from core.store import Store, open_store

TS = "2026-03-01T10:00:00.000Z"
MARKS = ("no module foo", "no module bar", "no module baz")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """One case of three errors."""
    with open_store(tmp_path / "c.db", write=True, create=True) as store:
        for mark in MARKS:
            with store.transaction() as con:
                observe(
                    con, Name(mark, "no module <STR>", mark, "python"), session_id=None, message_idx=None,
                    tool="python", project="shop", ts=TS, raw=mark,
                )  # fmt: skip
        yield store


def fixed(store: Store, mark: str | None, text: str) -> int:
    with store.transaction() as con:
        made = add_resolution(con, 1, mark, text, status="draft", author="mina", ts=TS)
    assert made is not None
    return made


def test_of_each_other_error_it_is_the_fix_that_answers_and_no_older_one(store: Store) -> None:
    fixed(store, "no module foo", "an old idea for foo")
    foo = fixed(store, "no module foo", "uv add foo")
    whole = fixed(store, None, "uv sync")
    fixed(store, "no module bar", "an old idea for bar")
    bar = fixed(store, "no module bar", "uv add bar")
    assert verify(store, "kim", [look(store.con, 1)]).beside == (Beside(1, bar, (whole, foo)),)
    assert reject(store, "kim", [look(store.con, 1)]).beside == (Beside(1, bar, (whole, foo)),), "its own is no other's"


def test_the_same_words_and_what_was_turned_down_are_no_others(store: Store) -> None:
    fixed(store, "no module foo", "uv sync")
    baz = fixed(store, "no module baz", "reboot")
    bar = fixed(store, "no module bar", "uv sync")
    reject(store, "kim", [look(store.con, 1)], pick=baz)
    assert verify(store, "kim", [look(store.con, 1)]).beside == ()
    assert reject(store, "kim", [look(store.con, 1)]).resolutions == (bar,)


def test_who_names_the_fix_or_the_error_or_turns_all_down_is_told_nothing_more(store: Store) -> None:
    foo, bar = fixed(store, "no module foo", "uv add foo"), fixed(store, "no module bar", "uv add bar")
    assert verify(store, "kim", [look(store.con, 1)], pick=foo).beside == ()
    assert verify(store, "kim", [look_at_error(store.con, 1, "no module bar")]).resolutions == (bar,)
    assert verify(store, "kim", [look_at_error(store.con, 1, "no module foo")]).beside == ()
    assert reject(store, "kim", [look(store.con, 1)], all_of_it=True).beside == ()
    mark_noise(store, "kim", [look(store.con, 1)])
    assert verify(store, "kim", [look(store.con, 1)]).beside == ()


def test_a_fingerprint_that_the_case_has_not_is_refused(store: Store) -> None:
    fixed(store, None, "uv sync")
    with pytest.raises(Fault, match="no error with the fingerprint") as refused:
        look_at_error(store.con, 1, "no such mark")
    assert refused.value.code == "invalid_input"
    with pytest.raises(Fault, match="case 7 not found"):
        look_at_error(store.con, 7, "no module foo")
