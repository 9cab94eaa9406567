"""Long runs: progress on stderr, and Ctrl-C, which first asks to stop at the next safe place, then stops at once."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

from cli.format.layout import clip
from cli.output import Output
from core.flows.transcripts.report import Progress


def reporter(out: Output, *, every_line: bool = False) -> Callable[[Progress], None] | None:
    """Return the receiver of each `progress.v1`; None without visible output. `every_line`: always write lines."""
    on_terminal = sys.stderr.isatty() and not out.json
    if not on_terminal and not out.verbose and not every_line:
        return None
    last = 0.0

    def report(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        finished = progress.done >= progress.total
        if now - last < (0.1 if on_terminal else 1.0) and not finished:
            return
        last = now
        _write(out, progress, on_terminal=on_terminal, finished=finished)

    return report


def _write(out: Output, progress: Progress, *, on_terminal: bool, finished: bool) -> None:
    if out.json:
        from core.base.wire import dumps

        sys.stderr.write(dumps(progress) + "\n")
        return
    share = 100 * progress.done // max(progress.total, 1)
    left = "" if progress.eta_s is None or finished else f", {progress.eta_s:.0f} s left"
    line = clip(f"{progress.kind} {share} %{left}  {progress.file}", 79)
    # On a terminal the line is written over, so that the report stands alone afterwards.
    sys.stderr.write(f"\r\x1b[K{'' if finished else line}" if on_terminal else line + "\n")
    sys.stderr.flush()


@contextmanager
def stoppable() -> Generator[Callable[[], bool]]:
    """Inside, Ctrl-C only makes the yielded question true; pressed again it is a KeyboardInterrupt."""
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():  # signals belong to the main thread
        yield stopped.is_set
        return

    def ask(number: int, frame: FrameType | None) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt
        stopped.set()

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield stopped.is_set
    finally:
        signal.signal(signal.SIGINT, before)
