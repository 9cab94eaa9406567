"""The side of the child: calls arrive as frames on standard input and are answered in order on standard output.

When its input ends, which also happens when its parent is killed, every call is cancelled; after its grace the process
ends, whatever it does.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from core.base.fault import Fault
from core.process.frames import Frame, FrameReader
from core.process.values import MOST, loads, named, pack, unpack

RARE_GC: Final = 100_000
"""Objects made between two searches for garbage where nearly all of it goes by itself: a tenth less time."""
_TRACE: Final = 4_000
"""Characters kept of a traceback."""
_PIECE: Final = 1 << 20


class Call:
    """One call of a handler, which gets it as its first argument. `tell` sends a value before the result.

    May be cancelled from any thread.
    """

    def __init__(self, tell: Callable[[Any], None]) -> None:
        self.tell = tell
        self._cancelled = threading.Event()
        self._guard = threading.Lock()
        self._act: Callable[[], object] | None = None

    def is_cancelled(self) -> bool:
        """Return whether the result is no longer wanted, or the call should end early."""
        return self._cancelled.is_set()

    def on_cancel(self, act: Callable[[], object] | None) -> None:
        """Call this when it is cancelled, at once if it is already; None: nothing any more."""
        with self._guard:
            self._act = act
            if act is not None and self._cancelled.is_set():
                act()

    def cancel(self) -> None:
        """Ask the handler to end early."""
        self._cancelled.set()
        with self._guard:
            if self._act is not None:
                self._act()


Handler = Callable[..., object]
"""A function of a module: `handler(call, *args)`."""


class _Queue:
    """The calls that wait, and the one that is being answered. For two threads."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._waiting: deque[tuple[int, Call, Frame]] = deque()
        self._current: tuple[int, Call] | None = None
        self._closed = False
        self._wake = threading.Condition()

    def feed(self, frame: Frame) -> None:
        """Add the call of a frame, or cancel one: what waits is dropped, what runs is asked to end."""
        number = frame.header.get("n")
        assert isinstance(number, int)
        with self._wake:
            if "cancel" not in frame.header:
                self._waiting.append((number, self._call(number), frame))
                self._wake.notify()
                return
            current = self._current
            if current is None or current[0] != number:
                if frame.header["cancel"] == "drop":
                    self._waiting = deque(one for one in self._waiting if one[0] != number)
                for one in self._waiting:
                    if one[0] == number:
                        one[1].cancel()
                return
        current[1].cancel()

    def _call(self, number: int) -> Call:
        def report(value: object) -> None:
            try:
                self._send(_frame(number, "partial", value))
            except OSError:  # nobody is there any more
                call.cancel()

        call = Call(report)
        return call

    def close(self) -> None:
        """No more calls come: those that are there are cancelled, but answered."""
        with self._wake:
            self._closed = True
            calls = [call for _, call, _ in self._waiting] + ([self._current[1]] if self._current is not None else [])
            self._wake.notify()
        for call in calls:
            call.cancel()

    def take(self) -> tuple[int, Call, Frame] | None:
        """The next call, waited for; None when none comes any more."""
        with self._wake:
            self._current = None
            self._wake.wait_for(lambda: self._waiting or self._closed)
            if not self._waiting:
                return None
            taken = self._waiting.popleft()
            self._current = taken[:2]
            return taken


def main() -> None:
    """Answer until the input ends: `NICE ONE_CORE GRACE PATH…` are the arguments of the command line."""
    nice, one_core, grace = (float(word) for word in sys.argv[1:4])
    sys.path[:] = sys.argv[4:] or sys.path
    if nice and hasattr(os, "nice"):
        os.nice(int(nice))
    if one_core:
        _keep_to_one_core()
    input_fd, output_fd = _take_pipes()
    gc.freeze()
    gc.set_threshold(RARE_GC)
    writing = threading.Lock()

    def send(frame: bytes) -> None:
        data = memoryview(frame)
        with writing:
            while data:
                data = data[os.write(output_fd, data) :]

    queue = _Queue(send)
    threading.Thread(target=_listen, args=(input_fd, queue, grace), daemon=True).start()
    with suppress(OSError):  # nobody is there any more
        while (taken := queue.take()) is not None:
            number, call, frame = taken
            send(_answer(number, call, frame))
    os._exit(0)  # to take a model's modules down one by one would take longer than all the rest


def _answer(number: int, call: Call, frame: Frame) -> bytes:
    """What a call comes to: its value, or the fault it ended with."""
    try:
        module, _, path = str(frame.header["call"]).partition(":")
        return _frame(number, "value", named(module, path)(call, *unpack(frame)))
    except Fault as error:
        fault = error
    except Exception as error:  # noqa: BLE001  whatever it is, the parent says so and writes it to its log
        from traceback import format_exc  # as `values`: a process begins with what it needs

        trace = format_exc()[-_TRACE:]
        fault = Fault("generic", f"{type(error).__name__}: {error}", trace=trace)
    fields = {"code": fault.code, "message": fault.message, "hint": fault.hint, "details": dict(fault.details)}
    return _frame(number, "fault", fields)


def _frame(number: int, kind: str, value: object) -> bytes:
    return pack({"n": number, "say": kind}, value)


def _keep_to_one_core() -> None:
    """Use one core only, the same for all workers: on a small machine the others are for the workbench.

    Where a system cannot say so, it is left to its scheduler.
    """
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def _take_pipes() -> tuple[int, int]:
    """Both pipes for this process alone: a process it starts itself, outliving it, must not hold them open."""
    input_fd, output_fd = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nothing, standard)
    return input_fd, output_fd


def _listen(input_fd: int, queue: _Queue, grace: float) -> None:
    """Read from the parent until the pipe closes; then end."""
    frames = FrameReader(max_header=MOST, max_body=MOST, loads=loads)
    while data := os.read(input_fd, _PIECE):
        for frame in frames.feed(data):
            queue.feed(frame)
    queue.close()
    time.sleep(grace)
    os._exit(1)  # what it has started itself ends with its input
