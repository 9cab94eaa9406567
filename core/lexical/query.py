"""FTS5 MATCH strings in which every word of a person's text is only a word.

Unquoted, nearly every error message is a syntax error to FTS5; quoted token by token, none is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.lexical.hangul_bigrams import HANGUL_RUN, bigrams
from core.text.tokenizing import without_particle

_WORD = re.compile(r"[^\W_]+")
_MOST_TERMS = 32


def terms(text: str) -> tuple[str, ...]:
    """The words of `text` as the index splits them (letters and digits), in order, at most 32, no repeats."""
    seen: dict[str, None] = {}
    for word in _WORD.findall(text[:8192]):
        seen.setdefault(word.casefold(), None)
        if len(seen) == _MOST_TERMS:
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
    pieces = list(dict.fromkeys(piece for piece in bigrams(without_particle(term)).split() if len(piece) > 1))
    pieces = pieces[:_MOST_TERMS]
    if not pieces:
        return quoted(term) + " *"
    return f"({plain} OR (bigrams : ({' AND '.join(quoted(piece) for piece in pieces)})))"


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
