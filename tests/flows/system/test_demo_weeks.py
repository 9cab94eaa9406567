"""The later weeks of the demonstration fill each view of the insights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors.cases.browse import count_cases
from core.evidence.review.queue import QuoteFilters, list_quotes
from core.flows.insights.api import insights, worked
from core.flows.system.demo import fill_demo
from core.flows.system.demo_weeks import AGAIN, VERIFIED, add_weeks
from core.store import Store, open_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    path: Path = tmp_path_factory.mktemp("weeks") / "demo.db"
    fill_demo(path)
    add_weeks(path)
    with open_store(path) as opened:
        yield opened


def test_each_incident_is_a_session_and_no_case_is_new(store: Store) -> None:
    (sessions,) = store.con.execute("SELECT count(*) FROM session WHERE started >= '2026-09-14'").fetchone() or (0,)
    assert sessions >= len(AGAIN)
    assert count_cases(store) == 43


def test_errors_came_back_in_every_week(store: Store) -> None:
    found = insights(store)
    assert len(found.by_week) == 7
    assert all(week.minutes > 0 for week in found.by_week)
    assert len(found.came_back) >= 10
    assert max(one.times for one in found.came_back) >= 5


def test_shown_fixes_have_every_outcome(store: Store) -> None:
    found = insights(store)
    assert found.totals.answered == sum(one.via is not None for one in AGAIN)
    for outcome in ("helped", "failed_again", "ignored"):
        assert any(getattr(one, outcome) for one in found.told), outcome
    assert {one.via for one in found.by_way} == {"hook", "search", "mcp"}


def test_each_verified_fix_has_the_date_of_its_decision(store: Store) -> None:
    found = worked(store).items
    assert sorted(one.decided for one in found) == sorted(one.at for one in VERIFIED)
    ended = [one for one in found if one.after is not None and not one.after.times]
    assert ended
    assert len(ended) < len(found)


def test_the_quotes_of_the_later_sessions_are_aligned(store: Store) -> None:
    assert not [row for row in list_quotes(store, QuoteFilters()).quotes if row.state == "waiting"]
