"""Measure from which cosine on a model's neighbours may be answers, on labelled texts that are shipped.

Models spread their cosines differently: what is near in one is far in another. MiniLM's bars were found on a large
labelled set; here each is carried over to the same place above the cosines of strangers, of which MiniLM's middle and
upper end are known for the shipped texts. So MiniLM itself comes out with its own bars.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from core.embedding.models.catalogue import CATALOGUE, MINILM, Model, Thresholds
from core.embedding.models.labelled import TELLS_APART, least_separation, pairs, shipped
from core.embedding.runtime.embedder import Embedder, Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MIDDLE, _UPPER = 0.0996, 0.3869
"""MiniLM's strangers in the shipped English texts: the median of their cosines, and what one in a hundred exceeds."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was measured (`calibration.v1`).

    `same` and `strangers` count the pairs; `separation` is the chance that a pair of one cause is nearer than a pair
    of strangers, in the two languages where it is least; `found` and `wrong` are the shares of either above the low bar
    of a small base. `thresholds` is null where the model does not tell causes apart.
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


def calibrate(embedder: Embedder, model: Model, read: Callable[[str], str] = str) -> Calibration:
    """Measure `model`, loaded as `embedder`. `read` makes of an error what is embedded of it.

    Questions are held against what is stored, as a search does. An English model is measured on the English texts only.
    Raises Fault where the model cannot embed.
    """
    texts = shipped(model.languages)
    said = [read(one.text) for one in texts]
    found = pairs(texts, _rows(embedder.embed(said, "query")), _rows(embedder.embed(said, "document")))
    same = [cosine for one in found for cosine in one.same]
    strangers = [cosine for one in found for cosine in one.strangers]
    separation = least_separation(found)
    bars = _strictest([_carried(one.strangers) for one in found]) if separation >= TELLS_APART else None
    low = bars.low if bars is not None else 1.0
    return Calibration(
        embedder.id,
        embedder.version,
        len(same),
        len(strangers),
        round(separation, 4),
        round(sum(one >= low for one in same) / len(same), 4),
        round(sum(one >= low for one in strangers) / len(strangers), 4),
        bars,
    )


def _rows(vectors: Sequence[tuple[Vector, ...]]) -> NDArray[Any]:
    import numpy as np

    return np.array([np.frombuffer(windows[0], "<f4") for windows in vectors], dtype=np.float64)


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


def _quantile(values: Sequence[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))]
