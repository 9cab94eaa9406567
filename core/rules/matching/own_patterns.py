"""Patterns of the user's own: one that backtracks without end must hold up no match, and no thread can stop it.

A pattern that is plainly quick is tried here. Any other one is tried in a process, which is ended when its time is up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from core.base.lazy_pattern import lazy_pattern

PATIENCE = 1.0
"""Seconds for all the patterns of a match together."""

_ATOM = lazy_pattern(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_REPEAT = lazy_pattern(r"[*+{]")
_HARD = lazy_pattern(r"\(\?|\)[*+?{]")
"""A group that is no plain one, or one that is repeated."""
_AGAIN = lazy_pattern(r"\\[0-9]")
"""What a group matched, once more."""


def is_quick(source: str) -> bool:
    """Whether a pattern takes no longer than in the square of a text's length, told by its signs: no repeat beside or
    within another one, no choice beside another. To be asked costs nothing; a `no` may be wrong, a `yes` may not."""
    bare = _ATOM.sub("x", source).replace("(?:", "(")
    if _HARD.search(bare) or _AGAIN.search(source) or bare.count("?") > 4:
        return False
    return len(_REPEAT.findall(bare)) <= 1 and ("|" not in bare or bare.count("(") <= 1)


@lru_cache(maxsize=64)
def tried_apart(sources: tuple[str, ...], text: str) -> Sequence[tuple[int, int] | None]:
    """Where each of the patterns is in the text (None: nowhere); of the one at which the time was up, and of those
    behind it, nothing is said."""
    from core.process.regex import find_within  # what only a few need is no part of anybody's start

    return find_within(PATIENCE, sources, text)
