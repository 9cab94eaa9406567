"""`casebook library open`: from a citation to the line in a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.flows.ingest.api import ingest
from core.store import open_store

ROOT = Path(__file__).parents[3]
Run = Callable[..., Any]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "한글 노트 1.md").write_text("# Alpha\n\nwords\n\n## Stop\n\nthe pump stops\n", encoding="utf-8")
    with open_store(tmp_path / "c.db", create=True) as store:
        ingest(store, [notes])
    return notes


def command(notes: Path, *args: str) -> list[str]:
    return ["library", "open", *args, "--db", str(notes.parent / "c.db")]


def test_off_a_terminal_it_says_file_and_line(notes: Path, run: Run) -> None:
    file = notes / "한글 노트 1.md"
    done = run(*command(notes, f"{file.name}#L5-L7"))
    assert (done.code, done.text) == (0, f"{file}:5\n")
    done = run(*command(notes, file.name, "--json"))
    assert json.loads(done.text) == {
        "schema_version": "file_place.v1", "uri": file.name, "doc_path": file.name, "file": str(file), "line": 1,
        "told": "",
    }  # fmt: skip
    file.unlink()
    done = run(*command(notes, file.name))
    assert done.code == 2
    assert "no longer exists" in done.said and done.said.count("\n") == 1


def test_a_line_beyond_the_end_is_told_in_one_line_and_the_last_one_is_opened(notes: Path, run: Run) -> None:
    file = notes / "한글 노트 1.md"
    for fragment, line, many in (("L7", 7, 0), ("L5-L8", 5, 1), ("L8", 7, 1), ("L9999-L10000", 7, 1)):
        name = f"{file.name}#{fragment}"
        done = run(*command(notes, name))
        assert (done.code, done.text) == (0, f"{file}:{line}\n")
        assert done.said.count("\n") == many
        assert ("the file has 7 lines" in done.said) == bool(many)
    done = run(*command(notes, name, "--json"))
    told = json.loads(done.text)
    assert (told["line"], told["uri"], done.said) == (7, name, "")
    assert told["told"] == "line 9,999 not found: the file has 7 lines. This is the last line"


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminal there")
def test_on_a_terminal_the_editor_opens_at_the_line(notes: Path, tmp_path: Path) -> None:
    editor, told = tmp_path / "vim", tmp_path / "told"
    editor.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{told}"\n')
    editor.chmod(0o700)
    ours, theirs = os.openpty()
    try:
        environ = {**os.environ, "EDITOR": f"'{editor}' -f", "VISUAL": ""}
        done = subprocess.run(
            [sys.executable, "-m", "cli", *command(notes, "한글 노트 1.md#L7")],
            cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs, env=environ, check=False,
        )  # fmt: skip
    finally:
        os.close(theirs)
        os.close(ours)
    assert done.returncode == 0
    assert told.read_text(encoding="utf-8").split("\n")[:-1] == ["-f", "+7", str(notes / "한글 노트 1.md")]


def test_the_workbench_opens_at_the_cited_lines_with_the_signs_asked_for(
    notes: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tui.shell.app

    opened: list[tuple[str, bool]] = []
    monkeypatch.setattr(
        tui.shell.app, "run", lambda *_, cited, ascii_only, **more: opened.append((cited, ascii_only)) or 0
    )
    name = "한글 노트 1.md"
    args = ("library", "open", f"{name}#L5-L7", "--workbench", "--db", str(notes.parent / "c.db"))
    assert run("--ascii", *args, terminal=True).code == run(*args, terminal=True).code == 0
    assert opened == [(f"{name}#L5-L7", True), (f"{name}#L5-L7", False)]
