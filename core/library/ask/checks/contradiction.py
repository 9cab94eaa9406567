"""What speaks against a sentence that is only worded like its source: another number or name, an opposite, a denial."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from core.align import Concern
from core.align.guard import compare
from core.base.lazy_pattern import lazy_pattern
from core.library.ask.checks.figures import has_number, other_name
from core.library.ask.checks.negation_scope import denied

_ALIKE: Final = 0.7
"""Of a sentence and the likest place, from which on what stands for another word is about the same thing."""
_DENIES: Final = 0.8  # and a denial
_DENIED: Final = 0.5  # and a denial of a word that the sentence has
_AROUND: Final = 80  # code points in which the words beside a place are looked for
_FURTHER: Final = 400  # code points in which its sentence is
_FULL_STOP = lazy_pattern(r"[.!?。](?=\s|\Z)|\n")
_BEFORE = lazy_pattern(r"(?<![^\s.!?。;])(?:[^\s.!?。;]++[ \t]*+\n?[ \t]*+)?[^\s.!?。;]*+\Z")
_BEHIND = lazy_pattern(r"[^\s.!?。;]*+(?:[ \t]*+\n?[ \t]*+[^\s.!?。;]++)?")


def near_concerns(
    said: str, passage: str, place: tuple[int, int], sources: Sequence[str], similarity: float
) -> tuple[Concern, ...]:
    """The concerns of a sentence and the likest place of a passage. `sources`: all that it may take its numbers from.

    What it merely leaves out, or takes from elsewhere in them, is no matter.
    """
    around = _with_neighbours(passage, *place)
    denies = similarity >= (_DENIED if denied(said, around) else _DENIES)
    alike = similarity >= _ALIKE

    def counts(one: Concern) -> bool:
        if one.kind == "negation":
            return denies
        if one.kind == "polarity":
            return alike
        if not one.quote:
            return False
        if one.kind == "number":  # in the place of another one it must stand there
            return not has_number(one.quote, (around,) if alike and one.source else sources)
        if one.kind == "unit":
            return not any(stands(one.quote, text) for text in sources)
        named = alike and other_name(one.quote, said, one.source, around)
        return named and not any(stands(one.quote, text) for text in sources)

    return tuple(filter(counts, compare(said, around, lambda _: False).concerns))


def sentence_at(text: str, start: int, end: int) -> str:
    """The sentence or sentences that a place lies in."""
    begin = max((one.end() for one in _FULL_STOP.finditer(text, max(0, start - _FURTHER), start + 1)), default=0)
    stop = _FULL_STOP.search(text, end, end + _FURTHER)
    return text[min(begin or max(0, start - _FURTHER), start) : stop.start() if stop else end + _FURTHER]


def stands(words: str, source: str) -> bool:
    """Whether words stand in a text, not as a part of others."""
    return re.search(rf"(?<![^\W_]){re.escape(words)}(?![^\W_])", source, re.IGNORECASE) is not None


def _with_neighbours(text: str, start: int, end: int) -> str:
    """A place with the rest of its first and last word and the word beside each, of the same sentence: a likest place
    often begins behind `never`, or ends before `않는다`."""
    before = _BEFORE.search(text[max(0, start - _AROUND) : start])
    behind = _BEHIND.match(text[end : end + _AROUND])
    return (before[0] if before else "") + text[start:end] + (behind[0] if behind else "")
