"""`casebook db`, `import` and `demo`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.samples import sample_paths
from tests.schemas import check_schema

Run = Callable[..., Any]


def record(run: Run, db: Path, error: str) -> None:
    assert run("errors", "record", "--error", error, "--resolution", "z", "--db", str(db)).code == 0


def knows(run: Run, db: Path, error: str) -> bool:
    return run("errors", "search", error, "--db", str(db), "--json").json()["match"] is not None


def test_backup_and_restore(run: Run, tmp_path: Path) -> None:
    db, copy = tmp_path / "x.db", tmp_path / "copy.db"
    record(run, db, "Error: first thing broke")
    found = run("db", "backup", str(copy), "--db", str(db), "--json").json()
    assert found["size"] == copy.stat().st_size
    assert run("db", "backup", str(copy), "--db", str(db)).code == 2
    record(run, db, "Error: second thing tore")
    done = run("db", "restore", str(copy), "--db", str(db), "--json").json()
    assert knows(run, db, "Error: first thing broke")
    assert not knows(run, db, "Error: second thing tore")
    assert knows(run, Path(done["kept"]), "Error: second thing tore")
    assert "Restored" in run("db", "restore", str(copy), "--db", str(db)).text


def test_salvage_saves_the_rows_of_a_damaged_file(run: Run, tmp_path: Path) -> None:
    db, copy, saved = tmp_path / "x.db", tmp_path / "copy.db", tmp_path / "saved.db"
    record(run, db, "Error: first thing broke")
    run("db", "backup", str(copy), "--db", str(db))
    data = bytearray(copy.read_bytes())
    data[:100] = b"\0" * 100
    copy.write_bytes(data)
    assert run("errors", "list", "--db", str(copy), "--json").fault()["code"] == "db_damaged"
    found = run("db", "salvage", str(saved), "--db", str(copy), "--json").json()
    assert found["tables"]["error_kb"] == 1
    assert copy.read_bytes() == bytes(data)
    assert knows(run, saved, "Error: first thing broke")
    assert run("doctor", "--db", str(saved)).code == 0


def test_import_reads_once(run: Run, tmp_path: Path) -> None:
    db = ("--db", str(tmp_path / "x.db"))
    samples = [str(path) for path in sample_paths()]
    first = run("import", "auto", *samples, *db, "--json").json()
    assert first["errors"] > 0
    assert first["resolutions"] > 0
    again = run("import", *samples, *db, "--json").json()  # no agent named: the file tells whose it is
    assert (again["messages"], again["errors"], again["resolutions"]) == (0, 0, 0)
    plain = run("import", "auto", *samples, *db)
    assert plain.code == 0
    assert plain.text.startswith("Read ")
    assert plain.err == b"", "no progress where nobody watches"
    other = ("--db", str(tmp_path / "y.db"), "--verbose")
    assert b"import" in run("import", "auto", *samples, *other).err
    for line in run("import", "auto", *samples, *other, "--json").err.splitlines():
        progress = json.loads(line)
        check_schema(progress, "progress.v1")


def test_import_without_anything_to_read_exits_1(run: Run, home: Path) -> None:
    found = run("import", "auto", "--json")
    assert (found.code, found.out) == (1, b"")
    assert found.fault()["code"] == "not_indexed"
    assert not (home / ".local").exists()


def test_import_looks_where_the_settings_say(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "transcripts"
    folder.mkdir()
    monkeypatch.setenv("CASEBOOK_IMPORT_CLAUDE_CODE", str(folder))
    entry = {
        "type": "user", "uuid": "u1", "sessionId": "s1", "cwd": "/shop", "timestamp": "2026-01-02T03:04:05.000Z",
        "message": {"role": "user", "content": "why does the \x1b]52;c;eA==\x07 build fail?"},
    }  # fmt: skip
    (folder / "s1.jsonl").write_text(json.dumps(entry) + "\n{nonsense\n" + json.dumps({**entry, "uuid": "u2"}) + "\n")
    found = run("import", "claude-code")
    assert found.code == 0
    assert "Read 1 file, 1 session, 2 messages" in found.text
    assert "s1.jsonl:2: " in found.text


def test_import_looks_where_the_agents_put_their_own(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, *_ = sorted(path for root in sample_paths() for path in Path(root).rglob("rollout-*.jsonl"))
    for path, folder in ((first, home / ".codex" / "archived_sessions"), (second, home / "moved" / "sessions")):
        folder.mkdir(parents=True)
        (folder / path.name).write_bytes(path.read_bytes())
    assert run("import", "auto", "--json").json()["files"] == 1
    monkeypatch.setenv("CODEX_HOME", str(home / "moved"))
    assert run("import", "codex", "--json").json()["sessions"] == 1


def test_demo_shows_the_whole_job_and_leaves_nothing(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        plain = run("demo")
    assert plain.code == 0
    assert "Known: the same error" in plain.text
    assert "Search trace:" in plain.text
    assert "fingerprint: hit" in plain.text
    long = [line for line in plain.text.split("\n") if len(line) > 80]
    assert all(line.startswith((" " * 15 + "+ ", "  check ")) for line in long), "only code may be longer"
    found = run("demo", "--json").json()
    assert found["report"]["resolutions"] > 0
    assert found["answers"][-1]["match"]["tier"] == "vector"
    assert "an error with a similar meaning" in plain.text
    assert not (home / ".local").exists()


def test_demo_without_a_model_says_so(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASEBOOK_EMBEDDING_MODEL", "all-mpnet-base-v2")
    plain = run("demo")
    assert plain.code == 0
    assert "casebook models pull all-mpnet-base-v2" in " ".join(plain.text.split())
    assert run("demo", "--json").json()["answers"][-1]["match"] is None
    assert not (home / ".local").exists()
