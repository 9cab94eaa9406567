"""A program on a real pseudo-terminal: type into it, wait for what it draws, wait for its end."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

PATIENCE = 60.0
"""Seconds after which a mark that was not drawn is an error."""


class Terminal:
    """Starts `argv` in `columns` x `lines`; a context manager that ends it."""

    def __init__(
        self, argv: Sequence[str], *, columns: int = 120, lines: int = 34, env: Mapping[str, str] | None = None
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        given = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR")}
        given |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", **(env or {})}
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            argv, stdin=slave, stdout=slave, stderr=slave, env=given, close_fds=True, start_new_session=True
        )
        os.close(slave)
        self.written = bytearray()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(ProcessLookupError):  # all of its session: uvx is another process than what it starts
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._master)

    def send(self, keys: bytes) -> float:
        """Type, and forget what was drawn so far; the moment it was typed."""
        self.read(0)
        self.written.clear()
        moment = time.monotonic()
        os.write(self._master, keys)
        return moment

    def read(self, seconds: float) -> bool:
        """Read what is drawn for so long; False once nobody is at the other end."""
        end = time.monotonic() + seconds
        while True:
            left = max(0.0, end - time.monotonic())
            if not select.select([self._master], [], [], left)[0]:
                return True
            if not self._take():
                return False
            if left <= 0:
                return True

    def until(self, mark: bytes) -> float:
        """The moment at which `mark`, a pattern, was drawn; raises `TimeoutError` where it never is."""
        pattern = re.compile(mark)
        end = time.monotonic() + PATIENCE
        while not pattern.search(self.written):
            if time.monotonic() > end:
                raise TimeoutError(f"{mark!r} was not drawn; the last bytes were {bytes(self.written[-400:])!r}")
            if select.select([self._master], [], [], 0.2)[0] and not self._take():
                raise TimeoutError(f"it ended before {mark!r} was drawn: {bytes(self.written[-400:])!r}")
        return time.monotonic()

    def ended(self) -> float:
        """The moment at which the process ended, its last bytes read."""
        while self.read(1.0):
            continue
        self.process.wait(PATIENCE)
        return time.monotonic()

    def _take(self) -> bool:
        with contextlib.suppress(OSError):  # how Linux says that the other end is closed
            if chunk := os.read(self._master, 65_536):
                self.written += chunk
                return True
        return False
