"""Sentences of an answer and the markers `[1]` that cite passages: found, checked against what was given, dropped."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from core.base.lazy_pattern import lazy_pattern
from core.library.ask.checks.negation_scope import plain, read

_DIGITS = "[0-9０-９]{1,9}"
_SIGNS = f"#?{_DIGITS}(?:[ ]?[,;，、–—~-][ ]?#?{_DIGITS}){{0,12}}"
_MARKER = lazy_pattern(
    r"[ \t]?(?:[\[［](?P<twice>\[)?[ ]?(?:\^|(?i:passages?|sources?|근거|출처|자료)[ ]?)?"
    rf"(?P<one>{_SIGNS})[ ]?[\]］](?(twice)\])"
    rf"|【[ ]?(?P<other>{_SIGNS})(?:†[^】\n]{{0,80}})?】)(?!\()(?![ \t]*=(?!=))"
)
_PARTS = lazy_pattern(f"[,;，、]|[–—~-]|{_DIGITS}")
_TO: Final = "-–—~"
_WIDEST: Final = 20  # passages of a range
_CODE = lazy_pattern(r"(?s:```.*?(?:```|\Z))|(?s:^~~~.*?(?:^~~~|\Z))|``[^\n]+?``|`[^`\n]*`", re.MULTILINE)
_FENCE = lazy_pattern(r"[ \t]*(?:```|~~~)[\w+-]*\Z")
_LINK = lazy_pattern(r"\[([^\[\]\n]{0,200})\]\([^()\s]{0,400}\)")
_END = lazy_pattern(r"(?:[.!?。…]['\"”’)]*(?=(?:[ \t]*\[[0-9]+\])*(?:\s|$)))|。['\"”’)]*|\n")
_TRAILING = lazy_pattern(r"(?:[ \t]*\[[0-9]+\])+")
_LED = lazy_pattern(r"[ \t>*•-]*(?:[0-9]{1,9}[.)][ \t]+)?(?:\[[0-9]+\][ \t]*)+(?=[^\s\[])")
_AT_END = lazy_pattern(r"[ \t]*(?:\n|\Z)")
_ALONE = r"[ \t]*\[[0-9]+\](?:[ \t]*\[[0-9]+\])*(?=[ \t]*(?:\n|\Z))"
_ABOVE = lazy_pattern(rf"\s*+{_ALONE}")
_BELOW = lazy_pattern(rf"(?:(?:[ \t]*\n){{0,2}}{_ALONE})+")
_ONE = lazy_pattern(r"\[([0-9]+)\](?!\()(?![ \t]*=(?!=))")
_SHORTENED = lazy_pattern(r"(?<![\w.])(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|approx|ca|cf|e\.g|i\.e|[A-Z])\Z")
_GOES_ON = lazy_pattern(r"[ \t]+[a-z]")
_LEFT_OUT = lazy_pattern(r"[ \t]+[^\s\[]")
_APART = lazy_pattern(r" (?=[.!?。,](?:\s|\Z))")
_ITEM = lazy_pattern(r"\(?[0-9]{1,2}[.)] |[0-9]{3}\) |[0-9]{1,9}\. ")
_IN_LIST = lazy_pattern(r"^[ \t>*•-]*([0-9]{1,9})\.(?=[ \t]+\S)", re.MULTILINE)
_HEADING = lazy_pattern(r"[ \t]*(?:#{1,6}[ \t]+([^\n]+?)|\*\*([^*\n]+)\*\*[:：]?|__([^_\n]+)__[:：]?)[ \t]*(?:\n|\Z)")
_HEAD_ROW = lazy_pattern(r"[ \t]*+(\|?[^\n|]*\|[^\n]*)\n[ \t]*+\|?[ \t]*+:?--[-:| \t]*+(?:\n|\Z)")
_NUMBERED = lazy_pattern(r"^(?:[0-9]{1,2}(?:\.[0-9]{1,2})*[.)]?|[IVX]+\.)[ \t]+")
_BULLET = lazy_pattern(r"(?:[-•>: ]|\*(?!\*))+")
_LABEL = lazy_pattern(r"(?:\*\*|__)[^*_\n0-9]{1,60}?(?:[:：](?:\*\*|__)|(?:\*\*|__)[ ]?[:：])[ ]*(?=\S)")
_SAYS: Final = 5  # words of what follows a label, from which on it says something without it
_ITEMS: Final = 10  # a number below says nothing by itself
_HEADS: Final = 10  # words of a heading or a head row
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
    """`text` is the answer's `start` to `end` without its markers; `markers` are the passages it cites. `heading`: it
    is a heading or in the head row of a table, and says nothing by itself."""

    text: str
    start: int
    end: int
    markers: tuple[int, ...]
    heading: bool = False


def checked_markers(answer: str, given: int) -> Marked:
    """Markers in one form, those beyond `given` passages dropped. What stands in code is no marker."""
    code = _code(answer)
    out: list[str] = []
    used: dict[int, None] = {}
    dropped: list[tuple[int, int]] = []
    at = size = 0
    for found in _MARKER.finditer(answer):
        if _within(code, found.start()):
            continue
        numbers = _numbers(found["one"] or found["other"], given)
        if not numbers:
            continue
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


def _numbers(said: str, given: int) -> list[int]:
    """The numbers of a marker, of a range all of them; none where it is none: a date, or a range beyond `given`."""
    out: list[int] = []
    begun = ended = False
    for part in _PARTS.findall(said):
        if part in _TO:
            if ended:
                return []
            begun = True
        elif not part[0].isdigit():
            ended = False
        elif begun:
            first, last = out[-1], int(part)
            if not (1 <= first < last <= first + _WIDEST and first <= given):
                return []
            out += range(first + 1, last + 1)
            begun, ended = False, True
        else:
            out.append(int(part))
    return out


def sentences(answer: str) -> tuple[Sentence, ...]:
    """The sentences of an answer whose markers are in one form.

    A marker behind the full stop belongs to it, and one that stands alone below it. In a line that begins with a marker
    they stand before their sentences (`[1] … [2] …`), and above them in an answer that begins with one alone.
    """
    out: list[Sentence] = []
    code = _code(answer)
    marks = [one for one in _ONE.finditer(answer) if not _within(code, one.start())]
    starts = [one.start() for one in marks]
    numbers = _list_numbers(answer)
    above = _ABOVE.match(answer) is not None
    begin = at = 0
    while at < len(answer):
        end = _end(answer, at)
        below = None if above or not answer[at:end].strip() else _BELOW.match(answer, end)
        if below and not _within(code, below.end() - 1):
            end = below.end()
        here = marks[bisect_left(starts, begin) : bisect_left(starts, end)]
        one = None if end in numbers else _sentence(answer, begin, end, here)
        at = max(end, at + 1)
        if one is not None:
            out.append(one)
        if one is not None or not (above and 0 < len(here) <= _WIDEST):  # else these stand above the next sentence
            begin = at
    return tuple(out)


def _list_numbers(answer: str) -> frozenset[int]:
    """Where the numbers of list items end. From 10 on one is such a number beside another: `42.` may be an answer."""
    found = {one.end(): int(one[1]) for one in _IN_LIST.finditer(answer)}
    known = frozenset(found.values())
    return frozenset(end for end, one in found.items() if one < _ITEMS or not known.isdisjoint((one - 1, one + 1)))


def _end(answer: str, at: int) -> int:
    """Where the sentence ends that begins at a place, with the markers that follow its full stop."""
    found = next((one for one in _END.finditer(answer, at) if not _goes_on(answer, one.start(), one.end())), None)
    end = found.end() if found else len(answer)
    if found and found[0] != "\n" and (more := _TRAILING.match(answer, end)):
        leads = _LED.match(answer, answer.rfind("\n", 0, end) + 1)
        return more.end() if not leads or _AT_END.match(answer, more.end()) else end
    return end


def _code(answer: str) -> list[tuple[int, int]]:
    return [(found.start(), found.end()) for found in _CODE.finditer(answer)]


def _within(ranges: Sequence[tuple[int, int]], place: int) -> bool:
    """Whether a place lies in one of these ranges, which stand in their order."""
    at = bisect_right(ranges, place, key=lambda one: one[0]) - 1
    return at >= 0 and place < ranges[at][1]


def _goes_on(answer: str, stop: int, end: int) -> bool:
    """Whether a full stop ends no sentence: behind `Dr` or `a.m`, before a small letter; behind a marker it does.

    Nor do dots that leave something out within a line: a sentence may not be taken apart into true halves.
    """
    if answer[stop] == "…" or answer[stop : stop + 1] == "." == answer[max(0, stop - 1) : stop]:
        return _LEFT_OUT.match(answer, end) is not None
    if answer[stop] != "." or answer[max(0, stop - 1) : stop] == "]":
        return False
    if _SHORTENED.search(answer, max(0, stop - 10), stop):
        return True
    return _GOES_ON.match(answer, end) is not None


def _sentence(answer: str, start: int, end: int, marks: Sequence[re.Match[str]]) -> Sentence | None:
    said = answer[start:end]
    if _FENCE.fullmatch(said.rstrip()):
        return None
    parts: list[str] = []
    at = start
    for one in marks:
        parts.append(answer[at : one.start()])
        at = one.end()
    bare = _LINK.sub(lambda link: "" if link[1].isdigit() else link[1], "".join((*parts, answer[at:end])))
    bare = _APART.sub("", " ".join(bare.split()))  # a marker may stand before the full stop
    if sum(letter.isalnum() for letter in bare) < _LEAST:
        return None
    start += len(said) - len(said.lstrip())
    bare = _without_label(bare)
    markers = tuple(dict.fromkeys(int(one[1]) for one in marks))
    return Sentence(
        bare,
        start,
        start + len(said.strip()),
        markers,
        heading=_heads(answer, start, cited=bool(marks)),
    )


def _without_label(bare: str) -> str:
    """A sentence without what stands before it in a list: bullet, number, and a bold label of which it does not need to
    be a sentence. `**Timeout**: 20 seconds` needs it."""
    for sign in (_BULLET, _ITEM):
        if found := sign.match(bare):
            bare = bare[found.end() :]
    label = _LABEL.match(bare)
    if label is not None and not read(plain(label[0])).denials:
        rest = bare[label.end() :]
        words = len(rest.split()) * (2 if "가" <= rest.strip(" .。")[-1:] <= "힣" else 1)
        bare = rest if words >= _SAYS else bare
    return bare.replace("**", "").lstrip("*")


def _heads(answer: str, place: int, *, cited: bool) -> bool:
    """Whether a line is a heading, or the head row of a table; one that is long, ends like a sentence or has a number
    may say something, and so may what is bold and `cited`."""
    begin = answer.rfind("\n", 0, place) + 1
    found = _HEADING.match(answer, begin) or _HEAD_ROW.match(answer, begin)
    if not found or (cited and not found[0].lstrip().startswith("#")):
        return False
    said = _ONE.sub("", found[found.lastindex or 0]).strip(" \t*_:：|")
    words = _NUMBERED.sub("", said).split()
    return (
        len(words) <= _HEADS
        and said[-1:] not in ".!?。…"
        and not any(letter.isdigit() for one in words for letter in one)
    )
