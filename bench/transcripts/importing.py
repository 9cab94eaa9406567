"""Import against `json.loads` of the same lines, and memory over a large file."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.table import Row, seconds
from bench.transcripts.generated import write_transcript

_IMPORT = """
import resource, sys, time
from pathlib import Path
from core.flows.transcripts.api import import_transcripts
from core.store import open_store
with open_store(Path(sys.argv[2]), write=True, create=True) as store:
    start, spent = time.perf_counter(), time.process_time()
    import_transcripts(store, "claude-code", [Path(sys.argv[1])])
    took, spent = time.perf_counter() - start, time.process_time() - spent
    own, other = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    print(took, spent + other.ru_utime + other.ru_stime, max(own.ru_maxrss, other.ru_maxrss))
"""


def _import(transcript: Path, db: Path) -> tuple[float, float, float]:
    """Seconds, seconds of CPU of both processes, and peak memory of the larger one in MiB, of one import."""
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT, str(transcript), str(db)], check=True, capture_output=True, text=True
    )
    took, spent, peak = map(float, done.stdout.split())
    return took, spent, peak / 1024


def _loads(transcript: Path) -> None:
    with transcript.open("rb") as file:
        for line in file:
            json.loads(line)


def measure(*, quick: bool) -> list[Row]:
    """Import of 100 MB as a ratio; peak memory of 1 GB against that of 100 MB."""
    small, large = (10, 50) if quick else (100, 1000)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        few = write_transcript(home / "few.jsonl", small * 1_000_000)
        took, spent, peak = _import(few, home / "few.db")
        control = seconds(lambda: _loads(few))
        many = write_transcript(home / "many.jsonl", large * 1_000_000)
        more, spent_more, high = _import(many, home / "many.db")
        loads = seconds(lambda: _loads(many))
    return [
        _row(small, took, control, spent),
        _row(large, more, loads, spent_more),
        Row(f"peak memory, {large} MB / {small} MB", high / peak, 1.5, f"{high:.0f} MiB / {peak:.0f} MiB"),
    ]


def _row(size: int, took: float, control: float, spent: float) -> Row:
    note = f"{took:.1f} s / {control:.1f} s; {spent:.1f} s of CPU in two processes"
    return Row(f"import {size} MB / json.loads", took / control, 6.0, note)
