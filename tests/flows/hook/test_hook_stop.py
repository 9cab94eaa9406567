"""The Stop hook: asks once a session for the lesson of a failure that cost much and ended green."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.flows.hook.dispatch import Handled, handle
from core.store import open_store
from tests.flows.hook.test_hook_live import BROKEN, NOTHING, tell


def stop(db: Path, session: str = "s1", **more: Any) -> Handled:
    payload = {
        "hook_event_name": "Stop",
        "session_id": session,
        "transcript_path": "/home/me/.claude/projects/shop/s1.jsonl",
        "cwd": "/home/me/shop",
        "permission_mode": "default",
        "stop_hook_active": False,
        "last_assistant_message": "All tests pass.",
    }
    return handle(json.dumps(payload | more).encode(), db, NOTHING)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "casebook.db"


def fixed_after(db: Path, attempts: int, session: str = "s1", error: str = BROKEN) -> None:
    for _ in range(attempts):
        tell(db, "npm test", error, failed=True, session=session)
    tell(db, "npm install leftpad", "added 1 package", session=session)
    tell(db, "npm test", "5 passed", session=session)


def test_it_asks_once_after_three_attempts_that_ended_green(db: Path) -> None:
    fixed_after(db, 3)
    reply = stop(db).reply
    assert reply is not None and set(reply) == {"decision", "reason"} and reply["decision"] == "block"
    reason = str(reply["reason"])
    assert (
        reason.startswith("A command that failed before now passes after 3 failed attempts")
        and "record_lesson" in reason
    )
    assert "session s1" in reason and reason.endswith(" Otherwise, stop.")
    assert stop(db).reply is None
    fixed_after(db, 4, error=BROKEN.replace("leftpad", "rightpad"))
    assert stop(db).reply is None


def test_it_never_asks_an_agent_that_a_stop_hook_made_go_on(db: Path) -> None:
    fixed_after(db, 3)
    assert stop(db, stop_hook_active=True).reply is None
    assert stop(db).reply is not None


def test_five_minutes_count_as_three_attempts(db: Path) -> None:
    fixed_after(db, 1)
    assert stop(db).reply is None
    with open_store(db, write=True) as store:
        store.con.execute("UPDATE resolution SET original = json_set(original, '$.harvest.seconds', 301.0)")
    reply = stop(db).reply
    assert reply is not None and "after more than five minutes" in str(reply["reason"])


def test_it_says_nothing_of_slips_other_sessions_or_what_is_recorded(db: Path) -> None:
    assert stop(db).reply is None and not db.exists(), "to stop makes no casebook"
    for _ in range(3):
        tell(db, "npm test", BROKEN, failed=True)
    assert stop(db).reply is None, "it is not fixed"
    tell(db, "npm install leftpad", "added 1 package")
    tell(db, "npm test", "5 passed")
    assert stop(db, session="s2").reply is None
    with open_store(db, write=True) as store:
        store.con.execute("UPDATE resolution SET original = json_set(original, '$.harvest.worth', 'slip')")
    assert stop(db).reply is None
    with open_store(db, write=True) as store:
        store.con.execute("UPDATE resolution SET original = json_set(original, '$.harvest.worth', 'project')")
        store.con.execute(
            "INSERT INTO resolution(case_id, text, status, author, session_id, ts, message_ids)"
            " VALUES (1, 'x', 'draft', 'agent', 's1', '', '[]')"
        )
    assert stop(db).reply is None


def test_a_locked_casebook_lets_the_agent_stop(db: Path) -> None:
    fixed_after(db, 3)
    with open_store(db, write=True) as store, store.transaction():
        done = stop(db)
    assert done.reply is None and done.fault
