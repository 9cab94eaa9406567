"""The words of a quote set against those that the source has in their place, and whether two say the same."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from core.align.guard.lexicon.ordinals import same_ordinal
from core.align.guard.lexicon.particles import say_the_same, tails_of
from core.align.guard.lexicon.spelling import lost_accents, same_spelling
from core.align.guard.lexicon.typos import Known, is_doubled, is_lost_letter, is_plural, is_slip, is_typo
from core.align.guard.lexicon.word_classes import HARMLESS, KIND_OF, ROLE_OF, opposed
from core.align.guard.tokens import Token, as_number, number_of, numeral_of

_CLOSE = 40
"""Words of a run up to which each is set against each; a longer run is another text, and goes in its order."""


def pairs(
    quote: Sequence[Token], source: Sequence[Token]
) -> tuple[list[tuple[Token, Token]], list[Token], list[Token]]:
    """The tokens that stand for each other, those that only the quote has, and those that only the source has."""
    if len(quote) == len(source):
        return list(zip(quote, source, strict=True)), [], []
    short, long = (quote, source) if len(quote) < len(source) else (source, quote)
    places = _places(short, long)
    chosen = set(places)
    rest = [token for place, token in enumerate(long) if place not in chosen]
    both = [(one, long[place]) for one, place in zip(short, places, strict=True)]
    if short is quote:
        return both, [], rest
    return [(mine, yours) for yours, mine in both], rest, []


def _places(short: Sequence[Token], long: Sequence[Token]) -> list[int]:
    """For each token of the shorter side its place in the longer one, in order."""
    if len(long) > _CLOSE:
        return list(range(len(short)))
    at, places = 0, list[int]()
    for index, token in enumerate(short):
        last = len(long) - (len(short) - index)
        best = max(range(at, last + 1), key=lambda place, own=token: _likeness(own, long[place]))
        places.append(best)
        at = best + 1
    return places


def _likeness(one: Token, other: Token) -> float:
    same = as_number(one) == as_number(other)
    return 2 * same + (one.kind == other.kind) + Levenshtein.normalized_similarity(one.canon[:64], other.canon[:64])


def unlike(paired: Sequence[tuple[Token, Token]], known: Known) -> list[tuple[Token, Token]]:
    """The pairs that do not say the same; two neighbours that share a wrongly placed blank do (`too_lname`)."""
    found: list[tuple[Token, Token]] = []
    at = 0
    while at < len(paired):
        mine, yours = paired[at]
        if not alike(mine, yours, known):
            if at + 1 < len(paired) and _cut_elsewhere(paired[at], paired[at + 1]):
                at += 2
                continue
            found.append((mine, yours))
        at += 1
    return found


def _cut_elsewhere(first: tuple[Token, Token], second: tuple[Token, Token]) -> bool:
    tokens = (*first, *second)
    if any(token.kind != "word" or token.canon in KIND_OF for token in tokens):
        return False
    return first[0].canon + second[0].canon == first[1].canon + second[1].canon


def alike(mine: Token, yours: Token, known: Known) -> bool:
    """Whether two tokens that differ say the same."""
    if "number" in (mine.kind, yours.kind):
        return as_number(mine) == as_number(yours)
    if mine.kind != "word" or yours.kind != "word":
        return mine.canon == yours.canon
    one, other = mine.canon, yours.canon
    if one == other or (is_plural(one, other) and not yours.coded):
        return True
    if lost_accents(one, other) or same_spelling(one, other) or same_ordinal(one, other):
        return True
    if one in HARMLESS and other in HARMLESS:
        return ROLE_OF.get(one) == ROLE_OF.get(other)
    if other in HARMLESS:
        return is_slip(one, known, other)
    if numeral_of(one) != numeral_of(other) and not is_doubled(one, other):
        return False
    if (tails := tails_of(one, other)) is not None:
        return say_the_same(tails)
    if is_doubled(one, other) and not known(one):
        return True
    if one in KIND_OF or opposed(one, other) or number_of(one) not in (one, number_of(other)):
        return False
    if other in KIND_OF and len(other) < 5 and is_slip(one, known, other):
        return True
    if mine.measured and yours.measured and not is_lost_letter(one, other):
        return False  # `megabits` and `megabytes`, 메가 and 기가: units are a letter or two apart
    return is_typo(mine, yours, known)
