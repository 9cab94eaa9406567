"""Warm search end to end with the vector tier, the question's embedding included, as a casebook grows."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import cast

from bench.errors.cases import build, message
from bench.errors.wordings_base import Remembered
from bench.errors.wordings_data import strangers, wordings
from bench.table import Row, p95, seconds
from core.base.config.settings import EmbeddingSettings
from core.embedding.index.binary_index import CachedBits
from core.embedding.index.state import VectorState, write_state
from core.embedding.index.stored import Made, put
from core.embedding.models.models import LocalModel, current
from core.embedding.runtime.local import load
from core.embedding.runtime.query_model import ModelAtHand, VectorSearch
from core.errors import search
from core.errors.retrieval.embed_text import embed_text, place_of
from core.store import open_store

OUT = Path(__file__).parents[1] / "out"
ASKED = 150
MOST_MS = 50.0


def measure(*, quick: bool) -> list[Row]:
    """p95 of a search that goes through every tier, in a process that searches again and again.

    Of processor time: what others do on the machine is none of it. The wall time stands beside it.
    """
    remembered = Remembered()
    found = current(EmbeddingSettings(model=remembered.id))
    if not isinstance(found, LocalModel):
        raise SystemExit(f"{found.reason}: {found.remedy}")
    rng = random.Random(3)
    asked = [row.text for row in wordings() if row.lang == "en"][:ASKED] + [message(rng) for _ in range(ASKED)]
    rows: list[Row] = []
    for size in (1_000, 10_000) if quick else (10_000, 100_000):
        path = _with_vectors(size, remembered)
        kept = CachedBits()
        with (
            open_store(path, write=False) as store,
            VectorSearch(lambda: ModelAtHand(found.model, lambda: load(found, threads=1)), kept) as vectors,
        ):
            for text in asked[:20]:
                search(store, text, count=False, vectors=vectors)
            times = [_took(partial(search, store, text, count=False, vectors=vectors)) for text in asked]
        busy, wall = (p95(list(several)) * 1000 for several in zip(*times, strict=True))
        note = f"p95 of processor time; wall {wall:.0f} ms"
        rows.append(Row(f"warm search, vector tier, {size:,} cases", busy, MOST_MS, note, unit="ms"))
    return rows


def _took(run: Callable[[], object]) -> tuple[float, float]:
    """Seconds of processor time and of wall time."""
    start = time.process_time()
    wall = seconds(run)
    return time.process_time() - start, wall


def _with_vectors(size: int, remembered: Remembered) -> Path:
    """A casebook whose cases have vectors recombined from real ones, made once and kept."""
    path = OUT / f"cases-vectors-{size}.db"
    if path.exists():
        return path
    import numpy as np

    lines = [embed_text(text) for text in strangers(4_000)]
    real = np.frombuffer(b"".join(one[0] for one in remembered.embed(lines, "document")), "<f4").reshape(len(lines), -1)
    making = build(path.with_suffix(".cases"), size)
    rng = np.random.default_rng(size)
    place = place_of(remembered.model)
    with open_store(making, write=True) as store:
        ids = [cast("int", row[0]) for row in store.con.execute("SELECT id FROM error_kb ORDER BY id").fetchall()]
        for at in range(0, len(ids), 5_000):
            part = ids[at : at + 5_000]
            mixed = real[rng.integers(len(real), size=len(part))] + 0.6 * real[rng.integers(len(real), size=len(part))]
            mixed = (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype("<f4")
            with store.transaction() as con:
                put(con, place, [Made(i, "", (row.tobytes(),)) for i, row in zip(part, mixed, strict=True)])
        with store.transaction() as con:
            con.execute("DELETE FROM backlog")
            write_state(con, "error", VectorState(place.model, place.recipe, place.dim))
        store.con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    making.rename(path)
    return path
