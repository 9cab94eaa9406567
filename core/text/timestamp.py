"""Time stamps from elsewhere: rows are sorted by them, so one that cannot be true is taken as not given."""

from __future__ import annotations

import re
import time
from functools import lru_cache

_ISO = re.compile(
    r"(?:19[7-9]\d|20\d\d)-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
    r"(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-6]\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
_DAY_S = 86_400


def timestamp(value: object) -> str:
    """`value` if it is an ISO 8601 date or time in ASCII, from 1970 until tomorrow; else ''.

    The bound is a day ahead of this machine's clock, because zones differ and clocks are not exact.
    """
    if not isinstance(value, str) or not _ISO.fullmatch(value):
        return ""
    return value if value[:10] <= _latest_day(int(time.time()) // _DAY_S) else ""


@lru_cache(maxsize=1)
def _latest_day(today: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime((today + 1) * _DAY_S))
