"""A path that is not what a command needs: what is wrong with it, where, and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def filled(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A casebook with a folder in its library; in the folder where it runs an empty file and one of noise."""
    monkeypatch.chdir(tmp_path)
    for folder in ("folder", "root"):
        (tmp_path / folder).mkdir()
    (tmp_path / "empty").touch()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "noise").write_bytes(bytes(range(256)))
    (tmp_path / "entries").write_text('{"entries": []}')
    assert run("errors", "record", "--error", "Error: boom", "--resolution", "x").code == 0
    assert run("library", "ingest", "root").code == 1
    return run


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("errors import gone", "file gone not found; pass an export or an older error database"),
        ("errors import folder", "folder is a folder; pass an export or an older error database"),
        ("errors import /dev/null", "/dev/null is not a regular file; pass an export or an older error database"),
        ("errors export -o folder", "folder is a folder; pass a file"),
        ("errors export -o gone/x", "folder gone not found; create it first, or pass another file"),
        ("library ingest gone", "folder gone not found; pass a folder, or a file with --file"),
        ("library ingest empty", "empty is not a folder; pass a folder, or a file with --file"),
        ("library ingest --file gone", "gone cannot be added: No such file or directory; check the path"),
        ("library ingest --file empty", "empty is empty; add text"),
        ("library ingest --file noise", "noise is not readable text; add text"),
        ("evidence align --messages empty --extracted entries", "empty: the messages are empty; pass JSON"),
        ("evidence align --messages entries --extracted empty",
         "entries: the messages are not a JSON array; pass strings, or objects with role and text"),
        ("evidence add empty --session x", "empty: the extraction is empty; pass JSON"),
        ("evidence add - --session x", "standard input: the extraction is empty; pass JSON"),
        ("db backup gone/x", "folder {}/gone not found; create it first, or pass another file"),
        ("db salvage gone/x", "folder {}/gone not found; create it first, or pass another file"),
        ("db restore folder", "{}/folder is a folder, not a database file; pass a backup file"),
        ("db restore gone", "no backup found at {}/gone; pass a file of `casebook db backup`"),
        ("db backup \udcff", "the file name '{}/\\udcff' is not UTF-8; rename the file"),
        ("models add entries", "entries is not a folder; pass the folder of a model"),
        ("models add loop", "folder loop not found; pass the folder of a model"),
        ("library ingest ~no-one-here/x", "unknown user in ~no-one-here/x; pass an absolute path"),
        ("library ingest --file ~no-one-here/x", "unknown user in ~no-one-here/x; pass an absolute path"),
        ("rules check --rules ~no-one-here/x", "unknown user in ~no-one-here/x; pass an absolute path"),
        ("models add ~no-one-here/x", "unknown user in ~no-one-here/x; pass an absolute path"),
        ("--db ~no-one-here/x errors list", "unknown user in ~no-one-here/x; pass an absolute path"),
        ("--db folder undo", "{}/folder is a folder, not a database file; pass a file with --db"),
    ],
)  # fmt: skip
def test_a_wrong_path_is_told(filled: Run, tmp_path: Path, args: str, said: str) -> None:
    found = filled(*args.split())
    assert (found.code, found.out, found.said) == (2, b"", f"casebook: {said.format(tmp_path)}\n")
    assert not (tmp_path / "gone").exists(), "a slip makes no folders"


@pytest.mark.parametrize(
    "args",
    [
        ("library", "ingest", ""), ("library", "ingest", "--file", ""), ("library", "eval", ""),
        ("import", "codex", ""),
        ("errors", "import", ""), ("errors", "export", "-o", ""), ("db", "backup", ""), ("db", "restore", ""),
        ("db", "salvage", ""), ("evidence", "add", "", "--session", "x"), ("evidence", "align", "--messages", ""),
        ("hooks", "install", "--project", ""), ("models", "add", ""), ("rules", "check", "--rules", ""),
        ("--config", "", "config", "show"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_name_that_is_empty_is_not_the_current_folder(filled: Run, args: tuple[str, ...]) -> None:
    found = filled(*args)
    assert (found.code, found.out) == (2, b"")
    assert ": the name is empty; see casebook" in found.said


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no folder here in which even root makes no file")
def test_a_backup_that_cannot_be_written_names_the_file_that_was_asked_for(filled: Run) -> None:
    said = filled("db", "backup", "/proc/x").said
    assert said.startswith("casebook: /proc/x: ")
    assert ".part" not in said


def test_what_holds_no_transcript_is_named_as_what_it_is(filled: Run, tmp_path: Path) -> None:
    for agent in ((), ("codex",)):
        found = filled("import", *agent, "folder", "empty")
        assert found.code == 1
        assert found.text.splitlines()[1:] == [
            "2 paths could not be read and were skipped:",
            "  folder: no transcripts in this folder",
            f"  {tmp_path / 'empty'}: empty file",
        ]


def test_without_a_home_folder_nothing_is_written_to_the_current_one(
    run: Run, spawn: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container whose user has no entry and no HOME: `~` was a folder of each project."""
    monkeypatch.chdir(home)
    monkeypatch.setenv("HOME", "~")
    found = run("errors", "record", "--error", "Error: boom", "--resolution", "x", "--json").fault()
    assert (found["code"], found["message"]) == ("config_invalid", "unknown home folder: ~")
    event = {"hook_event_name": "PostToolUseFailure", "session_id": "s", "tool_name": "Bash", "error": "Error: boom"}
    hooked = spawn("hook", stdin=json.dumps(event).encode())
    assert (hooked.code, hooked.out, hooked.err) == (0, b"", b"")
    assert list(home.iterdir()) == []
