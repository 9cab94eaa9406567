"""What call and rule share, word by word as both have it: the hits of the keyword tier as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.rules.matching.keyword import KeywordHit
from core.rules.matching.terms import Glossary, places

Texts = Sequence[tuple[str, str]]
"""Texts with their names."""
_LONG = 80
"""Code points of what is told of a pattern's match."""


@dataclass(frozen=True, slots=True)
class SharedWord:
    """Words as the rule has them, and as the call does where that is another one (`재고` for `stock`, `.sv` for
    `verilog`, what a pattern matched), else the same; where in the call it is from, as a hit has it; what they add.
    Several words only where one thing in the call stands for all of them."""

    words: tuple[str, ...]
    in_call: str
    source: str
    score: float


def shared_words(
    hits: Sequence[KeywordHit], ours: Texts, theirs: Texts, glossary: Glossary, beside: Mapping[tuple[str, str], str]
) -> tuple[SharedWord, ...]:
    """The hits as words, those that add most first; pieces of one word are one. `beside`: what stands in the call for
    hits that are no words of it, by source and term (`tool` by itself)."""
    terms = frozenset(hit.term for hit in hits)
    called, ruled = _first(ours, glossary, terms), _first(theirs, glossary, terms)
    found: dict[tuple[str, str, str], SharedWord] = {}
    for hit in hits:
        word = _whole(ruled.get(hit.term, {}), hit.term, terms, ours)
        in_call = beside.get((hit.source, hit.term)) or (beside.get(("tool", "")) if hit.source == "tool" else None)
        if in_call is None:
            in_call = _whole(_of(called.get(hit.term, {}), hit.source), hit.term, terms, theirs)
        one = SharedWord((word,), in_call.strip()[:_LONG], hit.source, hit.score)
        key = ("" if _is_beside(hit) else word.casefold(), one.in_call.casefold(), hit.source)
        found[key] = one if key not in found else _both(found[key], one)
    return tuple(sorted(found.values(), key=lambda one: -one.score))


def _is_beside(hit: KeywordHit) -> bool:
    return hit.source in ("tool", "language") or hit.source.startswith("pattern ")


def _both(one: SharedWord, other: SharedWord) -> SharedWord:
    known = {word.casefold() for word in one.words}
    more = tuple(word for word in other.words if word.casefold() not in known)
    return replace(one, words=(*one.words, *more), score=one.score + other.score)


_Where = Mapping[str, tuple[str, int, int]]
"""By the name of a text: the text, and where in it a term stands first."""


def _first(texts: Texts, glossary: Glossary, terms: frozenset[str]) -> dict[str, dict[str, tuple[str, int, int]]]:
    found: dict[str, dict[str, tuple[str, int, int]]] = {}
    for name, text in texts:
        for term, start, end in places(text, glossary, terms):
            found.setdefault(term, {}).setdefault(name, (text, start, end))
    return found


def _of(where: _Where, source: str) -> _Where:
    """The place in the text that a hit is from, where it is known by name."""
    return {source: where[source]} if source in where else where


def _whole(where: _Where, term: str, terms: frozenset[str], others: Texts) -> str:
    """The word at the first of these places; a piece of a CJK run with the pieces around it that are shared too, as
    far as the other side has them in one."""
    if not where:
        return term
    text, start, end = next(iter(where.values()))
    if term.isascii() or len(term) != 2:
        return text[start:end]
    while start and text[start - 1 : start + 1] in terms and _has(others, text[start - 1 : end]):
        start -= 1
    while end < len(text) and text[end - 1 : end + 1] in terms and _has(others, text[start : end + 1]):
        end += 1
    return text[start:end]


def _has(texts: Texts, said: str) -> bool:
    return any(said in text for _, text in texts)
