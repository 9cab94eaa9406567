"""A split gives back what a merge joined: every error answers as it did before, whatever was decided earlier."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.base.fault import Fault
from core.errors import record_resolution, search, show_case
from core.errors.curation.decisions import edit, mark_noise, reject, unmark_noise, verify
from core.errors.curation.merging import merge
from core.errors.curation.splitting import shared_fixes, split
from core.errors.curation.transaction import Written, look
from core.errors.exchange.case_export import export_cases
from core.errors.identity.fingerprint import identify
from core.flows.system.history import bring_back, take_back
from core.store import Store, open_store
from tests.casebooks import new_casebook

ERRORS = (
    "one ModuleNotFoundError: No module named 'yaml'",
    "x ImportError: cannot import name 'Loader' from 'yaml' (/usr/x.py)",
    "app.ts(3,1): error TS2304: Cannot find name 'alpha'.",
    "lib.ts(9,4): error TS2304: Cannot find name 'beta'.",
    "fatal: bad object in the pack of the remote",
    "오류: 설정 파일을 찾을 수 없습니다",
)
MARKS = tuple(identify(text).fingerprint for text in ERRORS)
Answer = tuple[str | None, str | None, str | None, frozenset[str]]


def answers(store: Store) -> dict[str, Answer]:
    """For each error: the fix that answers, its status, the tier, and the errors of the case that it is from."""
    owners = {mark: case_id for case_id, marks in cases_of(store).items() for mark in marks}
    found: dict[str, Answer] = {}
    for error, mark in zip(ERRORS, MARKS, strict=True):
        match = search(store, error, count=False).match
        of = owners[mark] if match is None else match.id
        together = frozenset(one for one in owners if owners[one] == of)
        if match is None:
            found[error] = (None, None, None, together)
        else:
            found[error] = (match.resolution, match.status, match.tier, together)
    return found


def cases_of(store: Store) -> dict[int, list[str]]:
    held: dict[int, list[str]] = {}
    for mark, case_id in store.con.execute("SELECT fingerprint, case_id FROM fingerprint ORDER BY fingerprint"):
        held.setdefault(cast("int", case_id), []).append(str(mark))
    return held


def act(store: Store, what: str, given_to: Sequence[Any]) -> None:
    """One step of a history; what cannot be done there is left out."""
    held = cases_of(store)
    numbers = sorted(held)
    one = numbers[given_to[0] % len(numbers)] if given_to else 0
    mark = held[one][0] if given_to and given_to[-1] else None
    match what:
        case "record":
            record_resolution(store, ERRORS[given_to[0]], given_to[1])
        case "verify":
            verify(store, "kim", [look(store.con, one, mark)])
        case "reject":
            reject(store, "kim", [look(store.con, one, mark)], "no")
        case "edit":
            edit(store, "kim", [look(store.con, one, mark)], Written(given_to[1]), whole_case=given_to[2])
        case "noise":
            (mark_noise if given_to[1] else unmark_noise)(store, "kim", [look(store.con, one)])
        case "merge":
            other = numbers[given_to[1] % len(numbers)]
            if other != one:
                merge(store, "kim", look(store.con, one), [look(store.con, other)])
        case "split" if len(held[one]) > 1:
            keep = {fix.id for fix in shared_fixes(store, one, held[one][:1])}
            split(store, "kim", look(store.con, one), held[one][:1], keep=keep)
        case "undo" | "redo":
            try:
                (take_back if what == "undo" else bring_back)(store, "kim", by="kim")
            except Fault as fault:
                assert fault.code == "invalid_input"
        case _:
            pass


case = st.integers(0, 5)
text = st.sampled_from(["do this", "do that", "그렇게 하세요"])
flag = st.booleans()
step = st.one_of(
    st.tuples(st.just("record"), case, text),
    st.tuples(st.just("verify"), case, flag),
    st.tuples(st.just("reject"), case, flag),
    st.tuples(st.just("edit"), case, text, flag, flag),
    st.tuples(st.just("noise"), case, flag, st.just(False)),
    st.tuples(st.just("merge"), case, case, st.just(False)),
    st.tuples(st.just("split"), case, st.just(False)),
    st.tuples(st.just("undo")),
    st.tuples(st.just("redo")),
)


def _record(store: Store) -> None:
    for at, error in enumerate(ERRORS[:5]):
        record_resolution(store, error, f"fix of {at}")
    record_resolution(store, ERRORS[5], "fix of 5", author="harvest")


@example([("verify", 0, False), ("verify", 1, False)], [0, 1, 2, 3, 4, 5])
@example([("edit", 2, "do that", True, False), ("noise", 1, True, False)], [1, 0, 2, 4, 3, 5])
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(step, max_size=10), st.permutations(range(6)))
def test_split_gives_back_what_merges_joined(steps: list[tuple[Any, ...]], order: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder, new_casebook(Path(folder) / "casebook.db", _record) as store:
        for what, *given_to in steps:
            act(store, what, given_to)
        before, held = answers(store), cases_of(store)
        exported = "".join(export_cases(store, "jsonl"))
        numbers = [number for _, number in sorted(zip(order, held, strict=False))]
        into, *others = numbers
        if not others:
            return
        middle = len(others) // 2
        for some in (others[:middle], others[middle:]):
            if some:
                merge(store, "kim", look(store.con, into), [look(store.con, other) for other in some])
        for other in sorted(others):
            done = split(store, "kim", look(store.con, into), held[other])
            assert done.made == other, "a case that comes back has its old number"
            shown = show_case(store, into)
            assert shown is not None
            staying = [ERRORS[MARKS.index(mark)] for mark in cases_of(store)[into]]
            assert shown.error_raw in staying, "as one of its own errors was printed"
        assert answers(store) == before
        for _ in range(len(others) + bool(others[:middle]) + bool(others[middle:])):
            take_back(store, "kim", by="kim")
        assert answers(store) == before
        assert "".join(export_cases(store, "jsonl")) == exported


@pytest.fixture
def two(tmp_path: Path) -> Any:
    with open_store(tmp_path / "casebook.db", create=True) as store:
        for error in ERRORS[:2]:
            record_resolution(store, error, f"fix of {ERRORS.index(error)}")
        verify(store, "kim", [look(store.con, 1), look(store.con, 2)])
        yield store


def said(store: Store, at: int) -> tuple[str | None, str | None]:
    return answers_of(store, ERRORS[at])


def answers_of(store: Store, error: str) -> tuple[str | None, str | None]:
    match = search(store, error, count=False).match
    return (None, None) if match is None else (match.resolution, match.status)


@pytest.mark.parametrize("leaving", [0, 1])
def test_verified_fixes_stay_with_their_errors(two: Store, leaving: int) -> None:
    merge(two, "kim", look(two.con, 1), [look(two.con, 2)])
    made = split(two, "kim", look(two.con, 1), [MARKS[leaving]]).made
    assert [said(two, at) for at in (0, 1)] == [("fix of 0", "verified"), ("fix of 1", "verified")]
    rest = show_case(two, 1)
    assert rest is not None
    assert [fix.text for fix in rest.resolutions] == [f"fix of {1 - leaving}"]
    moved = show_case(two, made or 0)
    assert moved is not None
    assert (rest.error_raw, moved.error_raw) == (ERRORS[1 - leaving], ERRORS[leaving])


def test_a_fix_written_for_both_sides_is_asked_about(two: Store) -> None:
    merge(two, "kim", look(two.con, 1), [look(two.con, 2)])
    (fix,) = edit(two, "kim", [look(two.con, 1)], Written("written for both")).resolutions
    assert [one.id for one in shared_fixes(two, 1, [MARKS[1]])] == [fix]
    with pytest.raises(Fault, match="both sides of the split") as refused:
        split(two, "kim", look(two.con, 1), [MARKS[1]])
    assert f"--keep-fix {fix}" in refused.value.hint
    made = split(two, "kim", look(two.con, 1), [MARKS[1]], take=[fix]).made
    shown = show_case(two, made or 0)
    assert shown is not None
    assert shown.resolution == "written for both"
    assert [said(two, at) for at in (0, 1)] == [("fix of 0", "verified"), ("fix of 1", "verified")], "its own first"
    take_back(two, "kim")
    split(two, "kim", look(two.con, 1), [MARKS[1]], keep=[fix])
    assert [said(two, at) for at in (0, 1)] == [("written for both", "draft"), ("fix of 1", "verified")]


def test_what_was_decided_on_the_merged_case_holds_for_the_error_it_is_for(two: Store) -> None:
    merge(two, "kim", look(two.con, 1), [look(two.con, 2)])
    reject(two, "kim", [look(two.con, 1)], "outdated")
    split(two, "kim", look(two.con, 1), [MARKS[1]])
    assert [said(two, at) for at in (0, 1)] == [(None, None), ("fix of 1", "verified")]


def test_a_fix_that_is_not_for_the_whole_case_is_no_choice(two: Store) -> None:
    merge(two, "kim", look(two.con, 1), [look(two.con, 2)])
    with pytest.raises(Fault, match="fix 2 does not apply to all errors of case 1"):
        split(two, "kim", look(two.con, 1), [MARKS[1]], take=[2])
