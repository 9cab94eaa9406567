"""A program on a pseudo-terminal: what it wrote, and a way to type."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Sequence

OPEN = """
import sys
from pathlib import Path
import tui.terminal.crash
from cli.main import end_process
from tui.shell.app import run

tui.terminal.crash.PATIENCE = 60.0  # a slow machine needs more than three seconds to restore a terminal
code = run(Path(sys.argv[1]))
end_process(code)  # as the command does
sys.exit(code)
"""


class Terminal:
    """The workbench on a casebook, on a terminal of 120x34; `before` is what its command line begins with."""

    def __init__(self, path: str, *, before: Sequence[str] = (), **more: str) -> None:
        self.master, slave = pty.openpty()
        env = {
            **os.environ,
            **dict.fromkeys(("TMUX", "WAYLAND_DISPLAY", "DISPLAY", "__CFBundleIdentifier"), ""),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "COLUMNS": "120",
            "LINES": "34",
            **more,
        }
        argv = [*before, sys.executable, "-c", OPEN, path]
        self.process = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, env=env, close_fds=True)
        os.close(slave)
        self.written = b""
        self._asked = 0

    def read_until(self, mark: bytes, seconds: float = 120.0) -> None:
        """Until it has written `mark` since something was last typed."""
        end = time.monotonic() + seconds
        while mark not in self.written[self._asked :]:
            ready, _, _ = select.select([self.master], [], [], 0.2)
            if ready:
                self.written += os.read(self.master, 65_536)
            assert time.monotonic() < end, f"{mark!r} was never written"

    def send(self, keys: bytes) -> None:
        """Type."""
        self._asked = len(self.written)
        os.write(self.master, keys)

    def drain(self, seconds: float = 0.5) -> None:
        """Read what is left; a pseudo-terminal whose other end is closed says so by an error."""
        try:
            while select.select([self.master], [], [], seconds)[0]:
                if not (chunk := os.read(self.master, 65_536)):
                    return
                self.written += chunk
        except OSError:
            return

    def ended(self, seconds: float = 120.0) -> int:
        """Wait for its end and read until then: it ends only once all that it wrote was taken."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it never ended: {self.written[-500:]!r}"
            self.drain(0.1)
            time.sleep(0.01)
        self.drain(0.1)
        return self.process.returncode

    def close(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        self.process.wait()
        os.close(self.master)
