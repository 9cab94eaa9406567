"""Kill -9 at any moment of a run: whole batches stay, nothing derived disagrees, and the next run completes it."""

from __future__ import annotations

from collections.abc import Callable

from core.embedding.index import backlog
from core.embedding.index.maintenance import counted
from core.embedding.runtime.worker import place_of, run
from core.errors.retrieval.embed_text import ErrorSource
from core.store import Store, jobs, load_vec, open_store
from tests.core.embedding.exact_embedder import ExactEmbedder
from tests.faults.kills import Program

ROUNDS = 12
BATCH = 4
EVERY = 31
"""Steps between the kills of two rounds; a batch takes about ten."""
EMBED = f"""
import os, sys
from pathlib import Path
from core.embedding.runtime.worker import run
from core.errors.retrieval.embed_text import ErrorSource
from core.store import open_store
from tests.core.embedding.exact_embedder import ExactEmbedder
with open_store(Path(sys.argv[1]), write=True) as store:
    os.write(1, b"+")
    run(store, ErrorSource(), ExactEmbedder(name=sys.argv[2]), batch={BATCH})
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
    total = 0
    with Program(EMBED) as program:
        for at in range(ROUNDS):
            name = "old" if at < ROUNDS // 2 else "new"
            if at == ROUNDS // 2:
                with open_store(book.path, write=True) as store:
                    run(store, ErrorSource(), ExactEmbedder(name="old"))
            assert program.run(str(book.path), name, kill_at=1 + EVERY * (at % (ROUNDS // 2))).killed
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
