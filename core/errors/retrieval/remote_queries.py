"""What can be asked of the vectors of errors: frozen values, so that another process may be the one that answers.

Each is called with a casebook and a way to its vectors. Raises Fault where the casebook cannot be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors.retrieval.answer import Query
from core.store import Store, faults

if TYPE_CHECKING:
    from core.embedding.runtime.query_model import VectorSearch
    from core.errors.curation import Candidate
    from core.errors.retrieval.answer import VectorLooked
    from core.errors.retrieval.cases_like import CasesLike


@dataclass(frozen=True, slots=True)
class Nearest:
    """What the vector tier says of a query; `weak` is the case that only a weak prefix has matched, if one has."""

    query: Query
    weak: int | None = None

    def __call__(self, store: Store, vectors: VectorSearch) -> VectorLooked:
        from core.errors.retrieval.api import look_by_vector

        with faults(store.path):
            return look_by_vector(store, self.query, self.weak, vectors)


@dataclass(frozen=True, slots=True)
class Like:
    """The cases that are like one."""

    case_id: int

    def __call__(self, store: Store, vectors: VectorSearch) -> CasesLike:
        from core.errors.retrieval.cases_like import cases_like

        return cases_like(store, self.case_id, vectors.kept)


@dataclass(frozen=True, slots=True)
class AlsoFor:
    """The waiting cases that the fix of one may be for."""

    case_id: int

    def __call__(self, store: Store, vectors: VectorSearch) -> tuple[Candidate, ...]:
        from core.errors.curation.similar_fixes import apply_to_these

        return apply_to_these(store, self.case_id, vectors.kept)
