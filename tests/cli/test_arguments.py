"""Arguments are bytes: read as UTF-8 whatever the locale says; one that is not UTF-8 is refused, never replaced."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.store import open_store

ROOT = Path(__file__).resolve().parents[2]
KOREAN = "오류: 데이터베이스에 연결할 수 없습니다"


def casebook(home: Path, *args: bytes, module: str = "agent_casebook") -> subprocess.CompletedProcess[bytes]:
    """A run in the locale `C`, in which Python reads arguments as ASCII."""
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    command = [os.fsencode(sys.executable), b"-m", module.encode(), *args]
    return subprocess.run(command, env=env, cwd=ROOT, capture_output=True, check=False, timeout=120)


@pytest.mark.parametrize("module", ["agent_casebook", "cli"])
def test_korean_is_kept_in_a_locale_that_knows_ascii(home: Path, module: str) -> None:
    db = home / "한글.db"
    error, fix = KOREAN.encode(), "다시 시작한다".encode()
    words = (b"errors", b"record", b"--error", error, b"--resolution", fix, b"--db", os.fsencode(db))
    done = casebook(home, *words, module=module)
    assert (done.returncode, done.stderr) == (0, b"")
    with open_store(db) as store:
        rows = store.con.execute("SELECT error_raw, resolution FROM error_kb").fetchall()
    assert rows == [(KOREAN, "다시 시작한다")]
    found = casebook(home, b"errors", b"search", error, b"--json", b"--db", os.fsencode(db), module=module)
    assert found.returncode == 0
    assert "다시 시작한다" in found.stdout.decode()


@pytest.mark.parametrize("option", [b"--error", b"--resolution", b"--resolved-by"])
def test_an_argument_that_is_not_utf8_is_refused_and_nothing_is_stored(home: Path, option: bytes) -> None:
    given = {b"--error": b"Error: x", b"--resolution": b"y", b"--resolved-by": b"me"} | {option: b"caf\xe9"}
    words = [word for pair in given.items() for word in pair]
    done = casebook(home, b"errors", b"record", *words)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"is not UTF-8 (byte 0xE9 at character 4)" in done.stderr
    assert not list(home.rglob("*.db"))
