"""The vectors of a matcher's rules as they were last found, and whether they still stand: other programs write too.

Whoever brings the rows up to date with a changed file gives rules other rows, or rows another text. Each commit of
another connection is noticed (`data_version`); only then the rows are looked at again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from core.embedding.index.state import VectorState, read_state
from core.embedding.index.stored import Place
from core.embedding.runtime.query_model import VectorSearch
from core.rules.format.book import Book
from core.rules.format.embed_source import RuleSource
from core.rules.matching.semantic import StoredSemantic, stored_semantic
from core.rules.vectors.kept_vectors import KeptVectors, kept_vectors, text_shas
from core.rules.vectors.matrix import matrix_of
from core.store import Store, faults
from core.store.store import data_version


@dataclass(slots=True)
class StandingVectors:
    """The tier over the vectors of one book in one store. `in_memory`: they are held and compared here, else by the
    casebook's index."""

    in_memory: bool = True
    _made: StoredSemantic | None = None
    _version: int = 0
    _shas: tuple[str, ...] = field(default_factory=tuple[str, ...])

    def standing(self, store: Store, book: Book, place: Place) -> StoredSemantic | None:
        """The tier that was found before, as far as it holds now; None where something is to be embedded. Raises
        Fault."""
        made = self._made
        if made is None or made.book is not book or made.place != place or made.lack.waiting or made.lack.elsewhere:
            return None
        with faults(store.path):
            version = data_version(store)
            if version == self._version:
                return made
            state, kept = read_state(store.con, place.kind), kept_vectors(store.con, place, book, self._shas)
            if _is_of(state, place) and (kept.lack.waiting or not _done(state)):
                return None
            return self._keep(store, made, kept, version)

    def found(
        self, store: Store, source: RuleSource, place: Place, book: Book, vectors: VectorSearch, *, busy: bool, why: str
    ) -> StoredSemantic:
        """The tier over what is there now. `busy`: another program was embedding; `why`: why nothing was embedded.
        Raises Fault."""
        with faults(store.path):
            version = data_version(store)
            made = self._made
            if made is None or made.book is not book or made.place != place:
                self._shas = text_shas(book, source)
                made = stored_semantic(
                    store.con, book, vectors, place, KeptVectors(), english=source.glossary is not None
                )
            kept, state = kept_vectors(store.con, place, book, self._shas), read_state(store.con, place.kind)
            lack = kept.lack
            lack = replace(
                lack, why=why if lack.waiting else "", elsewhere=busy and bool(lack.waiting or not _done(state))
            )
            return self._keep(store, made, replace(kept, lack=lack), version)

    def moved(self, store: Store, tier: StoredSemantic) -> bool:
        """Whether another program changed the rows while this tier answered. Raises Fault."""
        with faults(store.path):
            if tier is not self._made or data_version(store) == self._version:
                return False
            return kept_vectors(store.con, tier.place, tier.book, self._shas).items != tier.items

    def _keep(self, store: Store, made: StoredSemantic, kept: KeptVectors, version: int) -> StoredSemantic:
        """With these rows; a rule's vector is the same wherever it stands, while they are the same."""
        matrix = made.matrix
        if self.in_memory and (matrix is None or kept.items != made.items):
            matrix = matrix_of(store.con, made.place, kept.items)
        among = made.among if kept.items == made.items else frozenset(kept.items.values())
        self._made = replace(made, items=kept.items, among=among, lack=kept.lack, matrix=matrix)
        self._version = version
        return self._made


def _is_of(state: VectorState | None, place: Place) -> bool:
    """Whether the casebook is kept with this model: who only matches does not take it back from another one."""
    return state is None or state.is_of(place.model, place.recipe, place.dim)


def _done(state: VectorState | None) -> bool:
    return state is not None and state.complete
