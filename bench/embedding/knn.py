"""The nearest vectors at three sizes against numpy and faiss in one run (faiss: `uv run --group dev --group bench`).

The vectors are MiniLM's: some thousand real ones and, above that, mixtures of two or three of them.
"""

from __future__ import annotations

import statistics
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.errors.wordings_data import strangers, wordings
from bench.table import Row, seconds
from core.embedding.index.binary_index import Bits, CachedBits
from core.embedding.index.index import Vec0
from core.embedding.index.stored import Made, Place, append_bits, put
from core.errors.retrieval.embed_text import RECIPE, embed_text
from core.store import open_store

OUT = Path(__file__).parents[1] / "out"
ASKED = 60
K = 10
REAL = 4_000
PLACE = Place("error", "bench@1", RECIPE, 384)


def measure(*, quick: bool) -> list[Row]:
    """Milliseconds of processor time of one search at each size, and how many of the true nearest are missed."""
    rows: list[Row] = []
    for size in (10_000,) if quick else (10_000, 100_000, 1_000_000):
        rows += _at(size)
    return rows


def _at(size: int) -> list[Row]:
    vectors, queries = _vectors(size)
    path = _casebook(size, vectors)
    among = frozenset(range(1, size + 1, 3))
    with closing(open_store(path)) as store:
        kept = CachedBits()
        indexes = {"bits": Bits(store.con, PLACE, kept)}
        if size <= 100_000:
            indexes["vec0"] = Vec0(store.con, PLACE)
        load = seconds(lambda: indexes["bits"].nearest(queries[0].tobytes(), K))
        asked: dict[str, Any] = {name: lambda q, i=index: i.nearest(q.tobytes(), K) for name, index in indexes.items()}
        asked["bits, a third wanted"] = lambda q: indexes["bits"].nearest(q.tobytes(), K, among)
        asked["numpy"] = lambda q: _numpy(vectors, q)
        asked |= _faiss(vectors)
        times, found = _in_turn(asked, queries)
    rows: list[Row] = []
    for name, took in times.items():
        budget = 50.0 if name.startswith("bits") else None
        note = "median" if name == "numpy" else f"median, {times['numpy'] / took:.1f}x numpy's speed"
        if name == "bits":
            note += (
                f"; {kept.memory / size:.0f} bytes a vector, {kept.memory >> 20} MiB, loaded in {load * 1000:.0f} ms"
            )
        rows.append(Row(f"nearest of {size:,}, {name}", took * 1000, budget, note, unit="ms"))
    for k in (3, 10):
        reach = [_distance(vectors[ids[k - 1] - 1], query) for ids, query in zip(found["numpy"], queries, strict=True)]
        # Of two at one distance either will do.
        shares = [
            1 - sum(distance <= most + 1e-5 for _, distance in got[:k]) / k
            for most, got in zip(reach, found["bits"], strict=True)
        ]
        budget = 0.02 if k == 3 else None
        rows.append(Row(f"nearest of {size:,}, missed of the true {k}", statistics.mean(shares), budget, unit=""))
    return rows


def _distance(one: Any, other: Any) -> float:
    import numpy as np

    return float(np.linalg.norm(one.astype(np.float64) - other.astype(np.float64)))


def _in_turn(asked: dict[str, Any], queries: Any) -> tuple[dict[str, float], dict[str, list[Any]]]:
    """The median seconds of processor time of each way, asked in turn so that noise falls on all alike, warm."""
    times: dict[str, list[float]] = {name: [] for name in asked}
    found: dict[str, list[Any]] = {name: [] for name in asked}
    for query in queries[:5]:
        for ask in asked.values():
            ask(query)
    for query in queries:
        for name, ask in asked.items():
            start = time.process_time()
            found[name].append(ask(query))
            times[name].append(time.process_time() - start)
    return {name: statistics.median(took) for name, took in times.items()}, found


def _numpy(vectors: Any, query: Any) -> Any:
    """The ids of the nearest, by a product with every vector."""
    import numpy as np

    scores = vectors @ query
    near = np.argpartition(scores, -K)[-K:]
    return near[np.argsort(-scores[near])] + 1


def _faiss(vectors: Any) -> dict[str, Any]:
    try:
        import faiss
    except ImportError:
        print("faiss is not here: uv run --group dev --group bench python -m bench knn", file=sys.stderr)
        return {}
    faiss.omp_set_num_threads(1)
    flat = faiss.IndexFlatIP(PLACE.dim)
    flat.add(vectors)
    return {"faiss, one thread": lambda q: flat.search(q[None], K)}


def _vectors(size: int) -> tuple[Any, Any]:
    """`size` vectors to be found, and others to ask with."""
    import numpy as np

    base, asked = _real()
    rng = np.random.default_rng(size)

    def mixed(of: Any, count: int) -> Any:
        out = of[rng.integers(len(of), size=count)]
        for most in (0.9, 0.6):
            out = out + rng.uniform(0, most, (count, 1)).astype(np.float32) * of[rng.integers(len(of), size=count)]
        out += rng.normal(0, 0.2 / PLACE.dim**0.5, out.shape).astype(np.float32)
        return (out / np.linalg.norm(out, axis=1, keepdims=True)).astype(np.float32)

    more = [mixed(base, min(50_000, size - at)) for at in range(len(base), size, 50_000)] if size > len(base) else []
    return np.concatenate([base[:size], *(part[: max(0, size)] for part in more)])[:size], asked[:ASKED]


def _real() -> tuple[Any, Any]:
    """Vectors of real wordings: those of the base, and those of the labelled causes, which are asked."""
    import numpy as np

    path = OUT / f"minilm-{REAL}-{RECIPE.replace('/', '-')}.npz"
    if not path.exists():
        from bench.embedding.runs import model

        embedder = model(threads=0)
        base = [embed_text(text) for text in strangers(REAL)]
        asked = [embed_text(row.text) for row in wordings() if row.lang == "en"]
        found = [
            np.frombuffer(b"".join(windows[0] for windows in embedder.embed(texts, "document")), dtype=np.float32)
            for texts in (base, asked)
        ]
        OUT.mkdir(exist_ok=True)
        np.savez(path, base=found[0].reshape(-1, PLACE.dim), asked=found[1].reshape(-1, PLACE.dim))
    kept = np.load(path)
    rng = np.random.default_rng(1)
    return kept["base"], kept["asked"][rng.permutation(len(kept["asked"]))]


def _casebook(size: int, vectors: Any) -> Path:
    """A casebook with these vectors, made once; above 100,000 without the vec0 table."""
    path = OUT / f"vectors-{size}-{RECIPE.replace('/', '-')}.db"
    if path.exists():
        return path
    making = path.with_suffix(".making")
    making.unlink(missing_ok=True)
    with open_store(making, write=True, create=True) as store:
        for start in range(0, size, 5_000):
            made = [Made(at + 1, "", (vectors[at].tobytes(),)) for at in range(start, min(start + 5_000, size))]
            with store.transaction() as con:
                if size <= 100_000:
                    put(con, PLACE, made)
                    continue
                con.executemany(
                    "INSERT INTO vector VALUES (?, ?, ?, ?, '', ?, ?)",
                    ((PLACE.kind, one.item_id, PLACE.model, PLACE.recipe, PLACE.dim, one.windows[0]) for one in made),
                )
                for part in range(0, len(made), 50):  # as the worker writes them
                    append_bits(con, PLACE, made[part : part + 50])
        store.con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    making.rename(path)
    return path
