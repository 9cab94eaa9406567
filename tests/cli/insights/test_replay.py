"""`casebook replay`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Result
from tests.flows.replay.chats import missing, write

Run = Callable[..., Result]


def test_replay_answers_as_json_and_as_text_and_leaves_the_casebook_alone(run: Run, tmp_path: Path) -> None:
    folder, db = tmp_path / "sessions", tmp_path / "own.db"
    folder.mkdir()
    write(folder, "one", 1, missing("yaml", "pip install pyyaml"))
    write(folder, "two", 2, missing("yaml", "pip install pyyaml"))
    found = run("replay", str(folder), "--json", "--db", str(db))
    assert found.code == 0
    report = found.json()
    assert (report["schema_version"], report["sessions"], report["failures"]) == ("replay.v1", 2, 2)
    assert (report["known_before"], report["agreed"], report["disagreed"]) == (1, 1, 0)
    text = run("replay", str(folder), "--verbose", "--db", str(db)).text
    assert "1 seen before (2 minutes spent)" in text
    assert "agrees: case 1" in text and "known:" in text and "real:" in text
    assert not db.exists()


def test_nothing_to_play_exits_1_and_a_missing_path_2(run: Run, tmp_path: Path) -> None:
    assert run("replay", str(tmp_path)).code == 1
    assert run("replay", str(tmp_path / "gone"), "--json").fault()["code"] == "invalid_input"


def test_progress_is_told_on_stderr(spawn: Run, tmp_path: Path) -> None:
    write(tmp_path, "one", 1, missing("yaml", "pip install pyyaml"))
    found = spawn("replay", str(tmp_path), "--json")
    assert found.code == 0
    assert '"kind":"replay"' in found.said.replace(" ", "")
