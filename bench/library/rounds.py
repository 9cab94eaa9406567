"""Kill and stop an ingest in the middle, again and again: the run after it completes, and nothing differs.

Killed, stopped as Ctrl-C does, and by Esc in the workbench on its way.

A row for each way to end it: how many rounds left anything else behind than a run that nobody disturbed.
"""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw

from bench.library.corpus import corpus
from bench.table import Row
from core.store import open_store
from tui.panes.library.ingest_screen import IngestScreen
from tui.shell.app import CasebookApp

NOTES: Final = 400
_COMMAND: Final = (sys.executable, "-m", "cli", "library", "ingest")
_STATE: Final = (
    "SELECT doc_id, workspace_path, asset_id, title, lang, chunk_count FROM documents ORDER BY 2",
    "SELECT chunk_id, doc_id, position, text, line_start, line_end FROM chunks ORDER BY 2, 3",
    "SELECT block_id, doc_id, position, kind, source_span_json FROM blocks ORDER BY 2, 3",
    "SELECT asset_id FROM assets ORDER BY 1",
    "SELECT workspace_path, asset_id FROM asset_paths ORDER BY 1",
    "SELECT count(*) FROM chunks_fts_docsize",
    "SELECT term, doc, cnt FROM words ORDER BY 1",
)


def measure(*, quick: bool) -> list[Row]:
    """Rounds that lost or changed something, by the way they were ended: 0 is the promise."""
    rounds = 3 if quick else 20
    notes = corpus(NOTES, 20_000)
    with tempfile.TemporaryDirectory() as folder:
        home, chance = Path(folder), random.Random(5)
        whole = home / "whole.db"
        _ingest(whole, notes)
        wanted = _state(whole)
        ways: dict[str, Callable[[Path, int], None]] = {
            "kill -9": lambda path, until: _signal(signal.SIGKILL, path, notes, until),
            "Ctrl-C": lambda path, until: _signal(signal.SIGINT, path, notes, until),
            "Esc in the workbench": lambda path, until: asyncio.run(_escape(path, notes, until)),
        }
        return [_rounds(name, end, rounds, chance, notes, home, wanted) for name, end in ways.items()]


def _rounds(
    name: str, end: Callable[[Path, int], None], rounds: int, chance: random.Random, notes: Path, home: Path,
    wanted: list[object],
) -> Row:  # fmt: skip
    lost = inside = 0
    for number in range(rounds):
        path = home / f"{name}-{number}.db"
        end(path, chance.randint(1, NOTES - 10))
        left = _documents(path)
        inside += 0 < left < NOTES
        _ingest(path, notes)
        lost += _state(path) != wanted
        for rest in home.glob(f"{path.name}*"):
            rest.unlink()
    return Row(
        f"{name} in the middle of an ingest: rounds that differ", lost, 0, f"of {rounds}; {inside} met it half done", ""
    )


def _signal(how: signal.Signals, path: Path, notes: Path, until: int) -> None:
    """Ingest in a process, and a signal once so many notes are there."""
    process = subprocess.Popen(
        [*_COMMAND, str(notes), "--db", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while process.poll() is None and _documents(path) < until:
        time.sleep(0.01)
    process.send_signal(how)
    process.wait(60)


async def _escape(path: Path, notes: Path, until: int) -> None:
    """Ingest in the workbench, and Esc once so many notes are there; back when the run has ended."""
    open_store(path, create=True).close()
    app = CasebookApp(path)
    async with app.run_test(size=(120, 34)) as pilot:
        screen = IngestScreen(app.jobs, app.ingesting, app.signs, at_result=False)
        await app.push_screen(screen)
        screen.box.value = str(notes)
        await pilot.press("enter")
        while app.ingesting.ended is None and _documents(path) < until:
            await asyncio.sleep(0.01)
        await pilot.press("escape")
        while app.ingesting.ended is None:
            await asyncio.sleep(0.01)


def _ingest(path: Path, notes: Path) -> None:
    subprocess.run([*_COMMAND, str(notes), "--db", str(path)], check=True, stdout=subprocess.DEVNULL)


def _documents(path: Path) -> int:
    """How many documents were there when it ended."""
    if not path.exists():
        return 0
    try:
        con = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    except apsw.Error:
        return 0
    try:
        (found,) = con.execute("SELECT count(*) FROM documents").fetchone() or (0,)
        return int(found)
    except apsw.Error:  # there is no table yet, or it is being made
        return 0
    finally:
        con.close()


def _state(path: Path) -> list[object]:
    """All that an ingest leaves behind, but times, row ids and revisions; the index word by word."""
    con = apsw.Connection(str(path))
    try:
        broken = con.execute("PRAGMA foreign_key_check").fetchall()
        if broken or con.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            return []
        con.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'chunks_fts', 'row')")
        return [con.execute(sql).fetchall() for sql in _STATE]
    finally:
        con.close()
