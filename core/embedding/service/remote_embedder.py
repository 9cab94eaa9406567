"""A model that another process holds, as an `Embedder`: what is asked is a frozen value, no model is loaded here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.base.fault import Fault
from core.embedding.runtime.embedder import Kind, Vector
from core.embedding.runtime.query_model import NoVectors, VectorSearch, describe_model

if TYPE_CHECKING:
    from core.embedding.models.catalogue import Model
    from core.store import Store


@dataclass(frozen=True, slots=True)
class Embed:
    """The vectors of some texts; `model` says which model is to make them (`said_of`)."""

    model: str
    texts: tuple[str, ...]
    kind: Kind

    def __call__(self, _store: Store, vectors: VectorSearch) -> list[tuple[Vector, ...]]:
        """As `Embedder.embed`. Raises Fault model_unreachable also where there is no model, or another one."""
        opened = vectors.embedder()
        if isinstance(opened, NoVectors):
            raise Fault("timeout" if opened.outcome == "timeout" else "model_unreachable", opened.reason, opened.remedy)
        if describe_model(opened) != self.model:
            raise Fault("model_unreachable", f"the loaded model is {describe_model(opened)}, not {self.model}")
        return opened.embed(self.texts, self.kind)


@dataclass(frozen=True, slots=True)
class RemoteEmbedder:
    """An `Embedder`: `model` as another process has it, which answers what is given to `ask`, or raises Fault."""

    model: Model
    ask: Callable[[Embed], list[tuple[Vector, ...]]]

    @property
    def id(self) -> str:
        return self.model.id

    @property
    def version(self) -> str:
        return self.model.version

    @property
    def recipe(self) -> str:
        return self.model.recipe

    @property
    def dim(self) -> int:
        return self.model.dim

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        """As `Embedder.embed`; RuntimeError where the other process met what is no Fault, as the model itself would."""
        try:
            return self.ask(Embed(describe_model(self.model), tuple(texts), kind))
        except Fault as fault:
            if fault.code == "generic":
                raise RuntimeError(fault.message) from fault
            raise

    def close(self) -> None:
        """Nothing: the other process keeps its model."""
