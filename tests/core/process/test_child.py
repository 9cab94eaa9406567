"""A process of our own: what it answers, how it is cancelled, and that neither side outlives the other."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.process.child import Child, ChildExitedError
from core.process.frames import VERSION
from core.process.task import Task
from tests.core.process import handlers

ROOT = Path(__file__).parents[3]


@pytest.fixture
def child() -> Iterator[Child]:
    with Child() as one:
        one.start()
        yield one
        one.kill()


def within(seconds: float, true: Callable[[], object]) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.005)
    return bool(true())


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_calls_are_answered_in_order_also_large_ones(child: Child) -> None:
    large = b"\0" * 3_000_000, "오류 \ud800" * 100_000
    first, second = child.call(handlers.echo, large), child.call(handlers.echo, 2)
    told: list[int] = []
    assert child.call(handlers.count, 5).result(told.append) == 5
    assert told == [0, 1, 2, 3, 4]
    assert second.arrived
    assert (first.result(), second.result()) == ((large,), (2,))


def test_a_fault_arrives_as_it_is_and_another_error_with_its_trace(child: Child) -> None:
    with pytest.raises(Fault) as told:
        child.call(handlers.fail, True).result()
    fault = told.value
    assert (fault.code, fault.message, fault.hint) == ("invalid_input", "half \udc80", "mend it")
    assert fault.details == {"line": 3}
    with pytest.raises(Fault, match="RuntimeError: a fault of its own") as told:
        child.call(handlers.fail, False).result()
    assert "in fail" in str(told.value.__cause__)
    assert child.call(handlers.echo, 1).result() == (1,), "it goes on"


def test_a_death_is_told_with_the_last_line_it_wrote(child: Child) -> None:
    waiting = child.call(handlers.die, "Traceback:\n  no memory for this \n", 9)
    with pytest.raises(ChildExitedError):
        waiting.result()
    with pytest.raises(ChildExitedError):
        child.call(handlers.echo, 1).result()
    assert str(child.died("It")) == "It was interrupted. Its process exited with code 9: no memory for this"


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is of Unix")
def test_one_that_is_killed_answers_nobody(child: Child) -> None:
    with pytest.raises(ChildExitedError):
        child.call(handlers.kill).result()
    assert within(120, lambda: child.ended)


@pytest.mark.parametrize(
    "data",
    [
        b"Traceback (most recent call last)\n",
        b"cbm\x09",
        struct.pack("<3sBII", b"cbm", VERSION, 1 << 31, 0),
        struct.pack("<3sBII", b"cbm", VERSION, 4, 0) + b"{x: ",
        struct.pack("<3sBII", b"cbm", VERSION, 2, 0) + b"[]",
        struct.pack("<3sBII", b"cbm", VERSION, 8, 0) + b'{"n": 1}',
    ],
    ids=["text", "version", "too long", "no JSON", "no object", "no value"],
)
def test_one_that_speaks_another_language_is_ended(child: Child, data: bytes) -> None:
    with pytest.raises((ChildExitedError, Fault)):
        child.call(handlers.garbage, data).result(timeout=120)


def test_a_cancelled_call_ends_at_once_and_the_next_is_answered(child: Child, tmp_path: Path) -> None:
    reply = child.call(handlers.wait, tmp_path / "begun")
    dropped, kept = child.call(handlers.kill), child.call(handlers.echo, 1)
    assert within(120, (tmp_path / "begun").exists)
    child.cancel(dropped, drop=True)
    child.cancel(reply)
    assert reply.result(timeout=120) == "cancelled"
    assert kept.result() == (1,)
    assert not dropped.arrived


def test_who_gives_up_does_not_wait(child: Child, tmp_path: Path) -> None:
    reply = child.call(handlers.wait, tmp_path / "begun")
    with pytest.raises(TimeoutError):
        reply.result(timeout=0.01)
    threading.Timer(0.05, reply.give_up).start()
    with pytest.raises(CancelledError):
        reply.result()


def test_it_gives_way_if_it_is_to() -> None:
    with Child(nice=5, one_core=True) as child:
        child.start()
        assert child.call(handlers.nice).result() == ((os.nice(0) + 5) if hasattr(os, "nice") else 0, 1)


def test_the_end_of_its_input_cancels_it_and_grace_is_limited(tmp_path: Path) -> None:
    child = Child(grace=60)
    child.start()
    reply = child.call(handlers.wait, tmp_path / "begun")
    assert within(120, (tmp_path / "begun").exists)
    child.stop()
    assert reply.result() == "cancelled"
    assert child.wait(120) == 0
    child = Child(grace=0.1)
    child.start()
    child.call(handlers.deaf, tmp_path / "deaf")
    assert within(120, (tmp_path / "deaf").exists)
    child.stop()
    assert child.wait(120) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is of Unix")
def test_a_child_does_not_outlive_a_parent_that_is_killed(tmp_path: Path) -> None:
    code = "import sys; from tests.core.process.handlers import parent; parent(*sys.argv[1:])"
    begun = tmp_path / "begun"
    killed = subprocess.Popen([sys.executable, "-c", code, str(begun), "0"], cwd=ROOT)
    assert within(120, lambda: begun.exists() and begun.read_text())
    pid = int(begun.read_text())
    assert lives(pid)
    killed.kill()
    killed.wait()
    assert within(120, lambda: not lives(pid))


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of Unix")
def test_what_it_starts_itself_does_not_keep_its_pipes(child: Child) -> None:
    pid = child.call(handlers.hold_standard_streams).result()
    try:
        child.stop()
        assert within(120, lambda: child.ended)
    finally:
        os.kill(pid, signal.SIGKILL)


def test_a_task_that_was_stopped_before_it_began_is_cancelled(tmp_path: Path) -> None:
    task = Task("The task", handlers.wait, (tmp_path / "begun",), grace=60)
    task.stop()
    assert task.run(lambda _told: None) == "cancelled"


def test_a_task_is_done_here_where_no_process_can_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    told: list[int] = []
    assert Task("The task", handlers.count, (2,), grace=1).run(told.append) == 2
    assert told == [0, 1]
    with pytest.raises(Fault, match="no process could be started"):
        Task("The task", handlers.count, (2,), grace=1, here=False).run(told.append)


def test_a_task_that_dies_says_so() -> None:
    with pytest.raises(Fault, match=r"The task was interrupted\. Its process exited with code 3: gone"):
        Task("The task", handlers.die, ("gone", 3), grace=1).run(lambda _told: None)
