"""The side of the parent: a process of our own that answers calls, one at a time, until it is stopped or killed.

It shares nothing with us but its pipes: Ctrl-C is not meant for it, and it ends when we do, however that happens. What
it writes to standard error is kept for the Fault that tells of its death.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Concatenate, Final, Generic, ParamSpec, TypeVar, cast

from core.base.fault import Fault
from core.base.program import python
from core.process.frames import BadFrame, Frame, FrameReader
from core.process.values import MOST, loads, pack, unpack

if TYPE_CHECKING:
    from core.process.worker import Call

LOW: Final = 10
"""Niceness of background work: typing in the workbench does not wait for it."""
_PIECE: Final = 1 << 20
_LAST_WORDS: Final = 2_000
"""Bytes read of what a dead process wrote to standard error."""

T = TypeVar("T")
P = ParamSpec("P")


class ChildExitedError(Exception):
    """The process has ended, or was stopped, and this call has no answer."""


class Reply(Generic[T]):
    """The answer to a call, when it comes. Belongs to one thread, but `give_up` is for any."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.answered = False
        """Whether the process has answered: with the result, or a fault."""
        self._frames: SimpleQueue[Frame | type[Exception]] = SimpleQueue()

    @property
    def arrived(self) -> bool:
        """Whether something of it is there to be taken."""
        return not self._frames.empty()

    def put(self, frame: Frame | type[Exception]) -> None:
        """Add what came, or why nothing will."""
        self._frames.put(frame)

    def give_up(self) -> None:
        """Let `result` raise CancelledError."""
        self._frames.put(CancelledError)

    def result(self, tell: Callable[[Any], object] | None = None, timeout: float | None = None) -> T:
        """Wait for the result; `tell` gets each value that comes before.

        Raises the Fault it ended with, ChildGoneError, CancelledError once it was given up, TimeoutError after so many
        seconds: it can then be waited for again.
        """
        until = None if timeout is None else monotonic() + timeout
        while True:
            try:
                frame = self._frames.get(timeout=None if until is None else max(0.0, until - monotonic()))
            except Empty:
                raise TimeoutError from None
            if isinstance(frame, type):
                self._frames.put(frame)
                raise frame
            try:
                value = unpack(frame)
            except BadFrame as error:
                raise ChildExitedError from error
            kind = frame.header.get("say")
            self.answered = kind != "partial"
            if kind == "fault":
                raise _fault_of(value)
            if kind == "value":
                return value
            if tell is not None:
                tell(value)


def how_it_ended(code: int) -> str:
    """The exit code of a process in words; a negative one is a signal."""
    return f"was killed (signal {-code})" if code < 0 else f"exited with code {code}"


def _fault_of(value: dict[str, Any]) -> Fault:
    """The Fault that the process sent; one of our own has its trace as its cause, for the log."""
    details = value["details"]
    fault = Fault(value["code"], value["message"], value["hint"], **details)
    if details.get("trace"):
        fault.__cause__ = RuntimeError(str(details["trace"]))
    return fault


def _widen(pipe: IO[bytes] | None) -> None:
    """Let whole answers fit into a pipe: its reader may have to wait for the interpreter, its writer need not."""
    try:
        from fcntl import F_SETPIPE_SZ, fcntl
    except ImportError:  # only Linux lets a pipe grow
        return
    with suppress(OSError):
        fcntl(pipe or 0, F_SETPIPE_SZ, _PIECE)


class Child:
    """One process. Every method may be called at any time and from any thread, also more than once.

    A context manager: at its end the process is asked to stop, and waited for.
    """

    def __init__(self, *, nice: int = 0, one_core: bool = False, grace: float = 0.0, path: Sequence[str] = ()) -> None:
        """`grace`: seconds between the request to stop and the kill. `path`: the module search path, instead of the
        interpreter's own."""
        self._options = str(nice), str(int(one_core)), str(grace), *path
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._ended = threading.Event()
        self._replies: dict[int, Reply[Any]] = {}
        self._number = 0
        self._killed = False
        self._guard = threading.Lock()
        self._writing = threading.Lock()  # another one: to end it never waits for what it does not read

    @property
    def pid(self) -> int | None:
        """The number of its process, once it was started."""
        return None if self._process is None else self._process.pid

    @property
    def ended(self) -> bool:
        """Whether it was started and has ended, with everything it said received."""
        return self._ended.is_set()

    def start(self) -> None:
        """Start it. Raises OSError where there is no memory for it, or no process left."""
        if not sys.executable or getattr(sys, "frozen", False):
            raise FileNotFoundError(sys.executable)
        from tempfile import TemporaryFile  # not before a process is started

        with suppress(OSError):
            self._errors = TemporaryFile()  # noqa: SIM115  for as long as the process
        argv = [*python("from core.process.worker import main; main()"), *self._options]
        # A group of its own, for Ctrl-C is not meant for it; but of one session, where the kernel shares out by these:
        # it then gives way to the workbench.
        process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors or subprocess.DEVNULL, bufsize=0,
            process_group=0,
        )  # fmt: skip
        _widen(process.stdout)
        with self._guard:
            self._process = process
        threading.Thread(target=self._receive, args=(process,), name="casebook-child", daemon=True).start()
        if self._killed:
            self.kill()

    def call(self, handler: Callable[Concatenate[Call, P], T], *args: P.args, **_named: P.kwargs) -> Reply[T]:
        """Let it call `handler`, a function of a module, with values; may wait until it reads, so not for the
        interface's thread."""
        with self._guard:
            self._number += 1
            reply: Reply[T] = Reply(self._number)
            self._replies[reply.number] = reply
        name = f"{handler.__module__}:{handler.__qualname__}"
        if not self._write(pack({"n": reply.number, "call": name}, args)) or self.ended:
            reply.put(ChildExitedError)
        return reply

    def cancel(self, reply: Reply[Any], *, drop: bool = False) -> None:
        """Ask it to end that call early; `drop`: its answer is no longer wanted."""
        if drop:
            self._replies.pop(reply.number, None)
        self._write(pack({"n": reply.number, "cancel": "drop" if drop else "soon"}, None))

    def stop(self) -> None:
        """Ask it to end after what it is at, and take no more calls. Returns at once."""
        with self._guard:
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.close()

    def kill(self) -> None:
        """Kill it at once: only for a process that writes nothing."""
        self._killed = True
        with self._guard:
            if self._process is not None:
                self._process.kill()

    def wait(self, seconds: float | None = None) -> int | None:
        """Wait so long for its end: its code, None if it still runs then or was never started."""
        if self._process is None:
            return None
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def died(self, what: str) -> Fault:
        """A Fault that says how it ended, with the last line it wrote, and that what it did stays."""
        code, last_line = self.wait() or 0, self._last_line()
        return Fault(
            "generic",
            f"{what} was interrupted. Its process {how_it_ended(code)}{f': {last_line}' if last_line else ''}",
            "the results so far are saved. The next run continues from there",
        )

    def _last_line(self) -> str:
        if self._errors is None:
            return ""
        with suppress(OSError, ValueError):
            size = self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(0, size - _LAST_WORDS))
            lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
            return lines[-1].strip() if lines else ""
        return ""

    def _write(self, data: bytes) -> bool:
        with self._writing, suppress(OSError, ValueError):
            if self._process is not None and self._process.stdin is not None:
                rest = memoryview(data)
                while rest:
                    rest = rest[self._process.stdin.write(rest) or 0 :]
                return True
        return False

    def _receive(self, process: subprocess.Popen[bytes]) -> None:
        """In a thread: hand out what it says, until it ends."""
        assert process.stdout is not None
        frames = FrameReader(max_header=MOST, max_body=MOST, loads=loads)
        try:
            with process.stdout as pipe:
                while data := os.read(pipe.fileno(), _PIECE):
                    for frame in frames.feed(data):
                        self._hand_out(frame)
        except (OSError, ValueError, BadFrame):  # what speaks another language is none of ours
            process.kill()
        process.wait()
        self._ended.set()
        with self._guard:
            left, self._replies = self._replies, {}
        for reply in left.values():
            reply.put(ChildExitedError)

    def _hand_out(self, frame: Frame) -> None:
        number, last = cast("int", frame.header.get("n")), frame.header.get("say") != "partial"
        with self._guard:
            reply = self._replies.pop(number, None) if last else self._replies.get(number)
        if reply is not None:
            reply.put(frame)

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.stop()
        self.wait()


def find_within(seconds: float, sources: Sequence[str], text: str) -> list[tuple[int, int] | None]:
    """Where each of the patterns is in the text (None: nowhere), until the time is up: the rest is left out."""
    child, places = Child(), list[tuple[int, int] | None]()
    try:
        child.start()
        child.call(find, tuple(sources), text).result(places.append, timeout=seconds)
    except (OSError, TimeoutError, ChildExitedError):
        pass
    finally:
        child.kill()
        child.stop()
    return places


def find(call: Call, sources: Sequence[str], text: str) -> None:
    """Tell where each pattern is as soon as it is known."""
    for source in sources:
        found = re.search(source, text, re.MULTILINE)
        call.tell(None if found is None else found.span())
