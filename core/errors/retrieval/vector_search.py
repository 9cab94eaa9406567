"""What the vector tier searches with: a model, when it is first needed, and why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from core.base.trace import Step
from core.embedding.runtime.query_model import ModelAtHand, NoVectors, VectorSearch
from core.errors.retrieval.answer import Hit, Similar
from core.errors.retrieval.embed_text import RECIPE

if TYPE_CHECKING:
    from core.embedding.index.stored import Place
    from core.embedding.models.catalogue import Model

__all__ = ["ModelAtHand", "NoVectors", "VectorLooked", "VectorSearch", "place_of"]


class VectorLooked(NamedTuple):
    """What the tier found: a match, near misses, similar cases, the step, and why a weak prefix match is refuted."""

    match: Hit | None
    step: Step
    candidates: tuple[Hit, ...] = ()
    similar: tuple[Similar, ...] = ()
    refuted: str = ""


def place_of(model: Model) -> Place:
    """Where the vectors lie that `model` made of errors."""
    from core.embedding.index.stored import Place

    return Place("error", f"{model.id}@{model.version}", f"{RECIPE}+{model.recipe}", model.dim)
