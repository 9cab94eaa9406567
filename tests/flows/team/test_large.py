"""A large lessons file, which a hook leaves to a process of its own: two at once, and one that is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from core.errors import record_resolution
from core.flows.team import fresh, importing
from core.flows.team.place import place_of
from core.store import Store, open_store
from tests.flows.team.conftest import Person
from tests.flows.team.test_import import hook

People = Callable[..., list[Person]]
LESSONS = 400
LINE = "KeyError: 'name_7_of_a_shop'"


def write_lessons(file: Path, count: int = LESSONS) -> None:
    """A lessons file of about a kilobyte a lesson."""
    file.parent.mkdir(exist_ok=True)
    held = (
        {
            "id": f"lesson-{at:04}", "shared": "2026-11-01T00:00:00.000Z", "error": f"KeyError: 'name_{at}_of_a_shop'",
            "text": f"export NAME={at}\n" + "Set the name before the shop starts. " * 25,
        }
        for at in range(count)
    )  # fmt: skip
    file.write_text("".join(f"{json.dumps(one)}\n" for one in held))


def until(happened: Callable[[], object]) -> None:
    """Wait until something has happened; fails after five minutes, for busy machines."""
    end = time.monotonic() + 300
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def count(path: Path, what: str) -> int:
    if not path.exists():
        return 0
    with open_store(path) as store:
        ((found,),) = store.con.execute(f"SELECT count(*) FROM {what}")
        return int(found)


def shared(path: Path) -> int:
    return count(path, "resolution WHERE author = 'team'")


def settled(path: Path) -> bool:
    """Whether the file's state is noted as imported: what a process does last."""
    return count(path, "meta WHERE key LIKE 'team_stat:%'") > 0


def changes(path: Path) -> list[str]:
    with open_store(path) as store:
        return [str(row[0]) for row in store.con.execute("SELECT actor FROM journal")]


def test_two_hooks_at_once_leave_a_large_file_to_a_process_which_imports_it_once(people: People) -> None:
    (joon,) = people("joon")
    write_lessons(joon.file)
    assert joon.file.stat().st_size > fresh.HOOK_BYTES
    payload = {
        "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": str(joon.tree), "tool_name": "Bash",
        "tool_input": {"command": "pytest"}, "error": f"Exit code 1\n{LINE}",
    }  # fmt: skip
    hooks = [
        subprocess.Popen(
            [sys.executable, "-m", "cli", "hook"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            env=joon.environ, cwd=joon.tree,
        )
        for _ in range(2)
    ]  # fmt: skip
    for one in hooks:
        assert one.stdin is not None
        one.stdin.write(json.dumps(payload).encode())
        one.stdin.close()
    assert [one.wait(300) for one in hooks] == [0, 0]
    until(lambda: settled(joon.database))
    assert (shared(joon.database), changes(joon.database)) == (LESSONS, ["team"])
    assert "export NAME=7" in hook(joon, LINE)


def test_an_import_that_is_killed_is_done_by_the_next_hook(people: People) -> None:
    (joon,) = people("joon")
    write_lessons(joon.file)
    record_resolution(joon.database, "TypeError: x", "y")
    cases = count(joon.database, "error_kb")
    process = subprocess.Popen(
        [sys.executable, "-m", "cli", "hook", "--team", str(joon.file.parent), "--db", str(joon.database)],
        env=joon.environ, cwd=joon.home, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    until(lambda: count(joon.database, "error_kb") > cases or process.poll() is not None)
    process.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    process.wait(300)
    assert shared(joon.database) in (0, LESSONS)
    hook(joon, LINE)
    until(lambda: settled(joon.database))
    assert shared(joon.database) == LESSONS
    assert changes(joon.database).count("team") == 1
    assert "export NAME=7" in hook(joon, LINE)


def test_a_process_that_never_comes_to_an_end_is_started_a_few_times_for_one_state_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Sequence[str]] = []
    monkeypatch.setattr("core.process.spawn.start_detached", started.append)
    tree = _tree(tmp_path)
    with open_store(tmp_path / "book.db", write=True, create=True) as store:
        for _ in range(9):
            assert not fresh.take_changed(store, str(tree), most=fresh.HOOK_BYTES)
        assert len(started) == 3
        write_lessons(tree / ".casebook" / "lessons.jsonl", LESSONS + 1)
        fresh.take_changed(store, str(tree), most=fresh.HOOK_BYTES)
        assert len(started) == 4
        assert fresh.take_changed(store, str(tree))
        assert not fresh.take_changed(store, str(tree), most=fresh.HOOK_BYTES)
        assert len(started) == 4


def test_what_another_process_imported_meanwhile_is_not_imported_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, path = place_of(_tree(tmp_path, 3)), tmp_path / "book.db"
    ordinary = importing.change

    def later(store: Store, actor: str, title: str) -> object:
        monkeypatch.setattr(importing, "change", ordinary)
        with open_store(path, write=True) as other:
            importing.import_lessons(other, place, "team")
        return ordinary(store, actor, title)

    monkeypatch.setattr(importing, "change", later)
    with open_store(path, write=True, create=True) as store:
        report = importing.import_lessons(store, place, "team")
    assert (report.added, report.unchanged, report.change) == (0, 3, None)
    assert (shared(path), changes(path)) == (3, ["team"])


def _tree(folder: Path, count: int = LESSONS) -> Path:
    tree = folder / "shop"
    (tree / ".git").mkdir(parents=True)
    (tree / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    write_lessons(tree / ".casebook" / "lessons.jsonl", count)
    return tree
