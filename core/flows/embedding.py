"""Embedding what waits: for `casebook embed`, for the workbench's thread and, detached, after an agent's session."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.embedding.embedder import Embedder, Kind, LocalEmbedder, Vector
from core.embedding.models import Absent, Found, current
from core.embedding.report import EmbedReport
from core.embedding.worker import BATCH, place_of, run, up_to_date
from core.errors.embed_source import ErrorSource
from core.fault import Fault
from core.reports import Progress
from core.settings import EmbeddingSettings
from core.store import faults, open_store


def embed_pending(
    db_path: Path,
    *,
    settings: EmbeddingSettings | None = None,
    threads: int = 1,
    batch: int = BATCH,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> EmbedReport:
    """Embed whatever waits in the casebook at `db_path` (error-kb REQ-RA-005) and say what came of it.

    The model is the one the settings name, else the best on this machine; it is loaded only where there is something
    to embed. `threads`: the cores it uses, 0 for all; one, so that a workbench stays smooth. Blocks until it is done
    or `stop` says so: for a thread or a process of its own. Raises Fault: model_not_pulled, model_unreachable,
    not_indexed, db_readonly and what else `open_store` raises.
    """
    found = current(settings or EmbeddingSettings())
    if isinstance(found, Absent):
        raise Fault("model_not_pulled", found.reason, found.remedy)
    embedder = OnDemand(found, threads)
    source = ErrorSource()
    with open_store(db_path) as store:
        place = place_of(source, embedder)
        if up_to_date(store, place):
            return EmbedReport(place.kind, place.model, place.recipe)
    try:
        with open_store(db_path, write=True) as store, faults(db_path):
            return run(store, source, embedder, batch=batch, progress=progress, stop=stop, length=embedder.tokens)
    finally:
        embedder.close()


@dataclass(slots=True)
class OnDemand:
    """An `Embedder` that loads its model when the first text comes."""

    found: Found
    threads: int
    loaded: tuple[LocalEmbedder, Embedder] | None = None

    @property
    def id(self) -> str:
        return self.found.model.id

    @property
    def version(self) -> str:
        return self.found.model.version

    @property
    def recipe(self) -> str:
        return self.found.model.recipe

    @property
    def dim(self) -> int:
        return self.found.model.dim

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        """See `Embedder`; the first call takes a second or more."""
        return self._opened()[1].embed(texts, kind)

    def tokens(self, text: str) -> int:
        """See `LocalEmbedder`; the first call loads the model as well."""
        return self._opened()[0].tokens(text)

    def _opened(self) -> tuple[LocalEmbedder, Embedder]:
        """The model, and the same on as many cores as wanted."""
        if self.loaded is None:
            from core.embedding.local import load
            from core.embedding.parallel import Parallel

            model = load(self.found, threads=1)
            if (model.id, model.version, model.recipe, model.dim) != (self.id, self.version, self.recipe, self.dim):
                model.close()
                raise Fault("model_unreachable", f"the model {self.id} was exchanged just now", "run it again")
            self.loaded = model, Parallel(model, self.threads or os.cpu_count() or 1)
        return self.loaded

    def close(self) -> None:
        if self.loaded is not None:
            self.loaded[1].close()
            self.loaded = None
