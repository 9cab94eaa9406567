"""Doctor's proof of the embedding model: one text in, one unit vector out."""

from __future__ import annotations

import time

from core.base.config.settings import EmbeddingSettings
from core.base.fault import Fault
from core.embedding import unusable
from core.embedding.models.models import Absent, current
from core.store.checks import Check

_NAME = "embedding_model"
_PROBE = "Cannot find module 'react'"


def model_check(settings: EmbeddingSettings) -> Check:
    """Load the model in use and embed a text with it. That nobody set one up is no failure; that a chosen one is not
    to be had is. Raises nothing."""
    found = current(settings)
    if isinstance(found, Absent):
        detail = found.reason if settings.model else f"{found.reason}; the text tiers answer without one"
        return Check(_NAME, not settings.model, detail, found.remedy)
    from core.embedding.runtime.local import load

    try:
        embedder = load(found)
        try:
            began = time.perf_counter()
            ((vector,),) = embedder.embed([_PROBE], "query")
            took = (time.perf_counter() - began) * 1000
            wrong = unusable(vector, found.model.dim)
        finally:
            embedder.close()
    except Fault as fault:
        return Check(_NAME, False, fault.message, fault.hint)
    name = f"{embedder.id}@{embedder.version}"
    if wrong is not None:
        return Check(_NAME, False, f"{name} gave no vector: {wrong}", f"casebook models pull --force {embedder.id}")
    measured = "" if found.model.measured else "; not measured, so it shows similar cases only"
    detail = f"{name}: one text in, one unit vector of {embedder.dim} out, in {took:.0f} ms{measured}"
    return Check(_NAME, True, detail, "" if found.model.measured else "casebook models calibrate")
