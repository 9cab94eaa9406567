"""The semantic tier over what is kept already: to say of any rule how near it is, without embedding a rule."""

from __future__ import annotations

from core.embedding.asking import NoVectors, VectorSearch
from core.embedding.stored import present
from core.embedding.worker import place_of
from core.rules.book import Book
from core.rules.rule_rows import ids_of
from core.rules.rule_source import source_for
from core.rules.semantic import StoredSemantic
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
    with faults(store.path):
        place = place_of(source_for(book.tables, english=english), embedder)
        rows = ids_of(store.con, book.rules)
        there = present(store.con, place, rows.values())
    items = {at: item for at, item in rows.items() if item in there}
    return StoredSemantic(store.con, book, vectors, place, items, frozenset(items.values()), english)
