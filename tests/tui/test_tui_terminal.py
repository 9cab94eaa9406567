"""The real thing on a real terminal: what bytes it sends, and how it leaves."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.store import open_store
from tests.tui.support import put

pty = pytest.importorskip("pty")

EVIL = "Error: \x1b]52;c;ZXZpbA==\x07\x1b[2Jwipe\x1b]0;title\x07 \x9b31mc1 \u202egnp.exe \u200bnul\x00 end"
FORBIDDEN = (b"\x1b]52;c;ZXZpbA==", b"\x1b]0;title", b"\x1b[2Jwipe", "\x9b".encode(), "\u202e".encode(), b"\x00")
OPEN = "import sys; from pathlib import Path; from tui.app import run; sys.exit(run(Path(sys.argv[1])))"


class Terminal:
    """A program on a pseudo-terminal: what it wrote so far, and a way to type."""

    def __init__(self, *argv: str) -> None:
        self.master, slave = pty.openpty()
        env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "COLUMNS": "120", "LINES": "34"}
        self.process = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, env=env, close_fds=True)
        os.close(slave)
        self.written = b""

    def read_until(self, mark: bytes, seconds: float = 30.0) -> None:
        end = time.monotonic() + seconds
        while mark not in self.written:
            ready, _, _ = select.select([self.master], [], [], 0.2)
            if ready:
                self.written += os.read(self.master, 65_536)
            assert time.monotonic() < end, f"{mark!r} was never written"

    def send(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def drain(self) -> None:
        """Read what is left; a pseudo-terminal whose other end is closed says so by an error."""
        try:
            while select.select([self.master], [], [], 0.5)[0]:
                if not (chunk := os.read(self.master, 65_536)):
                    return
                self.written += chunk
        except OSError:
            return


@pytest.fixture
def hostile(tmp_path: Path):
    path = tmp_path / "hostile.db"
    with open_store(path, write=True, create=True) as store:
        put(store, EVIL, "shell", f"the fix {EVIL}")
    terminal = Terminal(sys.executable, "-c", OPEN, str(path))
    yield terminal
    terminal.process.kill()
    terminal.process.wait()
    os.close(terminal.master)


def test_no_foreign_escape_reaches_the_terminal_and_it_is_left_whole(hostile: Terminal) -> None:
    hostile.read_until(b"the fix ")
    hostile.send(b"wipe\x1b[B")
    hostile.read_until(b"found by its words")
    hostile.send(b"y")
    hostile.read_until(b"\x1b]52;c;")
    hostile.read_until(b"sent to the terminal")
    hostile.send(b"q")
    hostile.read_until(b"\x1b[?1049l")
    hostile.drain()
    assert hostile.process.wait(10) == 0
    for sequence in FORBIDDEN:
        assert sequence not in hostile.written, sequence
