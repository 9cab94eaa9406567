"""The one door to threads.

Work that may take longer than a frame runs in a *lane*: one daemon thread that does one job at a time. A newer job of
the same lane takes the place of the older one: waiting jobs are dropped, the running one is interrupted, and whatever
it still reports is stale and never delivered. Every job opens its own read-only connection, so that an interrupt can
only ever hit its own query. Results come back as `JobReport` messages and are delivered on the interface's thread.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from textual.message import Message

from core.base.fault import Fault

if TYPE_CHECKING:
    from core.store import Store

DEBOUNCE = 0.06
"""Seconds of quiet after a key press before a search starts."""

DEAF = 0.1
"""Seconds that a newer job waits for an older one to heed its interrupt, before another thread takes over."""

MOST_DEAF = 4
"""Threads of a lane that may be left to a job that does not listen."""

QUIT_WAIT = 0.2
"""Seconds that running jobs have to end once the app is about to, all of them together."""

KEEP_WAIT = 2.5
"""The same for jobs of a lane that keeps them: what a person has decided or typed. Less than a signal waits."""

SWITCH = 0.0005
"""Seconds for which a job keeps the interpreter while the interface waits for it, instead of Python's 5 ms: drawing one
frame asks for it several times."""

_WHOLE = threading.Lock()

T = TypeVar("T")
P = ParamSpec("P")


def _load_whole(lane: str) -> None:
    """Load the packages that a job has parts of, one thread at a time: two that begin with different parts of a package
    at once are each handed the other's half done (ImportError), since its own names are of its parts."""
    with _WHOLE:
        import core.errors
        import core.store

        if lane.startswith("rules"):
            import core.rules.matching.seed_api  # noqa: F401


class Stopped(Exception):
    """Raised inside a job with an unwanted result."""


@dataclass
class JobReport(Message):
    """What a job has to say: a value (`final` or partial), or a fault."""

    job: Job[Any]
    value: object = None
    fault: Fault | None = None
    final: bool = True


class Job(Generic[T]):
    """One piece of work, and what it may use: `store()`, `partial()`, `check()`, `pause()`, `on_stop()`."""

    def __init__(
        self,
        lane: Lane,
        generation: int,
        work: Callable[[Job[T]], T],
        done: Callable[[T, bool], object],
        failed: Callable[[Fault], object],
        due: float,
    ) -> None:
        self.lane = lane
        self.generation = generation
        self.done = done
        self.failed = failed
        self.due = due
        self._work = work
        self._store: Store | None = None
        self._guard = threading.Lock()
        self._stop = threading.Event()
        self._act: Callable[[], object] = lambda: None
        self._thread: int | None = None

    @property
    def stopped(self) -> bool:
        """Return whether the result of this job is no longer wanted."""
        return self._stop.is_set()

    def check(self) -> None:
        """Leave the job if its result is no longer wanted (raises `Stopped`)."""
        if self._stop.is_set():
            raise Stopped

    def pause(self, seconds: float) -> None:
        """Sleep; end at once when the result is no longer wanted (raises `Stopped`)."""
        if self._stop.wait(seconds):
            raise Stopped

    def store(self) -> Store:
        """This job's own read-only connection, opened on first use and closed when the job ends (raises `Fault`)."""
        self.check()
        if self._store is None:
            from core.store import open_store

            store = open_store(self.lane.path)
            with self._guard:
                self._store = store
            self.check()
        return self._store

    def on_stop(self, act: Callable[[], object]) -> None:
        """Call `act` once the job is stopped, or now if it is already; from any thread, maybe twice."""
        with self._guard:
            self._act = act
        if self._stop.is_set():
            act()

    def partial(self, value: T) -> None:
        """Deliver a partial result; the job continues."""
        self.check()
        self.lane.report(JobReport(self, value, final=False))

    def stop(self) -> None:
        """Ask the job to end: its query is interrupted, its result dropped. Returns at once."""
        self._stop.set()
        with self._guard:
            act = self._act
            if self._store is not None:
                self._store.interrupt()
        act()

    def tear(self) -> None:
        """Raise `Stopped` in the middle of what the job does: only for one that does not listen while the app ends.

        What it was writing is rolled back, as it would be a moment later when the process is gone.
        """
        import ctypes

        with self._guard:
            if self._thread is not None:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(Stopped))

    def run(self) -> None:
        """Do the work on this thread and report how it ended. Never raises, except `Stopped` where it was torn."""
        self._thread = threading.get_ident()
        try:
            self.check()
            _load_whole(self.lane.name)
            report = JobReport(self, self._work(self))
        except Stopped:
            return
        except Fault as fault:
            report = JobReport(self, fault=fault)
        except Exception as error:  # noqa: BLE001  a job must never end the app; an interrupted query ends here too
            fault = self._fault(error)
            fault.__cause__ = error
            report = JobReport(self, fault=fault)
        finally:
            self._close()
        if not self.stopped:
            self.lane.report(report)

    def _fault(self, error: Exception) -> Fault:
        if self._store is None:
            return Fault("generic", f"{type(error).__name__}: {error}")
        from core.store import as_fault

        return as_fault(error, self.lane.path)

    def _close(self) -> None:
        with self._guard:
            self._thread = None
            store, self._store = self._store, None
        if store is not None:
            store.close()


def job_work(read: Callable[Concatenate[Job[Any], P], T]) -> Callable[P, Callable[[Job[Any]], T]]:
    """Make the work of a job of a function whose first argument is the job."""

    @wraps(read)
    def bind(*args: P.args, **options: P.kwargs) -> Callable[[Job[Any]], T]:
        return lambda job: read(job, *args, **options)

    return bind


class Lane:
    """A daemon thread that runs its jobs one after another; see the module's text.

    With `keep` every job is done in its order and closing lets them end; without, only the newest one matters.
    """

    def __init__(self, name: str, path: Path, report: Callable[[JobReport], object], *, keep: bool) -> None:
        self.name = name
        self.path = path
        self.report = report
        self.keep = keep
        self.generation = 0
        self.finished = 0  # the generation that has nothing more to say: its end was handed over, or it was given up
        self._waiting: deque[Job[Any]] = deque()
        self._running: Job[Any] | None = None
        self._closed = False
        self._wake = threading.Condition()
        self._turn = 0  # which thread works; one of an older turn was left to its job
        self._deaf = 0

    @property
    def busy(self) -> bool:
        """Whether a job runs or waits here."""
        return self._running is not None or bool(self._waiting)

    @property
    def awaited(self) -> bool:
        """Return whether a result is pending: a dropped job reports nothing, a finished one may be unread."""
        return self.busy if self.keep else self.finished != self.generation

    @property
    def left_behind(self) -> bool:
        """Whether a thread still runs a job, also one that another thread has relieved."""
        return self._running is not None or self._deaf > 0

    def works_within(self, seconds: float) -> bool:
        """Whether a job runs here or begins within so many seconds."""
        until = time.monotonic() + seconds
        return self._running is not None or any(job.due <= until for job in tuple(self._waiting))

    def add(self, job: Job[Any]) -> None:
        """Line up a job; unless the lane keeps them all, it supersedes whatever is there."""
        with self._wake:
            if self._closed:
                return
            if not self.keep:
                self._waiting.clear()
            self._waiting.append(job)
            running = None if self.keep else self._running
            if not self._turn:
                self._turn = 1
                self._start(self._loop, 1)
            self._wake.notify_all()
        if running is not None:
            running.stop()
            self._start(self._relieve, running)

    def stop(self) -> None:
        """Drop what waits and interrupt what runs."""
        with self._wake:
            self._waiting.clear()
            running = self._running
        if running is not None:
            running.stop()

    def close(self) -> None:
        """Take no more jobs and end the running one; may be called again while it lasts."""
        with self._wake:
            first, self._closed = not self._closed, True
            running = self._running
            self._wake.notify_all()
        if not self.keep:
            self.stop()
            if first and running is not None:
                self._start(self._tear, running)

    def wait(self, seconds: float) -> bool:
        """Wait until nothing runs or waits; False if something still does after `seconds`."""
        with self._wake:
            return self._wake.wait_for(lambda: not self.busy, timeout=max(0.0, seconds))

    def _start(self, work: Callable[..., None], *given: object) -> None:
        threading.Thread(target=work, args=given, name=f"casebook-{self.name}", daemon=True).start()

    def _loop(self, turn: int) -> None:
        while (job := self._next(turn)) is not None:
            with suppress(Stopped):
                job.run()
            with self._wake:
                if turn != self._turn:
                    self._deaf -= 1
                    return
                self._running = None
                self._wake.notify_all()

    def _relieve(self, job: Job[Any]) -> None:
        """Take over if `job` does not end in time: no query is worth waiting for a text that takes minutes."""
        with self._wake:
            ended = self._wake.wait_for(lambda: self._running is not job, timeout=DEAF)
            if ended or self._closed or self._deaf >= MOST_DEAF:
                return
            self._deaf += 1
            self._turn += 1
            self._running = None
            turn = self._turn
        self._loop(turn)

    def _tear(self, job: Job[Any]) -> None:
        """A job that computes on and on would slow down what is left to do before the process ends."""
        with self._wake:
            ended = self._wake.wait_for(lambda: self._running is not job, timeout=DEAF)
        if not ended:
            job.tear()

    def _next(self, turn: int) -> Job[Any] | None:
        with self._wake:
            while turn == self._turn and (self._waiting or not self._closed):
                pause = self._waiting[0].due - time.monotonic() if self._waiting else None
                if pause is not None and pause <= 0:
                    self._running = self._waiting.popleft()
                    return self._running
                self._wake.wait(pause)
        return None


class Jobs:
    """Every lane of the app. Used from the interface's thread only."""

    def __init__(self, path: Path, post: Callable[[JobReport], object]) -> None:
        self.path = path
        self._post = post
        self._lanes: dict[str, Lane] = {}
        self._closing = 0.0
        self._late: set[str] = set()
        sys.setswitchinterval(SWITCH)

    def run(
        self,
        lane: str,
        work: Callable[[Job[T]], T],
        done: Callable[[T, bool], object],
        failed: Callable[[Fault], object],
        *,
        delay: float = 0.0,
        keep: bool = False,
    ) -> None:
        """Do `work` in `lane` after `delay` seconds, then call `done(value, final)` or `failed(fault)` here.

        An older job of the lane is given up, unless the lane is one to `keep`: there all are done in their order.
        """
        place = self._lane(lane, keep)
        if not place.keep:
            place.generation += 1
        place.add(Job(place, place.generation, work, done, failed, time.monotonic() + delay))

    def cancel(self, lane: str) -> None:
        """Give up whatever the lane does; nothing of it is delivered any more."""
        if (place := self._lanes.get(lane)) is not None:
            place.generation += 1
            place.finished = place.generation
            place.stop()

    def busy(self, lane: str) -> bool:
        """Whether something is to come from the lane: until the end of a job that was not given up is handed over."""
        return lane in self._lanes and self._lanes[lane].awaited

    def is_working(self, lane: str) -> bool:
        """Whether a job runs or waits in the lane, also one that was given up."""
        return lane in self._lanes and self._lanes[lane].busy

    def is_idle(self, within: float | None = None) -> bool:
        """Whether no job runs or waits, and no report is still to come. Lanes that watch the file do not count.

        With `within`, only jobs that run or begin within so many seconds count."""
        lanes = [lane for name, lane in self._lanes.items() if "watch" not in name]
        if within is None:
            return not any(lane.busy or lane.awaited for lane in lanes)
        return not any(lane.works_within(within) for lane in lanes)

    @property
    def left_behind(self) -> bool:
        """Whether a job still runs in its thread, given up or not."""
        return any(lane.left_behind for lane in self._lanes.values())

    def gave_up(self, lane: str) -> bool:
        """Whether a job of the lane still runs or waits, or failed after closing began."""
        return lane in self._late or self.is_working(lane)

    def deliver(self, report: JobReport) -> None:
        """Deliver a report to the requester, unless a newer job replaced it."""
        job = report.job
        if job.stopped or job.generation != job.lane.generation:
            return
        if report.final:
            job.lane.finished = job.generation
        if report.fault is not None:
            job.failed(report.fault)
        else:
            job.done(report.value, report.final)

    def close(self, wait: float = KEEP_WAIT) -> None:
        """Interrupt everything and wait for it, `wait` seconds at most; what still runs then is left behind.

        Called again it waits only for what is left of `QUIT_WAIT`, or `KEEP_WAIT`, since the first time.
        """
        now = time.monotonic()
        self._closing = self._closing or now
        for lane in self._lanes.values():
            lane.close()
        for lane in self._lanes.values():
            deadline = min(now + wait, self._closing + (KEEP_WAIT if lane.keep else QUIT_WAIT))
            # An interrupt that comes between two queries is lost, so it is repeated.
            while not lane.wait(min(0.01, deadline - time.monotonic())) and time.monotonic() < deadline:
                lane.close()

    def _lane(self, name: str, keep: bool) -> Lane:
        if name not in self._lanes:
            self._lanes[name] = Lane(name, self.path, self._report, keep=keep)
        return self._lanes[name]

    def _report(self, report: JobReport) -> None:
        if self._closing and report.fault is not None:
            self._late.add(report.job.lane.name)
        try:
            self._post(report)
        except RuntimeError:
            return  # the event loop has ended: nobody is left to read it
