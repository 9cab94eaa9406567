"""Told to end, or left without a terminal: the workbench ends, whatever its threads wait for."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable

PATIENCE = 3.0
"""Seconds to leave in good order. Who writes to a terminal that is gone may wait for ever, and would hold a core."""
EVERY = 1.0
"""Seconds between two looks at the terminal: not each that closes a terminal sends a signal as well."""


def heed_signals(stop: Callable[[int], None]) -> None:
    """Call `stop(exit_code)` on the event loop when the process is told to end or its terminal has hung up.

    So the terminal is restored, where there is one. A process that is still there after `PATIENCE` ends at once.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()

    def told(number: int, _frame: object) -> None:
        threading.Thread(target=_end, args=(128 + number,), daemon=True, name="casebook-end").start()
        with contextlib.suppress(RuntimeError):  # the loop has ended already
            loop.call_soon_threadsafe(stop, 128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, told)
    if sys.__stdin__ is not None and sys.__stdin__.isatty():
        threading.Thread(target=_watch, args=(sys.__stdin__.fileno(),), daemon=True, name="casebook-terminal").start()


def _end(code: int) -> None:
    time.sleep(PATIENCE)
    os._exit(code)


def _watch(terminal: int) -> None:
    """Until the terminal has hung up; then as if the kernel had said so."""
    import termios

    while True:
        time.sleep(EVERY)
        try:
            termios.tcgetattr(terminal)
        except termios.error:
            os.kill(os.getpid(), signal.SIGHUP)
            return
