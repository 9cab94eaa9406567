"""Effects of decisions: incidents and corrections before and after a decision, by week."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import fingerprint, record_resolution, show_case
from core.errors.curation.decisions import verify
from core.errors.curation.transaction import version_of
from core.flows.insights.api import worked
from core.store import Store, open_store
from tests.flows.insights.rows import add_outcome, add_session, add_verdict

_SHOP, _BLOG = "github.com/acme/shop", "github.com/acme/blog"
_YAML = "ModuleNotFoundError: No module named 'yaml'"
_DECIDED = "2026-01-21T12:00:00.000Z"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "casebook.db", create=True) as opened:
        with opened.transaction() as con:
            for number, day in enumerate(("01-05", "01-06", "01-13", "01-20", "01-22", "02-03", "02-04")):
                add_session(con, f"s{number}", _SHOP)
                con.execute("UPDATE session SET started = ? WHERE id = ?", (f"2026-{day}T08:00:00.000Z", f"s{number}"))
            add_session(con, "b1", _BLOG)
            con.execute("UPDATE session SET started = '2026-01-06T08:00:00.000Z' WHERE id = 'b1'")
            con.execute("INSERT INTO project_name(name, repository, shown) VALUES ('shop', ?, 1)", (_SHOP,))
        yield opened


def _meet(store: Store, session: str, idx: int, ts: str) -> None:
    with store.transaction() as con:
        add_verdict(con, session, idx, fingerprints=json.dumps([fingerprint(_YAML)]), ts=ts)


def _verified(store: Store) -> int:
    case_id = record_resolution(store, _YAML, "pip install pyyaml").case_id
    assert case_id is not None
    case = show_case(store, case_id)
    assert case is not None
    verify(store, "ann", [version_of(case)])
    with store.transaction() as con:
        con.execute("UPDATE journal SET ts = ?", (_DECIDED,))
    return case_id


def test_a_lesson_before_and_after_its_decision(store: Store) -> None:
    case_id = _verified(store)
    assert worked(store).items == ()
    for session, idx, ts in (
        ("s0", 1, "2026-01-05T10:00:00.000Z"), ("s0", 5, "2026-01-05T11:00:00.000Z"),
        ("s1", 1, "2026-01-06T10:00:00.000Z"), ("s3", 1, "2026-01-21T11:59:59.000Z"),
        ("s4", 7, "2026-01-22T10:00:00.000Z"),
    ):  # fmt: skip
        _meet(store, session, idx, ts)
    with store.transaction() as con:
        row = con.execute("SELECT id FROM resolution").fetchone()
        assert row is not None
        add_outcome(con, resolution_id=row[0], outcome="helped", told_at="2026-02-03T09:00:00.000Z")
        add_outcome(con, resolution_id=row[0], outcome="helped", told_at="2026-01-03T09:00:00.000Z")
    (found,) = worked(store).items
    assert (found.kind, found.case_id, found.name, found.decided) == ("lesson", case_id, _YAML, _DECIDED)
    assert found.do == "pip install pyyaml"
    assert found.before is not None and found.after is not None
    assert (found.before.times, found.before.sessions, found.before.of_sessions) == (4, 3, 4)
    assert (found.after.times, found.after.sessions, found.after.of_sessions) == (1, 1, 3)
    assert (found.told, found.helped) == (1, 1)
    assert [(one.week, one.before, one.after, one.sessions) for one in found.by_week] == [
        ("2026-01-05", 3, 0, 2), ("2026-01-12", 0, 0, 1), ("2026-01-19", 1, 1, 2), ("2026-01-26", 0, 0, 0),
        ("2026-02-02", 0, 0, 2),
    ]  # fmt: skip
    assert [(one.session, one.message, one.project) for one in found.still] == [("s4", 7, "shop")]


def test_the_project_narrows_it_and_the_note_says_what_it_is_worth(store: Store) -> None:
    _verified(store)
    _meet(store, "s0", 1, "2026-01-05T10:00:00.000Z")
    _meet(store, "b1", 1, "2026-01-06T10:00:00.000Z")
    (found,) = worked(store, "shop").items
    assert found.before is not None and (found.before.times, found.before.of_sessions) == (1, 4)
    assert worked(store, "nothing").items == ()
    assert "may have other causes" in worked(store).note


def test_a_lesson_that_is_no_longer_verified_is_left_out(store: Store) -> None:
    _verified(store)
    _meet(store, "s0", 1, "2026-01-05T10:00:00.000Z")
    assert len(worked(store).items) == 1
    with store.transaction() as con:
        con.execute("UPDATE resolution SET status = 'draft'")
    assert worked(store).items == ()


def test_an_accepted_rule_counts_the_corrections_that_say_the_same(store: Store) -> None:
    with store.transaction() as con:
        con.execute(
            "INSERT INTO rule_draft(id, status, rule, quote, session_id, message_idx, span_start, span_end, call_json,"
            " repository, why, author, ts, path, rule_id, decided_at) VALUES (3, 'accepted', 'Never push to main.', '',"
            " 's0', 1, 0, 1, '{}', ?, 'never', 'harvest', '2026-01-05', '/r.md', 'ERR-1', ?)",
            (_SHOP, _DECIDED),
        )
        for session, ts in (("s0", "2026-01-05T10:00:00Z"), ("s2", "2026-01-13T10:00:00Z"), ("s5", "2026-02-03T9:00Z")):
            con.execute(
                "INSERT INTO correction(session_id, message_idx, span_start, span_end, quote, call_json, norm, ts,"
                " draft_id) VALUES (?, 2, 0, 5, 'never', '{}', 'never', ?, 3)",
                (session, ts),
            )
        con.execute("INSERT INTO rule_use VALUES ('/r.md', 'ERR-1', 8, 2, 1, '2026-02-01')")
    (found,) = worked(store).items
    assert (found.kind, found.id, found.name) == ("rule", 3, "Never push to main.")
    assert found.before is not None and found.after is not None
    assert (found.before.times, found.after.times, found.after.of_sessions) == (2, 1, 3)
    assert (found.told, found.helped, found.dismissed) == (8, 2, 1)
    assert [one.session for one in found.still] == ["s5"]


def test_a_dated_rule_of_a_file_has_counts_without_weeks(store: Store) -> None:
    with store.transaction() as con:
        con.execute(
            "INSERT INTO rule(path, rule_id, title, body, content_hash) VALUES ('/r.md', 'ERR-2', 'Quote', ?, 'x')",
            (json.dumps({"date": "2026-01-02"}),),
        )
        con.execute("INSERT INTO rule_use VALUES ('/r.md', 'ERR-2', 4, 1, 2, '2026-02-01')")
    (found,) = worked(store).items
    assert (found.name, found.decided, found.before, found.by_week) == ("Quote", "2026-01-02", None, ())
    assert (found.told, found.helped, found.dismissed) == (4, 1, 2)
