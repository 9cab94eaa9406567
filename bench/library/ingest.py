"""Ingest of a folder of notes against the plainest FTS5 script over the same files: CPU time of all processes.

python -m bench.library.ingest FOLDER     # documents that people wrote: Markdown, reStructuredText and plain text
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.library.corpus import LONG_AGO, OUT, corpus, size_of
from bench.table import Row

SIZE: Final = 100_000
PLAIN = """
import sys
from pathlib import Path
import apsw
con = apsw.Connection(sys.argv[2])
con.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
con.execute("CREATE VIRTUAL TABLE notes USING fts5(path UNINDEXED, text, tokenize = 'unicode61 remove_diacritics 2')")
for path in sorted(one for one in Path(sys.argv[1]).rglob("*") if one.suffix in (".md", ".rst", ".txt")):
    with con:
        rows = [(str(path), part) for part in path.read_text(encoding="utf-8", errors="replace").split("\\n## ")]
        con.executemany("INSERT INTO notes VALUES (?, ?)", rows)
"""
OURS = """
import sys
from pathlib import Path
from core.flows.ingest.api import ingest
from core.store import open_store
with open_store(Path(sys.argv[2]), create=True) as store:
    report = ingest(store, [Path(sys.argv[1])])
    assert report.scanned and not report.errors and not report.aborted
    print(report.new, report.updated, report.unchanged, report.chunks_indexed)
"""


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of processor time of a process and its children, of wall time, and peak memory in KiB."""

    cpu: float
    wall: float
    memory: float


def measure(*, quick: bool) -> list[Row]:
    """First run, a run in which nothing changed, one after an edit of every hundredth note, against the script."""
    files = 1_000 if quick else 10_000
    notes = corpus(files, SIZE)
    plain_db, ours_db = fresh(f"library-plain-{files}"), fresh(f"library-{files}")
    size = size_of(notes) / 1e6
    _read_once(notes)
    plain = _spent(PLAIN, notes, plain_db)
    first = _spent(OURS, notes, ours_db)
    again = _spent(OURS, notes, ours_db)
    edited = sorted(notes.rglob("*.md"))[::100]
    for path in edited:
        path.write_text(path.read_text(encoding="utf-8") + "\nOne line more.\n", encoding="utf-8")
    some = _spent(OURS, notes, ours_db)
    for path in edited:
        path.write_text(path.read_text(encoding="utf-8").removesuffix("\nOne line more.\n"), encoding="utf-8")
        os.utime(path, (LONG_AGO, LONG_AGO))
    disk = ours_db.stat().st_size / plain_db.stat().st_size
    rate = f"{size / first.cpu:.1f} MB a second of CPU, {size / first.wall:.1f} of wall time"
    what = f"{files:,} notes, {size:,.0f} MB"
    return [
        _row(f"ingest {what} / plain FTS5, CPU", first.cpu, plain.cpu, note=rate),
        _row("the same, wall time", first.wall, plain.wall),
        _row("nothing changed / plain FTS5, wall time", again.wall, plain.wall, 0.1),
        _row("one in a hundred edited / plain FTS5, wall time", some.wall, plain.wall, 0.5),
        Row("disk / plain FTS5", disk, None, f"{ours_db.stat().st_size / 1e6:,.0f} MB"),
        _row("peak memory / plain FTS5", first.memory / 1024, plain.memory / 1024, unit="MiB"),
    ]


def measure_folder(folder: Path) -> list[Row]:
    """The first ingest of documents that people wrote, against the script."""
    plain_db, ours_db = fresh("library-folder-plain"), fresh("library-folder")
    for path in folder.rglob("*"):
        if path.is_file():
            path.read_bytes()
    plain, first = _spent(PLAIN, folder, plain_db), _spent(OURS, folder, ours_db)
    return [
        _row(f"ingest {folder} / plain FTS5, CPU", first.cpu, plain.cpu),
        _row("the same, wall time", first.wall, plain.wall),
        _row("disk / plain FTS5", ours_db.stat().st_size / 1e6, plain_db.stat().st_size / 1e6, unit="MB"),
    ]


def _row(what: str, ours: float, control: float, budget: float | None = None, note: str = "", unit: str = "s") -> Row:
    said = f"{ours:.1f} {unit} / {control:.1f} {unit}"
    return Row(what, ours / control, budget, f"{said}; {note}" if note else said)


def fresh(name: str) -> Path:
    """The place of a database that is to be made anew."""
    for end in ("", "-wal", "-shm"):
        (OUT / f"{name}.db{end}").unlink(missing_ok=True)
    return OUT / f"{name}.db"


def _read_once(folder: Path) -> None:
    """Let the files be in memory for both."""
    for path in folder.rglob("*.md"):
        path.read_bytes()


def _spent(code: str, notes: Path, database: Path) -> Spent:
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", code, str(notes), str(database)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"it ended with {status}")
    return Spent(usage.ru_utime + usage.ru_stime, time.perf_counter() - start, float(usage.ru_maxrss))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    OUT.mkdir(exist_ok=True)
    for row in measure_folder(parser.parse_args().folder.resolve()):
        print(f"{row.what}: {row.figure:.1f}{row.unit} ({row.note})")


if __name__ == "__main__":
    main()
