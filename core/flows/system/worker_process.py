"""A second process for work that needs nothing but its arguments: asked by name, it answers in order.

Its own pipes and a start of its own, so that it works under a full-screen application too. It ends with its input: a
process that is gone leaves nobody behind.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from queue import Empty, Queue
from subprocess import DEVNULL, PIPE, Popen
from threading import Thread
from types import TracebackType
from typing import IO, Any, Final, cast

from core.base.program import python

_BEGIN = (
    "import json; sys.path[:] = json.loads(sys.argv[1]); from core.flows.system.worker_process import answer; answer()"
)
_LENGTH: Final = 8
SELDOM: Final = 100_000
"""Objects made from which garbage is looked for, where nearly all of it goes by itself: a tenth less time."""
_KEPT: Final = 6
"""Answers that wait here until they are taken; with more the second process waits."""

_WIDE: Final = 1 << 20
"""Bytes of a pipe, the most that Linux lets anybody have."""

Question = tuple[Callable[..., object], tuple[object, ...]]
"""A module's function and what to call it with."""


@contextmanager
def calm_garbage() -> Generator[None]:
    """Look for garbage seldom: rows go as their last reference does. What switched the search off (0) keeps it off."""
    before = gc.get_threshold()
    gc.set_threshold(max(SELDOM, before[0]) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


class Gone(Exception):
    """There is no second process (any more), and its work must be done here."""


class Second:
    """A second process, started when it is first asked; a context manager that ends it, if it was."""

    def __init__(self) -> None:
        self._process: Popen[bytes] | None = None
        self._refused = _cores() < 2 or getattr(sys, "frozen", False) or not sys.executable
        self._answers: Queue[bytes | None] = Queue(_KEPT)
        self._thread = Thread()

    def __enter__(self) -> Second:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    @property
    def running(self) -> bool:
        """Whether it was started, and no question found it gone."""
        return self._process is not None

    @property
    def arrived(self) -> int:
        """Answers that wait to be taken."""
        return self._answers.qsize()

    def ask(self, question: Question) -> None:
        """Let it call a function; what that returns is taken with `take`. Raises Gone."""
        try:
            pipe = self._started().stdin
            assert pipe is not None
            pickle.dump(question, pipe)
            pipe.flush()
        except (OSError, ValueError, RuntimeError) as error:
            self._give_up()
            raise Gone from error

    def take(self) -> Any:
        """The answer to the oldest question; waits for it. Raises Gone."""
        body = self._answers.get() if self._process is not None else None
        if body is None:
            self._give_up()
            raise Gone
        return pickle.loads(body)

    def close(self) -> None:
        """End the process, whatever it does; the next question starts another."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        while self._thread.is_alive():  # it may wait for room
            with suppress(Empty):
                self._answers.get(timeout=0.01)
        self._answers = Queue(_KEPT)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _started(self) -> Popen[bytes]:
        if self._process is None:
            if self._refused:
                raise RuntimeError("no second process here")
            command = [*python(_BEGIN), json.dumps(sys.path)]
            # A session of its own: Ctrl-C is for the first process, which stops at a safe place.
            self._process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True)
            assert self._process.stdout is not None
            _widen(self._process.stdout)
            self._thread = Thread(target=_receive, args=(self._process.stdout, self._answers), daemon=True)
            self._thread.start()
        return self._process

    def _give_up(self) -> None:
        """One that was killed or cannot be started is not tried again."""
        self._refused = True
        self.close()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _widen(pipe: IO[bytes]) -> None:
    """Let whole answers fit into a pipe: its reader may have to wait for the interpreter, its writer need not."""
    try:
        from fcntl import F_SETPIPE_SZ, fcntl
    except ImportError:  # only Linux lets a pipe grow
        return
    with suppress(OSError):
        fcntl(pipe, F_SETPIPE_SZ, _WIDE)


def _receive(pipe: IO[bytes], answers: Queue[bytes | None]) -> None:
    """In a thread of the first process: keep the pipe empty, so that the second need not wait."""
    with suppress(OSError, ValueError):
        while len(head := pipe.read(_LENGTH)) == _LENGTH:
            size = int.from_bytes(head)
            body = pipe.read(size)
            if len(body) < size:
                break
            answers.put(body)
    answers.put(None)


def answer() -> None:
    """In the second process: answer until the input ends."""
    given, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray print is no answer
    gc.freeze()
    gc.set_threshold(SELDOM)
    while True:
        try:
            work, args = cast("Question", pickle.load(given))
        except EOFError:
            return
        body = pickle.dumps(work(*args), pickle.HIGHEST_PROTOCOL)
        answers.write(len(body).to_bytes(_LENGTH))
        answers.write(body)
        answers.flush()
