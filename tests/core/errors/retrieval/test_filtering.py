"""Filters, what there is to filter by, and where a case stands: over a few hundred cases of several kinds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from core.errors import (
    Filters,
    add_resolution,
    case_rows,
    count_cases,
    cursor_at,
    list_cases,
    observe,
    rank_of,
)
from core.errors.cases.browse import browse, facets
from core.errors.cases.case import Sort
from core.errors.cases.record import Name
from core.errors.retrieval.answer import Worth
from core.store import Store, open_store

TOOLS, PROJECTS = ("pytest", "tsc", "cargo"), ("shop", "결제")
WORTHS: tuple[Worth, ...] = ("general", "project", "slip")
CASES = 120
FILTERS = (
    Filters(),
    Filters(tool="tsc"),
    Filters(status="draft"),
    Filters(project="결제", since="2026-03-02T00:00:00.000Z"),
    Filters("unresolved", "pytest", "shop", "2026-03-01T12:00:00.000Z"),
    Filters(tool="tsc", worth="slip"),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "casebook.db", write=True, create=True) as store:
        with store.transaction() as con:
            for number in range(CASES):
                line = f"Error: part {chr(97 + number % 26)}{chr(97 + number // 26)} is missing"
                for _ in range(1 + number % 3):
                    case_id = observe(
                        con, Name(line, line, f"print {number}", TOOLS[number % 3]), session_id=None, message_idx=None,
                        tool=TOOLS[number % 3], project=PROJECTS[number % 2],
                        ts=f"2026-03-{1 + number // 60:02d}T{number % 24:02d}:{number % 60:02d}:00.000Z", raw=line,
                    )  # fmt: skip
                if number % 4 == 0:
                    add_resolution(con, case_id, None, "put it back", status="draft", author="harvest", ts="")
                worth = WORTHS[number // 3 % 3]
                con.execute("UPDATE case_state SET worth = ? WHERE case_id = ?", (worth, case_id))
        yield store


@pytest.mark.parametrize("filters", FILTERS)
def test_a_filtered_search_finds_just_the_cases_of_the_filtered_list(store: Store, filters: Filters) -> None:
    listed = {case.id for case in list_cases(store, filters, limit=CASES).cases}
    assert {hit.id for hit in browse(store, "missing", CASES, filters)} == listed
    assert len(listed) == count_cases(store, filters) > 0


def test_the_limit_of_a_search_counts_only_what_passes(store: Store) -> None:
    hits = browse(store, "missing", 10, Filters(tool="cargo"))
    assert len(hits) == 10
    assert {case.tool for case in case_rows(store, tuple(hit.id for hit in hits))} == {"cargo"}


def test_rows_that_do_not_pass_are_left_out(store: Store) -> None:
    ids = tuple(range(1, 13))
    assert [case.id for case in case_rows(store, ids, Filters(tool="pytest"))] == [1, 4, 7, 10]


def test_each_kind_is_counted_as_if_it_were_not_filtered_itself(store: Store) -> None:
    found = facets(store, Filters(tool="tsc", status="draft"))
    assert {facet.value: facet.cases for facet in found.tools} == {
        tool: count_cases(store, Filters(tool=tool, status="draft")) for tool in TOOLS
    }
    assert {facet.value: facet.cases for facet in found.statuses} == {
        status: count_cases(store, Filters(tool="tsc", status=status)) for status in ("draft", "unresolved")
    }
    assert sum(facet.cases for facet in found.projects) == count_cases(store, Filters(tool="tsc", status="draft"))
    assert {facet.value: facet.cases for facet in facets(store, Filters(tool="tsc", worth="slip")).worths} == {
        worth: count_cases(store, Filters(tool="tsc", worth=worth)) for worth in WORTHS
    }
    assert found.complete


def test_times_are_counted_in_the_order_asked(store: Store) -> None:
    times = ("2026-03-02T00:00:00.000Z", "2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z")
    found = facets(store, Filters(project="shop", since="2026-03-02T06:00:00.000Z"), times)
    assert [facet.value for facet in found.since] == list(times)
    assert [facet.cases for facet in found.since] == [
        count_cases(store, Filters(project="shop", since=time)) for time in times
    ]


def test_only_a_bounded_part_is_counted_and_it_says_so(store: Store) -> None:
    found = facets(store, Filters(), scanned=30)
    assert sum(facet.cases for facet in found.tools) == 30
    assert not found.complete


@pytest.mark.parametrize("sort", ["last_seen", "seen", "first_seen"])
@pytest.mark.parametrize("filters", FILTERS)
def test_a_case_s_rank_is_its_place_in_the_list(store: Store, filters: Filters, sort: Sort) -> None:
    listed = [case.id for case in list_cases(store, filters, sort, CASES).cases]
    assert [rank_of(store, case_id, filters, sort) for case_id in listed] == list(range(len(listed)))
    outside = {*range(1, CASES + 1)} - set(listed)
    assert all(rank_of(store, case_id, filters, sort) is None for case_id in outside)


@pytest.mark.parametrize("sort", ["last_seen", "seen", "first_seen"])
@pytest.mark.parametrize("filters", FILTERS)
def test_a_cursor_begins_at_its_row(store: Store, filters: Filters, sort: Sort) -> None:
    listed = [case.id for case in list_cases(store, filters, sort, CASES).cases]
    for index in range(len(listed) + 1):
        after = cursor_at(store, index, filters, sort)
        assert [case.id for case in list_cases(store, filters, sort, CASES, after).cases] == listed[index:]
    assert cursor_at(store, len(listed) + 1, filters, sort) is None
    assert all(a != b for a, b in pairwise(listed))
