"""Numbers that a sentence has and none of its sources has.

A sentence may be worded in any way; a number that none of its passages has does not come from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from core.align.guard.tokens import number_of, numeral_of
from core.base.lazy import lazy_pattern

_FIGURE = lazy_pattern(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)*")
_WORD = lazy_pattern(r"[A-Za-z]+|[가-힣]+")
_CLOCK = lazy_pattern(r"(?i)(?<![0-9:])([0-9]{1,2})(?=:[0-9]{2}(?![0-9])|\s?[ap]\.?m\b|\s?시(?!간))")
_GROUPED = lazy_pattern(
    r"(?i)(?<![0-9])(?<![0-9],)([0-9][0-9,]{0,40}(?:\.[0-9]+)?)\s?(천|만|억|thousand|million|billion|k\b)"
)
_KO_COUNTED = lazy_pattern(
    r"(?<![가-힣])(?:두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|서른|마흔|쉰)\s?(?:번|개|명|배|달|살|시간|시|가지|곳|주|해|차례|대|장|건)"
    r"|(?<![가-힣])[삼사오육칠팔구십백천]+\s?(?:분|초|일|월|년|개월|퍼센트|원)(?![가-힣]{2})"
    r"|(?<![가-힣])(?:하루|이틀|사흘|나흘|닷새|열흘|보름)"
)
_NO_NUMBERS: Final = frozenset(("", "첫", "한", "일", "이"))
"""Syllables that are a number only next to another sign of one."""
_TIMES: Final = {
    "k": 1_000, "thousand": 1_000, "천": 1_000, "만": 10_000, "million": 1_000_000, "억": 100_000_000,
    "billion": 1_000_000_000,
}  # fmt: skip
_ALWAYS: Final = frozenset(("0", "1"))
"""`a year` is one, `14:00` has no minutes."""
_MONTH_NAMES: Final = "january february march april may june july august september october november december"
_MONTHS: Final = tuple(_MONTH_NAMES.split())
_ALSO: Final = {
    **{name[:size]: (str(at),) for at, name in enumerate(_MONTHS, 1) for size in (3, len(name))},
    "half": ("30", "50", "6"), "반": ("30", "50", "6"), "quarter": ("15", "25", "3"), "분기": ("3",), "week": ("7",),
    "일주일": ("7",), "fortnight": ("14",), "noon": ("12",), "정오": ("12",), "year": ("12",), "이틀": ("2",),
    "사흘": ("3",), "석": ("3",), "나흘": ("4",), "넉": ("4",), "닷새": ("5",), "열흘": ("10",), "보름": ("15",),
}  # fmt: skip
"""Words that a figure may stand for, besides the numerals."""
_ALIKE: Final = (
    "monday tuesday wednesday thursday friday saturday sunday weekday weekend",
    "월요일 화요일 수요일 목요일 금요일 토요일 일요일 평일 주말",
    _MONTH_NAMES,
    "nanosecond microsecond millisecond second minute hour day night week fortnight month quarter year decade ms min",
    "밀리초 초 분 시간 시 일 주 주일 주간 달 개월 월 분기 년 해 학기",
    "dollar euro pound won yen franc cent usd eur gbp krw jpy chf", "원 달러 유로 엔 위안 파운드",
    "bit byte kb mb gb tb kib mib gib tib kilobyte megabyte gigabyte terabyte",
    "mm cm m km inch foot feet mile metre meter kilometre kilometer",
    "mg g kg gram kilogram lb pound ounce oz ton tonne", "ml l litre liter gallon", "celsius fahrenheit degree",
)  # fmt: skip
_CLASSES: Final = tuple(frozenset(line.split()) for line in _ALIKE)


def strange_figures(said: str, sources: Sequence[str]) -> tuple[str, ...]:
    """Return the numbers of a sentence, as written, that `sources` have neither in digits nor in words."""
    figures = dict.fromkeys(one[0] for one in _FIGURE.finditer(said))
    if not figures:
        return ()
    known = _ALWAYS.union(*(_numbers(one) for one in sources))
    grouped = {one[1]: _times(one[1], one[2]) for one in _GROUPED.finditer(said)}
    return tuple(one for one in figures if _plain(one) not in known and grouped.get(one, "") not in known)


def has_number(said: str, sources: Sequence[str]) -> bool:
    """Return whether sources have the number of one word or figure, in any form; True for a non-number."""
    own = number_of(said.casefold())
    if _FIGURE.fullmatch(own.lstrip("+-±.")) is None:
        return True
    return not strange_figures(own, sources)


def names_number(said: str) -> bool:
    """Whether a sentence has a number, in digits or in words; `one` and `한` alone are none."""
    if _FIGURE.search(said):
        return True
    words = (one[0].casefold() for one in _WORD.finditer(said))
    if any(word[0] < "가" and number_of(word) not in (word, "1") for word in words):
        return True
    return any(numeral_of(one[0]) not in _NO_NUMBERS for one in _WORD.finditer(said)) or bool(_KO_COUNTED.search(said))


def other_measure(one: str, other: str) -> bool:
    """Whether two words are of one kind and not the same: other units, days, months, currencies."""
    mine, yours = one.casefold().removesuffix("s"), other.casefold().removesuffix("s")
    return mine != yours and any(
        (mine in known or one.casefold() in known) and (yours in known or other.casefold() in known)
        for known in _CLASSES
    )


def other_name(one: str, said: str, other: str, source: str) -> bool:
    """Return whether two words are different names, by a capital within their texts."""
    return one.casefold() != other.casefold() and _named(one, said) and _named(other, source)


def _named(word: str, text: str) -> bool:
    return word.isalpha() and word[0].isupper() and word[1:].islower() and not text.startswith(word)


@lru_cache(maxsize=64)  # an answer has many sentences about few passages
def _numbers(text: str) -> frozenset[str]:
    """Every number of a text in one form: digits, numerals, what a clock of twelve hours says."""
    found = {_plain(one[0]) for one in _FIGURE.finditer(text)}
    found |= {str(int(one[1]) + more) for one in _CLOCK.finditer(text) for more in (-12, 12) if len(one[1]) < 3}
    found |= {_times(one[1], one[2]) for one in _GROUPED.finditer(text)}
    for one in _WORD.finditer(text):
        word = one[0].casefold()
        number = number_of(numeral_of(word) or word)
        if number != word:
            found.add(number)
        found.update(_ALSO.get(word, _ALSO.get(word.removesuffix("s"), ())))
    return frozenset(found)


def _plain(figure: str) -> str:
    """Without separators of thousands and leading zeros; `2.0` is `2`, and `3.10` is not `3.1`."""
    whole, dot, rest = figure.replace(",", "").partition(".")
    whole = whole.lstrip("0") or "0"
    return whole if rest.strip("0") == "" else f"{whole}{dot}{rest}"


def _times(figure: str, word: str) -> str:
    """`2.8 million` and `280만` are one number."""
    return f"{float(figure.replace(',', '')) * _TIMES[word.casefold()]:.15g}"
