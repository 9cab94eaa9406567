"""Embedding the passages that wait, so that they are found by their meaning."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.base.config.settings import EmbeddingSettings
from core.base.reports import Progress
from core.embedding.runtime.report import EmbedReport
from core.embedding.runtime.worker import BATCH
from core.flows.system.embedding import embed_pending


def embed_passages(
    database: Path,
    settings: EmbeddingSettings,
    *,
    threads: int = 1,
    batch: int = BATCH,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> EmbedReport:
    """Embed whatever passages of the library wait, and nothing else: see `embed_pending`."""
    return embed_pending(
        database, settings=settings, threads=threads, batch=batch, kinds=("chunk",), progress=progress, stop=stop
    )
