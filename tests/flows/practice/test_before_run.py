"""Before a command runs: one like it failed. Said once a session where it is known, and counted afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.errors.practice import shown_counts
from core.flows.harvest.command import parse_command
from core.flows.harvest.session import harvest_session
from core.flows.hook.dispatch import Handled, Surroundings, handle
from core.flows.practice.findings import keys_of
from core.flows.transcripts.api import import_transcripts
from core.store import Store, open_store
from tests.flows.harvest.chat import HOME
from tests.flows.harvest.test_session import Transcript
from tests.flows.practice.chats import corrected, session, unquoted

ROOT = Path(__file__).resolve().parents[3]
WRONG = "gh pr view 99 --repo a/b --json state,merged"


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "casebook.db", write=True, create=True) as opened:
        yield opened


@pytest.fixture
def known(store: Store, tmp_path: Path) -> Store:
    """A casebook that has the correction of `gh`."""
    import_transcripts(store, "auto", [corrected(tmp_path / "in", 1).save()])
    return store


def event(command: str, *, name: str = "s9", cwd: str = HOME) -> bytes:
    said = {"hook_event_name": "PreToolUse", "session_id": name, "cwd": cwd, "tool_name": "Bash"}
    return json.dumps(said | {"tool_input": {"command": command}}).encode()


def ask(store: Store, command: str, *, name: str = "s9", cwd: str = HOME) -> Handled:
    around = Surroundings(lambda _: None, lambda _: None, "none", False, "off")
    return handle(event(command, name=name, cwd=cwd), Path(store.path), around)


def text(handled: Handled) -> str:
    assert handled.fault == ""
    if handled.reply is None:
        return ""
    said: Any = handled.reply["hookSpecificOutput"]
    assert set(said) == {"hookEventName", "additionalContext"}, "it allows and denies nothing"
    return said["additionalContext"]


def outcomes(store: Store) -> list[tuple[Any, ...]]:
    return store.con.execute("SELECT via, session_id, outcome, performed FROM answer_outcome ORDER BY id").fetchall()


def test_a_command_that_holds_the_named_word_is_told(known: Store) -> None:
    said = text(ask(known, WRONG))
    assert "> failed: gh pr view 12 --json title,merged" in said
    assert '> error: Unknown JSON field: "merged"' in said
    assert "> passed: gh pr view 12 --json title,mergedAt" in said
    assert "information, not an instruction" in said
    assert "unverified" in said


@pytest.mark.parametrize(
    "command",
    [
        "gh pr view 99 --json state,mergedAt",
        "gh pr list --json merged",
        "gh pr view merged --json state",
        "echo 'gh pr view 99 --json merged'",
        "git log --merged",
        "ls",
    ],
)
def test_another_command_is_not(known: Store, command: str) -> None:
    assert text(ask(known, command)) == ""


def test_it_is_said_once_a_session(known: Store) -> None:
    first = ask(known, WRONG)
    assert first.once_written is not None
    assert first.once_written() == ""
    assert text(ask(known, WRONG)) == ""
    assert text(ask(known, WRONG, name="s10")) != ""
    assert outcomes(known) == [("before_run", "s9", "open", 0)]


def test_a_weak_or_rejected_fix_says_nothing(known: Store) -> None:
    known.con.execute("UPDATE resolution SET original = NULL")
    assert text(ask(known, WRONG)) == ""
    known.con.execute("UPDATE resolution SET status = 'verified'")
    assert "verified manually" in text(ask(known, WRONG))
    known.con.execute("UPDATE resolution SET status = 'rejected'")
    assert text(ask(known, WRONG)) == ""


def test_what_one_project_lacks_is_told_there_alone_and_after_two_sessions(store: Store, tmp_path: Path) -> None:
    asked = "grep -rn Close --include=*.go src"
    import_transcripts(store, "auto", [unquoted(tmp_path / "in", 1, "Load").save()])
    assert text(ask(store, asked)) == ""
    import_transcripts(store, "auto", [unquoted(tmp_path / "in", 2, "Save").save()])
    assert '> passed: --include="*.go"' in text(ask(store, asked))
    assert text(ask(store, 'grep -rn Close --include="*.go" src')) == ""
    assert text(ask(store, asked, cwd=str(tmp_path))) == ""


def test_a_missing_program_is_told_until_it_is_there(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in (1, 2):
        chat = session(tmp_path / "in", at).bash(f"jqq .name data/{at}.json", "zsh:1: command not found: jqq", 127)
        chat.bash(f"python3 -m json.tool data/{at}.json", '{"name": "x"}')
        import_transcripts(store, "auto", [chat.save()])
    assert "> passed: python3 -m json.tool data/" in text(ask(store, "cat a.json | jqq .x"))
    program = tmp_path / "bin" / "jqq"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    assert text(ask(store, "cat a.json | jqq .x")) == ""


def later(folder: Path, *rows: tuple[str, str, int]) -> Transcript:
    """The session in which it was told, with what was run after that."""
    chat = session(folder, 9)
    for command, output, code in rows:
        chat.bash(command, output, code)
    return chat


@pytest.mark.parametrize(
    ("rows", "became"),
    [
        ([(WRONG, "Unknown JSON field", 1), ("gh pr view 99 --json mergedAt", "{}", 0)], ("helped", 1)),
        ([(WRONG, "Unknown JSON field", 1), (WRONG, 'Unknown JSON field: "merged"', 1)], ("failed_again", 0)),
        ([(WRONG, "Unknown JSON field", 1), ("ls", "a", 0)], ("ignored", 0)),
    ],
)
def test_what_became_of_it_is_read_from_the_calls_after_it(
    known: Store, tmp_path: Path, rows: list[tuple[str, str, int]], became: tuple[str, int]
) -> None:
    chat = later(tmp_path / "in", *rows)
    handled = ask(known, WRONG, name=chat.session)
    assert handled.once_written is not None
    assert handled.once_written() == ""
    known.con.execute("UPDATE answer_outcome SET told_at = '2026-09-01T10:00:00.500Z'")  # the first call was just made
    import_transcripts(known, "auto", [chat.save()])
    assert outcomes(known) == [("before_run", chat.session, *became)]
    harvest_session(known, chat.session)
    assert outcomes(known) == [("before_run", chat.session, *became)]


@pytest.mark.parametrize(
    ("then", "counted"),
    [(("gh pr view 99 --json mergedAt", "{}", 0), (0, 0, 1, 1)), ((WRONG, "Unknown JSON field", 1), (0, 0, 1, 0))],
)
def test_a_share_is_held_back_and_its_outcome_is_kept(
    known: Store, tmp_path: Path, then: tuple[str, str, int], counted: tuple[int, ...]
) -> None:
    chat = later(tmp_path / "in", (WRONG, "Unknown JSON field", 1), then)
    around = Surroundings(lambda _: None, lambda _: None, "none", False, "off", hold_back=1.0)
    for _ in range(2):
        held = handle(event(WRONG, name=chat.session), Path(known.path), around)
        assert held.reply is None and held.fault == ""
    sql = "SELECT via, session_id, withheld FROM answer_outcome"
    assert known.con.execute(sql).fetchall() == [("before_run", chat.session, 1)]
    known.con.execute("UPDATE answer_outcome SET told_at = '2026-09-01T10:00:00.500Z'")  # the first call was just made
    import_transcripts(known, "auto", [chat.save()])
    assert shown_counts(known.con) == counted
    handled = ask(known, WRONG, name="s10")
    assert handled.once_written is not None and handled.once_written() == ""
    assert shown_counts(known.con) == (1, 0, *counted[2:])


def test_keys_are_the_subcommand_the_option_and_its_words() -> None:
    keys = set(keys_of(parse_command("gh pr view 1 --json one,two --web && grep --include=*.go x 'y*'")))
    assert keys == {
        ("gh", ""), ("gh", "pr view --json"), ("gh", "pr view --json one"), ("gh", "pr view --json two"),
        ("gh", "pr view --web"), ("grep", ""), ("grep", "--include"), ("grep", "unquoted --include="),
    }  # fmt: skip


def test_the_hook_says_it_as_agents_call_it(known: Store, tmp_path: Path) -> None:
    names = ("DATA", "CONFIG", "STATE", "CACHE")
    hook = {"CASEBOOK_HOOK_HOST": "false", "CASEBOOK_HOOK_DEADLINE_MS": "60000"}  # however busy the machine is
    env = os.environ | {f"XDG_{name}_HOME": str(tmp_path / name) for name in names} | hook
    command = [sys.executable, "-m", "cli.main", "hook", "--db", str(known.path)]

    def run(*argv: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(argv, input=event(WRONG), capture_output=True, cwd=ROOT, env=env, check=False)

    first, second = run(*command), run(*command)
    assert (first.returncode, second.returncode) == (0, 0)
    assert "> error" in json.loads(first.stdout)["hookSpecificOutput"]["additionalContext"]
    assert second.stdout == b""
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no database")
    done = run(*command[:-1], str(broken))
    assert (done.returncode, done.stdout) == (0, b"")
