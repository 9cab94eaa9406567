"""Kill -9 a Python program at its n-th step towards the disk, and read how many times it said that work was done.

A step is an SQL statement that is about to run, or a file that is about to be opened for writing, renamed, removed or
given another mode. So a kill strikes in the work on every machine, and each run of the tests strikes at the same steps.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
SERVER = r"""
import json, os, sys
import apsw
def step(*_):
    os.write(1, b"'")
    return True
def watch(event, args):
    if event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        step()
    elif event in ("os.rename", "os.remove", "os.chmod", "os.truncate"):
        step()
exec("\n".join(line for line in sys.argv[1].split("\n") if line.startswith(("from ", "import "))))
program = compile(sys.argv[1], "<program>", "exec")
while line := sys.stdin.buffer.readline():
    child = os.fork()
    if child == 0:
        os.write(1, b"%d\n" % os.getpid())
        sys.argv[1:] = json.loads(line)
        apsw.connection_hooks.append(lambda con: setattr(con, "exec_trace", step))
        sys.addaudithook(watch)
        try:
            exec(program, {"__name__": "__main__"})
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    os.write(1, b"=%d\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
"""Imports what the program imports, then forks a child for each run, which costs far less than to start Python."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run: how many steps and dots it wrote, and its exit code (-9: it was killed)."""

    steps: int
    dots: int
    code: int

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL


class Program:
    """A program to run and kill many times. It writes `+` when its work begins and `.` when a part is done."""

    def __init__(self, code: str) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-c", SERVER, code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            cwd=ROOT, env=dict(os.environ),
        )  # fmt: skip

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._pipe(self._server.stdin).close()
        self._pipe(self._server.stdout).close()
        assert self._server.wait(120) == 0

    def run(self, *args: str, kill_at: int | None = None) -> Run:
        """Run it with `args`, and kill it when it is about to take step `kill_at` after the `+`."""
        told, answer = self._pipe(self._server.stdin), self._pipe(self._server.stdout)
        told.write(json.dumps(args).encode() + b"\n")
        told.flush()
        pid, said, steps = int(answer.readline()), bytearray(), 0
        while (byte := answer.read(1)) != b"=":
            assert byte, "the program's server ended"
            said += byte
            steps += byte == b"'" and b"+" in said
            if steps == kill_at and byte == b"'":
                with suppress(ProcessLookupError):  # it was its last step, and it has ended since
                    os.kill(pid, signal.SIGKILL)
        return Run(steps, said.count(b"."), int(answer.readline()))

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        assert pipe is not None
        return pipe


def kill_rounds(code: str, *args: str, rounds: int, every: int) -> Iterator[int]:
    """Run `code` `rounds` times with `args` and the number of the round, and kill it at steps `every`, 2 * `every`, …

    Yields the number of dots it wrote before it died.
    """
    with Program(code) as program:
        for number in range(rounds):
            run = program.run(*args, str(number), kill_at=(number + 1) * every)
            assert run.killed
            yield run.dots
