"""The scan for secrets: it stops only where one may be, and asks the rule that knows.

One regular expression stops at signs that are rare in ordinary text and looks at what surrounds them at once (`k`
inside `token`, `_` behind `ghp`); the few words without a rare sign are searched as they are. Text without secrets so
costs a few passes over its characters, whatever the number of rules.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from core.base.lazy_pattern import lazy_pattern
from core.text.secrets.dispatch import COMMON_SIGNS, Branch, Rule, branches, words

Span = tuple[int, int]

_SEEN_BEHIND: Final = 320
_SEEN_AHEAD: Final = 480
_MOST_HARMLESS: Final = 200
"""Surroundings in which no rule found anything are not asked again: text that repeats itself stays cheap. The two
distances are more than any rule looks at before it says no."""


_SHORT: Final = 2_000
_FEW: Final = 3
"""So many texts that are short are scanned for the signs they hold: to compile the whole takes longer than to look one
error up. Whoever has more texts has it compiled."""


class Scan(NamedTuple):
    """A scan and the rule of each of its groups; a text without `needle` needs none of it."""

    needle: str
    pattern: re.Pattern[str]
    rules: tuple[Rule, ...]


def secret_spans(text: str) -> list[Span]:
    """The spans of all secrets of `text`; they may touch or overlap."""
    found: list[Span] = []
    for scan in _scans(text):
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


def _scans(text: str) -> tuple[Scan, ...]:
    """The scan for all rare signs, or for those that `text` holds, which finds the same; and one for each word."""
    if len(text) >= _SHORT or _scan.cache_info().currsize >= _FEW:
        return _whole()
    return (_scan(tuple(sign for sign in _branches() if sign in text)), *_words())


@cache
def _whole() -> tuple[Scan, ...]:
    return (_scan(tuple(_branches())), *_words())


@cache
def _branches() -> dict[str, list[Branch]]:
    """The branches of each rare sign, the commonest sign first."""
    by_sign: dict[str, list[Branch]] = {}
    for branch in branches():
        by_sign.setdefault(branch.sign, []).append(branch)
    return {sign: by_sign[sign] for sign in sorted(by_sign, key=lambda sign: COMMON_SIGNS.find(sign) % 99)}


@cache
def _scan(signs: tuple[str, ...]) -> Scan:
    """The scan for these signs, compiled when it is first used."""
    known = _branches()
    parts = [f"{re.escape(sign)}(?:{'|'.join(branch.around + '()' for branch in known[sign])})" for sign in signs]
    rules = tuple(branch.rule for sign in signs for branch in known[sign])
    return Scan(signs[0] if len(signs) == 1 else "", lazy_pattern("|".join(parts) or "(?!)"), rules)


@cache
def _words() -> tuple[Scan, ...]:
    """The scan for each word."""
    return tuple(
        Scan(word.sign, lazy_pattern(re.escape(word.sign) + word.around + "()"), (word.rule,)) for word in words()
    )
