"""A casebook in a read-only folder, a clock that is wrong, and secrets on their way through every door.

Root writes anywhere, so these programs run without root's capabilities (`setpriv`); the clock is shifted by
`faketime`. Where the tool is missing the test is skipped and says so; CI installs both.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import list_cases, record_resolution
from core.store import open_store
from tests.tui.pseudo_terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]
YAML = "ModuleNotFoundError: No module named 'yaml'"
QUIET = {"CASEBOOK_HOOK_HOST": "false", "CASEBOOK_EMBEDDING_MODEL": "none", "CASEBOOK_EMBEDDING_SERVICE": "false"}


def environment(home: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "CASEBOOK_"))}
    return kept | {"HOME": str(home), "PYTHONPATH": str(ROOT), "CASEBOOK_HOOK_DEADLINE_MS": "60000"} | QUIET


def run(home: Path, command: list[str], stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command, input=stdin, capture_output=True, env=environment(home), cwd=home, check=False, timeout=120
    )


@pytest.fixture
def unprivileged() -> list[str]:
    """What to put before a command so that file modes hold for it."""
    if os.geteuid() != 0:
        return []
    if not (found := shutil.which("setpriv")):
        pytest.skip("root ignores file modes, and there is no setpriv to give up its capabilities")
    return [found, "--bounding-set=-all", "--inh-caps=-all"]


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    """A casebook with one case in a folder where nothing can be written."""
    path = tmp_path / "sealed" / "casebook.db"
    with open_store(path, create=True) as store:
        record_resolution(store, YAML, "pip install pyyaml")
    path.chmod(0o444)
    path.parent.chmod(0o555)
    return path


def test_row_5_a_read_only_folder_is_searched_and_not_written(
    sealed: Path, tmp_path: Path, unprivileged: list[str]
) -> None:
    def casebook(*args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return run(tmp_path, [*unprivileged, sys.executable, "-m", "cli", *args, "--db", str(sealed)], stdin)

    before = sealed.read_bytes()
    found = casebook("errors", "search", YAML, "--json")
    assert (found.returncode, json.loads(found.stdout)["match"]["resolution"]) == (0, "pip install pyyaml")
    refused = casebook("errors", "record", "--error", "Error: x", "--resolution", "y")
    assert refused.returncode == 2
    assert b"can only be read" in refused.stderr or b"read-only" in refused.stderr
    payload = {
        "hook_event_name": "PostToolUseFailure",
        "session_id": "s1",
        "cwd": "/home/me/shop",
        "tool_name": "Bash",
        "tool_input": {"command": "python a.py"},
        "error": f"Exit code 1\n{YAML}",
    }
    hooked = casebook("hook", stdin=json.dumps(payload).encode())
    assert (hooked.returncode, b"pyyaml" in hooked.stdout, hooked.stderr) == (0, True, b"")
    assert sealed.read_bytes() == before
    assert [item.name for item in sealed.parent.iterdir()] == ["casebook.db"]


def test_row_5_the_workbench_says_that_a_casebook_is_read_only(
    sealed: Path, tmp_path: Path, unprivileged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    with closing(Terminal(str(sealed), before=unprivileged)) as terminal:
        terminal.read_until(b"read-only")
        terminal.read_until(b"ModuleNotFound")
        terminal.send(b"\x11")
        assert terminal.ended() == 0


@pytest.mark.parametrize("offset", ["-40y", "-1d", "+1d", "+400d"])
def test_row_34_a_wrong_clock_loses_and_reorders_nothing(tmp_path: Path, offset: str) -> None:
    """What is recorded under a clock that jumps is kept, found, and listed in one order that pages agree on."""
    if not (tool := shutil.which("faketime")):
        pytest.skip("there is no faketime to shift the clock")
    db = tmp_path / "casebook.db"

    def record(number: int, *shift: str) -> None:
        error = f"Error: part {'abcdef'[number]} is missing"
        args = ["errors", "record", "--error", error, "--resolution", f"fix {number}", "--db", str(db)]
        done = run(tmp_path, [*shift, sys.executable, "-m", "cli", *args])
        assert (done.returncode, done.stderr) == (0, b"")

    record(0)
    record(1, tool, "-f", offset)
    record(2)
    with open_store(db) as store:
        assert sorted(one.key_line[12] for one in list_cases(store).cases) == ["a", "b", "c"]
        first = list_cases(store, limit=1)
        pages = [first.cases[0].id]
        while first.next is not None:
            first = list_cases(store, limit=1, after=first.next)
            pages += [one.id for one in first.cases]
        assert pages == [one.id for one in list_cases(store).cases]
    for number in range(3):
        error = f"Error: part {'abcdef'[number]} is missing"
        found = run(tmp_path, [sys.executable, "-m", "cli", "errors", "search", error, "--json", "--db", str(db)])
        assert json.loads(found.stdout)["match"]["resolution"] == f"fix {number}"
