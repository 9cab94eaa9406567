"""What a hook tells is kept with what became of it: helped, failed again, ignored; and when it keeps silent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import record_resolution, search
from core.errors.fixes import is_withheld
from core.flows.hook.dispatch import Handled, Surroundings, handle
from core.store import open_store
from tests.flows.hook.test_hook_live import BROKEN, tell

FIX = "Run `npm install leftpad` in the package."


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "casebook.db"
    record_resolution(path, BROKEN, FIX)
    return path


def outcomes(db: Path) -> list[tuple[Any, ...]]:
    with open_store(db) as store:
        return store.con.execute(
            "SELECT via, session_id, repository, withheld, outcome, performed FROM answer_outcome ORDER BY id"
        ).fetchall()


def fail(db: Path, session: str = "s1", **more: Any) -> Handled:
    return tell(db, "npm test", BROKEN, session=session, failed=True, **more)


def test_a_fix_that_was_told_performed_and_then_green_has_helped(db: Path) -> None:
    assert fail(db).reply is not None
    assert outcomes(db) == [("hook", "s1", "/home/me/shop", 0, "open", 0)]
    tell(db, "npm install leftpad", "added 1 package")
    tell(db, "npm test", "5 passed")
    assert outcomes(db) == [("hook", "s1", "/home/me/shop", 0, "helped", 1)]
    match = search(db, BROKEN, count=False).match
    assert match is not None and match.use_count == 2  # written down once, told once


def test_green_by_something_else_is_no_help_of_ours(db: Path) -> None:
    fail(db)
    tell(db, "npm install rightpad", "added 1 package")
    tell(db, "npm test", "5 passed")
    assert [row[4:] for row in outcomes(db)] == [("ignored", 0)]


def test_green_too_late_is_no_help(db: Path) -> None:
    fail(db)
    for command in ("npm install leftpad", "npm run a", "npm run b", "npm run c", "npm test"):
        tell(db, command, "fine")
    assert [row[4:] for row in outcomes(db)] == [("ignored", 1)]


def test_the_same_failure_again_is_kept_with_whether_the_fix_was_performed(db: Path) -> None:
    fail(db)
    fail(db)
    tell(db, "npm install leftpad", "added 1 package")
    fail(db)
    assert [row[4:] for row in outcomes(db)] == [("failed_again", 0), ("failed_again", 1), ("open", 0)]


def test_performed_three_times_and_still_red_is_silence_in_this_repository_until_changed(db: Path) -> None:
    for _ in range(3):
        assert fail(db).reply is not None
        tell(db, "npm install leftpad", "added 1 package")
    assert fail(db).reply is None
    assert fail(db, "s2").reply is None
    assert fail(db, "s3", cwd="/home/me/other").reply is not None
    with open_store(db, write=True) as store:
        store.con.execute("UPDATE resolution SET status = 'verified'")
    assert fail(db, "s4").reply is not None


def test_what_is_ignored_or_low_silences_nothing_and_what_is_not_told_is_no_row(db: Path) -> None:
    other = BROKEN.replace("leftpad", "rightpad")
    assert tell(db, "npm test", other, session="s1", failed=True).reply is None
    assert outcomes(db) == []


def test_a_share_can_be_held_back_and_is_settled_all_the_same(db: Path) -> None:
    payload = {
        "hook_event_name": "PostToolUseFailure", "session_id": "s1", "cwd": "/p", "tool_name": "Bash",
        "tool_input": {"command": "npm test"}, "error": BROKEN,
    }  # fmt: skip
    around = Surroundings(lambda _: None, lambda _: None, hold_back=1.0)
    assert handle(json.dumps(payload).encode(), db, around).reply is None
    assert [row[3:] for row in outcomes(db)] == [(1, "open", 0)]
    tell(db, "npm install leftpad", "added 1 package")
    tell(db, "npm test", "5 passed")
    assert [row[3:] for row in outcomes(db)] == [(1, "helped", 1)]
    match = search(db, BROKEN, count=False).match
    assert match is not None and match.use_count == 1


def test_what_is_held_back_is_decided_by_session_and_fix() -> None:
    held = [is_withheld(f"s{number}", 7, 0.1) for number in range(2_000)]
    assert held == [is_withheld(f"s{number}", 7, 0.1) for number in range(2_000)]
    assert 120 < sum(held) < 280
    assert not is_withheld("s", 1, 0.0) and is_withheld("s", 1, 1.0)


def transcript(tmp_path: Path, *blocks: tuple[str, dict[str, Any], str, bool]) -> str:
    """A transcript with these calls and their results."""
    rows: list[dict[str, Any]] = []
    for at, (name, given, said, bad) in enumerate(blocks):
        use = {"type": "tool_use", "id": f"t{at}", "name": name, "input": given}
        result = {"type": "tool_result", "tool_use_id": f"t{at}", "content": said, "is_error": bad}
        rows += [
            {"type": role, "uuid": f"{role}{at}", "sessionId": "s1", "message": {"role": role, "content": [block]}}
            for role, block in (("assistant", use), ("user", result))
        ]
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_a_test_that_the_agent_has_just_written_fails_in_silence(db: Path, tmp_path: Path) -> None:
    wrote = ("Write", {"file_path": "/home/me/shop/sum.test.js", "content": "x"}, "File created", False)
    red = BROKEN.replace("a.js", "sum.test.js")
    said = {"transcript_path": transcript(tmp_path, wrote)}
    assert tell(db, "npm test", red, failed=True, **said).reply is None
    assert tell(db, "npm test", BROKEN, session="s2", failed=True, **said).reply is not None


def test_where_a_person_just_declined_nothing_is_told(db: Path, tmp_path: Path) -> None:
    no = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    said = {"transcript_path": transcript(tmp_path, ("Bash", {"command": "npm i"}, no, True))}
    assert fail(db, **said).reply is None


def test_where_two_fixes_disagree_nothing_is_told(db: Path) -> None:
    one = "Change it:\n\n```diff\n- const pad = leftpad\n+ const pad = padStart\n```"
    other = "Change it:\n\n```diff\n- const pad = padStart\n+ const pad = leftpad\n```"
    record_resolution(db, BROKEN, one)
    assert fail(db).reply is not None
    record_resolution(db, BROKEN, other)
    assert fail(db, "s2").reply is None


def test_an_odd_transcript_path_is_no_obstacle(db: Path, tmp_path: Path) -> None:
    for path in ("/dev/zero", str(tmp_path), "relative.jsonl", "\0", str(tmp_path / "none")):
        assert fail(db, path, transcript_path=path).reply is not None
