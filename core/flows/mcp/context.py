"""What tools work with: the casebook's place, the settings, and one embedding model that they share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.base.config.settings import Settings
from core.base.config.settings_sources import Config
from core.embedding.runtime.embedder import Embedder, Kind, Vector
from core.embedding.runtime.query_model import ModelAtHand, NoVectors, VectorSearch

if TYPE_CHECKING:
    from core.align import AlignSettings
    from core.embedding.models.models import LocalModel


@dataclass(frozen=True, slots=True)
class _Turns:
    """A shared model as one call has it: asked in turn, and not closed with the call."""

    shared: Embedder
    lock: threading.Lock

    @property
    def id(self) -> str:
        return self.shared.id

    @property
    def version(self) -> str:
        return self.shared.version

    @property
    def recipe(self) -> str:
        return self.shared.recipe

    @property
    def dim(self) -> int:
        return self.shared.dim

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        """As the model itself."""
        with self.lock:
            return self.shared.embed(texts, kind)

    def close(self) -> None:
        """The model stays for the next call."""


class SharedModel:
    """A model in this process for calls on any thread: loaded by the first that needs it, asked by one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: LocalModel | None = None
        self._embedder: Embedder | None = None

    def opened(self, found: LocalModel) -> Embedder:
        """The model; another one is loaded where another is in use by now. Raises Fault where it cannot be loaded."""
        from core.embedding.runtime.local import load

        with self._lock:
            if self._embedder is None or self._found != found:
                self._embedder, self._found = load(found, threads=1), found
            return _Turns(self._embedder, self._lock)


@dataclass(frozen=True, slots=True)
class Desk:
    """The surroundings of every call; calls run side by side, each with its own connection.

    `load` reads the settings anew, for `doctor`.
    """

    database: Path
    settings: Settings
    load: Callable[[], Config]
    model: SharedModel = field(default_factory=SharedModel)

    def vectors(self) -> VectorSearch:
        """The way to the vectors of questions, for one call: the model service, else the shared model."""

        def find() -> ModelAtHand | NoVectors:
            from core.embedding.models.models import Absent, current
            from core.flows.system.vectors import served_or_loaded

            embedding = self.settings.embedding
            found = current(embedding)
            if isinstance(found, Absent):
                return NoVectors(found.reason, found.remedy)
            return ModelAtHand(
                found.model, lambda: served_or_loaded(found, embedding, lambda: self.model.opened(found))
            )

        return VectorSearch(find)


def strictness(desk: Desk) -> AlignSettings:
    """How strictly a quote is compared, as the settings have it."""
    from core.align import AlignSettings

    kept = desk.settings.evidence
    guard: Any = kept.guard
    return AlignSettings(kept.fuzzy_threshold / 100, kept.max_quote_length, kept.enable_fuzzy, guard)
