"""A double of a model, for exactness: each text's vector is chosen by the test, or made of the text's hash.

What the real model does is tested with the real model; here a distance is a number that the test knows.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Sequence

from core.base.fault import Fault
from core.embedding import Kind, Vector, pack


def unit(*values: float, dim: int = 384) -> Vector:
    """A unit vector with these first components."""
    return pack([*values, *[0.0] * (dim - len(values))])


def at_distance(distance: float, dim: int = 384) -> Vector:
    """A unit vector at that L2 distance from `unit(1)`."""
    cos = 1 - distance * distance / 2
    return unit(cos, math.sqrt(1 - cos * cos), dim=dim)


def random_vector(seed: object, dim: int = 384) -> Vector:
    """A unit vector that depends on `seed` only."""
    rng = random.Random(hashlib.sha256(repr(seed).encode()).digest())
    return pack([rng.gauss(0, 1) for _ in range(dim)])


class ExactEmbedder:
    """Embeds by a table; a text that is not in it gets a vector of its own. `failing` texts fail, and so does `error`.

    `seen` are the texts it was given, batch by batch.
    """

    def __init__(
        self,
        table: dict[str, tuple[Vector, ...]] | None = None,
        *,
        name: str = "exact",
        recipe: str = "exact/1",
        dim: int = 384,
        failing: Sequence[str] = (),
        error: Exception | None = None,
    ) -> None:
        self.table = table or {}
        self.id, self.version, self.recipe, self.dim = name, "1", recipe, dim
        self.failing = tuple(failing)
        self.error = error or Fault("invalid_input", "no tokenizer can read it")
        self.seen: list[list[str]] = []
        self.closed = 0

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        assert kind in ("document", "query")
        self.seen.append(list(texts))
        if any(text in self.failing for text in texts):
            raise self.error
        return [self.table.get(text) or (random_vector(text, self.dim),) for text in texts]

    def close(self) -> None:
        self.closed += 1

    @property
    def given(self) -> list[str]:
        """Every text it was given, in order."""
        return [text for batch in self.seen for text in batch]
