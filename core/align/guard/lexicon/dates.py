"""Dates in one form, whatever their order: `November 9, 2025`, `9 Nov 2025`, `2025년 11월 9일`, `2025-11-09`.

Only orders that can be read in one way: of `03/04/2025` nobody knows the month.
"""

from __future__ import annotations

import re
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
