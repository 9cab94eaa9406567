"""Long runs as rows: one of a kind at a time, as long as it lives."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest

from core.base.fault import Fault
from core.store import Store, jobs, open_store

FORK = multiprocessing.get_context("fork")


def test_one_run_of_a_kind_at_a_time(store: Store) -> None:
    first = jobs.begin(store, "import", total=10)
    assert first is not None
    assert (first.kind, first.status, first.done, first.total, first.pid) == ("import", "running", 0, 10, os.getpid())
    assert jobs.begin(store, "import") is None
    assert jobs.begin(store, "embed") is not None  # another kind
    assert jobs.finish(store, first, "all read")
    second = jobs.begin(store, "import")
    assert second is not None
    assert second.id > first.id


def test_progress_is_seen_by_others(store: Store) -> None:
    job = jobs.begin(store, "embed")
    assert job is not None
    assert jobs.progress(store, job, 5, total=20, detail="case 5")
    assert jobs.progress(store, job, 6)
    with open_store(store.path) as other:
        seen = jobs.find(other, job.id)
        assert seen is not None
        assert (seen.done, seen.total, seen.detail, seen.status) == (6, 20, "case 5", "running")
    assert jobs.fail(store, job, "odd \ud800 error")
    (failed,) = jobs.recent(store)
    assert (failed.status, failed.error, failed.lease) == ("failed", "odd ? error", None)
    assert not jobs.finish(store, job)  # it has ended already


def test_a_canceled_run_is_told_at_its_next_sign_of_life(store: Store) -> None:
    job = jobs.begin(store, "import")
    assert job is not None
    with open_store(store.path, write=True) as other:
        assert jobs.cancel(other, job.id)
        assert not jobs.cancel(other, job.id)
    assert not jobs.progress(store, job, 1)
    assert not jobs.heartbeat(store, job)
    assert not jobs.finish(store, job)
    assert [seen.status for seen in jobs.recent(store)] == ["canceled"]


def test_a_run_whose_lease_ran_out_is_taken_over(store: Store) -> None:
    lost = jobs.begin(store, "import", lease_s=-1.0)
    taken = jobs.begin(store, "import")
    assert lost is not None
    assert taken is not None
    assert not jobs.heartbeat(store, lost)
    assert jobs.heartbeat(store, taken)
    assert [(job.id, job.status) for job in jobs.recent(store, kind="import")] == [
        (taken.id, "running"),
        (lost.id, "failed"),
    ]


def test_a_heartbeat_keeps_the_lease(store: Store) -> None:
    job = jobs.begin(store, "import", lease_s=-1.0)
    assert job is not None
    assert jobs.heartbeat(store, job, lease_s=60.0)
    assert jobs.begin(store, "import") is None


def _begin_and_die(path: Path) -> None:
    with open_store(path, write=True) as store:
        assert jobs.begin(store, "import", lease_s=3600.0)
    os._exit(9)


def test_a_run_whose_process_died_does_not_block_the_next(store: Store) -> None:
    child = FORK.Process(target=_begin_and_die, args=(store.path,))
    child.start()
    child.join(120)
    assert child.exitcode == 9
    assert jobs.begin(store, "import") is not None
    assert [job.status for job in jobs.recent(store)] == ["running", "failed"]


def _begin(path: Path, gate: Any, told: Any) -> None:
    gate.wait(120)
    with open_store(path, write=True) as store:
        told.put(jobs.begin(store, "import") is not None)
        gate.wait(120)  # alive until all have tried


def test_of_several_processes_one_gets_the_run(store: Store) -> None:
    gate, told = FORK.Barrier(4), FORK.SimpleQueue()
    children = [FORK.Process(target=_begin, args=(store.path, gate, told)) for _ in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join(300)
    assert [child.exitcode for child in children] == [0] * 4
    assert sorted(told.get() for _ in children) == [False, False, False, True]


def test_progress_stands_or_falls_with_the_work_it_counts(store: Store) -> None:
    job = jobs.begin(store, "import")
    assert job is not None
    with pytest.raises(KeyError), store.transaction():
        jobs.progress(store, job, 50)
        raise KeyError
    assert jobs.recent(store)[0].done == 0


def test_old_runs_are_let_go(store: Store) -> None:
    for _ in range(230):
        job = jobs.begin(store, "import")
        assert job is not None
        jobs.finish(store, job)
    assert len(jobs.recent(store, 1000)) <= 201


def test_a_reader_cannot_begin(store: Store) -> None:
    with open_store(store.path) as reader, pytest.raises(Fault):
        jobs.begin(reader, "import")
