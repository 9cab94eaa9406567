"""Two right ways to spell one English word: British and American."""

from __future__ import annotations

import re
from typing import Final

_FOLDS: Final = (
    (re.compile(r"is(?=e[ds]?$|ing$|ations?$|ers?$)"), "iz"),
    (re.compile(r"ys(?=e[ds]?$|ing$)"), "yz"),
    (re.compile(r"(?<=[a-z]{2})our"), "or"),
    (re.compile(r"(?<=[^aeiou])re(?=s?$|d$)"), "er"),
    (re.compile(r"logue"), "log"),
    (re.compile(r"ence(?=s?$)"), "ense"),
    (re.compile(r"ll(?=ed$|ing$|ers?$)"), "l"),
    (re.compile(r"(?<=gr)ey"), "ay"),
    (re.compile(r"[ao]e(?=[a-z]{3})"), "e"),
)


def same_spelling(one: str, other: str) -> bool:
    """Whether two words (lower case) are one word in two spellings."""
    return (
        one.isascii() and other.isascii() and 4 < len(one) < 30 and len(other) < 30 and _folded(one) == _folded(other)
    )


def _folded(word: str) -> str:
    for pattern, plain in _FOLDS:
        word = pattern.sub(plain, word)
    return word
