"""The average vector of a model's texts, by language. Subtracting it separates texts better.

Some models (e5 and its like) put all texts into one narrow cone, and those of one language close together: strangers
then have cosines of 0.7 to 0.9, and a Korean text is nearer to any other Korean one than to its own in English.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.embedding.models.calibrate import TELLS_APART, least_separation, pairs, shipped
from core.embedding.runtime.embedder import Embedder, Kind
from core.text import hangul_share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.embedding.models.catalogue import Model

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
        """Return the text of the file."""
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
    said = [one.text for one in texts]
    rows = {kind: _rows([found[0] for found in embedder.embed(said, kind)]) for kind in _KINDS}
    korean = np.array([one.korean for one in texts])
    parts = (~korean, korean if korean.any() else ~korean)
    centre = Centre({kind: (_mean(rows[kind][parts[0]]), _mean(rows[kind][parts[1]])) for kind in _KINDS})
    before = least_separation(pairs(texts, rows["query"], rows["document"]))
    moved = [centre.moved(rows[kind], said, kind) for kind in _KINDS]
    after = least_separation(pairs(texts, moved[0], moved[1]))
    return centre if after >= max(TELLS_APART, before + _WORTH) else None


def read_centre(folder: Path) -> Centre:
    """The centre that lies in a model's folder. Raises OSError, and ValueError for what is none."""
    found = json.loads((folder / CENTRE).read_bytes())
    try:
        return Centre({kind: (_numbers(found[kind][0]), _numbers(found[kind][1])) for kind in _KINDS})
    except (LookupError, TypeError) as error:
        raise ValueError(f"{folder / CENTRE} is not a centre vector") from error


def shipped_centre(model: str) -> str:
    """The centre of a model of the catalogue, as its file has it."""
    return files("core.embedding.models").joinpath(f"{model}.{CENTRE}").read_text(encoding="utf-8").rstrip("\n")


def _numbers(found: Iterable[Any]) -> list[float]:
    return [float(one) for one in found]


def _mean(rows: NDArray[Any]) -> list[float]:
    return _numbers(rows.mean(0))


def _rows(vectors: Sequence[bytes]) -> NDArray[Any]:
    import numpy as np

    return np.array([np.frombuffer(one, "<f4") for one in vectors], dtype=np.float64)
