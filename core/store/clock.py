"""The one clock of stored rows."""

from __future__ import annotations

import time


def now(ns: int | None = None) -> str:
    """The current time (or `ns`, nanoseconds since 1970) as ISO 8601 in UTC, `2026-02-07T09:30:00.125Z`.

    Such texts sort by time.
    """
    milliseconds = (time.time_ns() if ns is None else ns) // 1_000_000
    whole, rest = divmod(milliseconds, 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{rest:03d}Z"


def stamp() -> str:
    """The current time for a file name, `20260207T093000125Z`."""
    return now().replace("-", "").replace(":", "").replace(".", "")
