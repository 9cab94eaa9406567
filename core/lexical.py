"""FTS5 queries in which every word of a person's text is only a word, and Hangul bigrams.

Unquoted, nearly every error message is a syntax error to FTS5; quoted token by token, none is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import add
from typing import Final

from core.base.lazy import lazy_pattern
from core.text.cleaning import normalized
from core.text.tokenizing import without_particle, words

HANGUL_RUN = lazy_pattern(r"[\uac00-\ud7a3]+")

WORD: Final = re.compile(r"[^\W_]+")
"""A word as the FTS5 tokenizer `unicode61` splits it."""
MOST_TERMS: Final = 32
MOST_READ: Final = 8192
"""Code points of a query that are read."""
_CACHED_SYLLABLES: Final = 12
"""Longest run of Hangul whose bigrams are cached: longer ones seldom repeat."""


def bigrams(text: str) -> str:
    """The overlapping two-syllable pieces of every run of Hangul in `text`, separated by blanks.

    A run of one syllable stands for itself. Text without Hangul gives the empty string.
    """
    if text.isascii():
        return ""
    runs = HANGUL_RUN.findall(normalized(text))
    return " ".join(map(_PAIRS.__getitem__, runs))


class _Pairs(dict[str, str]):
    """The bigrams of each run of Hangul. A `dict` answers in half the time of `lru_cache`."""

    def __missing__(self, run: str) -> str:
        found = " ".join(map(add, run, run[1:])) if len(run) > 1 else run
        if len(run) <= _CACHED_SYLLABLES:
            if len(self) >= _KEPT:
                self.clear()
            self[run] = found
        return found


_KEPT: Final = 1 << 16
_PAIRS: Final = _Pairs()


def pieces(text: str) -> frozenset[str]:
    """The words of `text`, and the bigrams of its Hangul."""
    return frozenset((*words(text), *bigrams(text).split()))


def syllable_pairs(word: str) -> tuple[str, ...]:
    """The distinct bigrams of two syllables in `word`, in order."""
    return tuple(dict.fromkeys(piece for piece in bigrams(word).split() if len(piece) > 1))


def terms(text: str) -> tuple[str, ...]:
    """The words of `text` as the index splits them (letters and digits), in order, at most 32, no repeats."""
    seen: dict[str, None] = {}
    for word in WORD.findall(text[:MOST_READ]):
        seen.setdefault(word.casefold(), None)
        if len(seen) == MOST_TERMS:
            break
    return tuple(seen)


def quoted(term: str) -> str:
    """`term` as an FTS5 string."""
    return '"' + term.replace('"', '""') + '"'


def _term(term: str, *, prefix: bool) -> str:
    """One word; one with Hangul also matches by its bigrams, whatever particle follows it."""
    plain = quoted(term) + (" *" if prefix else "")
    if not HANGUL_RUN.search(term):
        return plain
    pairs = syllable_pairs(without_particle(term))[:MOST_TERMS]
    if not pairs:
        return quoted(term) + " *"
    return f"({plain} OR (bigrams : ({' AND '.join(quoted(piece) for piece in pairs)})))"


def match_query(text: str, *, prefix_last: bool) -> str | None:
    """A MATCH string that needs every word of `text`; with `prefix_last` the last one may be half typed.

    None if there is no word in it.
    """
    found = terms(text)
    if not found:
        return None
    half = prefix_last and not text[-1:].isspace()
    last = len(found) - 1
    return " AND ".join(_term(term, prefix=half and at == last) for at, term in enumerate(found))


def any_of(found: Iterable[str]) -> str | None:
    """A MATCH string that needs one of the words `found`; None if there is none."""
    return " OR ".join(_term(term, prefix=False) for term in found) or None
