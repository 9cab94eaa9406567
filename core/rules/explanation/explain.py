"""A match told in full: the texts of call and rule with all that speaks for the rule at its place, for whoever shows
them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from core.rules.explanation.call_places import language_places, pattern_places
from core.rules.explanation.highlight import MOST_SPANS, LitText, Place, lit, lit_too, matched_too
from core.rules.explanation.shared_words import SharedWord, shared_words
from core.rules.format.book import Book
from core.rules.format.rule import Rule
from core.rules.format.snippets import likest, standing
from core.rules.matching.answer import MatchedRule
from core.rules.matching.call import CallText, ToolCall, call_text
from core.rules.matching.keyword import Asked, KeywordHit, KeywordScore, query_terms, with_code

_FIELDS: Final = ("title", "problem", "root_cause", "solution", "prevention", "category", "project", "notes")
_SAME = 0.001


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
    rule, read, glossary = book.rules[at], _normal(call_text(call)), book.tables.glossary
    asked = query_terms(read, book.tables)
    score = _score(book, read, asked, at, matched)
    parts = [(part.name or "input", part.text) for part in read.parts]
    fields = [(name, str(getattr(rule, name))) for name in _FIELDS] + list(rule.extra.items())
    said = [(name, unicodedata.normalize("NFC", text)) for name, text in fields if text.strip()]
    terms = frozenset(hit.term for hit in score.hits)
    code = next((hit.term for hit in score.hits if hit.source == "code"), "")
    beside = _beside(read, asked, score.hits)
    ours = _lit_call([lit(name, text, terms, glossary) for name, text in parts], read, code, beside)
    theirs = _lit_rule([lit(name, text, terms, glossary) for name, text in said], read, code)
    shared = shared_words(score.hits, parts, said, glossary, _told(beside, parts, call.tool_name))
    named = any(hit.source == "tool" for hit in score.hits)
    return Explained(rule, ours, theirs, read, shared, score.bm25, named)


_Beside = Mapping[tuple[str, str], Sequence[Place]]
"""The places in the call of hits that are no words of it, by the hit's source and term."""


def _lit_call(texts: Sequence[LitText], read: CallText, code: str, beside: _Beside) -> tuple[LitText, ...]:
    """The texts of a call with the words of the rule's code lit too, and all that is no word."""
    found = [(n, *span) for n, one in enumerate(texts) for span in standing(code, one.text, read.code)]
    signs = [place for (source, _), places in beside.items() if source == "language" for place in places]
    matched = [place for (source, _), places in beside.items() if source != "language" for place in places]
    return matched_too(lit_too(texts, (*found, *signs)), matched)


def _lit_rule(texts: Sequence[LitText], read: CallText, code: str) -> tuple[LitText, ...]:
    """The texts of a rule with the words of its code that the call has lit too."""
    return lit_too(texts, [(n, *span) for n, one in enumerate(texts) for span in _quoted(code, one.text, read)])


def _normal(read: CallText) -> CallText:
    """The same with its parts in NFC, as they are shown."""
    return replace(read, parts=tuple(replace(one, text=unicodedata.normalize("NFC", one.text)) for one in read.parts))


def _score(book: Book, read: CallText, asked: Asked, at: int, matched: MatchedRule) -> KeywordScore:
    """Every hit of the rule; those that the match names, where the book or the ranking counted otherwise."""
    every = with_code(book.index.one(asked.terms, at), likest(book.shown[at], read.code))
    if abs(every.score - matched.keyword_score) < _SAME or matched.id in asked.named:
        return every
    return KeywordScore(sum(hit.score for hit in matched.hits), matched.keyword_score, matched.hits)


def _beside(read: CallText, asked: Asked, hits: Sequence[KeywordHit]) -> _Beside:
    found: dict[tuple[str, str], tuple[Place, ...]] = {}
    for hit in hits:
        if hit.source.startswith("pattern "):
            found[hit.source, hit.term] = pattern_places(read, asked, hit.source.removeprefix("pattern "))
        elif hit.source == "language":
            found[hit.source, hit.term] = language_places(read, hit.term)
    return found


def _told(beside: _Beside, parts: Sequence[tuple[str, str]], tool: str) -> dict[tuple[str, str], str]:
    """What stands at the first of those places; the tool's name for what it says."""
    found = {key: parts[at[0][0]][1][at[0][1] : at[0][2]] for key, at in beside.items() if at}
    return {**found, ("tool", ""): tool}


def _quoted(code: str, text: str, read: CallText) -> list[tuple[int, int]]:
    """The words of a piece of code where a rule quotes it, as far as the call has them."""
    found: list[tuple[int, int]] = []
    at = text.find(code) if code else -1
    while at >= 0 and len(found) < MOST_SPANS:
        found += [(at + start, at + end) for start, end in standing(code, code, read.code)]
        at = text.find(code, at + len(code))
    return found


def call_texts(call: ToolCall) -> tuple[LitText, ...]:
    """The fields of a call that is held against no rule."""
    parts = call_text(call).parts
    return tuple(LitText(part.name or "input", unicodedata.normalize("NFC", part.text)) for part in parts)


def place_of(book: Book, matched: MatchedRule) -> int | None:
    """Where a matched rule stands in the book, by file, id and line."""
    wanted = (matched.path, matched.id, matched.line)
    return next((at for at, rule in enumerate(book.rules) if (rule.path, rule.id, rule.line) == wanted), None)
