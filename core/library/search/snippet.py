"""The part of a chunk that says most of what was asked, and where the words stand in it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from core.base.lazy_pattern import lazy_pattern
from core.library.search.lexical import Term
from core.library.search.subword import word_pieces
from core.text.unicode_form import normalized

CHARS: Final = 220
"""Code points of a snippet (`search.snippet_chars`)."""
_MOST_READ: Final = 200_000
_LEAD: Final = 40  # code points before the first lit word, so that it is read in its sentence
_WORD = lazy_pattern(r"[^\W_]+")
_HANGUL = lazy_pattern("[\uac00-\ud7a3]")

Span = tuple[int, int]
"""A half-open range of code points."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a text, word for word, with `…` where it was cut.

    `start`: where in the text it begins; `matched`: the lit words as ranges of `text`; `words`: the query's words that
    are anywhere in the whole text; `full`: nothing was cut.
    """

    text: str
    start: int
    matched: tuple[Span, ...]
    words: tuple[str, ...]
    full: bool


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    term: int


def snippet(text: str, terms: Sequence[Term], chars: int = CHARS) -> Snippet:
    """The `chars` code points of `text` with most different words of the query, the earliest of those equal."""
    found = _found(text[:_MOST_READ], terms)
    words = tuple(terms[at].word for at in sorted({one.term for one in found}))
    if len(text) <= chars:
        return Snippet(text, 0, _spans(found, 0, len(text), 0), words, full=True)
    start = _best_start(found, chars, len(text))
    start, end = _at_words(text, start, start + chars)
    lead, tail = "…" if start else "", "…" if end < len(text) else ""
    spans = _spans(found, start, end, len(lead) - start)
    return Snippet(f"{lead}{text[start:end]}{tail}", start, spans, words, full=False)


def lit(text: str, terms: Sequence[Term]) -> tuple[Span, ...]:
    """Where the query's words stand in a whole text, in order, none overlapping."""
    return _spans(_found(text, terms), 0, len(text), 0)


def _found(text: str, terms: Sequence[Term]) -> list[_Found]:
    forms: dict[str, int] = {}
    for at, term in enumerate(terms):
        for form in (*term.forms, *(term.pieces if term.word.isascii() else ())):
            forms.setdefault(form, at)
    hangul = [(at, term) for at, term in enumerate(terms) if _HANGUL.search(term.word)]
    half, begun = next(((at, _bare(term.word)) for at, term in enumerate(terms) if term.half), (0, ""))
    found: list[_Found] = []
    for match in _WORD.finditer(text):
        at = _term_of(match[0], forms)
        if at is not None:
            found.append(_Found(match.start(), match.end(), at))
        elif begun and (size := _begun(match[0], begun)):
            found.append(_Found(match.start(), match.start() + size, half))
    for at, term in hangul:
        found += _inside(text, term, at)
    return sorted(found, key=lambda one: (one.start, -one.end))


def _term_of(word: str, forms: dict[str, int]) -> int | None:
    folded = word.casefold()
    at = forms.get(folded)
    if at is not None or not forms:
        return at
    if word.isascii():
        return next((forms[piece] for piece in word_pieces(word) if piece in forms), None)
    return None if _HANGUL.search(word) else forms.get(_bare(folded))


def _begun(word: str, half: str) -> int:
    """How much of a word to light where `half` of it was typed: all, of a Korean one that half; 0: it is another.

    The parts of a name count as words.
    """
    if _HANGUL.search(word):
        return len(half) if word.startswith(half) else 0
    parts = word_pieces(word) if word.isascii() else ()
    return len(word) if any(one.startswith(half) for one in (_bare(word.casefold()), *parts)) else 0


def _bare(folded: str) -> str:
    """A word as the index of words has it: without accents, but for Korean, which is made of such parts."""
    if folded.isascii() or _HANGUL.search(folded):
        return folded
    return "".join(sign for sign in normalized(folded, "NFD") if not unicodedata.combining(sign))


def _inside(text: str, term: Term, at: int) -> list[_Found]:
    """A Korean word wherever it stands, in longer words too; else its pairs of syllables."""
    for wanted in ((term.forms[0],), term.pieces):
        found: list[_Found] = []
        for piece in wanted:
            if len(piece) < 2:
                continue
            place = text.find(piece)
            while place >= 0:
                found.append(_Found(place, place + len(piece), at))
                place = text.find(piece, place + 1)
        if found:
            return found
    return []


def _best_start(found: Sequence[_Found], chars: int, length: int) -> int:
    """Where the window begins that holds most different words, then most words."""
    best, top = 0, (0, 0)
    last = 0
    for first in range(len(found)):
        last = max(last, first)
        while last < len(found) and found[last].end <= found[first].start + chars - _LEAD:
            last += 1
        held = found[first:last]
        score = (len({one.term for one in held}), len(held))
        if score > top:
            best, top = max(0, found[first].start - _LEAD), score
    return max(0, min(best, length - chars))


def _at_words(text: str, start: int, end: int) -> Span:
    """The range, shrunk so that no word is cut, if words are short enough for that."""
    start, end = max(0, start), min(end, len(text))
    room = _LEAD // 2
    if start and text[start - 1].isalnum():
        start = next((at for at in range(start, min(start + room, end)) if not text[at].isalnum()), start)
    while start < end and text[start].isspace():
        start += 1
    if end < len(text) and text[end].isalnum():
        end = next((at for at in range(end, max(end - room, start), -1) if not text[at - 1].isalnum()), end)
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _spans(found: Sequence[_Found], start: int, end: int, shift: int) -> tuple[Span, ...]:
    out: list[Span] = []
    for one in found:
        if one.start < start or one.end > end:
            continue
        if out and one.start + shift < out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], one.end + shift))
        else:
            out.append((one.start + shift, one.end + shift))
    return tuple(out)
