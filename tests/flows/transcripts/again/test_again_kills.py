"""Kill -9 at any moment of `import --again`: the casebook is as before or as after, and the next run completes it."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from core.flows.system.history import take_back
from core.flows.transcripts.reharvest import harvest_again
from core.store import open_store, store_checks
from tests.faults.kills import Program
from tests.flows.transcripts.again.support import decisions, old_casebook, rows

ROUNDS = 20
AGAIN = """
import os, sys
import core.text.secrets.scan
from pathlib import Path
from core.flows.transcripts.reharvest import harvest_again
from core.store import open_store
with open_store(Path(sys.argv[1]), write=True) as store:
    os.write(1, b"+")
    harvest_again(store, actor="kim")
"""


def told(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row, but when an error was first missed and when an entry was made."""
    with open_store(path) as store:
        found = rows(store)
    columns = found.pop("fingerprint")
    entries = [row[:-2] for row in found.pop("entry")]
    return found | {"entry": entries, "fingerprint": [(*row[:-1], row[-1] is not None) for row in columns]}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")
def test_twenty_kills_lose_nothing_and_do_nothing_twice(tmp_path: Path) -> None:
    old, once, db = tmp_path / "old.db", tmp_path / "once" / "casebook.db", tmp_path / "runs" / "casebook.db"
    old_casebook(old)
    with open_store(old, write=True) as store:
        store.con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        decided = decisions(store)
    for path in (once, db):
        path.parent.mkdir()
        shutil.copyfile(old, path)
    with open_store(once, write=True) as store:
        harvest_again(store, actor="kim")
    before, after = told(old), told(once)
    killed, halves, ends = 0, 0, 0
    with Program(AGAIN) as program:
        shutil.copyfile(old, tmp_path / "counted.db")
        steps = program.run(str(tmp_path / "counted.db")).steps
        for number in range(ROUNDS):
            killed += program.run(str(db), kill_at=1 + number * steps // ROUNDS).killed
            found = told(db)
            assert found in (before, after)
            assert [check for check in store_checks(db) if not check.ok] == []
            halves += db.with_name("casebook.db.again").exists()
            if found == after:
                with open_store(db, write=True) as store:
                    assert decisions(store) == decided
                    assert not harvest_again(store, actor="kim").applied
                    take_back(store, "kim")
                assert told(db) == before
                ends += 1
    assert killed > ROUNDS // 2 and halves > 3 and ends
    with open_store(db, write=True) as store:
        harvest_again(store, actor="kim")
    assert told(db) == after
    assert not db.with_name("casebook.db.again").exists()
