"""The one door to threads: the newest wins, stale results are dropped, quitting does not wait."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.base.fault import Fault
from tests.tui import quiet
from tests.tui.support import app_on
from tui.runtime import jobs
from tui.runtime.jobs import QUIT_WAIT, Job, JobReport, Jobs

ROOT = Path(__file__).parents[3]
NOWHERE = Path("/nonexistent/none.db")


class Desk:
    """Stands in for the app: collects reports and delivers them when asked to."""

    def __init__(self) -> None:
        self.reports: list[JobReport] = []
        self.values: list[tuple[object, bool]] = []
        self.faults: list[Fault] = []
        self.arrived = threading.Condition()
        self.jobs = Jobs(NOWHERE, self._post)

    def _post(self, report: JobReport) -> None:
        with self.arrived:
            self.reports.append(report)
            self.arrived.notify_all()

    def run(
        self, work: Callable[[Job[object]], object], lane: str = "a", delay: float = 0.0, keep: bool = False
    ) -> None:
        self.jobs.run(
            lane,
            work,
            lambda value, final: self.values.append((value, final)),
            self.faults.append,
            delay=delay,
            keep=keep,
        )

    def wait(self, reports: int) -> None:
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.reports) >= reports, timeout=120)

    def deliver(self) -> None:
        for report in self.reports:
            self.jobs.deliver(report)
        self.reports.clear()


def happens(what: Callable[[], object]) -> None:
    """Wait until something has happened; fails after two minutes."""
    end = time.monotonic() + 120
    while not what():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)


@pytest.fixture
def desk():
    desk = Desk()
    yield desk
    desk.jobs.close()


def test_a_value_comes_back_and_partial_ones_before_it(desk: Desk) -> None:
    def work(job: Job[object]) -> object:
        job.partial("half")
        return "whole"

    desk.run(work)
    desk.wait(2)
    desk.deliver()
    assert desk.values == [("half", False), ("whole", True)]


def test_a_newer_job_of_the_lane_makes_the_older_result_stale(desk: Desk) -> None:
    desk.run(lambda job: "old")
    desk.wait(1)
    desk.run(lambda job: "new")
    desk.wait(2)
    desk.deliver()
    assert desk.values == [("new", True)]


def test_only_the_last_of_many_quick_queries_runs(desk: Desk) -> None:
    ran: list[int] = []

    def query(number: int) -> Callable[[Job[object]], object]:
        def work(job: Job[object]) -> object:
            ran.append(number)
            return number

        return work

    for number in range(20):
        desk.run(query(number), delay=0.05)
    desk.wait(1)
    desk.deliver()
    assert ran == [19]
    assert desk.values == [(19, True)]


def test_closing_ends_even_a_job_that_computes_on_and_on(desk: Desk) -> None:
    begun, ended = threading.Event(), threading.Event()

    def deaf(_job: Job[object]) -> object:
        begun.set()
        try:
            while True:
                pass
        finally:
            ended.set()

    desk.run(deaf)
    assert begun.wait(120)
    desk.jobs.close(0.0)
    assert ended.wait(120)


def test_what_a_job_waits_for_is_told_that_nobody_waits_for_it(desk: Desk) -> None:
    begun, told = threading.Event(), threading.Event()

    def waiting(job: Job[object]) -> object:
        job.on_stop(told.set)
        begun.set()
        assert told.wait(120), "it would wait for ever"
        job.on_stop(late.set)
        return None

    late = threading.Event()
    desk.run(waiting)
    assert begun.wait(120)
    assert not told.is_set()
    desk.jobs.cancel("a")
    assert told.wait(120)
    assert late.wait(120), "also where the job was stopped before"


def test_the_running_job_is_stopped_by_a_newer_one(desk: Desk) -> None:
    begun, ended = threading.Event(), threading.Event()

    def endless(job: Job[object]) -> object:
        begun.set()
        try:
            while True:
                job.check()
                time.sleep(0.001)
        finally:
            ended.set()

    desk.run(endless)
    assert begun.wait(120)
    desk.run(lambda job: "next")
    assert ended.wait(120)
    desk.wait(1)
    desk.deliver()
    assert desk.values == [("next", True)]


def test_lanes_do_not_disturb_each_other(desk: Desk) -> None:
    desk.run(lambda job: "a", lane="a")
    desk.run(lambda job: "b", lane="b")
    desk.wait(2)
    desk.deliver()
    assert sorted(str(value) for value, _ in desk.values) == ["a", "b"]


def test_a_lane_that_keeps_does_everything_in_order(desk: Desk) -> None:
    def say(number: int) -> Callable[[Job[object]], object]:
        return lambda job: number

    for number in range(10):
        desk.run(say(number), keep=True)
    desk.wait(10)
    desk.deliver()
    assert [value for value, _ in desk.values] == list(range(10))


def test_closing_lets_a_keeping_lane_finish_what_waits(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "KEEP_WAIT", 60.0)  # as long as a busy machine takes
    done: list[int] = []
    for number in range(5):
        desk.run(lambda job, number=number: (time.sleep(QUIT_WAIT / 3), done.append(number)), keep=True)
    desk.jobs.close(60.0)
    assert done == list(range(5))
    assert not desk.jobs.gave_up("a")


def test_what_fails_or_lasts_while_closing_was_given_up(desk: Desk) -> None:
    release = threading.Event()

    def locked(_job: Job[object]) -> object:
        release.wait(120)
        raise Fault("db_locked", "locked")

    desk.run(locked, keep=True)
    desk.jobs.close(0.0)
    assert desk.jobs.gave_up("a")
    release.set()
    desk.wait(1)
    happens(lambda: not desk.jobs.is_working("a"))
    assert desk.jobs.gave_up("a")
    assert not desk.jobs.gave_up("b")


def test_a_fault_is_delivered_as_such_and_any_other_error_as_a_generic_one(desk: Desk) -> None:
    def damaged(job: Job[object]) -> object:
        raise Fault("db_damaged", "page 1")

    def wrong(job: Job[object]) -> object:
        raise ValueError("[/boom]")

    desk.run(damaged, lane="a")
    desk.run(wrong, lane="b")
    desk.wait(2)
    desk.deliver()
    assert sorted(fault.code for fault in desk.faults) == ["db_damaged", "generic"]


def test_a_cancelled_job_says_nothing(desk: Desk) -> None:
    desk.run(lambda job: "never", delay=30.0)
    desk.jobs.cancel("a")
    assert not desk.jobs.busy("a")
    desk.run(lambda job: "after", lane="b")
    desk.wait(1)
    desk.deliver()
    assert desk.values == [("after", True)]


def test_nothing_is_awaited_of_a_job_that_was_given_up_and_still_runs(desk: Desk) -> None:
    release, begun = threading.Event(), threading.Event()

    def deaf(_job: Job[object]) -> object:
        begun.set()
        return release.wait(120)

    desk.run(deaf)
    assert begun.wait(120)
    assert desk.jobs.busy("a")
    desk.jobs.cancel("a")
    assert not desk.jobs.busy("a")
    release.set()


def test_closing_leaves_a_job_behind_that_does_not_listen(desk: Desk) -> None:
    release = threading.Event()
    begun = threading.Event()
    ended = list[bool]()

    def deaf(job: Job[object]) -> object:
        begun.set()
        ended.append(release.wait(120))
        return None

    assert not desk.jobs.left_behind
    desk.run(deaf)
    assert begun.wait(120)
    desk.jobs.close(wait=0.2)
    assert not ended, "closing waited for a job that does not listen"
    assert desk.jobs.left_behind
    release.set()
    happens(lambda: not desk.jobs.left_behind)


def test_a_job_that_does_not_listen_does_not_keep_the_next_one_waiting(desk: Desk) -> None:
    release, begun = threading.Event(), threading.Event()

    def deaf(job: Job[object]) -> object:
        begun.set()
        release.wait(120)
        return "too late"

    desk.run(deaf)
    assert begun.wait(120)
    desk.run(lambda job: "next")
    desk.wait(1)
    assert desk.jobs.left_behind, "another thread has relieved it"
    release.set()
    happens(lambda: not desk.jobs.left_behind)
    desk.run(lambda job: "and on")
    desk.wait(2)
    desk.deliver()
    assert [value for value, _ in desk.values] == ["and on"]
    assert "too late" not in [report.value for report in desk.reports]


def test_every_thread_is_a_daemon(desk: Desk) -> None:
    desk.run(lambda job: threading.current_thread().daemon)
    desk.wait(1)
    desk.deliver()
    assert desk.values == [(True, True)]


def test_a_report_after_the_loop_has_ended_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(report: JobReport) -> None:
        raise RuntimeError("Event loop is closed")

    monkeypatch.setattr(jobs, "KEEP_WAIT", 60.0)
    own = Jobs(NOWHERE, gone)
    own.run("a", lambda job: 1, lambda value, final: None, lambda fault: None, keep=True)
    own.close(60.0)
    assert not own.is_working("a")


def test_jobs_that_begin_at_once_find_whole_packages() -> None:
    """Two threads that begin with different parts of one package were each handed the other's half done."""
    code = """
import threading
from importlib.machinery import SourceFileLoader as Loader
from pathlib import Path
from tui.runtime.jobs import Jobs
real, package, part = Loader.exec_module, threading.Event(), threading.Event()
def slow(self, module):
    if module.__name__ == "core.rules":
        package.set(), part.wait(2)
    if module.__name__ == "core.rules.format.book":
        part.set()
    real(self, module)
Loader.exec_module = slow
faults, ended = [], threading.Semaphore(0)
jobs = Jobs(Path("none.db"), lambda report: (faults.append(report.fault), ended.release()))
jobs.run("rules-one", lambda _job: __import__("core.rules.matching.call"), print, print)
jobs.run("rules-two", lambda _job: (package.wait(), __import__("core.rules.format.book")), print, print)
ended.acquire(timeout=120), ended.acquire(timeout=120)
print(*faults)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "None None\n"


async def test_no_key_of_a_test_waits_for_a_job_that_waits_however_slow_the_machine_is(
    casebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the app rests is asked again and again; on a slow machine, to ask is more work than all that rests."""
    look, held = quiet.quiet, threading.Event()

    def look_slowly(within: float = quiet.SLEPT) -> bool:
        end = time.thread_time() + 2 * quiet.RESTED
        while time.thread_time() < end:
            pass
        return look(within)

    monkeypatch.setattr(quiet, "LONGEST", 3_600.0)
    monkeypatch.setattr(quiet, "quiet", look_slowly)
    app = app_on(casebook)
    async with app.run_test() as pilot:
        app.jobs.run("held", lambda _job: held.wait(3_600), lambda _value, _final: None, lambda _fault: None)
        try:
            async with asyncio.timeout(300):
                await pilot.pause()
            assert app.jobs.is_working("held")
        finally:
            held.set()
