"""What the vector tier searches with: the model in use, from the service that holds it or loaded into this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from core.base.config.settings import EmbeddingSettings
from core.base.fault import Fault
from core.embedding.runtime.embedder import Embedder, Vector
from core.embedding.runtime.query_model import ModelAtHand, NoVectors, VectorSearch
from core.store import Store, as_fault, faults, open_store

if TYPE_CHECKING:
    from core.embedding.index.binary_index import CachedBits
    from core.embedding.models.models import LocalModel
    from core.embedding.service.client import Embed
    from core.process.worker import Call

From = Literal["service", "process", "either"]
"""`service`: only a model that another process holds, within its deadline; `process`: it is loaded here, if need be;
`either`: the service's if one runs, else loaded here."""
_PATIENCE_MS: Final = 3_000
"""Longer than a look-up of an error may wait: an answer by keywords alone would rank otherwise."""


def vector_search(
    settings: EmbeddingSettings,
    source: From,
    *,
    kept: CachedBits | None = None,
    deadline_ms: float | None = None,
) -> VectorSearch:
    """The way to the vectors of errors. Costs nothing until a search needs it.

    `kept` is for a process that searches again and again; `deadline_ms` bounds the wait for the service.
    """

    def find() -> ModelAtHand | NoVectors:
        from core.embedding.models.models import Absent, current

        if source == "service" and not settings.service:
            return NoVectors("the model service is disabled (embedding.service)")
        found = current(settings)
        if isinstance(found, Absent):
            return NoVectors(found.reason, found.remedy)
        if source == "process":
            return ModelAtHand(found.model, lambda: _loaded(found))
        if source == "either":
            return ModelAtHand(found.model, lambda: served_or_loaded(found, settings, lambda: _loaded(found)))
        return ModelAtHand(found.model, lambda: _served(found, deadline_ms))

    return VectorSearch(find, kept)


def answer_question(
    call: Call, casebook: Path, settings: str, question: Callable[[Store, VectorSearch], object]
) -> object:
    """In a process that keeps the model: the answer to a question (`Nearest`, `Like`, …) about a casebook.

    `settings` of embedding, as JSON. A question that nobody waits for any more is interrupted. Raises Fault.
    """
    try:
        with open_store(casebook) as store:
            call.on_cancel(store.interrupt)
            try:
                store.check()
                return question(store, _stored_search(settings))
            finally:
                call.on_cancel(None)
    except Fault:
        raise
    except Exception as error:
        raise as_fault(error, casebook) from error


@lru_cache(maxsize=1)
def _stored_search(settings: str) -> VectorSearch:
    from core.embedding.index.binary_index import CachedBits

    return vector_search(EmbeddingSettings(**json.loads(settings)), "process", kept=CachedBits())


def remote_search(settings: EmbeddingSettings, ask: Callable[[Embed], list[tuple[Vector, ...]]]) -> VectorSearch:
    """The way to the vectors of a model that another process holds: `ask` brings it a question, or raises Fault."""

    def find() -> ModelAtHand | NoVectors:
        from core.embedding.models.models import Absent, current
        from core.embedding.service.client import RemoteEmbedder

        found = current(settings)
        if isinstance(found, Absent):
            return NoVectors(found.reason, found.remedy)
        return ModelAtHand(found.model, lambda: RemoteEmbedder(found.model, ask))

    return VectorSearch(find)


def why_no_vectors(store: Store, settings: EmbeddingSettings) -> NoVectors | None:
    """Why the vectors of the casebook's errors cannot be searched now; None if they can. Loads nothing.

    Raises Fault where the casebook cannot be read.
    """
    from core.embedding.index.state import why_off
    from core.embedding.models.models import Absent, current
    from core.errors.retrieval.embed_text import place_of

    found = current(settings)
    if isinstance(found, Absent):
        return NoVectors(found.reason, found.remedy)
    place = place_of(found.model)
    with faults(store.path):
        off = why_off(store.con, place.kind, place.model, place.recipe)
    return NoVectors(off, "casebook embed") if off else None


def served_or_loaded(found: LocalModel, settings: EmbeddingSettings, load: Callable[[], Embedder]) -> Embedder:
    """The embedder of a model service that runs, if it may be asked and holds this model; else what `load` gives.

    Starts no service. Raises what `load` raises.
    """
    from core.embedding.service.client import Unserved, connect

    if settings.service:
        model = found.model
        service = connect(model.id, version=model.version, recipe=model.recipe, deadline_ms=_PATIENCE_MS)
        if not isinstance(service, Unserved):
            return service
    return load()


def _loaded(found: LocalModel) -> Embedder:
    from core.embedding.runtime.local import load

    return load(found, threads=1)


def _served(found: LocalModel, deadline_ms: float | None) -> Embedder | NoVectors:
    """The service's embedder. Asked only when the casebook has vectors of this model: then it is worth starting one."""
    from core.embedding.service.client import DEADLINE_MS, Unserved, connect

    model = found.model
    wait = deadline_ms or DEADLINE_MS
    service = connect(model.id, version=model.version, recipe=model.recipe, deadline_ms=wait, start=True)
    return NoVectors(service.reason, "", service.outcome) if isinstance(service, Unserved) else service
