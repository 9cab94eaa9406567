"""Files that a journey passes: a pasted error until its answer is drawn, a transcript until its cases are stored.

Counted with a profile function on every thread: the distinct files of the product in which a function is called.
What a second process runs is not seen, nor the watching that goes on at rest."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from textual import events

from bench.table import Row
from core.flows.system.demo import fill_demo
from core.flows.transcripts.api import import_transcripts
from core.samples import DEMO_QUERIES, sample_paths
from core.store import open_store
from tui.shell.app import CasebookApp

ROOT = Path(__file__).resolve().parents[1]
OURS = tuple(f"{ROOT / folder}/" for folder in ("agent_casebook", "core", "cli", "tui"))
PASTED, IMPORTED = 60, 70
STILL = 0.7
"""Seconds without a file that was not called before, after which a journey in the workbench is over."""


def measure(*, quick: bool) -> list[Row]:
    """Files of the two journeys."""
    del quick
    with tempfile.TemporaryDirectory() as folder:
        imported = _import(Path(folder) / "imported.db")
        fill_demo(casebook := Path(folder) / "casebook.db")
        pasted = asyncio.run(_paste(casebook))
    return [
        Row("files that a pasted error passes", len(pasted), PASTED, _by_folder(pasted), unit=""),
        Row("files that an imported transcript passes", len(imported), IMPORTED, _by_folder(imported), unit=""),
    ]


def _import(database: Path) -> set[str]:
    """The files that the import of one sample session of Claude Code passes, from the call to the report."""
    transcript = min(sample_paths()[0].rglob("*.jsonl"))
    with open_store(database, write=True, create=True) as store, _calls() as files:
        import_transcripts(store, "auto", [transcript])
    return files


async def _paste(casebook: Path) -> set[str]:
    """The files that an error passes from the paste in the warm workbench until its answer is drawn."""
    with _calls() as files:
        app = CasebookApp(casebook)
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause(STILL)
            files.clear()
            app.post_message(events.Paste(DEMO_QUERIES[0]))
            before = -1
            while len(files) != before:
                before = len(files)
                await asyncio.sleep(STILL)
            return set(files)


@contextmanager
def _calls() -> Iterator[set[str]]:
    """Files of the product in which a function is called meanwhile, on this thread and on new ones."""
    files: set[str] = set()

    def record(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(OURS):
            files.add(code.co_filename.removeprefix(f"{ROOT}/"))

    threading.setprofile(record)
    sys.setprofile(record)
    try:
        yield files
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # pyright: ignore[reportArgumentType]


def _by_folder(files: Iterable[str]) -> str:
    """How many lie in each folder of the second level, most first."""
    folders = Counter("/".join(file.split("/")[:2]) for file in files)
    return ", ".join(f"{folder} {count}" for folder, count in folders.most_common())
