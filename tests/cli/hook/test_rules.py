"""`casebook hook` before a tool is used, as an agent calls it: a process, then the host that it leaves."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from core.flows.hook.client import TAKEN, WIRE
from core.process.frames import join
from tests.cli.hook.test_host import HUNG, happens

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="hosts listen on Unix sockets")
ROOT = Path(__file__).resolve().parents[3]
RULES = (
    "### ERR-001: Force push over a shared branch\n**Problem**: `git push --force` removed commits of others\n"
    "**Solution**: `--force-with-lease` on your own branch\n"
)
# To read them takes so long on no machine; how long a real file takes depends on it.
ENDLESS = """
import time, cli.commands.hook, core.flows.hook.dispatch
core.flows.hook.dispatch.handle = lambda *given, **named: time.sleep(600)
cli.commands.hook.run([])
"""


class Home:
    """A user's home with one rule file, and the hooks that run in it."""

    def __init__(self, path: Path) -> None:
        self.path, self.socket = path, path / "r" / "casebook" / f"hook-{WIRE}.sock"
        (path / "r").mkdir(mode=0o700)
        (path / ".claude").mkdir()
        (path / ".claude" / "memory.md").write_text(RULES, encoding="utf-8")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "CASEBOOK_"))}
        self.env = kept | {
            "HOME": str(path),
            "PYTHONPATH": str(ROOT),
            "XDG_RUNTIME_DIR": str(path / "r"),
            "CASEBOOK_HOOK_DEADLINE_MS": "60000",
            "CASEBOOK_EMBEDDING_MODEL": "none",
            "CASEBOOK_EMBEDDING_SERVICE": "false",
        }

    def payload(self) -> bytes:
        told = {
            "hook_event_name": "PreToolUse",
            "session_id": "s1",
            "cwd": str(self.path),
            "tool_name": "Bash",
            "tool_input": {"command": "git push --force origin main"},
        }
        return json.dumps(told).encode()

    def hook(
        self, by: tuple[str, ...] = ("-m", "cli.main", "hook"), **variables: str
    ) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, *by]
        env = self.env | variables
        return subprocess.run(command, input=self.payload(), capture_output=True, env=env, timeout=120, check=False)

    def wait_for_host(self) -> None:
        assert happens(self.socket.exists), "no host came"

    def close(self) -> None:
        if self.socket.exists():
            with suppress(OSError, ValueError):
                os.kill(int(self.socket.with_suffix(".lock").read_text()), signal.SIGKILL)
        (self.path / "r").rename(self.path / "ended")
        (self.path / "r").touch()


@pytest.fixture
def home(tmp_path: Path) -> Generator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


def test_the_host_says_what_the_hook_itself_would(home: Home) -> None:
    alone = home.hook(CASEBOOK_HOOK_HOST="false")
    assert (alone.returncode, alone.stderr) == (0, b"")
    assert "> `--force-with-lease`" in json.loads(alone.stdout)["hookSpecificOutput"]["additionalContext"]
    assert not home.socket.exists()
    assert home.hook().stdout == alone.stdout
    home.wait_for_host()
    assert home.hook().stdout == alone.stdout


@pytest.mark.parametrize("said", [b"", join(TAKEN)], ids=["nothing", "that it takes it"])
def test_a_host_that_hangs_costs_no_rule(home: Home, said: bytes) -> None:
    alone = home.hook(CASEBOOK_HOOK_HOST="false")
    home.socket.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.socket))
        listener.listen()
        listener.settimeout(120)
        command = [sys.executable, *HUNG]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=home.env) as hook:
            assert hook.stdin is not None
            hook.stdin.write(home.payload())
            hook.stdin.close()
            hook.stdin = None
            line, _ = listener.accept()
            with line:
                line.sendall(said)
                assert hook.communicate(timeout=120)[0] == alone.stdout
        listener.settimeout(0.0)
        assert home.hook(HUNG).stdout == alone.stdout
        with pytest.raises(BlockingIOError):
            listener.accept()
    home.socket.unlink()


def test_rules_too_many_to_read_in_time_are_read_by_a_host_for_the_next_call(home: Home) -> None:
    many = "".join(f"### ERR-{at}: Rule {at}\n**Problem**: thing{at} of kind{at % 97} broke\n" for at in range(2, 3000))
    (home.path / ".claude" / "memory.md").write_text(RULES + many, encoding="utf-8")
    assert home.hook(by=("-c", ENDLESS), CASEBOOK_HOOK_DEADLINE_MS="4000").stdout == b""
    home.wait_for_host()
    assert b"--force-with-lease" in home.hook().stdout


def test_where_no_rule_file_is_no_host_stays_behind(home: Home) -> None:
    (home.path / ".claude" / "memory.md").unlink()
    done = home.hook()
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not (home.path / "r" / "casebook").exists()


def test_a_setting_switches_it_off(home: Home) -> None:
    assert home.hook(CASEBOOK_RULES_HOOK="false").stdout == b""


def test_a_folder_where_the_rule_file_should_be_is_logged(home: Home) -> None:
    place = home.path / ".claude" / "memory.md"
    place.unlink()
    place.mkdir()
    done = home.hook()
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    logs = [path.read_text("utf-8") for path in home.path.rglob("*.log*") if path.is_file()]
    assert any(f"skipped rules of {place}" in text for text in logs)
