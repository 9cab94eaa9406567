"""The semantic tier over what is kept already: to say of any rule how near it is, without embedding a rule."""

from __future__ import annotations

from core.embedding.runtime.query_model import NoVectors, VectorSearch
from core.embedding.runtime.worker import place_of
from core.rules.format.book import Book
from core.rules.format.embed_source import source_for
from core.rules.matching.semantic import StoredSemantic, stored_semantic
from core.rules.vectors.kept_vectors import kept_vectors, text_shas
from core.store import Store, faults


def kept_semantic(store: Store, book: Book, vectors: VectorSearch) -> StoredSemantic | None:
    """The tier for these rules as far as their vectors are kept; None without a model. Raises Fault.

    Belongs to the thread of `store`; whoever has `vectors` meanwhile must not use it.
    """
    model = vectors.model()
    embedder = vectors.embedder()
    if isinstance(model, NoVectors) or isinstance(embedder, NoVectors):
        return None
    english = model.languages == "en"
    source = source_for(book.tables, english=english)
    with faults(store.path):
        place = place_of(source, embedder)
        kept = kept_vectors(store.con, place, book, text_shas(book, source))
    return stored_semantic(store.con, book, vectors, place, kept, english=english)
