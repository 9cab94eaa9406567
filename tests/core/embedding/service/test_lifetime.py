"""How the model service begins and ends: loading, idle, killed, two at once, a place that cannot be had."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.embedding.service.client import Served, Unserved, connect, look, stop
from core.process.endpoint import Endpoint, claim, holder
from core.process.server import Limits
from tests.core.embedding.service.support import (
    LONG,
    PATIENCE,
    Double,
    Running,
    ask,
    hear,
    raw,
    running,
    served,
    until,
)


def test_while_the_model_loads_it_says_so_at_once(place: Endpoint) -> None:
    gate = threading.Event()

    def load() -> Double:
        assert gate.wait(PATIENCE)
        return Double()

    service = Running(place, load, Limits()).begin()
    found = connect("double", place=place, deadline_ms=LONG)
    assert found == Unserved("skipped", "the model service is still loading double")
    with raw(place) as bare:
        bare.sendall(ask("x"))
        answer = hear(bare)
        assert answer is not None
        assert "still loading" in str(answer.header["message"])
    gate.set()
    until(lambda: isinstance(connect("double", place=place, deadline_ms=LONG), Served))
    stop(place, LONG)
    assert service.wait().why == "stopped"


def test_a_model_that_does_not_load_ends_the_service_and_is_remembered(place: Endpoint) -> None:
    def load() -> Double:
        raise Fault("model_not_pulled", "its weights are damaged", "pull it again")

    service = Running(place, load, Limits()).begin()
    with pytest.raises(Fault, match="damaged"):
        service.wait()
    assert "damaged" in place.note.read_text()
    assert not place.entrance.exists()


def test_a_model_that_hangs_while_loading_keeps_nobody(place: Endpoint) -> None:
    gate = threading.Event()

    def load() -> Double:
        assert gate.wait(2 * PATIENCE)
        return Double()

    service = Running(place, load, Limits()).begin()
    assert not isinstance(stop(place, LONG), Unserved)
    ended = service.wait()
    assert (ended.why, ended.clean) == ("stopped", False)
    ended = Running(place, load, Limits(), load_s=0).begin().wait()
    assert (ended.why, ended.clean) == ("failed", False)
    assert place.note.read_text() == "double\nthe model cannot be loaded"
    gate.set()


def test_it_ends_when_nobody_asks_and_greetings_are_no_questions(place: Endpoint) -> None:
    model, gate = Double(), threading.Event()

    def load() -> Double:
        assert gate.wait(PATIENCE)
        return model

    service = Running(place, load, Limits(idle=0.5)).begin()
    kept = raw(place)  # a connection that is only open does not keep it either
    gate.set()  # while it loads it does not idle: however late this test is, it was connected
    until(lambda: isinstance(look(place, LONG), Unserved))
    assert service.wait().why == "idle"
    assert model.closed
    assert not place.entrance.exists()
    kept.close()


def test_it_does_not_end_while_it_is_asked(place: Endpoint) -> None:
    model = Double()
    with running(place, model, Limits(idle=5.0, look=0.05)) as service, ThreadPoolExecutor(1) as pool:
        model.open.clear()
        asked = pool.submit(served(place).embed, ["slow"], "query")
        until(lambda: model.calls)
        assert not service.thread.join(5.5)
        assert service.thread.is_alive()
        model.open.set()
        assert asked.result(PATIENCE)


def test_of_two_started_at_once_one_wins_and_the_other_leaves(place: Endpoint) -> None:
    services = [Running(place, Double, Limits()) for _ in range(6)]
    for service in services:
        service.thread.start()
    until(lambda: isinstance(connect("double", place=place, deadline_ms=LONG), Served))
    until(lambda: sum(bool(service.ended) for service in services) == 5)
    assert served(place).embed(["x"], "query")
    stop(place, LONG)
    assert sorted(service.wait().why for service in services) == ["stopped"] + ["taken"] * 5


def test_what_a_killed_service_left_is_cleared_away(place: Endpoint) -> None:
    code = (
        "import sys, os, signal; from pathlib import Path\n"
        "from core.process.endpoint import claim; from core.process.endpoint import Endpoint\n"
        "folder = Path(sys.argv[1]); own = claim(Endpoint(folder, 'model', folder / 'model.sock'))\n"
        "own.listen(''); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    root = Path(__file__).parents[4]
    done = subprocess.run([sys.executable, "-c", code, str(place.folder)], cwd=root, check=False, timeout=PATIENCE)
    assert done.returncode == -signal.SIGKILL
    assert place.entrance.exists()
    assert connect("double", place=place) == Unserved("skipped", "no model service is running")
    with running(place):
        assert served(place).embed(["x"], "query")
        assert holder(place) == os.getpid()


def test_a_service_that_nobody_can_find_any_more_ends_and_takes_nothing_of_its_successor(place: Endpoint) -> None:
    lost = Running(place, Double, Limits(look=0.05)).begin()
    place.lock.unlink()
    place.entrance.unlink()
    with running(place):
        assert lost.wait().why == "lost"
        assert served(place).embed(["x"], "query")


def test_a_place_that_cannot_be_had_is_a_fault(place: Endpoint) -> None:
    place.folder.write_text("a file")
    with pytest.raises(Fault, match="cannot create the folder"):
        claim(place)
    other = replace(place, folder=place.folder.parent / "linked")
    (place.folder.parent / "elsewhere").mkdir(mode=0o700)
    other.folder.symlink_to(place.folder.parent / "elsewhere")
    with pytest.raises(Fault, match="is not a folder"):
        claim(other)
