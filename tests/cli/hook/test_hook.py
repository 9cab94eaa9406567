"""`casebook hook` as an agent calls it: a process that always ends well, soon, and says at most one thing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

from core.errors import list_cases
from core.errors.cases.record import record_resolution
from core.store import open_store

ROOT = Path(__file__).resolve().parents[3]
NO_HOST = {"CASEBOOK_HOOK_HOST": "false", "CASEBOOK_EMBEDDING_MODEL": "none", "CASEBOOK_EMBEDDING_SERVICE": "false"}
FAILED = {
    "hook_event_name": "PostToolUseFailure",
    "session_id": "s1",
    "cwd": "/home/me/shop",
    "tool_name": "Bash",
    "tool_input": {"command": "npm test"},
    "error": "Exit code 1\nError: Cannot find module 'leftpad'",
}


def environment(home: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "CASEBOOK_"))}
    # A machine busy with other tests must not make a hook give up that would have answered.
    return kept | {"HOME": str(home), "PYTHONPATH": str(ROOT), "CASEBOOK_HOOK_DEADLINE_MS": "60000"} | NO_HOST


# The moment it has for its last words is not enough on every busy machine.
PATIENT = "import sys, cli.commands.hook; cli.commands.hook._LAST_WORDS_S = 30; cli.commands.hook.run(sys.argv[1:])"

# Nor is the second for which it waits for others that write, where the disk is slow.
IN_TURN = (
    "import sys, cli.commands.hook, core.flows.hook.post_tool_use as told; told.WAIT_MS = 30_000; "
    "cli.commands.hook.run(sys.argv[1:])"
)


def start(
    home: Path, *options: str, by: tuple[str, ...] = ("-m", "cli.main", "hook"), **variables: str
) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    command = [sys.executable, *by, *options]
    env = environment(home) | variables
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=home, env=env)


def hook(home: Path, data: bytes | dict[str, Any], *options: str) -> tuple[int, bytes, bytes]:
    process = start(home, *options)
    given = data if isinstance(data, bytes) else json.dumps(data).encode()
    out, err = process.communicate(given, timeout=120)
    return process.returncode, out, err


def database(home: Path) -> Path:
    return home / ".local/share/casebook/casebook.db"


def log_lines(home: Path) -> list[dict[str, Any]]:
    path = home / ".local/state/casebook/casebook.log"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_known_error_is_answered_and_an_unknown_one_is_written_down(tmp_path: Path) -> None:
    assert hook(tmp_path, FAILED) == (0, b"", b"")
    record_resolution(database(tmp_path), str(FAILED["error"]), "Install **leftpad**.")
    code, out, err = hook(tmp_path, FAILED | {"session_id": "s2"})
    assert (code, err) == (0, b"")
    assert out.count(b"\n") == 1
    said = json.loads(out)["hookSpecificOutput"]
    assert said["hookEventName"] == "PostToolUseFailure"
    assert "> Install **leftpad**." in said["additionalContext"]
    with open_store(database(tmp_path)) as store:
        assert [case.seen for case in list_cases(store).cases] == [2]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b'{"hook_event_name": "PostToolUseFailure", "tool_na',
        b"\x00\xff\x1b]52;c;AAAA\x07",
        b'"' + b"x" * 10_000_000 + b'"',
        json.dumps(FAILED | {"tool_input": 3}).encode(),
        json.dumps(FAILED | {"tool_name": {"a": 1}}).encode(),
        json.dumps(FAILED | {"error": "Exit code 1\n" + "y" * 10_000_000}).encode(),
    ],
    ids=["empty", "cut", "bytes", "10 MB", "input", "name", "10 MB error"],
)
def test_hostile_input_ends_well_stores_nothing_and_leaves_one_log_line(tmp_path: Path, data: bytes) -> None:
    assert hook(tmp_path, data) == (0, b"", b"")
    assert not database(tmp_path).exists()
    assert len(log_lines(tmp_path)) == 1


def test_an_unknown_event_leaves_no_trace(tmp_path: Path) -> None:
    assert hook(tmp_path, {"hook_event_name": "Stop", "session_id": "s"}) == (0, b"", b"")
    assert not log_lines(tmp_path)
    assert not database(tmp_path).exists()


def test_a_damaged_casebook_is_left_alone(tmp_path: Path) -> None:
    bad = tmp_path / "bad.db"
    bad.write_bytes(b"not a database at all, but a text" * 400)
    assert hook(tmp_path, FAILED, "--db", str(bad)) == (0, b"", b"")
    assert bad.read_bytes() == b"not a database at all, but a text" * 400
    assert len(log_lines(tmp_path)) == 1


def test_a_casebook_that_another_holds_locked_costs_no_answer_and_no_failure(tmp_path: Path) -> None:
    record_resolution(tmp_path / "a.db", str(FAILED["error"]), "Install leftpad.")
    held = apsw.Connection(str(tmp_path / "a.db"))
    held.execute("BEGIN IMMEDIATE")
    try:
        code, out, _ = hook(tmp_path, FAILED, "--db", str(tmp_path / "a.db"))
    finally:
        held.close()
    assert code == 0
    assert not out or b"Install leftpad" in out
    assert len(log_lines(tmp_path)) == 1


def test_an_agent_that_never_closes_its_pipe_does_not_keep_it(tmp_path: Path) -> None:
    process = start(tmp_path, by=("-c", PATIENT), CASEBOOK_HOOK_DEADLINE_MS="1600")
    assert process.stdin is not None
    process.stdin.write(b"{")
    process.stdin.flush()
    assert process.wait(timeout=120) == 0
    process.stdin.close()
    assert len(log_lines(tmp_path)) == 1


def test_an_event_that_is_saved_late_is_saved_before_the_time_runs_out(tmp_path: Path) -> None:
    late = (
        "import sys, time, cli.commands.hook as hook; read = hook._payload; hook._SAVE_S = 60; "
        "hook._payload = lambda: (time.sleep(1), read())[1]; hook.run(sys.argv[1:])"
    )
    process = start(tmp_path, by=("-c", late), CASEBOOK_HOOK_DEADLINE_MS="100")
    process.communicate(json.dumps(FAILED).encode(), timeout=120)
    assert process.returncode == 0
    assert log_lines(tmp_path)[0]["fault"] == "timeout after 100 ms"
    (kept,) = (tmp_path / ".local/state/casebook/hooks").glob("*/*")
    assert kept.read_bytes() == json.dumps(FAILED).encode()


def test_settings_that_are_read_late_still_give_the_time_they_name(tmp_path: Path) -> None:
    record_resolution(database(tmp_path), str(FAILED["error"]), "Install leftpad.")
    late = (
        "import sys, time, cli.commands.hook as hook; read = hook._settings; hook._SAVE_S = 60; hook.DEADLINE_MS = 10; "
        "hook._settings = lambda argv: (time.sleep(0.5), read(argv))[1]; hook.run(sys.argv[1:])"
    )
    process = start(tmp_path, by=("-c", late))
    out, _ = process.communicate(json.dumps(FAILED).encode(), timeout=120)
    assert b"Install leftpad" in out
    assert log_lines(tmp_path) == []


def test_three_hooks_at_once_lose_nothing(tmp_path: Path) -> None:
    record_resolution(database(tmp_path), str(FAILED["error"]), "Install leftpad.")
    rounds = 4
    for turn in range(rounds):
        processes = [start(tmp_path, by=("-c", IN_TURN)) for _ in range(3)]
        for number, process in enumerate(processes):
            assert process.stdin is not None
            process.stdin.write(json.dumps(FAILED | {"session_id": f"s{turn}-{number}"}).encode())
            process.stdin.close()
        for process in processes:
            assert process.stdout is not None
            assert b"Install leftpad" in process.stdout.read()
            assert process.wait(timeout=120) == 0
    with open_store(database(tmp_path)) as store:
        (case,) = list_cases(store).cases
        row = store.con.execute("SELECT use_count FROM error_kb").fetchone()
    assert case.seen == 1 + 3 * rounds
    assert row == (1 + 3 * rounds,)


def test_the_end_of_a_session_has_its_transcript_read(tmp_path: Path) -> None:
    transcript = tmp_path / "s9.jsonl"
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "npm test"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": FAILED["error"], "is_error": True}
    steps = [("assistant", call), ("user", result)]
    transcript.write_text(
        "".join(
            json.dumps(
                {
                    "type": role,
                    "uuid": f"u{number}",
                    "sessionId": "s9",
                    "cwd": "/home/me/shop",
                    "timestamp": "2026-03-01T10:00:00.000Z",
                    "message": {"role": role, "content": [block]},
                }
            )
            + "\n"
            for number, (role, block) in enumerate(steps)
        )
    )
    ended = {"hook_event_name": "SessionEnd", "session_id": "s9", "transcript_path": str(transcript), "reason": "exit"}
    assert hook(tmp_path, ended) == (0, b"", b"")
    for _ in range(3_000):
        if any(line["event"] == "session read" for line in log_lines(tmp_path)):
            break
        time.sleep(0.1)
    with open_store(database(tmp_path)) as store:
        assert [case.key_line for case in list_cases(store).cases] == ["Error: Cannot find module 'leftpad'"]


def test_hooks_are_set_up_and_taken_out_from_the_shell(tmp_path: Path) -> None:
    def hooks(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "cli.main", "hooks", *words]
        return subprocess.run(
            command, capture_output=True, text=True, env=environment(tmp_path), cwd=tmp_path, check=False
        )

    assert hooks("status").returncode == 1
    assert hooks("install").returncode == 0
    settings = json.loads((tmp_path / ".claude/settings.json").read_text())
    assert set(settings["hooks"]) == {
        "PreToolUse",
        "PostToolUseFailure",
        "PostToolUse",
        "SessionStart",
        "Stop",
        "SessionEnd",
    }
    assert json.loads(hooks("status", "--json").stdout)["installed"]
    assert hooks("uninstall").returncode == 0
    assert not (tmp_path / ".claude/settings.json").exists(), "nothing else was in it"
    (tmp_path / ".claude/settings.json").write_text('{\n  // mine\n  "a": 1\n}\n')
    refused = hooks("install")
    assert refused.returncode == 2
    assert "settings.json:2: a comment" in refused.stderr
