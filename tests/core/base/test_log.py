"""The log: redacted JSON lines for the owner alone, rotated by size, never in anybody's way."""

from __future__ import annotations

import json
import os
import stat
from multiprocessing import get_context
from pathlib import Path

import pytest

from core.base.log import Log


def entries(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def test_a_line_is_json_redacted_and_only_its_owners(tmp_path: Path) -> None:
    path = tmp_path / "state" / "casebook.log"
    secret = "ghp_" + "a1B2" * 9
    Log(path).write("info", "asked", text=f"token {secret} \x1b]52;c;x\x07 \ud800 오류", count=3, none=None)
    (entry,) = entries(path)
    assert secret not in path.read_text()
    assert entry["count"] == 3
    assert entry["level"] == "info"
    assert "오류" in str(entry["text"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert b"\x1b" not in path.read_bytes()


@pytest.mark.parametrize(("level", "written"), [("off", 0), ("error", 1), ("info", 3), ("debug", 4), ("nonsense", 3)])
def test_what_is_worth_a_line(tmp_path: Path, level: str, written: int) -> None:
    log = Log(tmp_path / "log", level)
    log.write("error", "a")
    log.write("warning", "b")
    log.write("info", "c")
    log.write("debug", "d")
    assert (len(entries(log.path)) if log.path.exists() else 0) == written


def test_it_is_put_aside_when_full_and_old_ones_go(tmp_path: Path) -> None:
    log = Log(tmp_path / "log", max_bytes=300, keep=2)
    for number in range(20):
        log.write("info", "n", number=number)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["log", "log.1", "log.2"]
    assert all(p.stat().st_size <= 300 for p in tmp_path.iterdir())
    kept = [e["number"] for name in ("log.2", "log.1", "log") for e in entries(tmp_path / name)]
    assert kept == list(range(20))[-len(kept) :]
    none = Log(tmp_path / "single", max_bytes=100, keep=0)
    none.write("info", "a")
    none.write("info", "b")
    assert [e["event"] for e in entries(none.path)] == ["b"]


def test_it_never_stands_in_the_way(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    class Awkward:
        def __str__(self) -> str:
            raise RuntimeError("no")

    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "file" / "log", tmp_path, tmp_path / "pipe", Path("/proc/nowhere/log"), Path("a\0b")):
        Log(path).write("error", "x", y=1)
    Log(tmp_path / "log").write("error", "x", y=Awkward())
    assert capfd.readouterr() == ("", "")


def _write_many(path: Path, who: int) -> None:
    for number in range(200):
        Log(path, max_bytes=4000, keep=60).write("info", "n", who=who, number=number)


def test_processes_that_log_at_once_lose_no_line(tmp_path: Path) -> None:
    path = tmp_path / "log"
    many = [get_context("spawn").Process(target=_write_many, args=(path, who)) for who in range(3)]
    for process in many:
        process.start()
    for process in many:
        process.join()
    found = {(e["who"], e["number"]) for p in tmp_path.iterdir() for e in entries(p)}
    assert found == {(who, number) for who in range(3) for number in range(200)}
