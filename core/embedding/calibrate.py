"""Measure from which cosine on a model's neighbours may be answers, on labelled texts that are shipped.

Models spread their cosines differently: what is near in one is far in another. MiniLM's bars were found on a large
labelled set; here each is carried over to the same place above the cosines of strangers, of which MiniLM's middle and
upper end are known for the shipped texts. So MiniLM itself comes out with its own bars.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import combinations
from typing import ClassVar

from core.embedding.catalogue import CATALOGUE, MINILM, Model, Thresholds
from core.embedding.embedder import Embedder, Vector
from core.embedding.vectors import unpack

_MIDDLE, _UPPER = 0.0996, 0.3869
"""MiniLM's strangers in the shipped English texts: the median of their cosines, and what one in a hundred exceeds."""
_TELLS_APART = 0.9
"""Below this separation a model is not used for answers at all."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One text of the shipped set: texts of one `cause` mean the same."""

    cause: str
    korean: bool
    text: str


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was measured (`calibration.v1`).

    `same` and `strangers` count the pairs; `separation` is the chance that a pair of one cause is nearer than a pair
    of strangers; `found` and `wrong` are the shares of either above the low bar of a small base. `thresholds` is null
    where the model does not tell causes apart.
    """

    SCHEMA: ClassVar[str] = "calibration.v1"

    model: str
    version: str
    same: int
    strangers: int
    separation: float
    found: float
    wrong: float
    thresholds: Thresholds | None


def shipped() -> tuple[Labelled, ...]:
    """The labelled texts, English and Korean."""
    out: list[Labelled] = []
    for line in files("core.embedding").joinpath("calibration.jsonl").read_text(encoding="utf-8").split("\n"):
        if line:
            row = json.loads(line)
            out += [Labelled(row["cause"], False, text) for text in row["en"]]
            out += [Labelled(row["cause"], True, text) for text in row["ko"]]
    return tuple(out)


def calibrate(embedder: Embedder, model: Model, read: Callable[[str], str] = str) -> Calibration:
    """Measure `model`, loaded as `embedder`. `read` makes of an error what is embedded of it.

    An English model is measured on the English texts only. Raises Fault where the model cannot embed.
    """
    texts = [one for one in shipped() if model.languages == "multilingual" or not one.korean]
    vectors = [one[0] for one in embedder.embed([read(one.text) for one in texts], "document")]
    same, strangers = _cosines(texts, vectors)
    everyone = sorted(cosine for group in strangers for cosine in group)
    separation = _separation(same, everyone)
    bars = _strictest([_carried(group) for group in strangers if group]) if separation >= _TELLS_APART else None
    low = bars.low if bars is not None else 1.0
    return Calibration(
        embedder.id,
        embedder.version,
        len(same),
        len(everyone),
        round(separation, 4),
        round(sum(one >= low for one in same) / len(same), 4),
        round(sum(one >= low for one in everyone) / len(everyone), 4),
        bars,
    )


def _carried(strangers: Sequence[float]) -> Thresholds:
    """MiniLM's bars, moved and stretched to where this model's strangers are."""
    middle, upper = _quantile(strangers, 0.5), _quantile(strangers, 0.99)
    known = CATALOGUE[MINILM].thresholds
    if known is None:
        raise ValueError(MINILM)
    stretch = (upper - middle) / (_UPPER - _MIDDLE)

    def bar(value: float) -> float:
        return round(min(0.999, middle + (value - _MIDDLE) * stretch), 4)

    return Thresholds(
        high=bar(known.high),
        high_rise=round(known.high_rise * stretch, 4),
        low=bar(known.low),
        low_rise=round(known.low_rise * stretch, 4),
        similar=bar(known.similar),
    )


def _strictest(found: Sequence[Thresholds]) -> Thresholds:
    """The higher bar of each kind: strangers of one language may be nearer to each other than those of two."""
    names = [field.name for field in dataclasses.fields(Thresholds)]
    return Thresholds(**{name: max(getattr(one, name) for one in found) for name in names})


def _cosines(texts: Sequence[Labelled], vectors: Sequence[Vector]) -> tuple[list[float], tuple[list[float], ...]]:
    """The sorted cosines of the pairs of one cause, and of strangers: both English, one Korean, both Korean."""
    rows = [unpack(vector) for vector in vectors]
    same, strangers = list[float](), (list[float](), list[float](), list[float]())
    for one, other in combinations(range(len(texts)), 2):
        found = sum(a * b for a, b in zip(rows[one], rows[other], strict=True))
        apart = strangers[texts[one].korean + texts[other].korean]
        (same if texts[one].cause == texts[other].cause else apart).append(found)
    return sorted(same), tuple(sorted(group) for group in strangers)


def _quantile(values: Sequence[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))]


def _separation(same: Sequence[float], strangers: Sequence[float]) -> float:
    """The area under the curve: the chance that one of `same` is above one of `strangers`; both are sorted."""
    below = wins = 0
    for value in same:
        while below < len(strangers) and strangers[below] < value:
            below += 1
        wins += below
    return wins / (len(same) * len(strangers))
