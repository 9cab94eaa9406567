"""Processes that die or write at the same time."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

from core.store import change, open_store

BATCH = 20
FORK = multiprocessing.get_context("fork")


def _write_batches(path: Path, first: int, told: int) -> None:
    with open_store(path, create=True) as store:
        for batch in range(first, first + 10_000):
            with change(store, "test", f"batch {batch}"):
                for at in range(BATCH):
                    store.con.execute(
                        "INSERT INTO error_kb(ts, error_normalized, error_raw, resolution) VALUES (?, ?, ?, 'fix')",
                        (str(batch), f"error {batch}.{at}", "x" * (at * 97)),
                    )
            os.write(told, b".")


def test_a_process_killed_at_any_moment_leaves_whole_batches(db: Path) -> None:
    dice = random.Random(20260207)
    done, longest = 0, 0.06
    for _ in range(30):
        reading, told = os.pipe()
        child = FORK.Process(target=_write_batches, args=(db, done, told))
        child.start()
        os.close(told)
        time.sleep(dice.uniform(0.0, longest))
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        with os.fdopen(reading, "rb") as pipe:
            said = done + len(pipe.read())
        if not db.exists():
            longest *= 1.3
            continue  # it died before it made one
        with open_store(db, create=True) as store:
            batches = store.con.execute("SELECT ts, count(*) FROM error_kb GROUP BY ts").fetchall()
            assert {count for _, count in batches} <= {BATCH}
            longest *= 1.3 if len(batches) == done else 1.0  # a slow machine: strike later, in the middle of the work
            assert len(batches) in (said, said + 1)  # what was committed is there; it may have died before it told
            done = len(batches)
            assert store.con.execute("SELECT count(*) FROM journal").fetchone() == (done,)
            assert store.con.execute("SELECT count(*) FROM answer_key").fetchone() == (done * BATCH,)
    with open_store(db) as store:
        assert store.con.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert done > 30


def _look_up_and_record(path: Path, told: Any) -> None:
    try:
        for at in range(400):
            with open_store(path, write=True) as store, store.transaction() as con:
                row = con.execute(
                    "SELECT use_count FROM error_kb WHERE error_normalized = ?", (f"e{at % 7}",)
                ).fetchone()
                con.execute(
                    "INSERT INTO error_kb(ts, error_normalized, use_count) VALUES ('t', ?1, 1)"
                    " ON CONFLICT(error_normalized) DO UPDATE SET use_count = ?2",
                    (f"e{at % 7}", row[0] + 1 if row else 1),
                )
        told.put("ok")
    except Exception as error:  # noqa: BLE001
        told.put(repr(error))


def test_three_processes_lose_no_count(db: Path) -> None:
    open_store(db, create=True).close()
    told: Any = FORK.SimpleQueue()
    writers = [FORK.Process(target=_look_up_and_record, args=(db, told)) for _ in range(3)]
    for writer in writers:
        writer.start()
    assert [told.get() for _ in writers] == ["ok"] * 3
    for writer in writers:
        writer.join()
    with open_store(db) as store:
        assert store.con.execute("SELECT sum(use_count), count(*) FROM error_kb").fetchone() == (1200, 7)
