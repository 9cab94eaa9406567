"""Whether a source denies just what a sentence says: `not encrypted` where that speaks of what is encrypted."""

from __future__ import annotations

from typing import Final

from core.align.guard.kinds import negations
from core.lazy_pattern import lazy_pattern

_WORD = lazy_pattern(r"[A-Za-z]+|[가-힣]+|[0-9]+")
_SMALL: Final = (
    "a an the is are was were be been to of in on at for with by it its that this and or but as does do did has have "
    "had will can may must should any more than so if when who which there they them he she"
)
_LIGHT: Final = frozenset(_SMALL.split())
_NEAR: Final = 60  # code points


def denied(said: str, source: str) -> bool:
    """Whether `source` has a negation that bears on a word of `said`, which has none itself.

    An English one bears on the next word of weight, a Korean one on the word before it.
    """
    if negations(said):
        return False
    words = {_beginning(one[0]) for one in _WORD.finditer(said)}
    low = source.lower()
    at = 0
    for sign in negations(source):
        start = low.find(sign, at)
        if start < 0:  # a letter that has no small form of one code point
            return False
        at = start + len(sign)
        if (word := _borne(source, start, at)) and _beginning(word) in words:
            return True
    return False


def _borne(source: str, start: int, end: int) -> str:
    if "가" <= source[start] <= "힣":
        before = _WORD.findall(source[max(0, start - _NEAR) : start])
        return before[-1] if before else ""
    behind = _WORD.findall(source[end : end + _NEAR])
    return next((one for one in behind if one.casefold() not in _LIGHT), "")


def _beginning(word: str) -> str:
    """What stays of a word whatever its ending."""
    return word[:2] if "가" <= word[0] <= "힣" else word[:4].casefold()
