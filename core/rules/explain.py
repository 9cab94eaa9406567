"""A match told in full: the texts of call and rule with all that speaks for the rule at its place, for whoever shows
them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from core.rules.answer import MatchedRule
from core.rules.book import Book
from core.rules.call import CallText, ToolCall, call_text
from core.rules.call_places import Place, language_places, pattern_places
from core.rules.keyword import Asked, KeywordHit, KeywordScore, query_terms, with_code
from core.rules.rule import Rule
from core.rules.shared_words import SharedWord, shared_words
from core.rules.snippets import likest, standing
from core.rules.terms import Glossary, places

MOST_SPANS = 400
"""Places of one text that are lit."""
_FIELDS: Final = ("title", "problem", "root_cause", "solution", "prevention", "category", "project", "notes")
_SAME = 0.001


@dataclass(frozen=True, slots=True)
class LitText:
    """A text (NFC) with its name, and the half-open ranges of code points that the other side shares, in order;
    `patterns`: those that a pattern matched."""

    name: str
    text: str
    spans: tuple[tuple[int, int], ...] = ()
    patterns: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Explained:
    """Call and rule side by side: each field with what both share lit, and `named`: the tool's name is a part of that;
    `shared`: each of it as it is written, with what it adds, and `bm25` the sum."""

    rule: Rule
    call: tuple[LitText, ...]
    texts: tuple[LitText, ...]
    read: CallText
    shared: tuple[SharedWord, ...] = ()
    bm25: float = 0.0
    named: bool = False


def explain(book: Book, call: ToolCall, matched: MatchedRule) -> Explained | None:
    """The texts behind a matched rule; None where the book has it no longer."""
    at = place_of(book, matched)
    if at is None:
        return None
    rule, read = book.rules[at], _normal(call_text(call))
    asked = query_terms(read, book.tables)
    score = _score(book, read, asked, at, matched)
    fields = [(name, str(getattr(rule, name))) for name in _FIELDS] + list(rule.extra.items())
    parts = [(part.name or "input", part.text) for part in read.parts]
    theirs = tuple((name, unicodedata.normalize("NFC", text)) for name, text in fields if text.strip())
    glossary = book.tables.glossary
    beside = _beside(read, asked, score.hits)
    code = next((hit.term for hit in score.hits if hit.source == "code"), None)
    terms = frozenset(hit.term for hit in score.hits)
    ours = [lit(name, text, terms, glossary) for name, text in parts]
    rules = [lit(name, text, terms, glossary) for name, text in theirs]
    for (source, _), found in beside.items():
        ours = _also(ours, found) if source == "language" else _matched(ours, found)
    if code is not None:
        ours = _also(ours, [(n, *place) for n, one in enumerate(ours) for place in standing(code, one.text, read.code)])
        rules = _also(rules, [(n, *place) for n, one in enumerate(rules) for place in _quoted(code, one.text, read)])
    named = any(hit.source == "tool" for hit in score.hits)
    shared = shared_words(score.hits, parts, theirs, glossary, _said(beside, parts, call.tool_name))
    return Explained(rule, tuple(ours), tuple(rules), read, shared, score.bm25, named)


def _normal(read: CallText) -> CallText:
    """The same with its parts in NFC, as they are shown."""
    return replace(read, parts=tuple(replace(one, text=unicodedata.normalize("NFC", one.text)) for one in read.parts))


def _score(book: Book, read: CallText, asked: Asked, at: int, matched: MatchedRule) -> KeywordScore:
    """Every hit of the rule; those that the match names, where the book or the ranking counted otherwise."""
    every = with_code(book.index.one(asked.terms, at), likest(book.shown[at], read.code))
    if abs(every.score - matched.keyword_score) < _SAME or matched.id in asked.named:
        return every
    return KeywordScore(sum(hit.score for hit in matched.hits), matched.keyword_score, matched.hits)


def _beside(read: CallText, asked: Asked, hits: Sequence[KeywordHit]) -> dict[tuple[str, str], tuple[Place, ...]]:
    """The places in the call of hits that are no words of it, by the hit's source and term."""
    found: dict[tuple[str, str], tuple[Place, ...]] = {}
    for hit in hits:
        if hit.source.startswith("pattern "):
            found[hit.source, hit.term] = pattern_places(read, asked, hit.source.removeprefix("pattern "))
        elif hit.source == "language":
            found[hit.source, hit.term] = language_places(read, hit.term)
    return found


def _said(
    beside: Mapping[tuple[str, str], Sequence[Place]], parts: Sequence[tuple[str, str]], tool: str
) -> dict[tuple[str, str], str]:
    """What stands at the first of those places; the tool's name for what it says."""
    found = {key: parts[at[0][0]][1][at[0][1] : at[0][2]] for key, at in beside.items() if at}
    return {**found, ("tool", ""): tool}


def _quoted(code: str, text: str, read: CallText) -> list[tuple[int, int]]:
    """The words of a piece of code where a rule quotes it, as far as the call has them."""
    found: list[tuple[int, int]] = []
    at = text.find(code)
    while at >= 0 and len(found) < MOST_SPANS:
        found += [(at + start, at + end) for start, end in standing(code, code, read.code)]
        at = text.find(code, at + len(code))
    return found


def _also(texts: Sequence[LitText], found: Sequence[Place]) -> list[LitText]:
    """The texts with these places lit too."""
    more = _by_text(found)
    return [replace(one, spans=_joined((*one.spans, *more.get(number, ())))) for number, one in enumerate(texts)]


def _matched(texts: Sequence[LitText], found: Sequence[Place]) -> list[LitText]:
    """The texts with what a pattern matched."""
    more = _by_text(found)
    return [replace(one, patterns=_joined((*one.patterns, *more.get(number, ())))) for number, one in enumerate(texts)]


def _by_text(found: Sequence[Place]) -> dict[int, list[tuple[int, int]]]:
    more: dict[int, list[tuple[int, int]]] = {}
    for number, start, end in found:
        more.setdefault(number, []).append((start, end))
    return more


def call_texts(call: ToolCall) -> tuple[LitText, ...]:
    """The fields of a call that is held against no rule."""
    parts = call_text(call).parts
    return tuple(LitText(part.name or "input", unicodedata.normalize("NFC", part.text)) for part in parts)


def place_of(book: Book, matched: MatchedRule) -> int | None:
    """Where a matched rule stands in the book, by file, id and line."""
    wanted = (matched.path, matched.id, matched.line)
    return next((at for at, rule in enumerate(book.rules) if (rule.path, rule.id, rule.line) == wanted), None)


def lit(name: str, text: str, terms: Set[str], glossary: Glossary) -> LitText:
    """The text with the places of these terms; places that overlap are one."""
    flat = unicodedata.normalize("NFC", text)
    return LitText(name, flat, _joined((start, end) for _, start, end in places(flat, glossary, terms)))


def _joined(found: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Places in order, those that overlap as one; at most `MOST_SPANS`."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        elif start < end:
            out.append((start, end))
    return tuple(out[:MOST_SPANS])
