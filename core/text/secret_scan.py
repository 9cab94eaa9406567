"""The scan for secrets: it stops only where one may be, and asks the rule that knows.

One regular expression stops at signs that are rare in ordinary text and looks at what surrounds them at once (`k`
inside `token`, `_` behind `ghp`); the few words without a rare sign are searched as they are. Text without secrets so
costs a few passes over its characters, whatever the number of rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from core.text.secret_branches import COMMON_SIGNS, Branch, Rule, branches, words

Span = tuple[int, int]

_SEEN_BEHIND: Final = 320
_SEEN_AHEAD: Final = 480
_MOST_HARMLESS: Final = 200
"""Surroundings in which no rule found anything are not asked again: text that repeats itself stays cheap. The two
distances are more than any rule looks at before it says no."""


@dataclass(frozen=True, slots=True)
class Scan:
    """A compiled scan and the rule of each of its groups; a text without `needle` needs none of it."""

    needle: str
    pattern: re.Pattern[str]
    rules: tuple[Rule, ...]


def secret_spans(text: str) -> list[Span]:
    """The spans of all secrets of `text`; they may touch or overlap."""
    found: list[Span] = []
    for scan in _scans():
        if scan.needle in text and (match := scan.pattern.search(text)):
            _ask(scan, text, match, found)
    return found


def _ask(scan: Scan, text: str, first: re.Match[str], found: list[Span]) -> None:
    harmless: set[tuple[int, str]] = set()
    match: re.Match[str] | None = first
    while match:
        start, after = match.span()
        behind = max(0, start - _SEEN_BEHIND)
        around = (start - behind, text[behind : after + _SEEN_AHEAD])
        if around not in harmless:
            spans = scan.rules[(match.lastindex or 1) - 1](text, start, after)
            found += spans
            after = max(after, *(end for _, end in spans)) if spans else after
            if not spans and len(harmless) < _MOST_HARMLESS:
                harmless.add(around)
        match = scan.pattern.search(text, after)


@cache
def _scans() -> tuple[Scan, ...]:
    """The scan for all rare signs, and one for each word; compiled when the first text is redacted."""
    by_sign: dict[str, list[Branch]] = {}
    for branch in branches():
        by_sign.setdefault(branch.sign, []).append(branch)
    signs = sorted(by_sign, key=lambda sign: COMMON_SIGNS.find(sign) % 99)
    parts = [f"{re.escape(sign)}(?:{'|'.join(branch.around + '()' for branch in by_sign[sign])})" for sign in signs]
    rules = tuple(branch.rule for sign in signs for branch in by_sign[sign])
    return (
        Scan("", re.compile("|".join(parts)), rules),
        *(Scan(word.sign, re.compile(re.escape(word.sign) + word.around + "()"), (word.rule,)) for word in words()),
    )
