"""What a hook could not write down: kept in small files, written down later, as of its own time, once."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from core.base.fault import Fault
from core.errors import list_cases, show_case
from core.flows.hook import spool
from core.flows.hook.dispatch import Surroundings, handle
from core.flows.hook.spool import MOST_FILES, put, spool_folder, take_up, withdraw
from core.flows.transcripts.api import import_transcripts
from core.store import open_store

AROUND = Surroundings(lambda _: None, lambda _: None, "none", service=False)


def payload(number: int = 0, session: str = "s1", **more: Any) -> bytes:
    told = {
        "hook_event_name": "PostToolUseFailure",
        "session_id": session,
        "cwd": "/home/me/shop",
        "tool_name": "Bash",
        "tool_input": {"command": "npm test"},
        "tool_use_id": f"t{number}",
        "error": "Exit code 1\nError: Cannot find module 'leftpad'",
    }
    return json.dumps(told | more).encode()


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def seen(database: Path) -> int:
    with open_store(database) as store:
        return sum(case.seen for case in list_cases(store).cases)


def waiting(database: Path) -> list[str]:
    folder = spool_folder(database)
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_casebook_that_stays_locked_keeps_what_was_told_for_the_next_hook(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.flows.hook.post_tool_use.WAIT_MS", 50)
    handle(payload(), database, AROUND)
    held = apsw.Connection(str(database))
    held.execute("BEGIN IMMEDIATE")
    handled = handle(payload(1, "s2"), database, AROUND)
    assert handled.fault
    assert handled.kept
    assert take_up(database) == 0, "it is locked still"
    assert len(waiting(database)) == 1
    held.close()
    assert take_up(database) == 1
    assert seen(database) == 2
    assert not waiting(database)


def test_a_full_disk_keeps_what_was_told_until_there_is_space(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handle(payload(), database, AROUND)

    def refuse(*_: object, **__: object) -> int:
        raise Fault("io_error", "the disk is full")

    with monkeypatch.context() as full:
        full.setattr("core.flows.hook.post_tool_use._write", refuse)
        told = handle(payload(1, "s2"), database, AROUND)
        assert (told.fault, told.kept) == ("the disk is full", True)
        assert take_up(database) == 0
    assert take_up(database) == 1
    assert seen(database) == 2
    monkeypatch.setattr("core.store.store.blocked", lambda _: "the file system is read-only")
    assert not handle(payload(2, "s3"), database, AROUND).kept
    assert not waiting(database)


@pytest.mark.parametrize(
    "error",
    [ImportError("half loaded"), Fault("db_damaged", "damaged"), Fault("db_newer", "created by a newer version")],
)
def test_an_event_waits_where_its_work_failed_for_another_reason_than_itself(
    database: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object, **__: object) -> int:
        raise error

    handle(payload(), database, AROUND)
    with monkeypatch.context() as failing:
        failing.setattr("core.flows.hook.post_tool_use._write", fail)
        assert handle(payload(1, "s2"), database, AROUND).kept
    with monkeypatch.context() as failing:
        failing.setattr(spool, "_read", lambda _: Path("/missing").read_bytes())
        assert take_up(database) == 0, "its file could not be read"
    assert take_up(database) == 1
    assert seen(database) == 2
    assert not waiting(database)


def test_a_hook_leaves_large_events_to_a_host_or_an_import(database: Path) -> None:
    put(payload(error="Error: boom\n" + "x y z\n" * 20_000), database)
    put(payload(1), database)
    assert take_up(database, most_bytes=16_384) == 1
    assert len(waiting(database)) == 1
    assert take_up(database) == 1
    assert not waiting(database)


def test_it_is_private_redacted_and_cut(database: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    long = f"Error: boom\n{secret}\n" + "x" * 200_000 + "\nError: the end"
    assert put(payload(error=long, tool_input={"command": f"push {secret}"}), database)
    (name,) = waiting(database)
    path = spool_folder(database) / name
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.stat().st_size < 100_000
    assert secret not in path.read_text()
    assert "the end" in path.read_text()


def test_only_so_many_are_kept_and_no_other_event(database: Path) -> None:
    assert not put(payload(hook_event_name="PreToolUse"), database)
    assert not put(payload(hook_event_name="Stop"), database)
    assert not put(b'{"hook_event_name": "PostToolUse", "tool_na', database)
    assert not waiting(database)
    kept = [put(payload(number), database) for number in range(MOST_FILES + 3)]
    assert kept == [True] * MOST_FILES + [False] * 3
    assert len(waiting(database)) == MOST_FILES


def test_what_is_no_such_file_is_dropped_and_the_rest_is_taken(database: Path) -> None:
    put(payload(), database)
    folder = spool_folder(database)
    for name, data in (("0.json", b""), ("1.json", b"[]"), ("2.json", b'{"version": 9}'), ("3.json", b"\xff" * 99)):
        (folder / name).write_bytes(data)
    (folder / "4.json").mkdir()
    take_up(database)
    assert seen(database) == 1
    assert take_up(database) == 0 or waiting(database)


@pytest.mark.skipif(sys.platform == "win32", reason="there only its age tells")
def test_a_taker_that_was_killed_loses_nothing(database: Path) -> None:
    put(payload(), database)
    (name,) = waiting(database)
    path = spool_folder(database) / name
    path.rename(path.with_suffix(f".{os.getppid()}"))
    assert take_up(database) == 0, "somebody may be at it"
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    path.with_suffix(f".{os.getppid()}").rename(path.with_suffix(f".{ended.pid}"))
    assert take_up(database) == 1
    assert seen(database) == 1


def test_a_file_taken_long_ago_waits_again(database: Path) -> None:
    put(payload(), database)
    (name,) = waiting(database)
    path = spool_folder(database) / name
    claimed = path.rename(path.with_suffix(f".{os.getpid()}"))
    assert take_up(database) == 0
    os.utime(claimed, (1, 1))
    assert take_up(database) == 1
    assert seen(database) == 1


def test_what_was_done_after_all_is_withdrawn(database: Path) -> None:
    put(payload(), database)
    put(payload(1), database)
    withdraw(payload(), database, but=1)
    assert len(waiting(database)) == 2
    withdraw(payload(), database)
    assert len(waiting(database)) == 1


def test_events_stand_in_the_order_in_which_they_came_however_late_one_is_written(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that passed before an error came does not close that error because it is written down after it."""
    times = iter(f"2026-03-01T10:00:{second:02d}.000Z" for second in range(60))
    monkeypatch.setattr("core.flows.hook.post_tool_use.now", lambda: next(times))
    edit = {
        "hook_event_name": "PostToolUse",
        "tool_name": "Edit",
        "tool_input": {"file_path": "/home/me/shop/package.json", "old_string": "a", "new_string": "b"},
        "tool_response": {"filePath": "/home/me/shop/package.json"},
    }
    passed = {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "ok", "stderr": ""}}
    handle(payload(0, error="Exit code 1\nsrc/a.ts(1,1): error TS2304: Cannot find name 'alpha'."), database, AROUND)
    handle(payload(1, **edit), database, AROUND)
    monkeypatch.setattr("core.store.sql.now", lambda: next(times))
    put(payload(2, **passed), database)  # given up: it passed here
    handle(payload(3), database, AROUND)  # and failed again, otherwise
    assert take_up(database) == 1
    with open_store(database) as store:
        cases = {case.key_line: show_case(store, case.id) for case in list_cases(store).cases}
    fixed = {line: case.status for line, case in cases.items() if case is not None}
    assert fixed == {
        "Error: Cannot find module 'leftpad'": "unresolved",
        "error TS2304: Cannot find name 'alpha'.": "draft",
    }


def test_an_import_takes_it_up_and_the_transcript_then_tells_it_better(database: Path, tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t0", "name": "Bash", "input": {"command": "npm test"}}
    result = {
        "type": "tool_result",
        "tool_use_id": "t0",
        "content": "Exit code 1\nError: Cannot find module 'leftpad'",
        "is_error": True,
    }
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()  # the transcript goes on after the hooks
    transcript = tmp_path / "s1.jsonl"
    transcript.write_text(
        "".join(
            json.dumps(
                {
                    "type": role,
                    "uuid": f"u{number}",
                    "sessionId": "s1",
                    "cwd": "/home/me/shop",
                    "timestamp": later,
                    "message": {"role": role, "content": [block]},
                }
            )
            + "\n"
            for number, (role, block) in enumerate((("assistant", call), ("user", result)))
        )
    )
    put(payload(), database)
    put(payload(0, "another session"), database)
    with open_store(database, write=True, create=True) as store:
        import_transcripts(store, "claude-code", [transcript])
    assert not waiting(database)
    assert seen(database) == 2
    put(payload(), database)  # it comes after its transcript: that has told it already
    assert take_up(database) == 1
    assert seen(database) == 2


def test_taking_up_stops_in_time(database: Path) -> None:
    for number in range(5):
        put(payload(number, f"s{number}"), database)
    assert take_up(database, most=2) == 2
    assert take_up(database, seconds=-1.0) == 0
    assert len(waiting(database)) == 3
    assert spool.take_up(database) == 3
    assert seen(database) == 5


HANGING = """
import sys, threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
import core.flows.hook.post_tool_use as live
from core.flows.hook.dispatch import Surroundings, handle
def hang(*_more, **_named):
    print("at it", flush=True)
    threading.Event().wait()
live.search = hang
handle(sys.stdin.buffer.read(), Path(sys.argv[1]), Surroundings(lambda _: None, lambda _: None, "none", False))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there a minute must go by first")
def test_a_hook_killed_over_its_work_loses_nothing(database: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", HANGING, str(database)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(payload())
    process.stdin.close()
    try:
        assert process.stdout.readline() == b"at it\n"
        assert take_up(database) == 0, "it is at it"
        assert put(payload(), database), "it is kept already"
        assert len(waiting(database)) == 1
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert take_up(database) == 1
    assert seen(database) == 1


def test_what_is_written_down_leaves_no_file(database: Path) -> None:
    handle(payload(), database, AROUND)
    assert seen(database) == 1
    assert not waiting(database)


def test_the_cut_of_a_long_output_leaves_no_half_of_a_secret(database: Path) -> None:
    secret = f"Ab1{'x7' * 200}"
    for at in range(0, 400, 50):
        text = f"API_TOKEN={secret}\n".rjust(40_000, ".") + "." * (32_768 - at)
        assert put(payload(at, error=text), database)
    kept = "".join(path.read_text("utf-8") for path in spool_folder(database).iterdir())
    assert "…" in kept or "\\u2026" in kept
    assert "x7x7" not in kept
