"""Dates, times and numbers in one form, however they are written.

`November 9, 2025` and `2025년 11월 9일`, `오후 11시 30분` and `11:30 pm`, `1만 5천` and `15,000`.

Only orders that can be read in one way: of `03/04/2025` nobody knows the month.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

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
    """A text with its dates in that form."""
    return DATE.sub(lambda found: plain_date(found) or found[0], text)


_MYRIAD: Final = {
    "억": 10**8, "천만": 10**7, "백만": 10**6, "만": 10**4, "천": 1000, "백": 100,
    "thousand": 1000, "k": 1000, "million": 10**6, "billion": 10**9,
}  # fmt: skip
_FIGURE: Final = r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?"
_POWER: Final = r"천만|백만|억|만|천|백"
_PART: Final = re.compile(rf"({_FIGURE})\s?({_POWER})")
_VALUE: Final = re.compile(
    rf"(?=[\d오])(?:(?<![\w.,])(?P<sum>(?:{_FIGURE})\s?(?:{_POWER})(?:\s?(?:{_FIGURE})\s?(?:{_POWER}))+)"
    r"(?![지며])(?: (?=[가-힣]))?"
    rf"|(?<![\w.,])(?P<scaled>{_FIGURE})(?:(?P<short>k)(?![\w-])|\s(?P<scale>thousand|million|billion)\b)"
    r"|(?<![\w.,:])(?P<grouped>[1-9]\d{0,2}(?:(?: \d{3})+|(?:,\d{3})+))(?![\d:]|[.,]\d)(?: (?=[가-힣]))?"
    r"|(?:(?P<half>오전|오후)\s?)?(?<![\d.,:])(?P<hour>[01]?\d|2[0-3])시(?!간)"
    r"(?:\s?(?P<minute>[0-5]?\d)분|"
    r"\s?(?P<past>반)(?![가-힣]{2}))?"
    r"|(?<![\w.,:])(?P<h12>1[0-2]|0?[1-9])(?::(?P<m12>[0-5]\d))?\s?(?P<noon>[ap])\.?m\b\.?"
    r"|(?<![\w.,:])(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d)(?![\d:.]))",
    re.IGNORECASE,
)


def values_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Each value that has more than one form: its range, and its plain form."""
    dates = [(one.start(), one.end(), date) for one in DATE.finditer(text) if (date := plain_date(one))]
    for found in _VALUE.finditer(text):
        if not any(start < found.end() and found.start() < end for start, end, _ in dates) and (plain := _plain(found)):
            dates.append((*found.span(), plain))
    yield from sorted(dates)


def _plain(found: re.Match[str]) -> str:
    if found["sum"]:
        parts = [(Decimal(one[1].replace(",", "")), _MYRIAD[one[2]]) for one in _PART.finditer(found["sum"])]
        powers = [power for _, power in parts]
        return (
            _number(sum((figure * power for figure, power in parts), Decimal()))
            if powers == sorted(powers)[::-1]
            else ""
        )
    if found["scaled"]:
        power = _MYRIAD[(found["short"] or found["scale"]).lower()]
        return _number(Decimal(found["scaled"].replace(",", "")) * power)
    if found["grouped"]:
        return re.sub(r"\D", "", found["grouped"])
    if found["hour"]:
        half = {"오전": "a", "오후": "p"}.get(found["half"] or "", "")
        minute = "30" if found["past"] else found["minute"] or "0"
        return _time(int(found["hour"]), minute, half) if half or found["minute"] or found["past"] else ""
    if found["h12"]:
        return _time(int(found["h12"]), found["m12"] or "0", found["noon"].lower())
    return _time(int(found["h24"]), found["m24"], "")


def _number(value: Decimal) -> str:
    said = f"{value:f}"
    return said.rstrip("0").rstrip(".") if "." in said else said


def _time(hour: int, minute: str, half: str) -> str:
    if half:
        hour = hour % 12 + 12 * (half == "p") if hour <= 12 else hour
    return f"{hour}:{int(minute):02}"
