"""Kill -9 at any moment of a run: whole batches stay, nothing derived disagrees, and the next run completes it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from core.embedding.index import backlog
from core.embedding.index.maintenance import counted
from core.embedding.runtime.worker import place_of, run
from core.errors.retrieval.embed_source import ErrorSource
from core.store import Store, jobs, load_vec, open_store
from tests.core.embedding.exact_embedder import ExactEmbedder

ROOT = Path(__file__).resolve().parents[4]
ROUNDS = 12
BATCH = 4
EMBED = f"""
import sys, time
from pathlib import Path
from core.embedding.runtime.worker import run
from core.errors.retrieval.embed_source import ErrorSource
from core.store import open_store
from tests.core.embedding.exact_embedder import ExactEmbedder
class Slow(ExactEmbedder):
    def embed(self, texts, kind):
        time.sleep(0.002)
        return super().embed(texts, kind)
with open_store(Path(sys.argv[1]), write=True) as store:
    print("begun", flush=True)
    run(store, ErrorSource(), Slow(name=sys.argv[2]), batch={BATCH})
"""


def check(store: Store) -> None:
    con = store.con
    assert con.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    load_vec(con)
    if con.execute("SELECT 1 FROM sqlite_schema WHERE name = 'vec_error_kb'").fetchone():
        state = con.execute("SELECT value ->> 'model' FROM meta WHERE key = 'vectors:error'").fetchone()
        loose = (
            "SELECT count(*) FROM vec_error_kb AS x LEFT JOIN vector AS v"
            " ON v.kind = 'error' AND v.item_id = x.error_kb_id AND v.model = ? WHERE v.blob IS NOT x.embedding"
        )
        assert con.execute(loose, state).fetchone() == (0,)
    assert con.execute("SELECT count(*) FROM backlog").fetchone() == (
        backlog.waiting(con, "error")
        - int(con.execute("SELECT coalesce(max(value ->> 'left'), 0) FROM meta").fetchone()[0]),
    )


def test_a_run_killed_again_and_again_loses_and_repeats_nothing(book: Store, seen: Callable[..., list[int]]) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    ids = seen(*(f"Error: cause {a}{b}" for a in letters for b in letters[:8]))
    assert len(set(ids)) == 208
    rng, total = random.Random(11), 0
    for at in range(ROUNDS):
        name = "old" if at < ROUNDS // 2 else "new"
        if at == ROUNDS // 2:
            with open_store(book.path, write=True) as store:
                run(store, ErrorSource(), ExactEmbedder(name="old"))
        child = subprocess.Popen(
            [sys.executable, "-c", EMBED, str(book.path), name], stdout=subprocess.PIPE, cwd=ROOT, env=dict(os.environ)
        )
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(rng.uniform(0, 0.06))
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        with open_store(book.path, write=True) as store:
            check(store)
            total += store.con.execute("SELECT count(*) FROM vector").fetchone()[0] > 0
    assert total  # some were killed with work done
    new = ExactEmbedder(name="new")
    with open_store(book.path, write=True) as store:
        had = store.con.execute("SELECT count(*) FROM vector WHERE model = 'new@1'").fetchone()[0]
        report = run(store, ErrorSource(), new)
        assert report.embedded + had == 208
        assert len(new.given) == report.embedded
        check(store)
        assert counted(store.con, place_of(ErrorSource(), new)) == (208, 208)
        assert store.con.execute("SELECT DISTINCT model FROM vector").fetchall() == [("new@1",)]
        assert {job.status for job in jobs.recent(store)} <= {"failed", "succeeded"}
