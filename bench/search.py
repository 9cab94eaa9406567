"""The text tiers as the casebook grows: queries of every tier, and in the widest prefix bucket."""

from __future__ import annotations

import random
from pathlib import Path

from bench.cases import WIDE, build, message
from bench.table import Row, p95, seconds
from core.errors import browse, search
from core.store import open_store

OUT = Path(__file__).parent / "out"


def measure(*, quick: bool) -> list[Row]:
    """p95 at each size against p95 at 1,000 cases."""
    sizes = (1_000, 20_000) if quick else (1_000, 100_000, 1_000_000)
    figures = {size: _times(build(OUT / f"cases-{size}.db", size), size) for size in sizes}
    rows: list[Row] = []
    for what in ("wide bucket", "known", "unknown"):
        base = figures[sizes[0]][what]
        rows.extend(
            Row(
                f"search, {what}, {size:,} cases / 1,000",
                figures[size][what] / base,
                3.0,
                f"p95 {figures[size][what] * 1000:.2f} ms",
            )
            for size in sizes[1:]
        )
    rows.extend(
        Row(f"browse while typing, {size:,} cases", figures[size]["browse"] * 1000, None, "p95", unit="ms")
        for size in sizes
    )
    return rows


def _times(path: Path, size: int) -> dict[str, float]:
    rng = random.Random(size)
    known = [message(rng) for _ in range(min(size, 5_000))]
    wide = [text for text in known if text.startswith(WIDE)] or [WIDE + "cannot open volume qwertyu"]
    fresh = random.Random(99)
    strangers = [message(fresh) for _ in range(200)]
    halves = [text[: len(text) // 2] for text in known[:60]]
    with open_store(path) as store:
        asked = {
            "wide bucket": [f"{fresh.choice(wide)[:60]} by somebody else {at}" for at in range(200)],
            "known": [fresh.choice(known) for _ in range(200)],
            "unknown": strangers,
        }
        for texts in asked.values():
            search(store, texts[0], count=False)
        found = {
            what: p95([seconds(lambda text=text: search(store, text, count=False)) for text in texts])
            for what, texts in asked.items()
        }
        found["browse"] = p95([seconds(lambda text=text: browse(store, text)) for text in halves])
    return found
