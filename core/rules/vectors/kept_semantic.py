"""The semantic tier of a process that only reads: with the vectors that the casebook has, and no model loaded."""

from __future__ import annotations

import apsw

from core.base.fault import Fault
from core.embedding.index.stored import Place
from core.embedding.runtime.query_model import NoVectors, VectorSearch
from core.rules.format.book import Book
from core.rules.format.embed_source import source_for
from core.rules.matching.semantic import NoSemantic, StoredSemantic, stored_semantic
from core.rules.vectors.kept_vectors import kept_vectors, text_shas


def kept_semantic(con: apsw.Connection, book: Book, vectors: VectorSearch) -> tuple[StoredSemantic | NoSemantic, bool]:
    """The tier over the vectors of a casebook, and whether rules of the book wait for theirs. Raises nothing."""
    model = vectors.model()
    if isinstance(model, NoVectors):
        return NoSemantic(model.outcome, model.reason), False
    english = model.languages == "en"
    source = source_for(book.tables, english=english)
    place = Place(source.kind, f"{model.id}@{model.version}", f"{source.recipe}+{model.recipe}", model.dim)
    try:
        kept = kept_vectors(con, place, book, text_shas(book, source))
    except (Fault, apsw.Error) as error:
        return NoSemantic("failed", f"the casebook cannot be read: {error}"), False
    return stored_semantic(con, book, vectors, place, kept, english=english), kept.lack.waiting > 0
