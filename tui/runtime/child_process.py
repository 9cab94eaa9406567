"""Work in a process of its own: on a thread here every key would wait for it.

Quitting leaves the process behind, its pipe closed: it ends after the piece it is at. `child_side` is its side.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from io import RawIOBase
from pathlib import Path
from types import TracebackType
from typing import cast

from core.base.fault import Fault
from core.base.program import python

_START = "{}; sys.exit(main(*sys.argv[1:]))"


class Child:
    """One process. `stop` may be called at any time and from any thread, also more than once.

    A context manager: at its end the process is asked to stop, and waited for.
    """

    def __init__(self, code: str, *given: str | Path) -> None:
        """`code` imports the `main` that is called with what is `given`."""
        self._code = code
        self._given = given
        self._stopped = threading.Event()
        self._killed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._guard = threading.Lock()
        self._writing = threading.Lock()  # another one: to end it never waits for what it does not read

    def stop(self) -> None:
        """Ask it to stop after the piece it is at. Returns at once."""
        self._stopped.set()
        with self._guard:
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.close()

    def begin(self) -> None:
        """Start it. Raises OSError where there is no memory for it, or no process left."""
        if not sys.executable or getattr(sys, "frozen", False):
            raise FileNotFoundError(sys.executable)
        argv = (*python(_START.format(self._code)), *self._given)
        # A group of its own, for Ctrl-C is not meant for it; but of one session, where the kernel shares out by these:
        # it then gives way to the workbench.
        process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            process_group=0,
        )  # fmt: skip
        with self._guard:
            self._process = process
        if self._killed:
            self.kill()
        elif self._stopped.is_set():
            self.stop()

    def ask(self, line: bytes) -> None:
        """Write it a line; one that is gone, or was told to stop, hears nothing."""
        self.send(line + b"\n")

    def send(self, body: bytes) -> None:
        """Write it this; may wait until it is read, so not for the interface's thread."""
        with self._writing, suppress(OSError, ValueError):
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.write(body)

    def output(self) -> RawIOBase:
        """What it says, as bytes; for one reader. Raises OSError where it never began."""
        if self._process is None or self._process.stdout is None:
            raise FileNotFoundError(self._code)
        return cast("RawIOBase", self._process.stdout)

    def kill(self) -> None:
        """End it where it stands: only for one that writes nothing."""
        self._killed = True
        with self._guard:
            if self._process is not None:
                self._process.kill()

    def wait(self, seconds: float) -> int | None:
        """Wait so long for its end: its code, None if it still runs then or never began."""
        if self._process is None:
            return None
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def said(self) -> Iterator[bytes]:
        """What it says, line by line, until it ends."""
        if self._process is None or self._process.stdout is None:
            return
        rest = b""
        while piece := self._process.stdout.read(65_536):
            *whole, rest = (rest + piece).split(b"\n")
            yield from whole

    def died(self, what: str) -> Fault:
        """It ended without a last word: a Fault that says so, and that what it did stays."""
        code = self._process.wait() if self._process is not None else None
        return Fault(
            "generic",
            f"{what} ended before its time (its process, with {code}).",
            "What it did stays: the next one goes on from there.",
        )

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.stop()
        if self._process is not None:
            self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()


def fault_of(value: dict[str, object]) -> Fault:
    """The Fault that an `error.v1` tells of; one of our own has its trace as its cause, for the log."""
    details = value.get("details")
    fault = Fault(value["code"], str(value["message"]), str(value["hint"]))  # pyright: ignore[reportArgumentType]
    if isinstance(details, dict) and details.get("trace"):  # pyright: ignore[reportUnknownMemberType]
        fault.__cause__ = RuntimeError(str(details["trace"]))  # pyright: ignore[reportUnknownArgumentType]
    return fault
