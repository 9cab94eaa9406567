"""Three processes look up and record the same error at once: no count is lost, no fix, no history."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from core.errors import record_resolution
from core.store import open_store

WORKER = """
import sys
from pathlib import Path
from core.errors import record_resolution, search
db, name, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
hits = 0
for at in range(rounds):
    answer = search(db, "fatal: unable to access the remote: could not resolve host")
    assert answer.match is not None, answer
    count = next(step for step in answer.trace if step.stage == "count")
    assert count.outcome == "hit" or "locked for too long" in count.reason, answer.trace
    hits += count.outcome == "hit"
    assert record_resolution(db, "fatal: unable to access the remote: could not resolve host", f"{name} {at}").case_id
print(hits)
"""


def test_counters_are_exact_with_three_writers(tmp_path: Path) -> None:
    db, rounds = tmp_path / "casebook.db", 120
    record_resolution(db, "fatal: unable to access the remote: could not resolve host", "check the proxy")
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(db), name, str(rounds)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for name in ("one", "two", "three")
    ]
    hits = 0
    for worker in workers:
        printed, fault = worker.communicate(timeout=300)
        assert worker.returncode == 0, fault.decode()
        hits += int(printed)
    assert hits > rounds  # a look-up may give the count up, and says so: it does not wait for a slow disk
    with open_store(db) as store:
        assert store.con.execute("SELECT use_count FROM error_kb").fetchall() == [(1 + hits + 3 * rounds,)]
        assert store.con.execute("SELECT count(*) FROM resolution").fetchone() == (1 + 3 * rounds,)
        assert store.con.execute("PRAGMA integrity_check").fetchone() == ("ok",)
