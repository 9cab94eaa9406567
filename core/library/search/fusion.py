"""Reciprocal rank fusion: two rankings become one, from ranks alone (kebab-frozen-design 2.2, decision 19).

Normalised so that first in both lists is 1.0 and first in one list alone is 0.5. A signal for ordering, never a
confidence: a chunk that leads one list scores 0.5 however badly it fits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

K: Final = 60
"""The constant of the formula (`search.rrf_k`): how little the difference between high ranks counts."""


@dataclass(frozen=True, slots=True)
class Fused:
    """One item, its fused score in (0, 1], and its rank (from 1) in each list, None where it is in none."""

    item: int
    score: float
    lexical_rank: int | None
    vector_rank: int | None


Ranking = Sequence[int] | Mapping[int, int]
"""Items, best first; or items with their ranks (from 1), where not every rank is taken."""


def fuse(lexical: Ranking, vector: Ranking, k: int = K) -> list[Fused]:
    """Both rankings as one, best first; equal scores by the better lexical rank, then the better vector rank.

    An item that stands twice in a list counts where it stands first.
    """
    ranks = _ranks(lexical), _ranks(vector)
    top = 2 / (k + 1)
    found: list[Fused] = []
    for item in dict.fromkeys((*ranks[0], *ranks[1])):
        places = tuple(one.get(item) for one in ranks)
        raw = sum(1 / (k + rank) for rank in places if rank is not None)
        found.append(Fused(item, raw / top, *places))
    last = max((*ranks[0].values(), *ranks[1].values()), default=0) + 1
    return sorted(found, key=lambda one: (-one.score, one.lexical_rank or last, one.vector_rank or last))


def _ranks(items: Ranking) -> Mapping[int, int]:
    if isinstance(items, Mapping):
        return items
    return {item: rank for rank, item in enumerate(dict.fromkeys(items), 1)}
