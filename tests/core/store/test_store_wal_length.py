"""The WAL stays short while several processes write without a pause and a pane keeps its connection open."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

from core.store import open_store, store_checks
from core.store.backups import backup

ROOT = Path(__file__).resolve().parents[3]
WRITER = """
import sys
from pathlib import Path
from core.store import open_store
for turn in range(250):
    with open_store(Path(sys.argv[1]), write=True) as store, store.transaction() as con:
        con.execute("INSERT INTO meta VALUES (?, ?)", (f"{sys.argv[2]} {turn}", "x" * 60_000))
"""


def test_three_writers_without_a_pause_leave_the_wal_short(tmp_path: Path) -> None:
    db, wal = tmp_path / "a.db", tmp_path / "a.db-wal"
    with open_store(db, write=True, create=True) as pane:
        writers = [
            subprocess.Popen([sys.executable, "-c", WRITER, str(db), str(number)], cwd=ROOT) for number in range(3)
        ]
        longest = 0
        while any(writer.poll() is None for writer in writers):
            longest = max(longest, wal.stat().st_size if wal.exists() else 0)
            time.sleep(0.02)
        assert [writer.returncode for writer in writers] == [0, 0, 0]
        (kept,) = pane.con.execute("SELECT count(*) FROM meta WHERE value LIKE 'xxx%'").fetchone() or (0,)
    assert kept == 750
    assert 0 < longest < 16 * 1024 * 1024


def test_the_file_alone_is_whole_while_a_workbench_is_open(tmp_path: Path) -> None:
    """A plain copy has what was just written, and a backup that is copied over the file is not mixed with the log."""
    db, copy, old = tmp_path / "a.db", tmp_path / "copy.db", tmp_path / "old.db"
    open_store(db, create=True).close()
    backup(db, old)
    with open_store(db) as pane:
        assert pane.con.execute("SELECT count(*) FROM meta WHERE value LIKE 'xxx%'").fetchone() == (0,)
        with open_store(db, write=True) as store, store.transaction() as con:
            con.executemany("INSERT INTO meta VALUES (?, ?)", [(f"row {at}", "x" * 60_000) for at in range(20)])
        shutil.copy(db, copy)
        shutil.copy(old, db)
    assert [check for check in store_checks(db) if not check.ok] == []
    with open_store(copy) as store:
        assert store.con.execute("SELECT count(*) FROM meta WHERE value LIKE 'xxx%'").fetchone() == (20,)
