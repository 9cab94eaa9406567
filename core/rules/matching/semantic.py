"""The semantic tier: a query's vector against those of rules, kept in the casebook or in memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

import apsw

from core.base.fault import Fault
from core.base.trace import Outcome, Step, Stopwatch, facts
from core.embedding.index.index import open_index
from core.embedding.index.state import why_off
from core.embedding.index.stored import Place, windows_of
from core.embedding.index.vectors import cosine, similarity_of
from core.embedding.models.catalogue import Thresholds
from core.embedding.runtime.embedder import Vector
from core.embedding.runtime.query_model import NoVectors, VectorSearch
from core.rules.format.book import Book
from core.rules.format.store import read_at, source_for
from core.rules.matching.api import Similarities
from core.rules.matching.terms import in_english
from core.rules.matching.vectors import NOTHING, KeptVectors, Lack, Matrix, kept_vectors, text_shas

NEAREST = 100
"""Rules the semantic tier looks at, beside those that keywords propose."""
_LETTERS = 8
"""A query in which a model can read fewer letters than this is not asked."""


def readable(text: str, book: Book, *, english: bool) -> str | None:
    """The query as the model reads it; None where it would read next to nothing of it."""
    said = in_english(text, book.tables.glossary) if english else text
    letters = sum(char.isalpha() and (char.isascii() or not english) for char in said)
    return said if letters >= min(_LETTERS, sum(char.isalpha() for char in text)) and letters else None


@dataclass(frozen=True, slots=True)
class StoredSemantic:
    """Similarities by the vectors in the casebook; belongs to one connection. `items` are the rows of the book's rules
    that have one, by place; `among` is the same as a set, kept for the index; `lack` says what the others lack;
    `matrix` holds the vectors in a process that stays."""

    con: apsw.Connection
    book: Book
    vectors: VectorSearch
    place: Place
    items: Mapping[int, int]
    among: frozenset[int]
    english: bool
    lack: Lack = NOTHING
    matrix: Matrix | None = None

    def similar(self, text: str, also: frozenset[int]) -> Similarities:
        """See `Semantic`."""
        watch = Stopwatch()
        try:
            found = self._similar(text, also, watch)
        except Fault as fault:
            found = missing("timeout" if fault.code == "timeout" else "failed", fault.message, watch)
        except apsw.Error as error:
            found = missing("failed", f"the casebook cannot be read: {error}", watch)
        return Similarities(found.scores, replace(found.step, facts=(*found.step.facts, *self.lack.facts)))

    def _similar(self, text: str, also: frozenset[int], watch: Stopwatch) -> Similarities:
        off = why_off(self.con, "rule", self.place.model, self.place.recipe)
        if off or not self.items:
            why = "; ".join(part for part in (off, self.lack.note) if part)
            return missing("skipped", why or "no rule is embedded yet", watch)
        said = readable(text, self.book, english=self.english)
        if said is None:
            return missing("skipped", "the model does not read the language of this call", watch)
        bars, vector = bars_of(self.vectors), self.vectors.embed(said)
        if isinstance(bars, NoVectors) or isinstance(vector, NoVectors):
            why = bars if isinstance(bars, NoVectors) else cast("NoVectors", vector)
            return missing(why.outcome, why.reason, watch)
        scores = self._indexed(vector, also) if self.matrix is None else self.matrix.nearest(vector, NEAREST, also)
        looked = read_at(self.con, self.book.paths)
        return _as_read(told(scores, bars, self.book, self.place, self.lack.note, watch, looked), text, said)

    def _indexed(self, vector: Vector, also: frozenset[int]) -> dict[int, float]:
        """The cosines by the index in the casebook: for a process that answers once, and has no numpy."""
        index = open_index(self.con, "rule", self.place.model, self.place.recipe, self.place.dim, self.vectors.kept)
        near = dict(index.nearest(vector, NEAREST, self.among))
        scores = {at: similarity_of(near[item]) for at, item in self.items.items() if item in near}
        for at in also - scores.keys():
            windows = windows_of(self.con, self.place, self.items[at]) if at in self.items else ()
            if windows:
                scores[at] = max(cosine(vector, one) for one in windows)
        return scores


@dataclass(slots=True)
class RememberedSemantic:
    """Similarities by vectors in this process's memory, by what was embedded: for rules that are in no file."""

    vectors: VectorSearch
    english: bool = True
    texts: tuple[str, ...] = ()
    book: Book | None = None
    known: dict[str, tuple[Vector, ...]] = field(default_factory=dict[str, tuple[Vector, ...]])
    note: str = ""
    opening: threading.Thread | None = None

    def similar(self, text: str, also: frozenset[int]) -> Similarities:
        """See `Semantic`."""
        watch = Stopwatch()
        book = self.book
        said = None if book is None else readable(text, book, english=self.english)
        if book is None or said is None:
            return missing("skipped", "the model does not read the language of this call", watch)
        if not any(one in self.known for one in self.texts):
            return missing("failed", self.note or "no rule could be embedded", watch)
        bars, vector = bars_of(self.vectors), self.vectors.embed(said)
        if isinstance(bars, NoVectors) or isinstance(vector, NoVectors):
            why = bars if isinstance(bars, NoVectors) else cast("NoVectors", vector)
            return missing(why.outcome, why.reason, watch)
        scores = {
            at: max(cosine(vector, one) for one in self.known[said_of])
            for at, said_of in enumerate(self.texts)
            if said_of in self.known
        }
        return _as_read(told(scores, bars, book, None, self.note, watch, None), text, said)


@dataclass(frozen=True, slots=True)
class NoSemantic:
    """There is no semantic tier, and why."""

    outcome: Outcome
    reason: str
    lack: Lack = NOTHING

    def similar(self, text: str, also: frozenset[int]) -> Similarities:
        """See `Semantic`: no score, and the reason."""
        return Similarities({}, Step("semantic", self.outcome, self.reason, self.lack.facts))


def stored_semantic(
    con: apsw.Connection, book: Book, vectors: VectorSearch, place: Place, kept: KeptVectors, *, english: bool
) -> StoredSemantic:
    """The tier over these vectors as the casebook's index compares them."""
    return StoredSemantic(con, book, vectors, place, kept.items, frozenset(kept.items.values()), english, kept.lack)


def bars_of(vectors: VectorSearch) -> Thresholds | NoVectors:
    """What the model's cosines mean; why nothing, where nobody has measured it: the cut-offs are no model's own."""
    model = vectors.model()
    if isinstance(model, NoVectors):
        return model
    if model.thresholds is None:
        return NoVectors(f"nobody has measured {model.id}, so words alone decide", "casebook models calibrate")
    return model.thresholds


def missing(outcome: Outcome, reason: str, watch: Stopwatch) -> Similarities:
    """No semantic score, and why."""
    return Similarities({}, Step("semantic", outcome, reason, elapsed_ms=watch.ms()))


def told(
    cosines: Mapping[int, float],
    bars: Thresholds,
    book: Book,
    place: Place | None,
    note: str,
    watch: Stopwatch,
    looked: float | None,
) -> Similarities:
    """The similarities, on the scale for which the cut-offs were found, with their step; `looked`: Unix time at which
    the rules' files were last read for the cache."""
    if not cosines:
        return missing("miss", note or "no rule has a vector", watch)
    scores = {at: max(0.0, min(1.0, bars.alike(found))) for at, found in cosines.items()}
    best = max(cosines, key=lambda at: cosines[at])
    reason = f"{book.rules[best].id} is nearest" + (f"; {note}" if note else "")
    given = facts(
        model=place.model if place else "",
        recipe=place.recipe if place else "",
        best=round(scores[best], 4),
        **({} if bars.alike(cosines[best]) == cosines[best] else {"cosine": round(cosines[best], 4)}),
        compared=len(scores),
        rules=len(book.rules),
        hash=book.hashes[best][:12],
        cache_age_s=None if looked is None else max(0, round(time.time() - looked)),
    )
    return Similarities(scores, Step("semantic", "hit", reason, given, elapsed_ms=watch.ms()))


def _as_read(found: Similarities, text: str, said: str) -> Similarities:
    """With the query as the model read it, where that is not the query itself."""
    if said == text:
        return found
    return Similarities(found.scores, replace(found.step, facts=(*found.step.facts, ("read", said))))


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
