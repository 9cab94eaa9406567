"""Embedding the passages that wait, so that they are found by their meaning."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.embedding.models import Absent, current
from core.embedding.report import EmbedReport
from core.embedding.worker import BATCH, place_of, run, up_to_date
from core.fault import Fault
from core.flows.embedding import OnDemand
from core.library.search_vectors import ChunkSource
from core.reports import Progress
from core.settings import EmbeddingSettings
from core.store import faults, open_store


def embed_passages(
    database: Path,
    settings: EmbeddingSettings,
    *,
    threads: int = 1,
    batch: int = BATCH,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> EmbedReport:
    """Embed whatever passages of the library wait. What is written stays when it is stopped or killed.

    Raises Fault model_not_pulled where there is no model, and what `core.embedding.worker.run` and the store raise.
    """
    found = current(settings)
    if isinstance(found, Absent):
        raise Fault("model_not_pulled", found.reason, found.remedy)
    embedder, source = OnDemand(found, threads), ChunkSource()
    with open_store(database) as store:
        place = place_of(source, embedder)
        if up_to_date(store, place):
            return EmbedReport(place.kind, place.model, place.recipe)
    try:
        with open_store(database, write=True) as store, faults(database):
            return run(store, source, embedder, batch=batch, progress=progress, stop=stop, length=embedder.tokens)
    finally:
        embedder.close()
