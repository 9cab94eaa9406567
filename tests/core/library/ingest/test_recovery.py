"""What an ingest leaves when it is killed, and an index that lost rows: told, mended, gone on with."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.flows.ingest.api import ingest
from core.flows.system.doctor import repair
from core.store import Store, open_store, store_checks
from tests.core.library.ingest.support import ALPHA, ROOT, Put, found, state, whole


@pytest.fixture(autouse=True)
def _whole(library: Store) -> Iterator[None]:
    yield
    whole(library)


def test_an_index_that_lost_rows_is_told_and_mended(library: Store, notes: Path, put: Put) -> None:
    put("a.md", ALPHA)
    ingest(library, [notes])
    library.con.execute("DELETE FROM chunks_fts WHERE rowid = 1")
    checks = {check.name: check for check in store_checks(library.path)}
    assert not checks["counts_match"].ok
    assert "chunks_fts has 1 rows, not 2" in checks["counts_match"].detail
    repair(library.path)
    assert all(check.ok for check in store_checks(library.path) if check.name == "counts_match")
    assert found(library, "pump") == {"a.md"}


KILLED = """
import os, signal, sys
from pathlib import Path
from core.flows.ingest import batches
from core.flows.ingest.api import ingest
from core.store import open_store
batches.MOST_FILES = 3
store = open_store(Path(sys.argv[1]), create=True)
left = [int(sys.argv[3])]
def row(*_):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
store.con.set_update_hook(row)
ingest(store, [Path(sys.argv[2])])
print("done")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
@pytest.mark.parametrize("after", [2, 17, 60, 90])
def test_killed_in_the_middle_of_a_document_nothing_is_lost(
    library: Store, tmp_path: Path, notes: Path, put: Put, after: int
) -> None:
    for n in range(8):
        put(f"{n}.md", f"# Title {n}\n\n" + "\n\n".join(f"## Part {n}.{k}\n\nwords {k} of {n}" for k in range(4)))
    put("twin.md", (notes / "2.md").read_bytes())
    ingest(library, [notes])
    broken = tmp_path / "killed.db"
    command = [sys.executable, "-c", KILLED, str(broken), str(notes), str(after)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    with open_store(broken, create=True) as again:
        whole(again)
        assert not ingest(again, [notes]).aborted
        whole(again)
        assert state(again) == state(library)
