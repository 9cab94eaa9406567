"""Two ways to spell one word: British and American, and Korean endings, right or as they are often written."""

from __future__ import annotations

import re
import unicodedata
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
    (re.compile("되(?=요|서|야|라|도|$)"), "돼"),
    (re.compile("몇일"), "며칠"),
    (re.compile("(?<=[가-힣])께(?=요|$)"), "게"),
    (re.compile("(?<=[가-힣])구(?=요$)"), "고"),
    (re.compile("(?<=[가-힣])읍(?=니다)"), "습"),
    (re.compile("(?<=[가-힣])로써"), "로서"),
    (re.compile("^왠(?=만)"), "웬"),
    (re.compile("^웬(?=지$)"), "왠"),
    (re.compile("^금새"), "금세"),
    (re.compile("(?<=[가-힣])데로$"), "대로"),
)
_ACCENTS: Final = re.compile("[\u0300-\u036f]+")


def same_spelling(one: str, other: str) -> bool:
    """Whether two words (lower case) are one word in two spellings."""
    if max(len(one), len(other)) >= 30:
        return False
    if "가" <= one[:1] <= "힣":
        return _folded(one, _CONTRACTED) == _folded(other, _CONTRACTED)
    return one.isascii() and other.isascii() and len(one) > 3 and _folded(one, _FOLDS) == _folded(other, _FOLDS)


def lost_accents(written: str, meant: str) -> bool:
    """Whether `written` is `meant` without its accents (`Jose`, `José`)."""
    return not meant.isascii() and written == _ACCENTS.sub("", unicodedata.normalize("NFD", meant))


def _folded(word: str, folds: Sequence[tuple[re.Pattern[str], str]]) -> str:
    for pattern, plain in folds:
        word = pattern.sub(plain, word)
    return word
