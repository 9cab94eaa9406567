"""A search as a value that can be answered elsewhere: in the process that has the model and compares vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.library.morphemes import analyse
from core.library.search import SearchQuery, search
from core.library.search_hit import SearchResponse
from core.store import Store

if TYPE_CHECKING:
    from core.embedding.asking import VectorSearch


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """Called with a casebook and the way to its vectors. Raises Fault: what `search` raises."""

    query: SearchQuery

    def __call__(self, store: Store, vectors: VectorSearch) -> SearchResponse:
        return search(store, self.query, vectors, analyse)
