"""Forms of one word that say the same: dates in any order, ordinals, British and American spelling, Korean particles.

A changed ordinal is a changed number. Dates are read only where their order is unambiguous: of `03/04/2025` nobody
knows the month. Losing a light particle says the same, swapping two does not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from core.base.lazy import text_tables
from core.text.tokenizing import without_particle

_UNITS: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth"
)
_TENS: Final = "tenth twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth"
_KOREAN_UNITS: Final = (
    "첫", "두 둘", "세 셋", "네 넷", "다섯", "여섯", "일곱", "여덟", "아홉", "열", "열한 열하나", "열두 열둘",
    "열세 열셋", "열네 열넷", "열다섯", "열여섯", "열일곱", "열여덟", "열아홉", "스무 스물",
)  # fmt: skip
_KOREAN_TENS: Final = "열 스무 서른 마흔 쉰 예순 일흔 여든 아흔 백"
COUNTS: Final = {
    **{word: str(at) for at, words in enumerate(_KOREAN_UNITS, 1) for word in words.split()},
    **{word: str(10 * at) for at, word in enumerate(_KOREAN_TENS.split(), 1)},
}
"""Korean numerals that count, before `번째`."""
ENGLISH: Final = {
    **{word: str(at) for at, word in enumerate(_UNITS.split(), 1)},
    **{word: str(10 * at) for at, word in enumerate(_TENS.split(), 1)},
    "thousandth": "1000",
}
ORDINALS: Final = {
    **ENGLISH,
    **{f"{word}{tail}": number for word, number in COUNTS.items() for tail in ("째", "번째")},
}
"""Each (lower case, no particle) with its number in digits."""


def same_ordinal(one: str, other: str) -> bool:
    """Whether two words say the same one: `첫째`, `첫번째`."""
    return one in ORDINALS and ORDINALS[one] == ORDINALS.get(other)


def other_ordinal(one: str, other: str) -> bool:
    """Whether two words are both ordinals, or both such numerals, and not of the same number."""
    return any(one in known and other in known and known[one] != known[other] for known in (ORDINALS, COUNTS))


_NAMES: Final = "january february march april may june july august september october november december"
_MONTHS: Final = {name: number for number, word in enumerate(_NAMES.split(), 1) for name in (word, word[:3])} | {
    "sept": 9
}
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?"
DATE: Final = re.compile(
    r"(?<![\w.\-/])(?:"
    r"(?P<y1>\d{4})(?P<sep>[-/.])\s?(?P<m1>\d{1,2})(?P=sep)\s?(?P<d1>\d{1,2})(?![\d\-/]|\.\d)"
    r"|(?:(?P<y2>\d{4})년\s{0,2})?(?P<m2>\d{1,2})월\s{0,2}(?P<d2>\d{1,2})일"
    rf"|(?P<n3>{_MONTH})\b\.?\s(?P<d3>{_DAY})\b(?:,?\s(?P<y3>\d{{4}})\b)?"
    rf"|(?P<d4>{_DAY})\s(?:of\s)?(?P<n4>{_MONTH})\b\.?(?:,?\s(?P<y4>\d{{4}})\b)?"
    r")",
    re.IGNORECASE,
)


def plain_date(found: re.Match[str]) -> str:
    """What `DATE` found as year-month-day; without a year as --month-day. Nothing where it is no date."""
    year = found["y1"] or found["y2"] or found["y3"] or found["y4"] or "-"
    month = found["m1"] or found["m2"] or _MONTHS[(found["n3"] or found["n4"]).lower()]
    day = re.sub(r"\D", "", found["d1"] or found["d2"] or found["d3"] or found["d4"])
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= 31):
        return ""
    return f"{year}-{int(month):02}-{int(day):02}"


def plain_dates(text: str) -> str:
    return DATE.sub(lambda found: plain_date(found) or found[0], text)


HEAVY: Final = ("만", "까지", "부터", "보다", "밖에", "마다", "조차", "뿐")
"""Particles that turn the sense: neither lost nor gained nor swapped."""
_LIGHT_ONES: Final = (
    "은 는 이 가 을 를 의 에 에서 에게 한테 로 으로 와 과 랑 도 께 에는 에서는 에도 으로는 로는 에게는 와는 과는"
)
_LIGHT: Final = frozenset(_LIGHT_ONES.split())
_SAME: Final = {
    "은": "이", "는": "이", "가": "이", "를": "을", "으로": "로", "과": "와", "랑": "와", "한테": "에게", "께": "에게",
    "에는": "에", "에서는": "에서", "으로는": "로", "로는": "로", "에게는": "에게", "와는": "와", "과는": "와",
    "에도": "에",
}  # fmt: skip


def heavy_tail(word: str) -> str:
    """The particle at the end of a word that turns its sense, or nothing."""
    return next((tail for tail in HEAVY if word == tail or (len(word) > 2 and word.endswith(tail))), "")


def tails_of(one: str, other: str) -> tuple[str, str] | None:
    """What two Korean words have after what they share, where that is a word of its own and both are particles."""
    if not ("가" <= one[-1:] <= "힣" and "가" <= other[-1:] <= "힣"):
        return None
    for stem in sorted(
        {one, other, without_particle(one), without_particle(other)}, key=lambda stem: (len(stem), stem)
    ):
        if len(stem) > 0 and one.startswith(stem) and other.startswith(stem):
            tails = one[len(stem) :], other[len(stem) :]
            if all(tail == "" or tail in _LIGHT or tail in HEAVY for tail in tails):
                return tails
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    tails = one[shared:], other[shared:]
    if shared and all(tail in _LIGHT or tail in HEAVY for tail in tails):
        return tails
    return None


def are_equivalent_endings(tails: tuple[str, str]) -> bool:
    """Whether words that differ by these particles say the same."""
    one, other = tails
    if one in HEAVY or other in HEAVY:
        return one == other
    return one == "" or other == "" or _SAME.get(one, one) == _SAME.get(other, other)


def _folds(table: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The patterns of a table, each with what it becomes."""
    rows = (row.partition(": ") for row in _TABLES[table].splitlines())
    return tuple((re.compile(pattern), plain) for plain, _, pattern in rows)


_TABLES: Final = text_tables(__file__)
_FOLDS: Final = _folds("FOLDS")
_CONTRACTED: Final = _folds("CONTRACTED")
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
