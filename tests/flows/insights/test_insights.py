"""What failed, what it cost, what came back, what was told: asked of a small casebook."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.errors import fingerprint, normalize_error, observe, record_resolution
from core.errors.cases.record import Name
from core.flows.insights.api import insights, week_of
from core.flows.insights.pictures import bar
from core.store import Store, open_store
from tests.flows.insights.rows import add_outcome, add_session, add_verdict

_SHOP, _BLOG = "github.com/acme/shop", "github.com/acme/blog"
_YAML, _PORT = "ModuleNotFoundError: No module named 'yaml'", "Error: listen EADDRINUSE: address already in use"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "casebook.db", create=True) as opened:
        with opened.transaction() as con:
            for session, repository in (("s1", _SHOP), ("s2", _SHOP), ("s3", _BLOG)):
                add_session(con, session, repository)
            for name, repository in (("shop", _SHOP), ("blog", _BLOG)):
                con.execute("INSERT INTO project_name(name, repository, shown) VALUES (?, ?, 1)", (name, repository))
        yield opened


def _meet(store: Store, line: str, session: str, ts: str, seconds: float = 60.0, **columns: object) -> None:
    """An incident with this key line."""
    mark = fingerprint(line)
    with store.transaction() as con:
        idx = con.execute("SELECT count(*) FROM result_verdict").fetchone()
        assert idx is not None
        observe(
            con, Name(line, normalize_error(line), mark, "python"), session_id=session, message_idx=idx[0],
            tool="Bash", project="/work/shop", ts=ts, raw=line, start=0, end=len(line),
        )  # fmt: skip
        more = {"fingerprints": json.dumps([mark]), "ts": ts, "seconds": seconds, **columns}
        add_verdict(con, session, int(str(idx[0])), **more)


def test_sums_by_week_tool_and_project(store: Store) -> None:
    _meet(store, _YAML, "s1", "2026-01-07T10:00:00Z", program="python")
    _meet(store, _YAML, "s1", "2026-01-07T10:01:00Z", program="python", repeats=1)
    _meet(store, _PORT, "s3", "2026-01-14T10:00:00Z", 300, program="npm")
    with store.transaction() as con:
        add_outcome(con, outcome="helped")
        add_outcome(con, withheld=1)
    found = insights(store)
    assert (found.totals.failures, found.totals.incidents, found.totals.minutes) == (3, 2, 6)
    assert (found.totals.answered, found.totals.helped) == (1, 1)
    assert [(one.week, one.failures, one.minutes, one.helped) for one in found.by_week] == [
        ("2026-01-12", 1, 5, 0), ("2026-01-05", 2, 1, 1),
    ]  # fmt: skip
    assert [(one.tool, one.incidents, one.minutes) for one in found.by_tool] == [("npm", 1, 5), ("python", 1, 1)]
    assert [(one.name, one.minutes, one.answered) for one in found.by_project] == [("blog", 5, 0), ("shop", 1, 1)]
    assert [(one.via, one.told, one.withheld) for one in found.by_way] == [("hook", 1, 1)]


def test_a_case_is_listed_with_the_project_in_scope_where_it_cost_most(store: Store) -> None:
    _meet(store, _YAML, "s1", "2026-01-07T10:00:00Z", 300)
    _meet(store, _YAML, "s3", "2026-01-14T10:00:00Z", 60)
    assert [insights(store, project=one).worst[0].project for one in (None, "shop", "blog")] == ["shop", "shop", "blog"]


def test_scope_by_week_and_project(store: Store) -> None:
    _meet(store, _YAML, "s1", "2026-01-07T10:00:00Z")
    _meet(store, _PORT, "s3", "2026-01-14T10:00:00Z")
    for scoped in (insights(store, since="2026-01-15"), insights(store, project="blog")):
        assert scoped.totals.incidents == 1
        assert [one.key_line for one in scoped.worst] == [_PORT]
        assert [one.sessions for one in scoped.worst] == [1]
    assert insights(store, since="2026-01-15").since == "2026-01-12"
    assert insights(store, project="nothing").worst == ()
    with pytest.raises(Fault, match="is not a date"):
        insights(store, since="yesterday")
    assert week_of("2026-01-11T23:00:00Z") == "2026-01-05"


def test_the_worst_cost_most_and_noise_is_left_out(store: Store) -> None:
    for at, session in enumerate(("s1", "s2", "s2")):
        _meet(store, _YAML, session, f"2026-01-07T10:0{at}:00Z", 120)
    _meet(store, _PORT, "s1", "2026-01-07T11:00:00Z", 60)
    found = insights(store).worst
    assert [(one.key_line, one.times, one.sessions, one.attempts, one.minutes) for one in found] == [
        (_YAML, 3, 2, 6, 6.0), (_PORT, 1, 1, 2, 1.0),
    ]  # fmt: skip
    assert found[0].fix_status == "unresolved"
    with store.transaction() as con:
        con.execute("UPDATE case_state SET status = 'noise' WHERE case_id = ?", (found[0].case_id,))
    assert [one.key_line for one in insights(store).worst] == [_PORT]


def test_what_came_back_was_met_after_its_fix_was_known(store: Store) -> None:
    _meet(store, _YAML, "s1", "2026-01-07T10:00:00Z")
    _meet(store, _PORT, "s1", "2026-01-07T11:00:00Z")
    for line in (_YAML, _PORT):
        record_resolution(store, line, "Do this.")
    with store.transaction() as con:
        con.execute("UPDATE resolution SET ts = '2026-01-07T12:00:00Z'")
    assert insights(store).came_back == ()
    _meet(store, _YAML, "s2", "2026-01-08T10:00:00Z", 120)
    _meet(store, _YAML, "s2", "2026-02-08T10:00:00Z", 180)
    (found,) = insights(store).came_back
    assert (found.key_line, found.times, found.minutes, found.reason) == (_YAML, 2, 5, "Not shown: no hook call.")
    assert insights(store, since="2026-02-01").came_back[0].times == 1
    with store.transaction() as con:
        add_outcome(con, fingerprint=fingerprint(_YAML), outcome="failed_again", told_at="2026-02-08T10:00:01Z")
    found = insights(store)
    assert found.came_back[0].reason == "Shown 1×, helped 0×."
    assert [(one.key_line, one.told, one.failed_again) for one in found.told] == [(_YAML, 1, 1)]
    with store.transaction() as con:
        add_outcome(con, resolution_id=1, fingerprint="the words of another shell", told_at="2026-02-08T10:00:02Z")
    assert [(one.key_line, one.told) for one in insights(store).told] == [(_YAML, 2)], "counted by its fix"


@pytest.mark.parametrize(
    ("value", "cells", "drawn"), [(0, 8, ""), (1, 8, "▌"), (16, 8, "████████"), (9, 8, "████▌"), (0.01, 8, "▏")]
)
def test_bars(value: float, cells: int, drawn: str) -> None:
    assert bar(value, 16, cells) == drawn
    assert bar(value, 16, cells, ascii_only=True).strip("#") == ""
