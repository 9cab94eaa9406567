"""How the workbench ends: by a signal, or by a fault of its own, with one line of output and an entry in the log.

A traceback as Textual draws it shows local variables, and those hold other people's text. Nothing of it is printed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import RenderableType
from textual._context import active_message_pump  # the current pump; Textual has no public API for it
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import NoActiveWorker, get_current_worker

if TYPE_CHECKING:
    from rich.traceback import Traceback


PATIENCE = 3.0
"""Seconds for a clean exit. A write to a closed terminal may block for ever, and would hold a core."""
EVERY = 1.0
"""Seconds between two looks at the terminal: not each that closes a terminal sends a signal as well."""


def heed_signals(app: App[Any], stop: Callable[[int], None]) -> None:
    """Call `stop(exit_code)` on the event loop when the process gets a signal or its terminal hangs up.

    So the terminal is restored, where there is one. A process that is still there after `PATIENCE` ends at once.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()

    def on_signal(number: int, _frame: object) -> None:
        threading.Thread(target=_end, args=(128 + number,), daemon=True, name="casebook-end").start()
        with contextlib.suppress(RuntimeError):  # the loop has ended already
            loop.call_soon_threadsafe(stop, 128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, on_signal)
    _heed_suspend(app._driver)
    if sys.__stdin__ is not None and sys.__stdin__.isatty():
        threading.Thread(target=_watch, args=(sys.__stdin__.fileno(),), daemon=True, name="casebook-terminal").start()


def _heed_suspend(driver: Any) -> None:
    """At ctrl+z, stop only where a shell can continue the process. Textual sends SIGSTOP, which always stops it.

    Without job control (`ssh -t HOST casebook`, a terminal that runs it as its command) the kernel ignores SIGTSTP.
    """

    def on_stop(_number: int, _frame: object) -> None:
        if driver._auto_restart:
            driver.suspend_application_mode()
            driver._must_signal_resume = True
        before = [(number, signal.signal(number, signal.SIG_DFL)) for number in (signal.SIGTSTP, signal.SIGCONT)]
        os.kill(os.getpid(), signal.SIGTSTP)
        for number, handler in before:
            signal.signal(number, handler)
        driver._sigcont_application()

    signal.signal(signal.SIGTSTP, on_stop)


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


_HOUSE = Path(__file__).resolve().parents[2]
_FRAMES = 30


class Logger(Protocol):
    """Writes one line to the log; it redacts, and never raises."""

    def __call__(self, level: str, event: str, /, **facts: object) -> None: ...


def no_log(_level: str, _event: str, /, **_facts: object) -> None:
    """Log nothing."""


@dataclass(frozen=True, slots=True)
class Crash:
    """A fault of our own: what kind of exception, and the place in our source where it arose."""

    kind: str
    place: str


def crash_of(error: BaseException) -> Crash:
    """Return the publishable parts of an exception: not its message, which may contain private text."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(_HOUSE) and ".venv" not in frame.filename]
    if not ours:
        return Crash(type(error).__name__, "")
    return Crash(type(error).__name__, f"{Path(ours[-1].filename).relative_to(_HOUSE).as_posix()}:{ours[-1].lineno}")


def traceback_of(error: BaseException) -> str:
    """The traceback for the log: files, lines and the exception's words, no local variables."""
    return "".join(traceback.format_exception(error, limit=-_FRAMES))


class CrashSafe(App[None], inherit_bindings=False):
    """An app that dies politely: see the module's text. `crash` is what ended it, if something did."""

    crash: Crash | None = None
    log_line: Logger = staticmethod(no_log)

    def _handle_exception(self, error: Exception) -> None:
        if self._is_closed(_failed()):  # before it was drawn: two clicks on a slow machine
            self.log_line("warning", "a closed screen failed", error=repr(error), trace=traceback_of(error))
            return
        if self.crash is None:
            self.crash = crash_of(error)
            with contextlib.suppress(Exception):
                self.log_line("error", "the workbench crashed", error=repr(error), trace=traceback_of(error))
        super()._handle_exception(error)

    def _is_closed(self, failed: object) -> bool:
        """Whether it is a part of a screen that was closed for good: it may look for parts that are gone."""
        if not isinstance(failed, Widget):
            return False
        screen = next((one for one in failed.ancestors_with_self if isinstance(one, Screen)), None)
        return screen is not None and screen not in self.screen_stack and not self.is_screen_installed(screen)

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    def pop_screen(self) -> AwaitComplete:
        """Close the screen on top. Two quick keys may close a menu twice: what lies under it stays."""
        asking = active_message_pump.get(None)
        closed = isinstance(asking, Screen) and asking not in self.screen_stack
        return AwaitComplete.nothing() if closed or len(self.screen_stack) < 2 else super().pop_screen()

    def panic(self, *renderables: RenderableType) -> None:
        """End the app; the log has what would have been printed. Textual's drivers call it if their input fails."""
        from rich.traceback import Traceback  # heavy, and seldom needed

        if self.crash is None:
            traces = [one for one in renderables if isinstance(one, Traceback)]
            self.crash = Crash(traces[0].trace.stacks[-1].exc_type if traces else "Error", "the terminal input")
            with contextlib.suppress(Exception):
                self.log_line("error", "the terminal input crashed", trace="".join(map(_lines_of, traces)))
        self._close_messages_no_wait()


def _failed() -> object:
    """The part of the screen whose handler or worker failed."""
    with contextlib.suppress(NoActiveWorker):
        return get_current_worker().node
    return active_message_pump.get(None)


def _lines_of(traceback: Traceback) -> str:
    """Files, lines and the exception's words of a traceback that was made to be drawn; no local variables."""
    stacks = traceback.trace.stacks
    frames = [f"  {one.filename}:{one.lineno} {one.name}\n" for stack in stacks for one in stack.frames[-_FRAMES:]]
    return "".join((*frames, *(f"{stack.exc_type}: {stack.exc_value}\n" for stack in stacks)))


def note_lost_threads(log_line: Logger) -> None:
    """A thread that ends by an exception goes to the log; Python would write it across the screen."""

    def note(lost: threading.ExceptHookArgs) -> None:
        if lost.exc_value is not None:
            log_line("error", "a thread crashed", trace=traceback_of(lost.exc_value))

    threading.excepthook = note
