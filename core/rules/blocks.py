"""Which lines of a Markdown file are text: those inside a fence or a comment show something and are no structure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cache

from core.rules.fields import known_field

_FENCE = re.compile(r"[ \t]*((?:>[ \t]?)*)(?:[-*+][ \t]+)?(`{3,}|~{3,})([^`]*)$")
_PROSE = ("md", "markdown", "text", "txt", "plain", "rst", "{", "adoc", "example")
_MOST = 1_000
"""Fences within a fence that are looked at."""


def fenced(lines: Sequence[str], begins_rule: Callable[[str], bool] = lambda _: False) -> tuple[list[bool], list[int]]:
    """For each line whether a fence or an HTML comment holds it (fence lines too), and the lines (from 0) that open
    one which nothing closes: those count as text, or everything behind them would be lost.

    What would hold the heading of a rule, and takes its end from that rule, was never closed.
    """
    inside = [False] * len(lines)
    unclosed: list[int] = []
    ends = _Ends(lines, begins_rule)
    at = 0
    while at < len(lines):
        end = ends.of(at)
        if end is None:
            at += 1
            continue
        if end < at:
            unclosed.append(at)
            at += 1
            continue
        inside[at : end + 1] = [True] * (end + 1 - at)
        at = end + 1
    return inside, unclosed


class _Ends:
    """Where each fence and comment ends. What closes a fence is found once: a file of a million openers is still read
    in a moment."""

    def __init__(self, lines: Sequence[str], begins_rule: Callable[[str], bool]) -> None:
        self.lines = lines
        self.closers: dict[str, dict[int, list[int]]] = {"`": {}, "~": {}}
        self.openers: dict[str, list[tuple[int, int]]] = {"`": [], "~": []}  # with a word behind the signs: none closes
        self.comments: list[int] = []
        self.comment_ends: list[int] = []
        self.rules: list[int] = []
        for at, line in enumerate(lines):
            self._look(at, line, begins_rule)
        self._alone = cache(self._is_whole)

    def _look(self, at: int, line: str, begins_rule: Callable[[str], bool]) -> None:
        found = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if found and found.group(3).strip():
            self.openers[found.group(2)[0]].append((at, len(found.group(2))))
        elif (bare := line.strip())[:3] in ("```", "~~~") and not bare.strip(bare[0]):
            self.closers[bare[0]].setdefault(len(bare), []).append(at)
        if "<!--" in line:
            self.comments.append(at)
        if "-->" in line:
            self.comment_ends.append(at)
        if begins_rule(line):
            self.rules.append(at)

    def of(self, at: int) -> int | None:
        """The last line of what this line opens: None where it opens nothing, -1 where nothing closes it."""
        line = self.lines[at]
        found = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if found:
            return self._quoted_end(at) if found.group(1) else self._fence_end(at, found.group(2))
        if not line.lstrip().startswith("<!--"):
            return None
        end = at if "-->" in line else _first(self.comment_ends, at + 1)
        rule = _first(self.rules, at + 1)
        if 0 <= rule < end and _first(self.comments, rule) <= end and _first(self.comments, rule) >= 0:
            return -1
        return end

    def _quoted_end(self, at: int) -> int:
        """A fence in a quote ends where it is closed in the quote, or with the quote."""
        mark = self.lines[at].lstrip(" \t>")[:3]
        for end in range(at + 1, len(self.lines)):
            line = self.lines[end].lstrip()
            if not line.startswith(">"):
                return end - 1
            bare = line.lstrip(" \t>").rstrip()
            if bare.startswith(mark) and not bare.strip(mark[0]):
                return end
        return len(self.lines) - 1

    def _fence_end(self, at: int, mark: str) -> int:
        end = self._closed_at(at, mark)
        first = bisect_right(self.rules, at)
        if end < 0 or first == len(self.rules) or self.rules[first] > end:
            return end
        opened = self.openers[mark[0]]
        begin = bisect_left(opened, (self.rules[first], 0))
        if any(place < end and size >= len(mark) for place, size in opened[begin : begin + _MOST]):
            return -1
        if self._is_code(at) and any(map(self._has_field, self._between(first, end))):
            return -1  # no program has the fields of a rule
        last = bisect_left(self.rules, end)
        behind = self.rules[last] if last < len(self.rules) else len(self.lines)
        return -1 if self._alone(self.rules[last - 1], behind) else end

    def _between(self, first: int, end: int) -> Sequence[int]:
        """The headings of rules from the `first` of all on, before a line."""
        return self.rules[first : min(bisect_left(self.rules, end - 1), first + _MOST)]

    def _has_field(self, rule: int) -> bool:
        return any(map(known_field, self.lines[rule + 1 : rule + 3]))

    def _is_code(self, at: int) -> bool:
        """Whether a fence says that it holds code: what it holds is no example of a rule."""
        found = _FENCE.match(self.lines[at])
        word = found.group(3).strip().casefold() if found else ""
        return bool(word) and not word.startswith(_PROSE)

    def _closed_at(self, at: int, mark: str) -> int:
        ends = (_first(places, at + 1) for size, places in self.closers[mark[0]].items() if size >= len(mark))
        return min((end for end in ends if end >= 0), default=-1)

    def _is_whole(self, begin: int, behind: int) -> bool:
        """Whether every fence of these lines is closed in them: they need none that was opened before."""
        at = begin
        while at < behind:
            line = self.lines[at]
            found = _FENCE.match(line) if "```" in line or "~~~" in line else None
            if found is None or found.group(1):
                at += 1
                continue
            mark = found.group(2)
            end = self._closed_at(at, mark)
            opened = self.openers[mark[0]]
            next_one = bisect_right(opened, (at, len(mark)))
            if not 0 <= end < behind or (
                next_one < len(opened) and opened[next_one][0] < end and opened[next_one][1] >= len(mark)
            ):
                return False
            at = end + 1
        return True


def _first(places: Sequence[int], at: int) -> int:
    """The first of these places, which are in order, from one on; -1 where there is none."""
    found = bisect_left(places, at)
    return places[found] if found < len(places) else -1
