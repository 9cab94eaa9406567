"""The model that questions are asked with: opened when it is first needed, and why there is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from core.base.fault import Fault, remedy_of
from core.embedding.index.vectors import unusable
from core.embedding.runtime.embedder import Embedder, Kind, Vector

if TYPE_CHECKING:
    from core.embedding.index.binary_index import CachedBits
    from core.embedding.models.catalogue import Model

_BROKEN = (ArithmeticError, AttributeError, ImportError, LookupError, OSError, RuntimeError, TypeError, ValueError)
"""What a broken model raises instead of a Fault; the text tiers must not pay for it."""


class NoVectors(NamedTuple):
    """The reason why no vector can be used, and the command that fixes it; `outcome` is that of its step."""

    reason: str
    remedy: str = ""
    outcome: Literal["skipped", "failed", "timeout"] = "skipped"


class ModelAtHand(NamedTuple):
    """The model in use and how to open it: the service's client, or the model in this process. May take a second.

    `open` says why where there is nothing to open; it keeps its own deadline.
    """

    model: Model
    open: Callable[[], Embedder | NoVectors]


class VectorSearch:
    """One process's way to vectors of questions. The model is looked for, and opened, when a search first needs it.

    After a fault it is not asked again: a stream of searches pays for a hanging model once. `kept` holds what an index
    keeps in memory between searches. Belongs to one thread; a context manager that closes the model.
    """

    def __init__(self, find: Callable[[], ModelAtHand | NoVectors], kept: CachedBits | None = None) -> None:
        self.kept = kept
        self._find = find
        self._found: ModelAtHand | NoVectors | None = None
        self._embedder: Embedder | None = None

    def __enter__(self) -> VectorSearch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def model(self) -> Model | NoVectors:
        """The model in use, or why there is none; loads nothing. Raises nothing."""
        if self._found is None:
            try:
                self._found = self._find()
            except Fault as fault:
                self._found = NoVectors(fault.message, remedy_of(fault), "failed")
        return self._found.model if isinstance(self._found, ModelAtHand) else self._found

    def embed(self, text: str) -> Vector | NoVectors:
        """The vector of a question, or why there is none. Raises nothing; a vector is finite and of unit length."""
        found = self.embed_all([text])
        return found if isinstance(found, NoVectors) else found[0]

    def embed_all(self, texts: Sequence[str]) -> list[Vector] | NoVectors:
        """As `embed`, of several at once: of each its vector, or of none. Of a long text only its beginning."""
        found = self._embedded(texts, "query")
        return found if isinstance(found, NoVectors) else [vectors[0] for vectors in found]

    def embed_tokens(self, texts: Sequence[str]) -> list[tuple[Vector, ...]] | NoVectors:
        """The vectors of each text's tokens, of its beginning; or why there are none. Raises nothing."""
        return self._embedded(texts, "tokens")

    def _embedded(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]] | NoVectors:
        model = self.model()
        if isinstance(model, NoVectors):
            return model
        try:
            embedder = self._opened()
            if isinstance(embedder, NoVectors):
                return self._off(embedder)
            vectors = embedder.embed(texts, kind)
        except Fault as fault:
            off = NoVectors(fault.message, remedy_of(fault), "timeout" if fault.code == "timeout" else "failed")
            return off if fault.code == "invalid_input" else self._off(off)
        except _BROKEN as error:
            return self._off(NoVectors(f"the model {model.id} is broken: {type(error).__name__}", "", "failed"))
        if len(vectors) != len(texts):
            return NoVectors(f"the model returned {len(vectors)} vectors for {len(texts)} texts", outcome="failed")
        looked_at = (own[0] if own else b"" for own in vectors)  # all of a text come from one run of the model
        reason = next((why for one in looked_at if (why := unusable(one, model.dim))), None)
        return vectors if reason is None else NoVectors(f"the model returned no vector: {reason}", outcome="failed")

    def embedder(self) -> Embedder | NoVectors:
        """The model itself, opened if need be, for texts that are stored. Raises nothing."""
        model = self.model()
        if isinstance(model, NoVectors):
            return model
        try:
            opened = self._opened()
        except Fault as fault:
            return self._off(
                NoVectors(fault.message, remedy_of(fault), "timeout" if fault.code == "timeout" else "failed")
            )
        except _BROKEN as error:
            return self._off(NoVectors(f"the model {model.id} is broken: {type(error).__name__}", "", "failed"))
        return self._off(opened) if isinstance(opened, NoVectors) else opened

    def _opened(self) -> Embedder | NoVectors:
        if self._embedder is None and isinstance(self._found, ModelAtHand):
            opened = self._found.open()
            if isinstance(opened, NoVectors):
                return opened
            self._embedder = opened
            ours, theirs = describe_model(self._found.model), describe_model(opened)
            if ours != theirs:
                return NoVectors(f"the loaded model is {theirs}, not {ours}", outcome="failed")
        return self._embedder or NoVectors("the model was closed")

    def _off(self, why: NoVectors) -> NoVectors:
        self.close()
        self._found = why
        return why

    def close(self) -> None:
        """Let go of the model; may be called twice."""
        if self._embedder is not None:
            self._embedder.close()
            self._embedder = None


def describe_model(model: Model | Embedder) -> str:
    """Which model this is, in words: two that are said alike make vectors that may be compared."""
    return f"{model.id} {model.version} ({model.recipe}, {model.dim} numbers)"
