"""`casebook insights`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.store import open_store
from tests.cli.conftest import Result
from tests.flows.insights.rows import add_outcome, add_session, add_verdict

Run = Callable[..., Result]


def _casebook(path: Path) -> str:
    with open_store(path, create=True) as store, store.transaction() as con:
        add_session(con, "s1")
        add_verdict(con, "s1", 1, program="go\x1b[2J")
        add_verdict(con, "s1", 2, ts="2026-02-07T10:00:00Z", seconds=600, program="npm")
        add_outcome(con, outcome="helped")
    return str(path)


def test_insights_as_json_and_as_text(run: Run, tmp_path: Path) -> None:
    db = _casebook(tmp_path / "casebook.db")
    found = run("insights", "--json", "--db", db).json()
    assert (found["schema_version"], found["totals"]["minutes"], found["totals"]["helped"]) == ("insights.v1", 11, 1)
    assert found["by_tool"][0]["tool"] == "npm"
    text = run("insights", "--db", db).text
    assert "2 failures in 2 incidents: 11 minutes, 4 attempts" in text
    assert "A pause counts as 5 minutes at most." in text
    assert "█" in text and "\x1b" not in text
    scoped = run("insights", "--since", "2026-02-01", "--json", "--db", db).json()
    assert (scoped["since"], scoped["totals"]["incidents"]) == ("2026-01-26", 1)


def test_faults(run: Run, tmp_path: Path) -> None:
    db = _casebook(tmp_path / "casebook.db")
    assert run("insights", "--project", "none", "--db", db).code == 1
    assert run("insights", "--since", "soon", "--json", "--db", db).fault()["code"] == "invalid_input"
    assert run("insights", "--limit", "0", "--json", "--db", db).fault()["code"] == "invalid_input"
    assert run("insights", "--json", "--db", str(tmp_path / "none.db")).fault()["code"] == "not_indexed"
    assert not (tmp_path / "none.db").exists()
