"""Hangul bigrams: Korean glues particles to words, so a word index alone misses most of them."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import add
from typing import Final

from core.text.unicode_form import normalized

HANGUL_RUN = re.compile(r"[\uac00-\ud7a3]+")


def bigrams(text: str) -> str:
    """The overlapping two-syllable pieces of every run of Hangul in `text`, separated by blanks.

    A run of one syllable stands for itself. Text without Hangul gives the empty string.
    """
    if text.isascii():
        return ""
    runs = HANGUL_RUN.findall(normalized(text))
    return " ".join([_pairs(run) if len(run) <= _WORD else _made(run) for run in runs])


def _made(run: str) -> str:
    return " ".join(map(add, run, run[1:])) if len(run) > 1 else run


_WORD: Final = 12
"""Syllables up to which a run is kept as a word that comes again: longer ones seldom do."""
_pairs = lru_cache(maxsize=1 << 16)(_made)
