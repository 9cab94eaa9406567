"""Processes that die or write at the same time."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

from core.store import open_store
from tests.faults.kills import kill_rounds

BATCH = 20
FORK = multiprocessing.get_context("fork")


WRITE_BATCHES = f"""
import os, sys
from pathlib import Path
from core.store import change, open_store
path, number = Path(sys.argv[1]), int(sys.argv[2])
os.write(1, b"+")
with open_store(path, create=True) as store:
    for batch in range(number * 10_000, (number + 1) * 10_000):
        with change(store, "test", f"batch {{batch}}"):
            for at in range({BATCH}):
                store.con.execute(
                    "INSERT INTO error_kb(ts, error_normalized, error_raw, resolution) VALUES (?, ?, ?, 'fix')",
                    (str(batch), f"error {{batch}}.{{at}}", "x" * (at * 97)),
                )
        os.write(1, b".")
"""


def test_a_process_killed_at_any_step_leaves_whole_batches(db: Path) -> None:
    done = 0
    for told in kill_rounds(WRITE_BATCHES, str(db), rounds=30, every=11):
        if not db.exists():
            continue  # it died before it made one
        with open_store(db, create=True) as store:
            batches = store.con.execute("SELECT ts, count(*) FROM error_kb GROUP BY ts").fetchall()
            assert {count for _, count in batches} <= {BATCH}
            # what was committed is there; it may have died before it told
            assert len(batches) in (done + told, done + told + 1)
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
    for writer in writers:
        writer.join(300)
    assert [writer.exitcode for writer in writers] == [0] * 3
    assert [told.get() for _ in writers] == ["ok"] * 3
    with open_store(db) as store:
        assert store.con.execute("SELECT sum(use_count), count(*) FROM error_kb").fetchone() == (1200, 7)
