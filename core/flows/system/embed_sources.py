"""What there is to embed: errors, rules and the passages of the library, in this order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from core.embedding.runtime.embedder import Source
from core.errors.retrieval.embed_source import ErrorSource

if TYPE_CHECKING:
    from core.embedding.models.catalogue import Model

EmbeddedKind = Literal["error", "rule", "chunk"]
KINDS: Final[tuple[EmbeddedKind, ...]] = ("error", "rule", "chunk")
"""Few and short before many and long: a case or a rule never waits for a library."""


def sources_of(kinds: Sequence[EmbeddedKind], model: Model) -> tuple[Source, ...]:
    """The texts of these kinds as `model` reads them. Raises Fault config_invalid for a wrong table of the user."""
    return tuple(_source(kind, model) for kind in kinds)


def _source(kind: EmbeddedKind, model: Model) -> Source:
    if kind == "error":
        return ErrorSource()
    if kind == "rule":
        from core.rules.format.embed_source import source_for
        from core.rules.matching.tables import load_tables

        return source_for(load_tables(), english=model.languages == "en")
    from core.library.search.vector import ChunkSource

    return ChunkSource()
