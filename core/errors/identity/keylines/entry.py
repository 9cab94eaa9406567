"""What an entry of the registry is: a tool, the signs it is known by, and the rules that find its key lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.lines import KeyLineCandidate, Page

WRAPPER: Final = 10
"""Says only that something failed (`make: *** [x] Error 1`): a key line if there is no other."""
DETAIL: Final = 20
"""A detail of another line; primary only when alone."""
REPORT: Final = 40
"""A tool's own report (`npm error …`, `cp: …`): the cause unless a compiler, a runtime or a test says more."""
CAUSE: Final = 60
"""A diagnosis: a compiler's error, an uncaught exception."""
TEST: Final = 80
"""What a test runner says of a failed test."""


class Rule(NamedTuple):
    """A line that contains one of `needles` and whose message matches `pattern` from its start.

    The message begins after indentation and location. The group `key`, if there is one, is the key; else the message
    to its end. `located`: only lines with a location that holds one of these (an extension; "" for any location).
    """

    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    weight: int
    located: tuple[str, ...] = ()


Finder = Callable[[Page], Iterable[KeyLineCandidate]]


class Tool(NamedTuple):
    """One entry: `rules` for lines that speak for themselves; `find` for blocks, asked if a sign is in the text."""

    name: str
    rules: tuple[Rule, ...]
    signs: tuple[str, ...]
    find: Finder | None


def tool(name: str, *rules: Rule, signs: tuple[str, ...] = (), find: Finder | None = None) -> Tool:
    """An entry from its parts."""
    return Tool(name, rules, signs, find)


def rule(
    needles: str | tuple[str, ...], pattern: str, weight: int = CAUSE, *, located: str | tuple[str, ...] = ()
) -> Rule:
    """A rule from its parts; `pattern` is compiled when a needle first calls for it, digits and words are ASCII."""
    places = (located,) if isinstance(located, str) else located
    return Rule((needles,) if isinstance(needles, str) else needles, lazy_pattern(pattern, re.ASCII), weight, places)
