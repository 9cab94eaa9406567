"""The text tiers as the casebook grows: queries of every tier, and in the widest prefix bucket."""

from __future__ import annotations

import random
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.errors.cases import WIDE, build, message
from bench.table import Row, p95, seconds
from core.errors import search
from core.errors.cases.browse import browse
from core.store import Store, open_store

ASKED = 400
OUT = Path(__file__).parents[1] / "out"


def measure(*, quick: bool) -> list[Row]:
    """p95 at each size against p95 at 1,000 cases, the sizes asked in turn so that noise falls on all alike, warm."""
    sizes = (1_000, 20_000) if quick else (1_000, 100_000, 1_000_000)
    with ExitStack() as stack:
        stores = {
            size: stack.enter_context(open_store(build(OUT / f"cases-{size}.db", size), write=False)) for size in sizes
        }
        asked = {size: _queries(size) for size in sizes}
        found = {
            what: {size: p95(times) for size, times in _in_turn(stores, asked, what).items()}
            for what in ("wide bucket", "known", "unknown", "typing")
        }
    rows = [
        Row(f"search, {what}, {size:,} cases / 1,000", took / found[what][1_000], 3.0, f"p95 {took * 1000:.2f} ms")
        for what in ("wide bucket", "known", "unknown")
        for size, took in found[what].items()
        if size > 1_000
    ]
    rows.extend(
        Row(f"browse while typing, {size:,} cases", took * 1000, None, "p95", unit="ms")
        for size, took in found["typing"].items()
    )
    return rows


def _queries(size: int) -> dict[str, list[str]]:
    """Texts of each kind for a casebook of `size` cases."""
    rng = random.Random(size)
    known = [message(rng) for _ in range(min(size, 5_000))]
    wide = [text for text in known if text.startswith(WIDE)] or [WIDE + "cannot open volume qwertyu"]
    fresh = random.Random(99)
    return {
        "wide bucket": [f"{fresh.choice(wide)[:60]} by somebody else" for _ in range(ASKED)],
        "known": [fresh.choice(known) for _ in range(ASKED)],
        "unknown": [message(fresh) for _ in range(ASKED)],
        "typing": [text[: len(text) // 2] for text in known[: ASKED // 4]],
    }


def _in_turn(stores: dict[int, Store], asked: dict[int, dict[str, list[str]]], what: str) -> dict[int, list[float]]:
    """Seconds of each query at each size. A first round is not counted: it measures the disk, not the search."""
    times: dict[int, list[float]] = {}
    for _ in range(2):
        times = {size: [] for size in stores}
        for at in range(len(asked[1_000][what])):
            for size, store in stores.items():
                text = asked[size][what][at]
                ask = partial(browse, store, text) if what == "typing" else partial(search, store, text, count=False)
                times[size].append(seconds(ask))
    return times
