"""Labelled causes of errors, English and Korean, that come with casebook: how well does a model tell them apart?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.embedding.models.catalogue import Languages

TELLS_APART = 0.9
"""Below this separation a model is not used for answers at all."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One text of the shipped set: texts of one `cause` mean the same."""

    cause: str
    korean: bool
    text: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """Cosines of a question in one language with what is stored in the same or the other one, rising.

    `same`: both of one cause, of which there are none in Korean alone; `strangers`: of two.
    """

    same: Sequence[float]
    strangers: Sequence[float]

    @property
    def separation(self) -> float:
        """The area under the curve: the chance that one of `same` is above one of `strangers`; 1 without any `same`."""
        below = wins = 0
        for value in self.same:
            while below < len(self.strangers) and self.strangers[below] < value:
                below += 1
            wins += below
        return wins / (len(self.same) * len(self.strangers)) if self.same else 1.0


def shipped(languages: Languages = "multilingual") -> tuple[Labelled, ...]:
    """The labelled texts; for an English model the English ones only."""
    out: list[Labelled] = []
    for line in files("core.embedding.models").joinpath("calibration.jsonl").read_text(encoding="utf-8").split("\n"):
        if line:
            row = json.loads(line)
            out += [Labelled(row["cause"], False, text) for text in row["en"]]
            out += [Labelled(row["cause"], True, text) for text in row["ko"] if languages == "multilingual"]
    return tuple(out)


def pairs(texts: Sequence[Labelled], questions: NDArray[Any], stored: NDArray[Any]) -> tuple[Pairs, ...]:
    """Each text asked for with each other one that is stored, by the languages of both; a row of unit length each.

    The two are no mixture: strangers of one language may be nearer to each other than what means the same in two.
    """
    cosines = (questions @ stored.T).tolist()
    found: dict[tuple[bool, bool], tuple[list[float], list[float]]] = {}
    for at, one in enumerate(texts):
        for there, other in enumerate(texts):
            if at != there:
                same, strangers = found.setdefault((one.korean, other.korean), ([], []))
                (same if one.cause == other.cause else strangers).append(cosines[at][there])
    return tuple(Pairs(sorted(same), sorted(strangers)) for same, strangers in found.values())


def least_separation(several: Sequence[Pairs]) -> float:
    """The separation where it is worst."""
    return min(one.separation for one in several)
