"""Hangul bigrams: Korean glues particles to words, so a word index alone misses most of them."""

from __future__ import annotations

import re
import unicodedata

HANGUL_RUN = re.compile(r"[\uac00-\ud7a3]+")


def bigrams(text: str) -> str:
    """The overlapping two-syllable pieces of every run of Hangul in `text`, separated by blanks.

    A run of one syllable stands for itself. Text without Hangul gives the empty string.
    """
    if text.isascii():
        return ""
    pieces: list[str] = []
    for run in HANGUL_RUN.findall(unicodedata.normalize("NFC", text)):
        if len(run) == 1:
            pieces.append(run)
        else:
            pieces.extend(run[i : i + 2] for i in range(len(run) - 1))
    return " ".join(pieces)
