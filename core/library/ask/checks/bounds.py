"""Bounds of numbers: `at least 20` where a source says `at most 20` is another thing, and has the same number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from core.align import Concern
from core.align.guard.tokens import canonical_number, number_of
from core.base.lazy_pattern import lazy_pattern

_NUMBER = lazy_pattern(r"[0-9][0-9,]*(?:\.[0-9]+)?|[A-Za-z]+|[가-힣]+")
_MORE = "(?:more|longer|later|greater|larger|higher) than"
_LESS = "(?:less|fewer|earlier|shorter|sooner|smaller|lower) than"
_NOT = r"(?:\b(?:no|not|never|cannot)|n't)(?: \w+){0,2}?"
_FILL = r"(?: (?:about|only|a|an|the|total of|some))*\s*\Z"
_UP_BEFORE = lazy_pattern(
    rf"(?i)(?:{_NOT} (?:{_MORE}|exceed|over|above)|\b(?:at (?:the )?most|up to|maximum(?: of)?|as many as|within))"
    rf"{_FILL}"
    r"|최대\s*\Z"
)
_LOW_BEFORE = lazy_pattern(
    rf"(?i)(?:{_NOT} (?:{_LESS}|under|below)|\b(?:at (?:the )?least|minimum(?: of)?)){_FILL}|(?:최소|적어도)\s*\Z"
)
_OVER = lazy_pattern(rf"(?i)\b(?:{_MORE}|over|above|exceed(?:s|ing)?){_FILL}")
_UNDER = lazy_pattern(rf"(?i)\b(?:{_LESS}|under|below){_FILL}")
_UP_BEHIND = lazy_pattern(r"\s?[A-Za-z가-힣%]{0,6}?\s?(?:이하|까지|미만|이내)")
_LOW_BEHIND = lazy_pattern(r"\s?[A-Za-z가-힣%]{0,6}?\s?(?:이상|초과)")
_UNITS: Final = frozenset("일이삼사오육칠팔구천만")
"""Numerals of one syllable that are rather a day, a particle or a part of a word."""
_AROUND: Final = 40  # code points before a number
_READ: Final = 20_000
_OTHER: Final = {"up": "low", "low": "up"}

Bound = Literal["", "up", "low"]


class Bounded(NamedTuple):
    """A number in digits, which way it is bounded, and the words that say so."""

    number: str
    bound: Bound
    words: str


def bounds(said: str, sources: Sequence[str]) -> tuple[Concern, ...]:
    """The numbers of a sentence that it bounds the other way than the sources do; none of them as it does."""
    mine = [one for one in _bounded(said) if one.bound]
    theirs = [one for text in sources for one in _bounded(text[:_READ])] if mine else []
    out: list[Concern] = []
    for one in mine:
        same = [other for other in theirs if other.number == one.number]
        against = [other for other in same if other.bound == _OTHER[one.bound]]
        if against and not any(other.bound == one.bound for other in same):
            out.append(Concern("quantity", one.words, against[0].words))
    return tuple(dict.fromkeys(out))


def _bounded(text: str) -> Iterator[Bounded]:
    for found in _NUMBER.finditer(text):
        low = found[0].casefold()
        number = canonical_number(low) if low[0].isdigit() else number_of(low)
        if (number == low and not low[0].isdigit()) or low in _UNITS:
            continue
        before, behind = text[max(0, found.start() - _AROUND) : found.start()], text[found.end() : found.end() + 16]
        bound, first, last = _bound(before, behind)
        yield Bounded(number, bound, " ".join(f"{first}{found[0]}{last}".split()))


def _bound(before: str, behind: str) -> tuple[Bound, str, str]:
    """Which way the words beside a number bound it, and the words on both sides that do."""
    if found := _UP_BEFORE.search(before) or _LOW_BEFORE.search(before):
        return "up" if _UP_BEFORE.search(before) else "low", found[0], ""
    if found := _OVER.search(before) or _UNDER.search(before):
        return "low" if _OVER.search(before) else "up", found[0], ""
    if found := _UP_BEHIND.match(behind) or _LOW_BEHIND.match(behind):
        return "up" if _UP_BEHIND.match(behind) else "low", "", found[0]
    return "", "", ""
