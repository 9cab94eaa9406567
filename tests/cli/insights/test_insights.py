"""`casebook insights`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from core.errors import fingerprint, record_resolution
from core.store import open_store
from tests.cli.conftest import Result
from tests.flows.harvest.chat import LOOKUP
from tests.flows.harvest.test_session import Transcript
from tests.flows.insights.rows import add_outcome, add_session, add_verdict

Run = Callable[..., Result]
_YAML = "ModuleNotFoundError: No module named 'yaml'"


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
    assert "A pause counts as at most 5 minutes." in text
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


def _decided(path: Path) -> str:
    """A casebook with a verified fix whose error came back once."""
    mark = fingerprint(_YAML)
    with open_store(path, create=True) as store:
        case_id = record_resolution(store, _YAML, "pip install pyyaml", status="verified").case_id
        with store.transaction() as con:
            for table in ("resolution", "journal"):
                con.execute(f"UPDATE {table} SET ts = '2026-01-21T12:00:00Z'")
            for session, day in (("s1", "2026-01-06"), ("s2", "2026-01-22"), ("s3", "2026-02-02")):
                add_session(con, session)
                con.execute("UPDATE session SET started = ? WHERE id = ?", (f"{day}T08:00:00Z", session))
            for session, ts in (("s1", "2026-01-06T10:00:00Z"), ("s2", "2026-01-22T10:00:00Z")):
                add_verdict(con, session, 4, ts=ts, fingerprints=json.dumps([mark]))
        assert case_id == 1
    return str(path)


def test_whether_decisions_worked(run: Run, tmp_path: Path) -> None:
    db = _decided(tmp_path / "casebook.db")
    found = run("insights", "worked", "--json", "--db", db).json()
    assert found["schema_version"] == "insights_worked.v1" and "may have other causes" in found["note"]
    (item,) = found["items"]
    assert (item["before"]["times"], item["after"]["times"], item["after"]["of_sessions"]) == (1, 1, 2)
    text = run("insights", "worked", "--db", db).text
    assert "may have other causes" in text and "case 1, fix verified 2026-01-21" in text
    assert "1 incident in 1 of 1 sessions" in text and "1 incident in 1 of 2 sessions" in text
    assert "s2 message 4, 2026-01-22" in text
    empty = run("insights", "worked", "--project", "none", "--db", db)
    assert empty.code == 1 and "no dated decisions" in empty.text


def test_one_view_alone(run: Run, tmp_path: Path) -> None:
    db = _decided(tmp_path / "casebook.db")
    text = run("insights", "came-back", "--db", db).text
    assert "Recurred" in text and "Worst" not in text and "Week" not in text
    assert "Command" in run("insights", "time", "--db", db).text


def test_a_session_as_a_strip(run: Run, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("ls", "a.py").bash("python app.py", LOOKUP, 1).edit("app.py")
    chat.bash("python app.py", "fine").save()
    db = str(tmp_path / "casebook.db")
    assert run("import", str(chat.path), "--db", db).code == 0
    found = run("insights", "session", "11111111", "--json", "--db", db).json()
    assert (found["schema_version"], found["failed"], found["passed"]) == ("session_strip.v1", 1, 1)
    text = run("insights", "session", "11111111", "--db", db).text
    assert "·█·▄" in text and "1 failed" in text and "python" in text
    assert run("insights", "session", "22", "--json", "--db", db).fault()["code"] == "invalid_input"


def test_a_view_leaves_as_a_picture_without_paths(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "casebook.db"
    db = _decided(path)
    with open_store(path, write=True) as store, store.transaction() as con:
        con.execute("UPDATE fingerprint SET key_line = 'open /home/mireille/a.py: no, mireille'")
    picture = tmp_path / "worst.svg"
    assert run("insights", "worst", "--svg", str(picture), "--db", db).code == 0
    shown = picture.read_text()
    assert shown.startswith("<svg") and "open &lt;path&gt;: no, &lt;user&gt;" in shown and "mireille" not in shown
    again = run("insights", "worst", "--svg", str(picture), "--db", db)
    assert again.code == 2 and picture.read_text() == shown
    assert run("insights", "worked", "--svg", str(picture), "--force", "--db", db).code == 0
    assert "Effects" in picture.read_text()
    assert run("insights", "time", "--svg", "-", "--db", db).text.startswith("<svg")


def test_arguments_that_do_not_go_together(run: Run, tmp_path: Path) -> None:
    db = _casebook(tmp_path / "casebook.db")
    for wrong in (
        ("session",), ("worst", "s1"), ("worked", "--since", "2026-01-01"), ("session", "s1", "--project", "x"),
        ("--svg", "x.svg"), ("worst", "--svg", "x.svg", "--json"), ("worst", "--force"), ("nothing",),
    ):  # fmt: skip
        assert run("insights", *wrong, "--db", db).code == 2
    assert not Path("x.svg").exists()
