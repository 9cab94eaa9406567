"""What the vector tier searches with: a model, when it is first needed, and why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from core.embedding.asking import ModelAtHand, NoVectors, VectorSearch
from core.errors.answer import Hit, Similar
from core.errors.embed_text import RECIPE
from core.trace import Step

if TYPE_CHECKING:
    from core.embedding.catalogue import Model
    from core.embedding.stored import Place

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
    from core.embedding.stored import Place

    return Place("error", f"{model.id}@{model.version}", f"{RECIPE}+{model.recipe}", model.dim)
