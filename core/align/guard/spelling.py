"""Two ways to spell one word: British and American, and the Korean contractions, right or as they are often written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_FOLDS: Final = (
    (re.compile(r"is(?=e[ds]?$|ing$|ations?$|ers?$)"), "iz"),
    (re.compile(r"ys(?=e[ds]?$|ing$)"), "yz"),
    (re.compile(r"(?<=[a-z]{2})our"), "or"),
    (re.compile(r"(?<=[^aeiou])re(?=s?$|d$)"), "er"),
    (re.compile(r"logue?(?=s?$|d$|ing$|rs?$)"), "log"),
    (re.compile(r"(?<=log)(?=[dr]s?$)"), "e"),
    (re.compile(r"ence(?=s?$)"), "ense"),
    (re.compile(r"ll(?=ed$|ing$|ers?$)"), "l"),
    (re.compile(r"(?<=gr)ey"), "ay"),
    (re.compile(r"(?<=gram)me(?=s?$)"), ""),
    (re.compile(r"[ao]e(?=[a-z]{3})"), "e"),
)
_CONTRACTED: Final = (
    (re.compile("[되돼]었|됬"), "됐"),
    (re.compile("되어"), "돼"),
    (re.compile("하였"), "했"),
    (re.compile("하여"), "해"),
    (re.compile("햇(?=[다는고지습으을던])"), "했"),
    (re.compile("(?<=[가-힣])엇(?=[다는고지습으을던])"), "었"),
    (re.compile("(?<=[가-힣])겟(?=[다는고지습으을던])"), "겠"),
    (re.compile("이에요|예요|이예요"), "에요"),
)


def same_spelling(one: str, other: str) -> bool:
    """Whether two words (lower case) are one word in two spellings."""
    if max(len(one), len(other)) >= 30:
        return False
    if "가" <= one[:1] <= "힣":
        return _folded(one, _CONTRACTED) == _folded(other, _CONTRACTED)
    return one.isascii() and other.isascii() and len(one) > 3 and _folded(one, _FOLDS) == _folded(other, _FOLDS)


def _folded(word: str, folds: Sequence[tuple[re.Pattern[str], str]]) -> str:
    for pattern, plain in folds:
        word = pattern.sub(plain, word)
    return word
