"""Parts that are left out, the change of every figure without one, and vectors kept between parts and runs."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar
from unittest.mock import patch

from bench.library.corpus import OUT
from core.base.config.settings import EmbeddingSettings
from core.embedding.models.models import LocalModel, current
from core.embedding.runtime.embedder import Kind, Vector
from core.embedding.runtime.local import load
from core.embedding.runtime.query_model import ModelAtHand, NoVectors, VectorSearch

ROUNDS: Final = 200
SOURCES: Final = Path(os.environ.get("CASEBOOK_ASK_CORPORA") or Path.home() / ".cache" / "casebook-bench")
"""Not in this repository, which ignores `bench/out`: an ingest would leave out what Git ignores."""
DATA: Final = Path(__file__).parents[2] / "tests" / "data"

Change = tuple[Any, str, object]
"""A module, the name of a part in it, and what stands in for the part."""
Parts = Mapping[str, Sequence[Change]]
Figures = Mapping[str, float]
T = TypeVar("T")


@contextmanager
def without(changes: Sequence[Change]) -> Generator[None]:
    """Leave a part out for a while. What the modules remember of earlier texts is forgotten before and after."""
    modules = {id(module): module for module, _, _ in changes}.values()
    caches = [found for module in modules for found in vars(module).values() if hasattr(found, "cache_clear")]
    with ExitStack() as stack:
        for cached in caches:
            stack.callback(cached.cache_clear)
            cached.cache_clear()
        for change in changes:
            stack.enter_context(patch.object(*change))
        yield


def show_change(
    part: str,
    before: Sequence[T],
    after: Sequence[T],
    figures: Callable[[Sequence[T]], Figures],
    group: Callable[[T], Hashable],
) -> None:
    """Print how every figure changes, with its interval from samples of the same items, drawn within their groups."""
    one, other = figures(before), figures(after)
    places: dict[Hashable, list[int]] = {}
    for at, item in enumerate(before):
        places.setdefault(group(item), []).append(at)
    draw = random.Random(1)
    differences: dict[str, list[float]] = {name: [] for name in one}
    for _ in range(ROUNDS if list(before) != list(after) else 1):
        drawn = [at for among in places.values() for at in draw.choices(among, k=len(among))]
        was, now = figures([before[at] for at in drawn]), figures([after[at] for at in drawn])
        for name, values in differences.items():
            values.append(now[name] - was[name])
    cells: list[str] = []
    for name, values in differences.items():
        values.sort()
        low, high = values[int(len(values) * 0.025)], values[max(0, int(len(values) * 0.975) - 1)]
        cells.append(f"{name} {other[name] - one[name]:+.3f} [{low:+.3f}, {high:+.3f}]")
    print(f"  {part:<30}" + "  ".join(cells), flush=True)


def show_whole(title: str, figures: Figures) -> None:
    """Print the figures with every part."""
    print(f"\n{title}: " + "  ".join(f"{name} {value:.3f}" for name, value in figures.items()), flush=True)


class KeptVectors(VectorSearch):
    """A model whose vectors are kept in a file, by text."""

    def __init__(self, model: str) -> None:
        found = current(EmbeddingSettings(model=model))
        if not isinstance(found, LocalModel):
            raise SystemExit(f"there is no model {model}")
        super().__init__(lambda: ModelAtHand(found.model, lambda: load(found, threads=1)))
        OUT.mkdir(exist_ok=True)
        self.english = found.model.languages == "en"
        self._size = 4 * found.model.dim
        self._file = sqlite3.connect(OUT / f"vectors-{model}.db")
        self._file.execute("CREATE TABLE IF NOT EXISTS kept(kind, text, vectors, PRIMARY KEY (kind, text))")

    def close(self) -> None:
        """Let go of the model and the file."""
        self._file.close()
        super().close()

    def documents(self, texts: Sequence[str]) -> dict[str, tuple[Vector, ...]]:
        """The vectors of each text as a document."""
        found = self._embedded(texts, "document")
        if isinstance(found, NoVectors):
            raise SystemExit(found.reason)
        return dict(zip(texts, found, strict=True))

    def _embedded(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]] | NoVectors:
        known = {text: made for text in texts if (made := self._kept(text, kind))}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            made = super()._embedded(missing, kind)
            if isinstance(made, NoVectors):
                return made
            known.update(zip(missing, made, strict=True))
            rows = [(kind, text, b"".join(known[text])) for text in missing]
            with self._file:
                self._file.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", rows)
        return [known[text] for text in texts]

    def _kept(self, text: str, kind: Kind) -> tuple[Vector, ...]:
        row = self._file.execute("SELECT vectors FROM kept WHERE kind = ? AND text = ?", (kind, text)).fetchone()
        return tuple(row[0][at : at + self._size] for at in range(0, len(row[0]), self._size)) if row else ()
