"""A match told in full: the texts of call and rule with every shared word at its place, for whoever shows them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Final

from core.rules.answer import MatchedRule
from core.rules.book import Book
from core.rules.call import CallText, ToolCall, call_text
from core.rules.rule import Rule
from core.rules.terms import Glossary, spans

MOST_SPANS = 400
"""Places of one text that are lit."""
_FIELDS: Final = ("title", "problem", "root_cause", "solution", "prevention", "category", "project", "notes")


@dataclass(frozen=True, slots=True)
class LitText:
    """A text (NFC) with its name, and the half-open ranges of code points that the other side shares, in order."""

    name: str
    text: str
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Explained:
    """Call and rule side by side: each field with what both share lit; `words`: those terms as they are written."""

    rule: Rule
    call: tuple[LitText, ...]
    texts: tuple[LitText, ...]
    read: CallText
    words: Mapping[str, str] = field(default_factory=dict[str, str])


def explain(book: Book, call: ToolCall, matched: MatchedRule) -> Explained | None:
    """The texts behind a matched rule; None where the book has it no longer."""
    at = place_of(book, matched)
    if at is None:
        return None
    rule, read = book.rules[at], call_text(call)
    terms = frozenset(hit.term for hit in matched.hits)
    glossary = book.tables.glossary
    ours = tuple(lit(part.name or "input", part.text, terms, glossary) for part in read.parts)
    fields = [(name, str(getattr(rule, name))) for name in _FIELDS] + list(rule.extra.items())
    theirs = tuple(lit(name, text, terms, glossary) for name, text in fields if text.strip())
    return Explained(rule, ours, theirs, read, _written((*ours, *theirs), terms, glossary))


def _written(texts: tuple[LitText, ...], terms: Set[str], glossary: Glossary) -> dict[str, str]:
    """Each term as it stands in the first text that has it: terms are stems."""
    found: dict[str, str] = {}
    for one in texts:
        for term, start, end in spans(one.text, glossary):
            if term in terms:
                found.setdefault(term, _part(one.text[start:end], term))
    return found


def _part(word: str, term: str) -> str:
    """The part of an identifier that the term is the stem of; the whole word where it is no part of it."""
    low = word.casefold()
    at = low.find(term)
    if at < 0 or len(low) != len(word):
        return word
    end = at + len(term)
    while end < len(word) and low[end].isalpha():
        end += 1
    return word[at:end]


def call_texts(call: ToolCall) -> tuple[LitText, ...]:
    """The fields of a call that is held against no rule."""
    parts = call_text(call).parts
    return tuple(LitText(part.name or "input", unicodedata.normalize("NFC", part.text)) for part in parts)


def place_of(book: Book, matched: MatchedRule) -> int | None:
    """Where a matched rule stands in the book, by file, id and line."""
    wanted = (matched.path, matched.id, matched.line)
    return next((at for at, rule in enumerate(book.rules) if (rule.path, rule.id, rule.line) == wanted), None)


def lit(name: str, text: str, terms: Set[str], glossary: Glossary) -> LitText:
    """The text with the places of these terms; places that touch or overlap are one."""
    flat = unicodedata.normalize("NFC", text)
    found: list[tuple[int, int]] = []
    for term, start, end in spans(flat, glossary):
        if term not in terms:
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif len(found) < MOST_SPANS:
            found.append((start, end))
    return LitText(name, flat, tuple(found))
