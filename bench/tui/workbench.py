"""The workbench on a real pseudo-terminal, against a minimal Textual app and against itself at rest."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path

from bench.errors.cases import build, message, unembedded
from bench.table import Row, seconds
from bench.transcripts.generated import write_transcript
from bench.tui.pty_app import BEAT
from bench.tui.terminal import Terminal
from core.flows.system.demo import fill_demo
from core.flows.system.embedding import embed_pending
from core.store import open_store

OUT = Path(__file__).parents[1] / "out"
PROMPT = rb"ype or paste an error"
ROWS = rb"1 of [\d,]+"
FRAME = 16.0
"""Milliseconds of one frame."""
KEYS_A_SECOND = 12
DOWN, F9, F10, CTRL_L, CTRL_Q = b"\x1b[B", b"\x1b[20~", b"\x1b[21~", b"\x0c", b"\x11"
Span = tuple[float, float]
"""From when to when, on the monotonic clock."""
POSTING = ("uvx", "--offline", "--from", "posting", "--with", "tree-sitter<0.26", "posting")


def measure(*, quick: bool, only: str = "") -> list[Row]:
    """First paint, stalls while typing, size of the list, quitting, size of the terminal; or `only` one of them."""
    many = 20_000 if quick else 100_000
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        env: dict[str, str] = dict.fromkeys(("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), folder)
        env["CASEBOOK_EMBEDDING_AUTO"] = "false"  # but where it is what is measured
        large, small = build(OUT / f"cases-{many}.db", many), build(OUT / "cases-2000.db", 2_000)
        transcript = write_transcript(home / "long.jsonl", (20 if quick else 100) * 1_000_000)
        groups: dict[str, Callable[[], list[Row]]] = {
            "paint": lambda: _first_paint(home, env, large, rounds=3 if quick else 11),
            "stalls": lambda: _stalls(home, env, large, transcript, words=6 if quick else 30),
            "embedding": lambda: _embedding(home, env, 2_000 if quick else 10_000),
            "settled": lambda: _settled(env, large, small, rounds=7 if quick else 31),
            "quit": lambda: _quit(home, env, large, transcript, rounds=2 if quick else 7),
            "quit-model": lambda: _quit_with_a_model(home, env, rounds=2 if quick else 7),
            "sizes": lambda: _sizes(env, large, keys=10 if quick else 60),
        }
        return [row for name, group in groups.items() if only in ("", name) for row in group()]


def _workbench(casebook: Path) -> tuple[str, ...]:
    return (sys.executable, "-m", "cli", "--db", str(casebook))


# First paint ---------------------------------------------------------------------------------------------------------


def _drawn(argv: tuple[str, ...], env: Mapping[str, str], *marks: bytes) -> list[float]:
    """Seconds from starting a program until it has drawn each mark."""
    with Terminal(argv, env=env) as terminal:
        return [terminal.until(mark) - terminal.started for mark in marks]


def _first_paint(home: Path, env: Mapping[str, str], large: Path, rounds: int) -> list[Row]:
    """All started in turn, once a round; each round gives one ratio."""
    empty, samples = home / "empty.db", home / "samples.db"
    with open_store(empty, write=True, create=True):
        pass
    fill_demo(samples)
    minimal = (sys.executable, "-m", "bench.tui.minimal_app")
    posting = _posting(env)
    took: dict[str, list[float]] = {}
    for turn in range(rounds + 1):
        found = {
            "minimal": _drawn(minimal, env, rb"ype something here")[0],
            "empty casebook": _drawn(_workbench(empty), env, PROMPT)[0],
        }
        found["samples"], found["samples, rows"] = _drawn(_workbench(samples), env, PROMPT, ROWS)
        found["large"], found["large, rows"] = _drawn(_workbench(large), env, PROMPT, ROWS)
        found["version"] = seconds(lambda: _run("--version", env=env))
        found["search"] = seconds(lambda: _run("errors", "search", "--db", str(samples), "boom at once", env=env))
        if not posting:
            found["posting"] = _drawn(POSTING, env, rb"Enter a URL")[0]
        if turn:  # the first one warms the disk
            for what, once in found.items():
                took.setdefault(what, []).append(once)
    names = {
        "empty casebook": ("first paint, empty casebook", 1.5),
        "samples": ("first paint, samples", 1.5),
        "samples, rows": ("first rows, samples", None),
        "large": ("first paint, large casebook", 1.5),
        "large, rows": ("first rows, large casebook", 2.0),
        "version": ("casebook --version", 0.35),
        "search": ("casebook errors search", 0.35),
        "posting": ("first paint, posting", None),
    }
    rows = [_against(*names[what], times, took["minimal"]) for what, times in took.items() if what != "minimal"]
    return rows if not posting else [*rows, Row("first paint, posting", float("nan"), None, posting)]


def _run(*args: str, env: Mapping[str, str]) -> None:
    subprocess.run((sys.executable, "-m", "cli", *args), check=False, capture_output=True, env={**os.environ, **env})


def _against(what: str, budget: float | None, ours: list[float], control: list[float]) -> Row:
    ratio = statistics.median(a / b for a, b in zip(ours, control, strict=True))
    note = f"{_ms(statistics.median(ours))} / {_ms(statistics.median(control))}"
    return Row(f"{what} / minimal app", ratio, budget, note)


def _posting(env: Mapping[str, str]) -> str:
    """Why posting cannot be started here, or nothing. What uv has not fetched before is not fetched for this."""
    if shutil.which(POSTING[0]) is None:
        return "skipped: there is no uvx"
    done = subprocess.run((*POSTING, "--help"), check=False, capture_output=True, env={**os.environ, **env})
    return "" if done.returncode == 0 else "skipped: uvx --from posting --with 'tree-sitter<0.26' posting fetches it"


# Stalls --------------------------------------------------------------------------------------------------------------


def _beating(casebook: Path, report: Path, transcript: Path | None = None) -> tuple[str, ...]:
    given = (str(casebook), str(report), *(() if transcript is None else (str(transcript),)))
    return (sys.executable, "-m", "bench.tui.pty_app", *given)


def _stalls(home: Path, env: Mapping[str, str], large: Path, transcript: Path, words: int) -> list[Row]:
    """Rest and typing in turn, in one process: three words to a query. Then typing on while it imports."""
    report, own = home / "beats.json", home / "typing.db"
    shutil.copyfile(large, own)
    rng = random.Random(7)
    rest: list[Span] = []
    typing: list[Span] = []
    importing: list[Span] = []
    with Terminal(_beating(own, report, transcript), env=env) as terminal:
        terminal.until(rb"1 of [\d,]{5,}")
        terminal.read(2.0)
        for _ in range(words // 3):
            begin = terminal.send(b"")
            terminal.read(1.5)
            rest.append((begin, terminal.send(b"")))
            typing.append(_type(terminal, rng))
        terminal.send(F9)
        while not report.with_suffix(".imported").exists():
            importing.append(_type(terminal, rng))
        terminal.send(CTRL_Q)
        terminal.ended()
    told = json.loads(report.read_text(encoding="utf-8"))
    late = [(end, max(0.0, gap)) for end, gap in told["late"]]
    still, busy = _within(late, rest), _within(late, typing)
    begun, ended = told["imported"]
    meanwhile = _within(late, [(max(first, begun), min(last, ended)) for first, last in importing])
    return [
        _stall("stall while typing, large casebook", busy, still),
        Row("beats later than a frame while typing", 100 * sum(x > FRAME for x in busy) / len(busy), None, "", "%"),
        _stall("stall while typing during an import", meanwhile, still),
        Row("that import, into the large casebook", ended - begun, None, f"{transcript.stat().st_size:,} bytes", "s"),
    ]


def _embedding(home: Path, env: Mapping[str, str], cases: int) -> list[Row]:
    """Typing while as many cases are embedded by themselves, then at rest in the same process."""
    report, own = home / "embedding.json", home / "embedding.db"
    unembedded(build(OUT / f"cases-{cases}.db", cases), own)
    rng = random.Random(11)
    typing: list[Span] = []
    with Terminal(_beating(own, report), env={**env, "CASEBOOK_EMBEDDING_AUTO": "true"}) as terminal:
        terminal.until(rb"Loading the model|Embedding")
        while not report.with_suffix(".embedded").exists():
            typing.append(_type(terminal, rng))
        terminal.read(2.0)
        begin = terminal.send(b"")
        terminal.read(8.0)
        rest = [(begin, terminal.send(b""))]
        terminal.send(CTRL_Q)
        terminal.ended()
    told = json.loads(report.read_text(encoding="utf-8"))
    begun, ended = told["embedding"]
    late = [(end, max(0.0, gap)) for end, gap in told["late"]]
    busy = _within(late, [(max(first, begun), min(last, ended)) for first, last in typing])
    took = ended - begun
    return [
        _stall(f"stall while typing and {cases:,} cases are embedded", busy, _within(late, rest)),
        Row("those cases embedded", took, None, f"{cases / took:,.0f} a second, one core, typing meanwhile", "s"),
    ]


def _type(terminal: Terminal, rng: random.Random) -> Span:
    """Type a query, and clear it; from when to when it was typed and answered."""
    begin = terminal.send(b"")
    for sign in " ".join(message(rng).split()[3:6]):
        terminal.send(sign.encode())
        terminal.read(1 / KEYS_A_SECOND)
    terminal.read(0.3)
    end = terminal.send(CTRL_L)
    terminal.read(1.0)
    return begin, end


def _stall(what: str, busy: list[float], still: list[float]) -> Row:
    held, idle = _p99(busy), _p99(still)
    note = f"p99 {held:.1f} ms, idle {idle:.1f} ms; longest {max(busy):.0f} ms, idle {max(still):.0f} ms"
    return Row(what, held, idle + FRAME, note, "ms")


def _within(late: list[tuple[float, float]], spans: list[Span]) -> list[float]:
    """Milliseconds by which the beats within these spans were late."""
    return [gap * 1000 for end, gap in late if any(first <= end - gap - BEAT and end <= last for first, last in spans)]


def _p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[-1]


# The list ------------------------------------------------------------------------------------------------------------


def _settled(env: Mapping[str, str], large: Path, small: Path, rounds: int) -> list[Row]:
    """Sort anew until rows and their number are drawn; and to the last row. Two terminals, in turn.

    What does not change on a border is not drawn: F5 alone would leave nothing to wait for.
    """
    reread: dict[Path, list[float]] = {large: [], small: []}
    last: dict[Path, float] = {}
    with ExitStack() as stack:
        terminals = {path: stack.enter_context(Terminal(_workbench(path), env=env)) for path in (large, small)}
        counts = {path: _count(terminal) for path, terminal in terminals.items()}
        for turn, order in zip(range(rounds + 1), cycle(("most seen", "newest", "last seen")), strict=False):
            for path, terminal in terminals.items():
                pressed = terminal.send(b"s")
                drawn = terminal.until(b"1 of " + counts[path] + re.escape(f" · {order} first".encode())) - pressed
                terminal.read(0.3)
                if turn:
                    reread[path].append(drawn)
        for path, terminal in terminals.items():
            pressed = terminal.send(b"G")
            terminal.until(counts[path] + b" of " + counts[path])
            terminal.until(rb"#\d+ ")
            last[path] = terminal.until(rb"#\d+ ") - pressed
    ratio = statistics.median(a / b for a, b in zip(reread[large], reread[small], strict=True))
    note = f"{_ms(statistics.median(reread[large]))} / {_ms(statistics.median(reread[small]))}"
    return [
        Row("rows settled, large casebook / 2,000 cases", ratio, 2.0, note),
        Row("to the last row, large casebook", last[large] * 1000, None, f"2,000 cases {_ms(last[small])}", "ms"),
    ]


def _count(terminal: Terminal) -> bytes:
    """The number of rows as the app writes it, once it has counted them; the list then has the focus."""
    terminal.until(ROWS)
    terminal.read(2.0)
    counts = [part.split(b" ")[0] for part in bytes(terminal.written).split(b"1 of ")[1:]]
    terminal.send(DOWN)
    terminal.read(0.3)
    return counts[-1]


# Quitting ------------------------------------------------------------------------------------------------------------


def _quit(home: Path, env: Mapping[str, str], large: Path, transcript: Path, rounds: int) -> list[Row]:
    """From the key to the end of the process, while a job runs. How often one did run is told."""
    report = home / "quit.json"
    took: dict[str, list[float]] = {}
    ran: dict[str, int] = {}
    for _ in range(rounds):
        for what, lane in _JOBS.items():
            casebook = large
            if lane == "import":  # it writes, and goes on for a batch when the workbench is left
                casebook = Path(shutil.copyfile(large, home / f"quit-{len(took.get(what, ()))}.db"))
            with Terminal(_beating(casebook, report, transcript), env=env) as terminal:
                terminal.until(rb"1 of [\d,]{5,}")
                terminal.read(0.7)
                _start(terminal, what)
                pressed = terminal.send(CTRL_Q)
                took.setdefault(what, []).append(terminal.ended() - pressed)
            busy = json.loads(report.read_text(encoding="utf-8"))["busy"]
            ran[what] = ran.get(what, 0) + (lane in busy if lane else not busy)
    return [
        Row(
            f"quit, {what}",
            statistics.median(times) * 1000,
            300.0,
            f"longest {_ms(max(times))}" + (f"; it ran in {ran[what]} of {rounds}" if _JOBS[what] else ""),
            "ms",
        )
        for what, times in took.items()
    ]


def _quit_with_a_model(home: Path, env: Mapping[str, str], rounds: int) -> list[Row]:
    """From the key to the end of the process: while the model is loaded, once it is, and while cases are embedded."""
    report, samples, waiting = home / "model.json", home / "model.db", home / "waiting.db"
    fill_demo(samples)
    embed_pending(samples)
    unembedded(build(OUT / "cases-2000.db", 2_000), waiting)
    took: dict[str, list[float]] = {"meaning": [], "": [], "embed": []}
    ran = dict.fromkeys(took, 0)
    for _ in range(rounds):
        for lane, times in took.items():
            casebook, auto = (waiting, "true") if lane == "embed" else (samples, "false")
            with Terminal(_beating(casebook, report), env={**env, "CASEBOOK_EMBEDDING_AUTO": auto}) as terminal:
                terminal.until(rb"1 of [\d,]+")
                terminal.read(0.7)
                if lane == "embed":
                    terminal.until(rb"Embedding")
                else:
                    terminal.send(b"nobody has ever met this error")
                    terminal.read(0.5 if lane else 6.0)
                pressed = terminal.send(CTRL_Q)
                times.append(terminal.ended() - pressed)
            ran[lane] += lane in json.loads(report.read_text(encoding="utf-8"))["busy"]
    names = {"meaning": "while the model is loaded", "": "with the model loaded", "embed": "while cases are embedded"}
    return [
        Row(
            f"quit, {names[lane]}",
            statistics.median(times) * 1000,
            300.0,
            f"longest {_ms(max(times))}" + (f"; it ran in {ran[lane]} of {rounds}" if lane else ""),
            "ms",
        )
        for lane, times in took.items()
    ]


_JOBS = {
    "at rest": "",
    "during a search": "search",
    "during a jump to the last row": "rows",
    "during an import": "import",
    "during a job on a thread that does not listen": "deaf",
}
"""What goes on, and the lane it goes on in."""


def _start(terminal: Terminal, what: str) -> None:
    """Set the job going."""
    if what == "during a search":
        text = "\n".join(message(random.Random(number)) for number in range(2_000))
        terminal.send(b"\x1b[200~" + text.encode() + b"\x1b[201~")
        terminal.until(rb"pasted")
    elif what == "during a jump to the last row":
        terminal.send(DOWN)
        terminal.read(0.3)
        terminal.send(b"G")
    elif what == "during an import":
        terminal.send(F9)
        terminal.until(rb"\d%")
    elif what.endswith("listen"):
        terminal.send(F10)
        terminal.until(rb"bench importing")
        terminal.read(0.5)


# Terminals of other sizes --------------------------------------------------------------------------------------------


def _sizes(env: Mapping[str, str], large: Path, keys: int) -> list[Row]:
    """From a key that moves by one row until the frame says so, in a small and in a large terminal, in turn."""
    took: dict[tuple[int, int], list[float]] = {(80, 24): [], (200, 50): []}
    with ExitStack() as stack:
        terminals = {
            size: stack.enter_context(Terminal(_workbench(large), columns=size[0], lines=size[1], env=env))
            for size in took
        }
        for terminal in terminals.values():
            terminal.until(rb"1 of [\d,]{5,}")
            terminal.read(1.5)
            terminal.send(DOWN)
            terminal.read(0.5)
        for row in range(2, keys + 2):
            for size, terminal in terminals.items():
                pressed = terminal.send(b"j")
                took[size].append(terminal.until(b"[^0-9,]%d of " % row) - pressed)
                terminal.read(0.25)
    small, large_frame = took.values()
    ratio = statistics.median(a / b for a, b in zip(large_frame, small, strict=True))
    note = f"{_ms(statistics.median(large_frame))} / {_ms(statistics.median(small))}"
    return [Row("a key to its frame, 200x50 / 80x24", ratio, 1.3, note)]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"
