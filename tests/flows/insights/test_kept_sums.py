"""The sums behind Insights equal a recount of the rows they are made of, whatever was written."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.store import Store, open_store
from tests.flows.insights.rows import add_outcome, add_session, add_verdict

Sums = dict[tuple[Any, ...], tuple[int, ...]]
_SESSIONS = ("s1", "s2", "s3")
_OUTCOMES = ("open", "helped", "failed_again", "ignored")
_TIMES = ("2025-12-31T23:59:59Z", "2026-01-04T23:59:59.999Z", "2026-01-05T00:00:00Z", "2026-02-01T08:00:00Z", "")

_result = st.fixed_dictionaries({
    "verdict": st.sampled_from(("incident", "incident", "flaky", "answer", "rejected")),
    "repeats": st.sampled_from((None, None, 1)),
    "ts": st.sampled_from(_TIMES),
    "program": st.sampled_from(("go", "npm", "")),
    "attempts": st.integers(0, 9),
    "seconds": st.floats(0, 9_999, allow_nan=False),
    "fingerprints": st.sampled_from(('["a"]', '["b", "a"]', "[]")),
})  # fmt: skip
_step = st.one_of(
    st.tuples(st.just("harvest"), st.sampled_from(_SESSIONS), st.lists(_result, max_size=4)),
    st.tuples(st.just("solve"), st.sampled_from(_SESSIONS), st.floats(0, 99)),
    st.tuples(st.just("move"), st.sampled_from(_SESSIONS), st.sampled_from(("", "r1", "r2"))),
    st.tuples(st.just("tell"), st.sampled_from(_TIMES), st.booleans()),
    st.tuples(st.just("settle"), st.integers(1, 6), st.sampled_from(_OUTCOMES)),
    st.tuples(st.just("forget"), st.integers(1, 6), st.none()),
)


def week_of(ts: str) -> str:
    """The Monday of a time's week."""
    if not ts:
        return ""
    day = date.fromisoformat(ts[:10])
    return str(day - timedelta(days=day.weekday()))


def recount(con: apsw.Connection) -> tuple[Sums, Sums, Sums]:
    """What the sums must be, from the rows."""
    weeks, findings, answers = Counter[Any](), Counter[Any](), Counter[Any]()
    rows = con.execute(
        "SELECT ts, program, iif(repository = '', project, repository), verdict, repeats, attempts, messages, seconds,"
        " fingerprints FROM result_verdict AS v JOIN session AS s ON s.id = v.session_id"
    )
    for ts, program, project, verdict, repeats, attempts, messages, seconds, found in rows:
        if verdict not in ("incident", "flaky"):
            continue
        first = verdict == "incident" and repeats is None
        cost = (1, attempts, messages, int(seconds * 1000 + 0.5)) if first else (0, 0, 0, 0)
        for at, value in enumerate((1, *cost)):
            weeks[(week_of(ts), program, project), at] += value
        for at, value in enumerate(cost if first and json.loads(found) else ()):
            findings[(json.loads(found)[0], week_of(ts), project), at] += value
    for ts, project, via, withheld, outcome in con.execute(
        "SELECT told_at, repository, via, withheld, outcome FROM answer_outcome"
    ):
        came = (outcome == name and not withheld for name in _OUTCOMES[1:])
        for at, value in enumerate((not withheld, withheld, *came)):
            answers[(week_of(ts), project, via), at] += value
    return _rows(weeks, 5), _rows(findings, 4), _rows(answers, 5)


def _rows(counts: Counter[Any], width: int) -> Sums:
    return {key: tuple(counts[key, at] for at in range(width)) for key, _ in counts}


def sessions(con: apsw.Connection) -> Sums:
    """How often each session met each finding, from the rows."""
    found = Counter[Any]()
    for session, ts, project, fingerprints in con.execute(
        "SELECT v.session_id, ts, iif(repository = '', project, repository), fingerprints"
        " FROM result_verdict AS v JOIN session AS s ON s.id = v.session_id"
        " WHERE verdict = 'incident' AND repeats IS NULL AND fingerprints <> '[]'"
    ):
        found[json.loads(fingerprints)[0], session, week_of(ts), project] += 1
    return {key: (count,) for key, count in found.items()}


def kept(con: apsw.Connection) -> tuple[Sums, Sums, Sums]:
    """The sums as they are kept."""
    tables = ("insight_week", "insight_finding", "insight_answer")
    found = [{tuple(row[:3]): tuple(row[3:]) for row in con.execute(f"SELECT * FROM {table}")} for table in tables]
    return found[0], found[1], found[2]


def _do(store: Store, step: tuple[str, Any, Any]) -> None:
    what, which, value = step
    with store.transaction() as con:
        if what == "harvest":
            con.execute("DELETE FROM result_verdict WHERE session_id = ?", (which,))
            for idx, row in enumerate(value):
                add_verdict(con, which, idx, **row)
        elif what == "solve":
            con.execute("UPDATE result_verdict SET seconds = ?, solved_idx = 9 WHERE session_id = ?", (value, which))
        elif what == "move":
            con.execute("UPDATE session SET repository = ? WHERE id = ?", (value, which))
        elif what == "tell":
            add_outcome(con, told_at=which, withheld=int(value))
        elif what == "settle":
            con.execute("UPDATE answer_outcome SET outcome = ? WHERE id = ?", (value, which))
        else:
            con.execute("DELETE FROM answer_outcome WHERE id = ?", (which,))


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with open_store(tmp_path / "casebook.db", create=True) as opened:
        yield opened


@settings(max_examples=60)
@given(history=st.lists(_step, max_size=14))
def test_the_sums_equal_a_recount(history: list[tuple[str, Any, Any]], tmp_path_factory: Any) -> None:
    with open_store(tmp_path_factory.mktemp("sums") / "casebook.db", create=True) as store:
        with store.transaction() as con:
            for session in _SESSIONS:
                add_session(con, session, "r1", "/work/shop")
        for step in history:
            _do(store, step)
        assert kept(store.con) == recount(store.con)
        met = store.con.execute("SELECT * FROM insight_session")
        assert {tuple(row[:4]): tuple(row[4:]) for row in met} == sessions(store.con)


def test_a_harvest_replaces_the_share_of_its_session(store: Store) -> None:
    with store.transaction() as con:
        add_session(con, "s1")
        add_session(con, "s2")
        add_verdict(con, "s1", 1)
        add_verdict(con, "s2", 1)
        add_verdict(con, "s2", 7, repeats=1)
    before = kept(store.con)
    assert [*before[0].values()] == [(3, 2, 4, 10, 120_000)]
    with store.transaction() as con:
        con.execute("DELETE FROM result_verdict WHERE session_id = 's1'")
        add_verdict(con, "s1", 1)
    assert kept(store.con) == before
    with store.transaction() as con:
        con.execute("DELETE FROM result_verdict")
    assert kept(store.con) == ({}, {}, {})
