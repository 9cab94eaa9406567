"""The semantic tier of a process that only reads: with the vectors that the casebook has, and no model loaded."""

from __future__ import annotations

import apsw

from core.embedding.asking import NoVectors, VectorSearch
from core.embedding.stored import Place, present
from core.fault import Fault
from core.rules.book import Book
from core.rules.rule_rows import ids_of
from core.rules.rule_source import source_for
from core.rules.semantic import NoSemantic, StoredSemantic


def kept_semantic(con: apsw.Connection, book: Book, vectors: VectorSearch) -> tuple[StoredSemantic | NoSemantic, bool]:
    """The tier over the vectors of a casebook, and whether rules of the book wait for theirs. Raises nothing."""
    model = vectors.model()
    if isinstance(model, NoVectors):
        return NoSemantic(model.outcome, model.reason), False
    english = model.languages == "en"
    source = source_for(book.tables, english=english)
    place = Place(source.kind, f"{model.id}@{model.version}", f"{source.recipe}+{model.recipe}", model.dim)
    try:
        rows = ids_of(con, book.rules, book.hashes)
        there = present(con, place, rows.values())
    except (Fault, apsw.Error) as error:
        return NoSemantic("failed", f"the casebook cannot be read: {error}"), False
    items = {at: item for at, item in rows.items() if item in there}
    missing = len(book.rules) - len(items)
    note = f"{missing} rules have no vector yet" if missing else ""
    found = StoredSemantic(con, book, vectors, place, items, frozenset(items.values()), english, note)
    return found, bool(missing)
