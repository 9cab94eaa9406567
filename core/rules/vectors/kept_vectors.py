"""Which rules have a vector of what they say now: an older one would rank a rule by words that it no longer has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import apsw

from core.base.trace import Facts, facts
from core.embedding.index.backlog import known_failures
from core.embedding.index.stored import Place, present, sha_of
from core.rules.format.book import Book
from core.rules.format.embed_source import RuleSource
from core.rules.format.store import ids_of
from core.store.sql import storable

ELSEWHERE = "embedded_elsewhere"
"""The fact that another program embeds just now: whoever asks again gets more."""


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
