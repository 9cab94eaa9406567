"""Labelled causes of errors, English and Korean, that come with casebook: how well does a model tell them apart?

The average vector of a model's texts by language: subtracting it tells texts of e5 and its like apart better, because
they put all texts of one language close together.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from core.embedding.models.catalogue import CATALOGUE, MINILM, Languages, Model, Thresholds
from core.embedding.runtime.embedder import Embedder, Kind
from core.text import hangul_share

if TYPE_CHECKING:
    from numpy.typing import NDArray


MIN_SEPARATION = 0.9
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
    inputs = [read(one.text) for one in texts]
    rows = _rows(embedder, model, inputs)
    found = pairs(texts, rows["query"], rows["document"])
    same = [cosine for one in found for cosine in one.same]
    strangers = [cosine for one in found for cosine in one.strangers]
    separation = least_separation(found)
    bars = _strictest([_carried(one.strangers) for one in found]) if separation >= MIN_SEPARATION else None
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


def _rows(embedder: Embedder, model: Model, texts: Sequence[str]) -> dict[Kind, NDArray[Any]]:
    """The vectors of the texts as questions and as they are stored: the same for a model without prefixes."""
    import numpy as np

    def made(kind: Kind) -> NDArray[Any]:
        vectors = embedder.embed(texts, kind)
        return np.array([np.frombuffer(windows[0], "<f4") for windows in vectors], dtype=np.float64)

    stored = made("document")
    return {"query": stored if model.query_prefix == model.document_prefix else made("query"), "document": stored}


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


CENTRE = "centre.json"
_KINDS: tuple[Kind, Kind] = ("query", "document")
_WORTH = 0.02
"""Minimum gain in separated causes: a model that needs no centre keeps its own vectors."""
_NOTHING = 1e-6


@dataclass(frozen=True, slots=True)
class Centre:
    """The average vector of English and of Korean texts, as questions and as they are stored."""

    means: Mapping[Kind, tuple[Sequence[float], Sequence[float]]]

    @property
    def text(self) -> str:
        return json.dumps({kind: [[round(one, 6) for one in mean] for mean in self.means[kind]] for kind in _KINDS})

    @property
    def name(self) -> str:
        """A short name of these numbers: vectors of different centres never meet."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:8]

    def moved(self, rows: NDArray[Any], texts: Sequence[str], kind: Kind) -> NDArray[Any]:
        """The unit vectors of these texts from their centre, again of unit length. Between the two languages a text
        has its place by the share of its letters that are Hangul."""
        import numpy as np

        english, korean = np.asarray(self.means[kind])
        shares = np.array([[hangul_share(text)] for text in texts])
        left = rows - (english + shares * (korean - english))
        lengths = np.linalg.norm(left, axis=1, keepdims=True)
        return np.where(lengths > _NOTHING, left / np.maximum(lengths, _NOTHING), rows)


def centre_of(embedder: Embedder, model: Model) -> Centre | None:
    """Return the centre of a model that separates the shipped causes better with it; None for any other."""
    import numpy as np

    texts = shipped(model.languages)
    inputs = [one.text for one in texts]
    rows = _rows(embedder, model, inputs)
    korean = np.array([one.korean for one in texts])
    parts = (~korean, korean if korean.any() else ~korean)
    centre = Centre({kind: (_mean(rows[kind][parts[0]]), _mean(rows[kind][parts[1]])) for kind in _KINDS})
    before = least_separation(pairs(texts, rows["query"], rows["document"]))
    moved = [centre.moved(rows[kind], inputs, kind) for kind in _KINDS]
    after = least_separation(pairs(texts, moved[0], moved[1]))
    return centre if after >= max(MIN_SEPARATION, before + _WORTH) else None


def read_centre(folder: Path) -> Centre:
    """The centre that lies in a model's folder. Raises OSError, and ValueError for what is none."""
    found = json.loads((folder / CENTRE).read_bytes())
    try:
        return Centre({kind: (_numbers(found[kind][0]), _numbers(found[kind][1])) for kind in _KINDS})
    except (LookupError, TypeError) as error:
        raise ValueError(f"{folder / CENTRE} does not contain a valid center of the model") from error


def shipped_centre(model: str) -> str:
    """The centre of a model of the catalogue, as its file has it."""
    return files("core.embedding.models").joinpath(f"{model}.{CENTRE}").read_text(encoding="utf-8").rstrip("\n")


def _numbers(found: Iterable[Any]) -> list[float]:
    return [float(one) for one in found]


def _mean(rows: NDArray[Any]) -> list[float]:
    return _numbers(rows.mean(0))
