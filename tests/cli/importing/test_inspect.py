"""`casebook import inspect`: one transcript, result by result, and nothing written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cli.conftest import Result

Run = Callable[..., Result]


def _bash(number: int, command: str, text: str, *, failed: bool = False) -> list[dict[str, Any]]:
    shared = {"sessionId": "s1", "cwd": "/work/shop", "timestamp": f"2026-01-01T00:0{number}:00.000Z"}
    call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
    told = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text, "is_error": failed}
    return [
        {**shared, "type": "assistant", "uuid": f"c{number}", "message": {"role": "assistant", "content": [call]}},
        {**shared, "type": "user", "uuid": f"r{number}", "message": {"role": "user", "content": [told]}},
    ]


def _transcript(folder: Path) -> Path:
    failing = "Exit code 1\nTraceback (most recent call last):\nModuleNotFoundError: No module named 'yaml'"
    records = [
        *_bash(1, "python report.py", failing, failed=True),
        *_bash(2, "pip install pyyaml", "Successfully installed pyyaml-6.0"),
        *_bash(3, "python report.py", "done"),
        *_bash(4, "grep -n nothing report.py", "Exit code 1", failed=True),
        *_bash(5, "rm -r build", "The user doesn't want to proceed with this tool use.", failed=True),
    ]
    file = folder / "session.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return file


def test_each_result_with_a_sign_of_failure_is_judged(run: Run, tmp_path: Path) -> None:
    found = run("import", "inspect", str(_transcript(tmp_path)), "--json").json()
    assert (found["schema_version"], found["session"], found["passed"]) == ("harvest.v1", "s1", 2)
    assert [(one["line"], one["verdict"]) for one in found["results"]] == [
        (2, "incident"), (8, "answer"), (10, "rejected"),
    ]  # fmt: skip
    failure = found["results"][0]
    assert failure["keys"][0]["text"] == "ModuleNotFoundError: No module named 'yaml'"
    assert failure["fix"]["lines"] == [3]
    assert failure["fix"]["tool_use_ids"] == ["t2"]
    assert failure["fix"]["checked_line"] == 6
    assert failure["cost"]["seconds"] == 120


def test_nothing_is_written(run: Run, tmp_path: Path) -> None:
    file, db = _transcript(tmp_path), tmp_path / "casebook.db"
    text = run("import", "inspect", str(file), "--db", str(db)).text
    assert "incident" in text
    assert "fix (" in text and "line 3: " in text
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix) == ["session.jsonl"]


def test_a_file_that_is_no_transcript_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("hello", encoding="utf-8")
    assert run("import", "inspect", str(tmp_path / "x.txt"), "--json").fault()["code"] == "invalid_input"
    assert run("import", "inspect", "--json").fault()["code"] == "invalid_input"
