"""Which lines of a Markdown file are text: those inside a fence or a comment show something and are no structure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_FENCE = re.compile(r"[ \t]*((?:>[ \t]?)*)(?:[-*+][ \t]+)?(`{3,}|~{3,})([^`]*)$")
_CODE = re.compile(r"`[^`]*`")
_PROSE = ("md", "markdown", "text", "txt", "plain", "rst", "{", "adoc", "example")
_MOST = 12
"""Longer fences are as long as this where what one holds is counted."""
_WRONG = 1 << 32
"""What a fence line without a partner costs; a rule that is held costs one."""


def fenced(
    lines: Sequence[str], begins_rule: Callable[[str], bool] = lambda _: False
) -> tuple[list[bool], list[int], list[int]]:
    """For each line whether a fence or an HTML comment holds it (fence lines too); the lines (from 0) that open one
    which nothing closes: those count as text, or everything behind them would be lost; and those that open a fence of
    code which ends its rule and holds another: an example, or its end stands too late.

    Fences are read so that the fewest lines of them lack a partner, and where that may be done in several ways, so
    that they hold the fewest headings of rules.
    """
    inside = [False] * len(lines)
    unclosed: list[int] = []
    doubtful: list[int] = []
    rules = [at for at, line in enumerate(lines) if "#" in line and begins_rule(line)]
    marks = _marks(lines, rules)
    _pair(marks)
    ends = _chosen(marks, rules)
    behind = -1
    for mark, end in zip(marks, ends, strict=True):
        if mark.line <= behind:
            continue
        if end < 0:
            unclosed.append(mark.line)
            continue
        begin, behind = mark.line + mark.aside, end
        inside[begin : end + 1] = [True] * (end + 1 - begin)
        if mark.code and _held(rules, mark.line, end) and _is_last(lines, rules, end):
            doubtful.append(mark.line)
    return inside, unclosed, doubtful


@dataclass(slots=True)
class _Mark:
    """A line that opens a fence or a comment, or closes a fence. `closes`: it may; `end`: where a comment or a quoted
    fence ends, -1 where nothing closes it, None for a fence; `aside`: text stands before it; `code`: it has a word."""

    line: int
    sign: str = ""
    size: int = 0
    closes: bool = False
    code: bool = False
    end: int | None = None
    aside: bool = False
    ways: tuple[tuple[int, bool], ...] = ()
    """Which mark may close it, and whether those between are pairs of their own."""


def _marks(lines: Sequence[str], rules: Sequence[int]) -> list[_Mark]:
    comments = [at for at, line in enumerate(lines) if "<!--" in line]
    comment_ends = [at for at, line in enumerate(lines) if "-->" in line]
    pre_ends = [at for at, line in enumerate(lines) if "</" in line and "</pre" in line.casefold()]
    marks: list[_Mark] = []
    for at, line in enumerate(lines):
        found = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if found and found.group(1):
            marks.append(_Mark(at, end=_quoted_end(lines, at)))
        elif found:
            sign, bare = found.group(2), line.strip()
            closes = bare == sign
            word = found.group(3).strip().casefold()
            marks.append(_Mark(at, sign[0], len(sign), closes, bool(word) and not word.startswith(_PROSE)))
        elif "<" not in line:
            continue
        elif line.lstrip().startswith("<!--"):
            end = at if "-->" in line else _first(comment_ends, at + 1)
            marks.append(_Mark(at, end=-1 if _holds_another(rules, comments, at, end) else end))
        elif "<!--" in line:
            opened = "<!--" in _CODE.sub("", line) and "-->" not in line
            end = _first(comment_ends, at + 1) if opened else -1
            if end >= 0 and lines[end].rstrip().endswith("-->") and not 0 <= _first(comments, at + 1) <= end:
                marks.append(_Mark(at, end=end, aside=True))
        elif line.lstrip()[:4].casefold() == "<pre" and "</pre" not in line.casefold():
            end = _first(pre_ends, at + 1)
            if end >= 0:
                marks.append(_Mark(at, end=end))
    return marks


def _holds_another(rules: Sequence[int], comments: Sequence[int], at: int, end: int) -> bool:
    """Whether a comment would take its end from another one, behind the heading of a rule."""
    rule = _first(rules, at + 1)
    return 0 <= rule < end and 0 <= _first(comments, rule) <= end


def _quoted_end(lines: Sequence[str], at: int) -> int:
    """A fence in a quote ends where it is closed in the quote, or with the quote."""
    mark = lines[at].lstrip(" \t>")[:3]
    for end in range(at + 1, len(lines)):
        line = lines[end].lstrip()
        if not line.startswith(">"):
            return end - 1
        bare = line.lstrip(" \t>").rstrip()
        if bare.startswith(mark) and not bare.strip(mark[0]):
            return end
    return len(lines) - 1


def _pair(marks: Sequence[_Mark]) -> None:
    """The ways to close each fence: by the first line that may, or by the first behind pairs that it holds."""
    for sign in "`~":
        places = [at for at, mark in enumerate(marks) if mark.sign == sign]
        closers: list[int] = []  # those behind that no longer one stands before, the nearest last
        sizes: list[int] = []
        free = -1  # the first closer behind, pairs left out
        frees: dict[int, int] = {}
        for at in reversed(places):
            mark = marks[at]
            found = bisect_right(sizes, -mark.size) - 1
            plain = closers[found] if found >= 0 else -1
            nested = free if free >= 0 and marks[free].size >= mark.size else -1
            mark.ways = tuple((end, end == nested != plain) for end in dict.fromkeys((plain, nested)) if end >= 0)
            frees[at] = free  # behind this one
            free = at if mark.closes else frees[nested] if nested >= 0 else -1
            if mark.closes:
                while sizes and -sizes[-1] <= mark.size:
                    sizes.pop()
                    closers.pop()
                sizes.append(-mark.size)
                closers.append(at)


def _chosen(marks: Sequence[_Mark], rules: Sequence[int]) -> list[int]:
    """The line on which each mark ends where it is read as one that opens; -1: as text."""
    openers: dict[tuple[str, int], list[int]] = {}
    for at, mark in enumerate(marks):
        if mark.sign and not mark.closes:
            openers.setdefault((mark.sign, min(mark.size, _MOST)), []).append(at)
    lines = [mark.line for mark in marks]
    costs = [0] * (len(marks) + 1)
    ends = [-1] * len(marks)
    for at in range(len(marks) - 1, -1, -1):
        mark = marks[at]
        if mark.end is not None:
            ends[at] = mark.end
            costs[at] = costs[bisect_right(lines, mark.end)] if mark.end >= 0 else _WRONG + costs[at + 1]
            continue
        best = _WRONG + costs[at + 1]
        for place, nested in mark.ways:
            cost = costs[place + 1] + _held(rules, mark.line, lines[place])
            if not nested:
                cost += _WRONG * sum(
                    bisect_left(spots, place) - bisect_right(spots, at)
                    for (sign, size), spots in openers.items()
                    if sign == mark.sign and size >= min(mark.size, _MOST)
                )
            if cost < best or (cost == best and ends[at] < 0):  # of two ways as good, the fence is closed
                best, ends[at] = cost, lines[place]
        costs[at] = best
    return ends


def _held(rules: Sequence[int], begin: int, end: int) -> int:
    """How many headings of rules stand between two lines."""
    return bisect_left(rules, end) - bisect_right(rules, begin)


def _is_last(lines: Sequence[str], rules: Sequence[int], end: int) -> bool:
    """Whether the rule ends with this line."""
    behind = next((at for at in range(end + 1, len(lines)) if lines[at].strip()), len(lines))
    return behind == len(lines) or _first(rules, behind) == behind


def _first(places: Sequence[int], at: int) -> int:
    """The first of these places, which are in order, from one on; -1 where there is none."""
    found = bisect_left(places, at)
    return places[found] if found < len(places) else -1
