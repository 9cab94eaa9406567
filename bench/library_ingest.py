"""Ingest of a folder of notes against the plainest FTS5 script over the same files: CPU time of all processes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.library_corpus import write_corpus
from bench.table import Row

_PLAIN = """
import sys
from pathlib import Path
import apsw
con = apsw.Connection(sys.argv[2])
con.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
con.execute("CREATE VIRTUAL TABLE notes USING fts5(path UNINDEXED, text, tokenize = 'unicode61 remove_diacritics 2')")
for path in sorted(Path(sys.argv[1]).rglob("*.md")):
    with con:
        rows = [(str(path), part) for part in path.read_text(encoding="utf-8").split("\\n## ")]
        con.executemany("INSERT INTO notes VALUES (?, ?)", rows)
"""
_OURS = """
import sys
from pathlib import Path
from core.flows.library_ingest import ingest
from core.store import open_store
with open_store(Path(sys.argv[2]), create=True) as store:
    report = ingest(store, [Path(sys.argv[1])])
    print(report.new, report.unchanged, report.errors)
"""


def measure(*, quick: bool) -> list[Row]:
    """First run, and a run in which nothing changed, each as a ratio to the script's first run."""
    files, size = (300, 8_000) if quick else (2_000, 10_000)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        written = write_corpus(home / "notes", files, size)
        _settle(home / "notes")
        plain, plain_wall, low = _spent(_PLAIN, home / "notes", home / "plain.db")
        first, first_wall, peak = _spent(_OURS, home / "notes", home / "ours.db")
        again, again_wall, _ = _spent(_OURS, home / "notes", home / "ours.db")
        disk = (home / "ours.db").stat().st_size / (home / "plain.db").stat().st_size
    megabytes = written / 1e6
    what = f"ingest {files:,} notes, {megabytes:.0f} MB"
    spent = f"{first:.1f} s / {plain:.1f} s; {megabytes / first:.2f} MB/s of CPU"
    return [
        Row(f"{what} / plain FTS5, CPU", first / plain, None, spent),
        Row(f"{what} / plain FTS5, wall", first_wall / plain_wall, None, f"{first_wall:.1f} s / {plain_wall:.1f} s"),
        Row("nothing changed / plain FTS5, CPU", again / plain, 0.5, f"{again:.2f} s; {again_wall:.2f} s of wall time"),
        Row("disk / plain FTS5", disk, None),
        Row("peak memory / plain FTS5", peak / low, None, f"{peak / 1024:.0f} MiB / {low / 1024:.0f} MiB"),
    ]


def _settle(folder: Path) -> None:
    """Let the files be old, so that size and time tell that they did not change."""
    for path in folder.rglob("*.md"):
        os.utime(path, (1_700_000_000, 1_700_000_000))


def _spent(code: str, notes: Path, db: Path) -> tuple[float, float, float]:
    """CPU seconds of the process and its children, wall seconds, and peak memory in KiB."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", code, str(notes), str(db)])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"it ended with {status}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, float(usage.ru_maxrss)
