"""Where two texts differ, word by word, for somebody who has to choose between them."""

from __future__ import annotations

import re

from core.align.guard.comparison import runs

Ranges = tuple[tuple[int, int], ...]

_WORD = re.compile(r"\S+")


def differing(mine: str, theirs: str) -> tuple[Ranges, Ranges] | None:
    """The ranges of each that the other has not so; None where less than half of the words is common to both."""
    ours, others = list(_WORD.finditer(mine)), list(_WORD.finditer(theirs))
    here: list[tuple[int, int]] = []
    there: list[tuple[int, int]] = []
    shared = 0
    for same, left, right in runs([word.group() for word in ours], [word.group() for word in others]):
        shared += left[1] - left[0] if same else 0
        if not same:
            here += [(ours[left[0]].start(), ours[left[1] - 1].end())] if left[1] > left[0] else []
            there += [(others[right[0]].start(), others[right[1] - 1].end())] if right[1] > right[0] else []
    return (tuple(here), tuple(there)) if shared and 2 * shared >= max(len(ours), len(others)) else None
