"""Ctrl-C during a long run: the first asks it to stop at the next safe place, the second stops it at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stoppable() -> Generator[Callable[[], bool]]:
    """Inside, Ctrl-C only makes the yielded question true; pressed again it is a KeyboardInterrupt."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():  # signals belong to the main thread
        yield asked.is_set
        return

    def ask(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)
