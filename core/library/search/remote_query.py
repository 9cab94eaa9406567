"""A search as a value that can be answered elsewhere: in the process that has the model and compares vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.library.search.api import SearchQuery, search
from core.library.search.hit import SearchResponse
from core.library.search.morphemes import analyse
from core.store import Store

if TYPE_CHECKING:
    from core.embedding.runtime.query_model import VectorSearch


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """Called with a casebook and the way to its vectors. Raises Fault: what `search` raises."""

    query: SearchQuery

    def __call__(self, store: Store, vectors: VectorSearch) -> SearchResponse:
        return search(store, self.query, vectors, analyse)
