"""Vectors of rules: as stored, as one matrix in memory, and the state of their cache. numpy is loaded late."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import apsw

from core.base.trace import Facts, facts
from core.embedding.index.backlog import known_failures
from core.embedding.index.stored import Place, present, sha_of
from core.embedding.runtime.embedder import Vector
from core.rules.format.book import Book
from core.rules.format.rule import Rule
from core.rules.format.store import RuleSource, ids_of, row_id, source_for
from core.rules.matching.tables import load_tables
from core.store import Store, faults
from core.store.sql import storable

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]
    from collections.abc import Collection


ELSEWHERE = "embedded_elsewhere"
"""The fact that another program embeds just now: whoever asks again gets more."""


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
        told = [self.why] if self.why else []
        if self.elsewhere:
            told.append("another program is embedding just now")
        if self.waiting:
            one = self.waiting == 1
            told.append(
                f"{self.waiting:,} of {self.rules:,} rules wait{'s' * one} for {'its' if one else 'their'} vector"
            )
        if self.older:
            have = "has one" if self.older == 1 else "have one"
            told.append(f"{self.older:,} of them {have} of an older text, which is not compared")
        if self.failed:
            told.append(f"{self.failed:,} rule{'s'[: self.failed != 1]} could not be embedded")
        return "; ".join(told)

    @property
    def facts(self) -> Facts:
        """The numbers that are not zero, for a step."""
        named = {"waiting": self.waiting, "older_vectors": self.older, "not_embedded": self.failed}
        found = {name: count for name, count in named.items() if count}
        return facts(found, **({ELSEWHERE: True} if self.elsewhere else {}))


NOTHING = Lack()


@dataclass(frozen=True, slots=True)
class KeptVectors:
    """The rows of the rules that have a vector of their present text, by place in the book; what the others lack."""

    items: Mapping[int, int] = field(default_factory=dict[int, int])
    lack: Lack = NOTHING


def text_shas(book: Book, source: RuleSource) -> tuple[str, ...]:
    """The hash of what is embedded of each rule, as the worker writes it beside a vector."""
    return tuple(sha_of(storable(source.text(rule))) for rule in book.rules)


def kept_vectors(con: apsw.Connection, place: Place, book: Book, shas: Sequence[str]) -> KeptVectors:
    """What is kept of these rules there; `shas` are theirs (`text_shas`). Raises apsw errors."""
    rows = ids_of(con, book.rules, book.hashes)
    there = present(con, place, rows.values())
    items = {at: item for at, item in rows.items() if there.get(item) == shas[at]}
    missing = len(book.rules) - len(items)
    if not missing:
        return KeptVectors(items, Lack(len(book.rules)))
    left = {item: at for at, item in rows.items() if at not in items}
    tried = known_failures(con, place.kind, place.model, place.recipe, left)
    failed = sum(sha == shas[left[item]] for item, sha in tried.items())
    older = sum(item in there for item in left)
    return KeptVectors(items, Lack(len(book.rules), missing - failed, older, failed))


@dataclass(frozen=True, slots=True)
class KeptVector:
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
    vectors: tuple[KeptVector, ...]
    failure: str = ""


def cache_state(store: Store, rule: Rule) -> CacheState:
    """What is kept of this rule. Raises Fault."""
    path, tables = storable(rule.path), load_tables()
    said = {sha_of(storable(source_for(tables, english=english).text(rule))) for english in (True, False)}
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
        tuple(KeptVector(*one, older=one[2] not in said) for one in cast("list[tuple[str, str, str]]", vectors)),
        "" if failed is None else str(failed[0]),
    )
