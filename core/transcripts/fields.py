"""Fields of foreign JSON objects, taken as what they should be or as nothing; time stamps, if they can be true.

No casts here: each is a call, and these run many times for every record."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson

_ODD = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def word(value: object, limit: int = 200) -> str:
    """`value` as a name or id: at most `limit` code points, odd ones (controls, lone surrogates) as U+FFFD; else ''."""
    if not isinstance(value, str):
        return ""
    if value.isascii() and value.isprintable() and len(value) <= limit:
        return value
    return _ODD.sub("\ufffd", value[:limit])


def fields(value: Any) -> dict[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def items(value: Any) -> list[Any]:
    """`value` if it is an array, else an empty one."""
    return value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]


def elements(value: Any) -> list[Any]:
    """The elements of an array; any other value is its own only element."""
    return value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]


def string(value: object) -> str:
    """`value` if it is a string, else ''."""
    return value if isinstance(value, str) else ""


def small_int(value: object) -> int | None:
    """`value` if it is an integer that an exit code could be, else None."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31:
        return value
    return None


def json_text(value: object) -> str:
    """Return `value` as compact JSON text, unchanged (a lone surrogate stays one)."""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    except (TypeError, orjson.JSONEncodeError):
        pass
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (RecursionError, ValueError):
        return '"(nested too deeply)"'


def joined(parts: Sequence[str]) -> str:
    """Parts of one text, one under the other."""
    return parts[0] if len(parts) == 1 else "\n".join(parts)


def small_facts(source: Mapping[str, Any], names: Mapping[str, str], limit: int = 300) -> dict[str, Any]:
    """The scalar fields of `source` worth keeping, renamed by `names`; false, empty and long ones are left out."""
    found: dict[str, Any] = {}
    for name, renamed in names.items():  # the same order in every process
        if name not in source:
            continue
        value = source[name]
        kept = 0 < len(value) <= limit if isinstance(value, str) else value is True or small_int(value) is not None
        if kept:
            found[renamed] = value
    return found


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


_MILLISECONDS_FROM = 100_000_000_000


def instant(value: object) -> str:
    """A time as ISO 8601: such a text, or a number of seconds or milliseconds since 1970; '' for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return timestamp(value)
    seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
    if not 0 <= seconds < 253_402_300_800:  # false for NaN too
        return ""
    whole = int(seconds)
    milliseconds = int((seconds - whole) * 1000 + 0.5) % 1000
    return timestamp(time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{milliseconds:03d}Z")


@lru_cache(maxsize=1)
def _latest_day(today: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime((today + 1) * _DAY_S))
