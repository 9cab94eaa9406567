"""Small words that turn another one, though each of them may be lost elsewhere: `a few` and `few`, `for now`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from core.align.guard.tokens import Token
from core.align.result import Concern

_TURNED: Final = {
    "few": ("a", "quite a", "the"),
    "little": ("a", "quite a", "the"),
    "number": ("a", "the"),
    "majority": ("a", "the"),
    "most": ("the",),
    "bit": ("a", "quite a"),
    "lot": ("a", "quite a"),
    "now": ("for", "by"),
    "then": ("by",),
}
"""Words with what may go before them and makes another quantity or time of them."""
_AT_START: Final = re.compile(r"\W*((?:(?:quite\s+)?a|the)\s+)?(few|little|number|majority)\b", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"\b((?:quite\s+)?a|the|quite)\s+[\"'`*_(]*$", re.IGNORECASE)


def turned(ours: Sequence[Token], theirs: Sequence[Token], same: Mapping[int, int]) -> Iterator[Concern]:
    """The words that both sides have, where one side has another small word before it. `same`: which token of the
    quote is which of the source."""
    for at, there in same.items():
        word = ours[at].canon
        if word not in _TURNED or theirs[there].canon != word:
            continue
        mine, yours = _before(ours, at), _before(theirs, there)
        if mine != yours and not (word in ("number", "majority") and "" in (mine, yours)):
            yield Concern("quantity", f"{mine} {word}".strip(), f"{yours} {word}".strip())


def cut_article(text: str, start: int, end: int, quote: str) -> Iterator[Concern]:
    """The small word before a place that begins with one of those words, where the quote has another or none."""
    here, there = _AT_START.match(quote), _AT_START.match(text, start, end)
    if not here or not there:
        return
    ahead = _ARTICLE.search(text[max(0, start - 16) : start])
    mine = " ".join((here[1] or "").lower().split())
    yours = " ".join(f"{ahead[1] if ahead else ''} {there[1] or ''}".lower().split())
    word = here[2].lower()
    if mine != yours and (mine.removeprefix("the"), yours.removeprefix("the")) != ("", "") and there[2].lower() == word:
        yield Concern("quantity", f"{mine} {word}".strip(), f"{yours} {word}".strip())


def _before(tokens: Sequence[Token], at: int) -> str:
    """What goes before a token and turns it."""
    known = _TURNED[tokens[at].canon]
    for count in (2, 1):
        said = " ".join(token.canon for token in tokens[max(0, at - count) : at])
        if said in known:
            return said
    return ""
