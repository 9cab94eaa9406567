"""Sentences of an answer and the markers `[1]` that cite passages: found, checked against what was given, dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from core.lazy_pattern import lazy_pattern

_MARKER = lazy_pattern(r"(?<!`)[ \t]?\[[ ]?#?([0-9]{1,3}(?:[ ]?[,;][ ]?#?[0-9]{1,3}){0,8})[ ]?\](?!\()")
_NUMBER = lazy_pattern("[0-9]+")
_CODE = lazy_pattern(r"(?s:```.*?(?:```|\Z))|`[^`\n]*`")
_END = lazy_pattern(r"(?:[.!?。…]['\"”’)]*(?=(?:[ \t]*\[[0-9]+\])*(?:\s|$)))|\n")
_TRAILING = lazy_pattern(r"(?:[ \t]*\[[0-9]+\])+")
_ONE = lazy_pattern(r"\[([0-9]+)\]")
_SHORTENED = lazy_pattern(r"(?<![\w.])(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|approx|ca|cf|e\.g|i\.e|[A-Z])\Z")
_GOES_ON = lazy_pattern(r"[ \t]+[a-z]")
_APART = lazy_pattern(r" (?=[.!?。,](?:\s|\Z))")
_ITEM = lazy_pattern(r"\(?[0-9]{1,2}[.)] ")
_LEAST: Final = 2  # letters or digits of a sentence


@dataclass(frozen=True, slots=True)
class Marked:
    """An answer whose markers are all known: `[n]`, one number each; `used` in order, and the numbers dropped.

    `dropped`: each of those once for every place of the text that it was taken from.
    """

    text: str
    used: tuple[int, ...]
    unknown: tuple[int, ...]
    dropped: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` is the answer's `start` to `end` without its markers; `markers` are the passages it cites."""

    text: str
    start: int
    end: int
    markers: tuple[int, ...]


def checked_markers(answer: str, given: int) -> Marked:
    """Markers in one form, those beyond `given` passages dropped. What stands in code is no marker."""
    code = [(found.start(), found.end()) for found in _CODE.finditer(answer)]
    out: list[str] = []
    used: dict[int, None] = {}
    dropped: list[tuple[int, int]] = []
    at = size = 0
    for found in _MARKER.finditer(answer):
        if any(start <= found.start() < end for start, end in code):
            continue
        numbers = [int(one) for one in _NUMBER.findall(found[1])]
        known = [one for one in dict.fromkeys(numbers) if 1 <= one <= given]
        used.update(dict.fromkeys(known))
        space = found[0][0] if known and found[0][0] in " \t" else ""
        kept = answer[at : found.start()] + space + "".join(f"[{one}]" for one in known)
        size += len(kept)
        dropped += ((one, size) for one in dict.fromkeys(numbers) if one not in known)
        out.append(kept)
        at = found.end()
    out.append(answer[at:])
    return Marked("".join(out), tuple(used), tuple(dict.fromkeys(one for one, _ in dropped)), tuple(dropped))


def sentences(answer: str) -> tuple[Sentence, ...]:
    """The sentences of an answer whose markers are in one form; a marker behind the full stop belongs to it."""
    out: list[Sentence] = []
    at = 0
    while at < len(answer):
        found = next((one for one in _END.finditer(answer, at) if not _goes_on(answer, one.start(), one.end())), None)
        end = found.end() if found else len(answer)
        if found and found[0] != "\n" and (more := _TRAILING.match(answer, end)):
            end = more.end()
        if (one := _sentence(answer, at, end)) is not None:
            out.append(one)
        at = max(end, at + 1)
    return tuple(out)


def _goes_on(answer: str, stop: int, end: int) -> bool:
    """Whether a full stop ends no sentence: behind `Dr` or `a.m`, before a small letter; behind a marker it does."""
    if answer[stop] != "." or answer[max(0, stop - 1) : stop] == "]":
        return False
    if _SHORTENED.search(answer, max(0, stop - 10), stop):
        return True
    return _GOES_ON.match(answer, end) is not None


def _sentence(answer: str, start: int, end: int) -> Sentence | None:
    said = answer[start:end]
    start += len(said) - len(said.lstrip())
    said = said.strip()
    bare = " ".join(_ONE.sub("", said).split())
    bare = _APART.sub("", bare)  # a marker may stand before the full stop
    if sum(letter.isalnum() for letter in bare) < _LEAST:
        return None
    markers = tuple(dict.fromkeys(int(one) for one in _ONE.findall(said)))
    bare = bare.lstrip("-*•> ")
    if item := _ITEM.match(bare):  # the number of an item says nothing
        bare = bare[item.end() :]
    return Sentence(bare, start, start + len(said), markers)
