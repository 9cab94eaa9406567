"""An event is in a file before it is worked on: whenever the time runs out it is counted, and counted once."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest

from core.flows.hook import post_tool_use
from core.flows.hook.dispatch import handle
from core.flows.hook.first import MOST_FILES, MOST_RAW, event_id, events_folder, is_event, keep_first, settle
from core.flows.hook.spool import spool_folder, take_up
from core.store import open_store
from tests.cli.hook.test_hook import PATIENT
from tests.cli.hook.test_host import FAILED, Home
from tests.flows.hook.test_hook_spool import AROUND, payload, seen, waiting


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def test_it_is_a_file_of_its_owner_in_folders_of_its_owner(database: Path, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        event = keep_first(payload(), str(database))
    finally:
        os.umask(before)
    assert is_event(event)
    assert Path(event).parent == spool_folder(database) == Path(events_folder(str(database)))
    assert Path(event).read_bytes() == payload()
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (Path(event), *Path(event).parents)]
    assert modes[0] == 0o600
    assert modes[1:5] == [0o700] * 4, "hooks, its folder, casebook, and the state folder, which was missing too"


def test_only_what_tells_of_a_result_is_kept_and_not_without_end(database: Path) -> None:
    assert not keep_first(b'{"hook_event_name": "PreToolUse"}', str(database))
    assert not keep_first(payload(error="x" * MOST_RAW), str(database))
    assert sum(bool(keep_first(payload(number), str(database))) for number in range(MOST_FILES + 2)) == MOST_FILES


def test_a_full_disk_leaves_no_empty_file(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", refuse)
    assert keep_first(payload(), str(database)) == ""
    assert not waiting(database)


def test_it_is_removed_once_it_is_written_down(database: Path) -> None:
    event = keep_first(payload(), str(database))
    handle(payload(), database, AROUND, event=event)
    assert seen(database) == 1
    assert not waiting(database)


def test_a_locked_casebook_leaves_it_to_the_next(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.flows.hook.post_tool_use.WAIT_MS", 50)
    open_store(database, create=True).close()
    held = apsw.Connection(str(database))
    held.execute("BEGIN IMMEDIATE")
    event = keep_first(payload(), str(database))
    assert handle(payload(), database, AROUND, event=event).kept
    assert waiting(database) == [f"{event_id(event)}.json"]
    held.close()
    assert take_up(database) == 1
    assert seen(database) == 1


def test_an_event_whose_file_outlived_its_work_is_counted_once(database: Path) -> None:
    event = keep_first(payload(), str(database))
    copy = Path(event).read_bytes()
    handle(payload(), database, AROUND, event=event)
    Path(event).write_bytes(copy)  # the process was killed after its commit
    settle(event, pending=True)
    assert take_up(database) == 1
    assert seen(database) == 1
    again = keep_first(payload(), str(database))
    assert event_id(again) != event_id(event)
    handle(payload(), database, AROUND, event=again)
    assert seen(database) == 2, "the same error, another time"


def test_what_was_taken_up_is_not_recorded_by_who_comes_late(database: Path) -> None:
    event = keep_first(payload(), str(database))
    settle(event, pending=True)
    assert take_up(database) == 1
    handle(payload(), database, AROUND, event=event)
    assert seen(database) == 1


def test_the_casebook_forgets_events_after_a_day(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handle(payload(), database, AROUND, event=keep_first(payload(), str(database)))
    ahead = time.time_ns() + post_tool_use.REMEMBERED_NS + 10**9
    monkeypatch.setattr(time, "time_ns", lambda: ahead)
    handle(payload(), database, AROUND, event=keep_first(payload(), str(database)))
    with open_store(database) as store:
        rows = store.con.execute("SELECT count(*) FROM meta WHERE key GLOB 'hook_event:*'").fetchone()
    assert rows == (1,)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="hosts listen on Unix sockets")
@pytest.mark.parametrize("deadline", [150, 250, 400])
@pytest.mark.parametrize("host", [False, True], ids=["alone", "with a host"])
def test_no_event_is_lost_and_none_counted_twice_when_the_time_runs_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deadline: int, host: bool
) -> None:
    home = Home(tmp_path)
    try:
        if host:
            home.hook(FAILED)
            home.wait()
        more = {"CASEBOOK_HOOK_DEADLINE_MS": str(deadline), "CASEBOOK_HOOK_HOST": str(host).lower()}
        hooks = [
            subprocess.Popen(
                [sys.executable, "-c", f"import cli.commands.hook as hook; hook._SAVE_S = 60; {PATIENT}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                cwd=tmp_path,
                env=home.env | more,
            )
            for _ in range(8)
        ]
        for number, process in enumerate(hooks):
            assert process.stdin is not None
            process.stdin.write(json.dumps(FAILED | {"session_id": f"s-{number}"}).encode())
            process.stdin.close()
        assert [process.wait(120) for process in hooks] == [0] * 8
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / ".local/state"))
        folder, end = spool_folder(home.database), time.monotonic() + 120
        while any(folder.iterdir()) and time.monotonic() < end:
            take_up(home.database)
            time.sleep(0.05)
        assert home.seen() == 8 + host
        with open_store(home.database) as store:
            sessions = store.con.execute("SELECT session_id, count(*) FROM occurrence GROUP BY 1").fetchall()
        assert sorted(sessions) == sorted([(f"s-{number}", 1) for number in range(8)] + [("s1", 1)] * host)
    finally:
        home.close()
