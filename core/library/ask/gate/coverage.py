"""How much of a question a passage speaks of in one place: its words within a stretch, weighed by how rare they are.

Words that merely stand in the same long passage say nothing together, and a list of words says nothing at all: so only
a stretch of a few sentences counts, and a passage without punctuation does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from core.base.lazy_pattern import lazy_pattern
from core.library.ask.gate.question import Asked
from core.library.search.subword import stem, word_pieces

STRETCH: Final = 400
"""Code points within which words speak of the same thing."""
_GLOSSED: Final = 0.8  # what a word counts that is only a glossary's
_READ: Final = 20_000  # code points of a passage
_HITS: Final = 600  # words of a question in one passage: who says one a thousand times says no more
_LIST_WORDS: Final = 60
_LIST_STRETCH: Final = 30
_LIST_SIGNS: Final = 0.03  # punctuation a word; prose and programs have several times that
_TOKEN = lazy_pattern("[A-Za-z][A-Za-z0-9]*|[0-9]+|[가-힣]+|[^\\W\\d_A-Za-z가-힣]+")
_SIGN = lazy_pattern('[.,:;!?()"…=。、·]')


@dataclass(frozen=True, slots=True)
class Cover:
    """The share of the question's weight, 0 to 1, that the best stretch holds, and the words it has.

    `listed`: the text only lists words.
    """

    share: float
    words: tuple[str, ...]
    listed: bool = False


def is_list(text: str, least: int = _LIST_WORDS) -> bool:
    """Whether a text of at least so many words only lists them: nothing is said in it."""
    words = len(_TOKEN.findall(text[:_READ]))
    return words >= least and len(_SIGN.findall(text[:_READ])) < _LIST_SIGNS * words


Matches = Callable[[str], Sequence[tuple[int, float]]]
"""Which words of a question a token is, by number, and how far."""


def matcher(words: Sequence[Asked]) -> Matches:
    """Tells of each token which of these words it is; what it has told it knows: tokens come again and again."""
    known: dict[str, list[tuple[int, float]]] = {}

    def matches(token: str) -> list[tuple[int, float]]:
        found = known.get(token)
        if found is None:
            found = known[token] = _matching(words, token)
        return found

    return matches


def cover(words: Sequence[Asked], weights: Sequence[float], text: str, matches: Matches | None = None) -> Cover:
    """The best stretch of `text` for these words. `matches`: their matcher, where several texts are looked at."""
    total = sum(weights)
    if is_list(text):
        return Cover(0.0, (), listed=True)
    if not total:
        return Cover(0.0, ())
    found_in = matches or matcher(words)
    hits = [(found.start(), at, share) for found in _TOKEN.finditer(text[:_READ]) for at, share in found_in(found[0])][
        :_HITS
    ]
    best, held = 0.0, dict[int, float]()
    for first, (start, _, _) in enumerate(hits):
        here: dict[int, float] = {}
        for place, at, share in hits[first:]:
            if place - start > STRETCH:
                break
            here[at] = max(here.get(at, 0.0), share)
        sums = sum(weights[at] * share for at, share in here.items())
        if sums > best and not is_list(text[start : start + STRETCH], _LIST_STRETCH):
            best, held = sums, here
            if best >= total:
                break
    return Cover(best / total, tuple(words[at].word for at in sorted(held)))


def held(words: Sequence[Asked], text: str, matches: Matches) -> tuple[float, ...]:
    """Of each word how far it stands anywhere in a text, 0 to 1."""
    found = [0.0] * len(words)
    for token in {one[0] for one in _TOKEN.finditer(text[:_READ])}:
        for at, share in matches(token):
            found[at] = max(found[at], share)
    return tuple(found)


def _matching(words: Sequence[Asked], token: str) -> list[tuple[int, float]]:
    """Which words a token is, and how far: a Korean word counts by the syllables that it begins with alike."""
    if "가" <= token[0] <= "힣":
        found = ((at, _alike(one.stem, token)) for at, one in enumerate(words) if one.kind != "word")
        return [(at, share) for at, share in found if share]
    forms = _forms(token)
    out: list[tuple[int, float]] = []
    for at, one in enumerate(words):
        if one.kind == "word":
            if one.stem in forms or one.word in forms:
                out.append((at, 1.0))
        elif not forms.isdisjoint(one.also):
            out.append((at, _GLOSSED))
    return out


@lru_cache(maxsize=1 << 15)  # the words of a library come again in every passage
def _forms(token: str) -> frozenset[str]:
    low = token.casefold()
    return frozenset((low, stem(low), *(word_pieces(token) if token.isascii() else ())))


def _alike(wanted: str, token: str) -> float:
    if len(wanted) == 1:
        return float(token.startswith(wanted))
    if wanted in token:
        return 1.0
    for size in range(len(wanted) - 1, 1, -1):
        if token.startswith(wanted[:size]):
            return size / len(wanted)
    return 0.0
