"""Ordinals of a sentence: the `ninth failure` where its source has the `fifth`, and one whose number no source has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from core.align import Concern
from core.align.guard.lexicon.ordinals import COUNTS, ENGLISH
from core.align.guard.tokens import number_of
from core.base.lazy_pattern import lazy_pattern
from core.library.ask.checks.figures import strange_figures
from core.text.tokenizing import without_particle

_TENS: Final = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
                "ninety": 90, "스물": 20, "서른": 30, "마흔": 40, "쉰": 50}  # fmt: skip
_COUNT: Final = "|".join(sorted(COUNTS, key=len, reverse=True))
_ORDINAL = lazy_pattern(
    rf"(?i)\b(?:(?P<ten>{'|'.join(one for one in _TENS if one.isascii())})[- ])?(?P<word>{'|'.join(ENGLISH)})\b"
    r"|(?<![\w.,])(?P<digits>[0-9]{1,4})(?:(?:st|nd|rd|th)\b|\s?번째)"
    rf"|(?<![가-힣])(?P<tens>스물|서른|마흔|쉰)?(?P<count>{_COUNT})(?:\s?번째|째(?![가-힣]{{2}}))"
)
_NEXT = lazy_pattern(r"(?:[은는이가을를로의에]|으로)? ([A-Za-z]+|[가-힣]+)")
_WORD = lazy_pattern("[A-Za-z]+|[가-힣]+")
_LISTS = lazy_pattern(r"(?:는|로)?\s?[,:，、]")
_PART = lazy_pattern(r"(?i)\b(?:an?|one|two|three|four|[0-9]+) \Z")
_SMALL_WORDS: Final = "of in on at to for with by the a an is are was were and or that it this from then"
_SMALL: Final = frozenset(_SMALL_WORDS.split())
_COMMON: Final = frozenset(("first", "second", "third"))
"""They are adverbs, parts and units too: `first, open it`, `a third of them`, `one second`."""


class _Said(NamedTuple):
    """An ordinal as a number in digits, what it counts (nothing where that is not told), and its words."""

    number: str
    noun: str
    words: str
    common: bool
    aside: bool


def ordinals(said: str, place: str, sources: Sequence[str]) -> tuple[Concern, ...]:
    """The ordinals of a sentence that say otherwise: another one of the same thing than its `place` in a source has, or
    one whose number is nowhere in `sources`."""
    mine = list(_ordinals(said))
    if not mine:
        return ()
    known = [one for text in sources for one in _ordinals(text)]
    return tuple(dict.fromkeys(found for one in mine if (found := _against(one, mine, known, place, sources))))


def _against(
    one: _Said, mine: Sequence[_Said], known: Sequence[_Said], place: str, sources: Sequence[str]
) -> Concern | None:
    numbers = {other.number for other in known}
    if not (one.common or one.aside) and one.number not in numbers and strange_figures(one.number, sources):
        return Concern("number", one.words, "")
    if not one.noun or one.aside:
        return None
    there = list(_ordinals(place))
    said = {other.number for other in mine if other.noun == one.noun}
    others = [other for other in there if other.noun == one.noun and other.number not in said]
    if not others or any(other.noun == one.noun and other.number == one.number for other in known):
        return None
    first = one.number == "1" and _times(one.noun, place) > sum(other.noun == one.noun for other in there)
    if first or any(_counted(text, one) for text in sources):  # `on a failure …, on the second failure …`
        return None
    return Concern("number", f"{one.words} {one.noun}", f"{others[0].words} {others[0].noun}")


def _ordinals(text: str) -> Iterator[_Said]:
    for found in _ORDINAL.finditer(text):
        behind = _NEXT.match(text, found.end())
        noun = _bare(behind[1]) if behind else ""
        part = noun == "of" and _PART.search(text, max(0, found.start() - 8), found.start()) is not None
        aside = part or _LISTS.match(text, found.end()) is not None
        common = found["ten"] is None and (found["word"] or "").casefold() in _COMMON
        yield _Said(_number(found), "" if noun in _SMALL else noun, found[0], common, aside)


def _number(found: re.Match[str]) -> str:
    if found["digits"]:
        return str(int(found["digits"]))
    more = _TENS.get((found["ten"] or found["tens"] or "").casefold(), 0)
    return str(more + int(ENGLISH.get((found["word"] or "").casefold()) or COUNTS[found["count"]]))


def _bare(word: str) -> str:
    return without_particle(word.casefold()).removesuffix("s")


def _times(noun: str, text: str) -> int:
    return sum(_bare(word) == noun for word in _WORD.findall(text))


def _counted(text: str, one: _Said) -> bool:
    """Whether a text has the number behind that which is counted (`phase 1`, `phase one`)."""
    behind = re.findall(rf"(?i)(?<![^\W_]){re.escape(one.noun)}s? ([A-Za-z]+|[0-9]+)", text)
    return any(number_of(word.casefold()) == one.number for word in behind)
