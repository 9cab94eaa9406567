"""Typing in the Library pane over the generated notes, on a real pseudo-terminal: is any key held up?"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from pathlib import Path

from bench.library.corpus import OUT, corpus, questions
from bench.table import Row
from bench.tui.pty_app import BEAT
from bench.tui.terminal import Terminal
from core.flows.ingest.api import ingest
from core.store import open_store

FRAME = 16.0
"""Milliseconds of one frame."""
KEYS_A_SECOND = 12
FOUR, DOWN, CTRL_L, CTRL_Q = b"4", b"\x1b[B", b"\x0c", b"\x11"
Span = tuple[float, float]


def measure(*, quick: bool) -> list[Row]:
    """Stalls while one types and while one goes from hit to hit, against the pane at rest in the same process."""
    files, rounds = (1_000, 4) if quick else (10_000, 6)
    database = _filled(OUT / f"library-{files}.db", files)
    still: list[Span] = []
    typing: list[Span] = []
    moving: list[Span] = []
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "beats.json"
        env = dict.fromkeys(("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), folder)
        env["CASEBOOK_EMBEDDING_AUTO"] = "false"
        argv = (sys.executable, "-m", "bench.tui.pty_app", str(database), str(report))
        with Terminal(argv, env=env) as terminal:
            terminal.until(rb"No cases yet")
            terminal.read(1.5)
            terminal.send(DOWN)
            terminal.send(FOUR)
            terminal.until(rb"1 of [\d,]+")
            terminal.read(2.0)
            for text in questions(rounds):
                begin = terminal.send(b"")
                terminal.read(1.5)
                still.append((begin, terminal.send(b"")))
                typing.append(_typed(terminal, text))
                moving.append(_moved(terminal))
                terminal.send(CTRL_L)
                terminal.read(1.0)
            terminal.send(CTRL_Q)
            terminal.ended()
        late = [(end, max(0.0, gap)) for end, gap in json.loads(report.read_text(encoding="utf-8"))["late"]]
    idle = _within(late, still)
    note = f"{files:,} documents"
    return [
        _row(f"stall while typing in the library, {note}", _within(late, typing), idle),
        _row(f"stall while going from hit to hit, {note}", _within(late, moving), idle),
    ]


def _filled(path: Path, files: int) -> Path:
    if not path.exists():
        with open_store(path, write=True, create=True) as store:
            ingest(store, [corpus(files, 100_000)])
    return path


def _typed(terminal: Terminal, text: str) -> Span:
    begin = terminal.send(b"")
    for sign in text[:24]:
        terminal.send(sign.encode())
        terminal.read(1 / KEYS_A_SECOND)
    terminal.read(0.5)
    return begin, terminal.send(b"")


def _moved(terminal: Terminal) -> Span:
    begin = terminal.send(DOWN)
    for _ in range(12):
        terminal.read(1 / KEYS_A_SECOND)
        terminal.send(DOWN)
    terminal.read(0.5)
    return begin, terminal.send(b"")


def _within(late: list[tuple[float, float]], spans: list[Span]) -> list[float]:
    """Milliseconds by which the beats within these spans were late."""
    return [gap * 1000 for end, gap in late if any(first <= end - gap - BEAT and end <= last for first, last in spans)]


def _row(what: str, busy: list[float], still: list[float]) -> Row:
    held, idle = (statistics.quantiles(values, n=100)[-1] for values in (busy, still))
    note = f"p99 {held:.1f} ms, idle {idle:.1f} ms; longest {max(busy):.0f} ms, idle {max(still):.0f} ms"
    return Row(what, held, idle + FRAME, note, "ms")
