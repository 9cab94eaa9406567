"""The semantic tier: a query's vector against those of rules, stored or as one matrix. numpy is loaded late."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import apsw

from core.base.fault import Fault
from core.base.trace import Facts, Outcome, Step, Stopwatch, facts
from core.embedding.index.backlog import read_failures
from core.embedding.index.index import open_index
from core.embedding.index.state import why_off
from core.embedding.index.stored import Place, present, sha_of, windows_of
from core.embedding.index.vectors import cosine, similarity_of
from core.embedding.models.catalogue import Thresholds
from core.embedding.runtime.embedder import Vector
from core.embedding.runtime.query_model import NoVectors, VectorSearch
from core.rules.format.book import Book
from core.rules.format.rule import Rule
from core.rules.format.store import RuleSource, ids_of, read_at, row_id, source_for
from core.rules.matching.api import Similarities
from core.rules.matching.tables import load_tables
from core.rules.matching.terms import in_english
from core.store import Store, faults
from core.store.sql import storable

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]
    from collections.abc import Collection


ELSEWHERE = "embedded_elsewhere"
"""The fact that another program is embedding: a later request gets more."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """One row a vector; `owners` are the places of their rules in the book, in rising order, `first` where each begins
    (a long rule has several vectors, of which the nearest counts)."""

    rows: Array
    owners: Array
    first: Array

    def nearest(self, query: Vector, count: int, also: Collection[int]) -> dict[int, float]:
        """The cosines of the `count` nearest rules and of those of `also`, by place; what is no number counts as -1."""
        import numpy as np

        if not len(self.owners):
            return {}
        found = self.rows @ np.frombuffer(query, dtype="<f4")
        best = np.maximum.reduceat(np.nan_to_num(found, nan=-1.0), self.first)
        near = np.argpartition(-best, count)[:count] if len(best) > count else np.arange(len(best))
        places = {int(self.owners[at]): float(best[at]) for at in near}
        at = np.searchsorted(self.owners, sorted(set(also) - places.keys()))
        for one in at[at < len(self.owners)].tolist():
            if int(self.owners[one]) in also:
                places[int(self.owners[one])] = float(best[one])
        return places


def matrix_of(con: apsw.Connection, place: Place, items: Mapping[int, int]) -> Matrix:
    """The vectors of these rules (row ids by place in the book). Raises apsw errors."""
    import numpy as np

    rows = con.execute(
        "SELECT item_id, blob FROM json_each(?) CROSS JOIN vector ON kind = ? AND item_id = value"
        " AND model = ? AND recipe = ? WHERE dim = ?",
        (json.dumps(list(items.values())), place.kind, place.model, place.recipe, place.dim),
    ).fetchall()
    blobs = dict(cast("list[tuple[int, bytes]]", rows))
    places = sorted(at for at, item in items.items() if blobs.get(item))
    counts = [len(blobs[items[at]]) // (4 * place.dim) for at in places]
    first = np.concatenate(([0], np.cumsum(counts)[:-1])).astype(np.int64) if counts else np.zeros(0, dtype=np.int64)
    joined = b"".join(blobs[items[at]] for at in places)
    found = np.frombuffer(joined, dtype="<f4").reshape(-1, place.dim)
    return Matrix(found, np.array(places, dtype=np.int64), first)


@dataclass(frozen=True, slots=True)
class Lack:
    """Rules that are compared by their words alone, though there is a model.

    `waiting` of the book's `rules` wait for their vector, `older` of them have one of a text before; `failed` could not
    be embedded. `elsewhere`: another program is embedding just now; `why`: what else kept them from being embedded.
    """

    rules: int = 0
    waiting: int = 0
    older: int = 0
    failed: int = 0
    elsewhere: bool = False
    why: str = ""

    @property
    def note(self) -> str:
        """All of it in words; empty where nothing lacks."""
        reasons = [self.why] if self.why else []
        if self.elsewhere:
            reasons.append("another process is embedding")
        if self.waiting:
            one = self.waiting == 1
            reasons.append(f"{self.waiting:,} of {self.rules:,} rules {'has' if one else 'have'} no up-to-date vector")
        if self.older:
            have = "has an outdated vector" if self.older == 1 else "have outdated vectors"
            reasons.append(f"{self.older:,} of them {have} (not compared)")
        if self.failed:
            reasons.append(f"{self.failed:,} rule{'s'[: self.failed != 1]} could not be embedded")
        return "; ".join(reasons)

    @property
    def facts(self) -> Facts:
        """The numbers that are not zero, for a step."""
        named = {"waiting": self.waiting, "older_vectors": self.older, "not_embedded": self.failed}
        found = {name: count for name, count in named.items() if count}
        return facts(found, **({ELSEWHERE: True} if self.elsewhere else {}))


NOTHING = Lack()


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """The rows of the rules that have a vector of their present text, by place in the book; what the others lack."""

    items: Mapping[int, int] = field(default_factory=dict[int, int])
    lack: Lack = NOTHING


def text_shas(book: Book, source: RuleSource) -> tuple[str, ...]:
    """Return the hash of each rule's embedded text, as the worker stores it with a vector."""
    return tuple(sha_of(storable(source.text(rule))) for rule in book.rules)


def read_vectors(con: apsw.Connection, place: Place, book: Book, shas: Sequence[str]) -> StoredVectors:
    """What is kept of these rules there; `shas` are theirs (`text_shas`). Raises apsw errors."""
    rows = ids_of(con, book.rules, book.hashes)
    there = present(con, place, rows.values())
    items = {at: item for at, item in rows.items() if there.get(item) == shas[at]}
    missing = len(book.rules) - len(items)
    if not missing:
        return StoredVectors(items, Lack(len(book.rules)))
    left = {item: at for at, item in rows.items() if at not in items}
    tried = read_failures(con, place.kind, place.model, place.recipe, left)
    failed = sum(sha == shas[left[item]] for item, sha in tried.items())
    older = sum(item in there for item in left)
    return StoredVectors(items, Lack(len(book.rules), missing - failed, older, failed))


@dataclass(frozen=True, slots=True)
class StoredVector:
    """A vector that is kept of a rule: its model (`id@version`), the recipe, the SHA-256 of the embedded text.

    `older`: that is not what the rule says now, so it is not compared.
    """

    model: str
    recipe: str
    text_sha: str
    older: bool = False


@dataclass(frozen=True, slots=True)
class CacheState:
    """The cache of one rule. `looked`: Unix time at which its file was last read for it, None: never.

    `current`: the row says what the file says; `waiting`: it is to be embedded; `failure`: why it could not be.
    """

    looked: float | None
    file_sha: str
    content_hash: str
    current: bool
    waiting: bool
    vectors: tuple[StoredVector, ...]
    failure: str = ""


def cache_state(store: Store, rule: Rule) -> CacheState:
    """What is kept of this rule. Raises Fault."""
    path, tables = storable(rule.path), load_tables()
    hashes = {sha_of(storable(source_for(tables, english=english).text(rule))) for english in (True, False)}
    with faults(store.path):
        file = store.con.execute("SELECT looked, sha256 FROM rule_file WHERE path = ?", (path,)).fetchone()
        row = store.con.execute(
            "SELECT id, content_hash FROM rule WHERE path = ? AND rule_id = ?", (path, row_id(rule))
        ).fetchone()
        looked, file_sha = cast("tuple[float, str]", file) if file is not None else (None, "")
        if row is None:
            return CacheState(looked, file_sha, rule.content_hash, False, False, ())
        item, kept = cast("tuple[int, str]", row)
        vectors = store.con.execute(
            "SELECT model, recipe, text_sha FROM vector WHERE kind = 'rule' AND item_id = ? ORDER BY model, recipe",
            (item,),
        ).fetchall()
        waits = store.con.execute("SELECT 1 FROM backlog WHERE kind = 'rule' AND item_id = ?", (item,)).fetchone()
        failed = store.con.execute(
            "SELECT reason FROM embed_failure WHERE kind = 'rule' AND item_id = ?", (item,)
        ).fetchone()
    return CacheState(
        looked,
        file_sha,
        rule.content_hash,
        kept == rule.content_hash,
        waits is not None,
        tuple(StoredVector(*one, older=one[2] not in hashes) for one in cast("list[tuple[str, str, str]]", vectors)),
        "" if failed is None else str(failed[0]),
    )


NEAREST = 100
"""Rules that the semantic tier considers, besides those of the keywords."""
_LETTERS = 8
"""A query in which a model can read fewer letters than this is not asked."""


def readable(text: str, book: Book, *, english: bool) -> str | None:
    """The query as the model reads it; None where it would read next to nothing of it."""
    read = in_english(text, book.tables.glossary) if english else text
    letters = sum(char.isalpha() and (char.isascii() or not english) for char in read)
    return read if letters >= min(_LETTERS, sum(char.isalpha() for char in text)) and letters else None


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
        read = readable(text, self.book, english=self.english)
        if read is None:
            return missing("skipped", "the model does not support the language of this call", watch)
        bars, vector = bars_of(self.vectors), self.vectors.embed(read)
        if isinstance(bars, NoVectors) or isinstance(vector, NoVectors):
            why = bars if isinstance(bars, NoVectors) else cast("NoVectors", vector)
            return missing(why.outcome, why.reason, watch)
        scores = self._indexed(vector, also) if self.matrix is None else self.matrix.nearest(vector, NEAREST, also)
        looked = read_at(self.con, self.book.paths)
        return _as_read(similarities(scores, bars, self.book, self.place, self.lack.note, watch, looked), text, read)

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
        read = None if book is None else readable(text, book, english=self.english)
        if book is None or read is None:
            return missing("skipped", "the model does not support the language of this call", watch)
        if not any(one in self.known for one in self.texts):
            return missing("failed", self.note or "no rule could be embedded", watch)
        bars, vector = bars_of(self.vectors), self.vectors.embed(read)
        if isinstance(bars, NoVectors) or isinstance(vector, NoVectors):
            why = bars if isinstance(bars, NoVectors) else cast("NoVectors", vector)
            return missing(why.outcome, why.reason, watch)
        scores = {
            at: max(cosine(vector, one) for one in self.known[text_of])
            for at, text_of in enumerate(self.texts)
            if text_of in self.known
        }
        return _as_read(similarities(scores, bars, book, None, self.note, watch, None), text, read)


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
    con: apsw.Connection, book: Book, vectors: VectorSearch, place: Place, kept: StoredVectors, *, english: bool
) -> StoredSemantic:
    """The tier over these vectors as the casebook's index compares them."""
    return StoredSemantic(con, book, vectors, place, kept.items, frozenset(kept.items.values()), english, kept.lack)


def bars_of(vectors: VectorSearch) -> Thresholds | NoVectors:
    """Return the thresholds of the model; the reason if it is uncalibrated: cut-offs do not carry over."""
    model = vectors.model()
    if isinstance(model, NoVectors):
        return model
    if model.thresholds is None:
        return NoVectors(f"{model.id} is not calibrated: using keywords only", "casebook models calibrate")
    return model.thresholds


def missing(outcome: Outcome, reason: str, watch: Stopwatch) -> Similarities:
    """No semantic score, and why."""
    return Similarities({}, Step("semantic", outcome, reason, elapsed_ms=watch.ms()))


def similarities(
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
    reason = f"{book.rules[best].id} is closest" + (f"; {note}" if note else "")
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


def _as_read(found: Similarities, text: str, read: str) -> Similarities:
    """With the query as the model read it, where that is not the query itself."""
    if read == text:
        return found
    return Similarities(found.scores, replace(found.step, facts=(*found.step.facts, ("read", read))))


def read_tier(con: apsw.Connection, book: Book, vectors: VectorSearch) -> tuple[StoredSemantic | NoSemantic, bool]:
    """The tier over the vectors of a casebook, and whether rules of the book wait for theirs. Raises nothing."""
    model = vectors.model()
    if isinstance(model, NoVectors):
        return NoSemantic(model.outcome, model.reason), False
    english = model.languages == "en"
    source = source_for(book.tables, english=english)
    place = Place(source.kind, f"{model.id}@{model.version}", f"{source.recipe}+{model.recipe}", model.dim)
    try:
        kept = read_vectors(con, place, book, text_shas(book, source))
    except (Fault, apsw.Error) as error:
        return NoSemantic("failed", f"the casebook cannot be read: {error}"), False
    return stored_semantic(con, book, vectors, place, kept, english=english), kept.lack.waiting > 0
