"""What an import tells: while it runs, and when it is done."""

from __future__ import annotations

import time
from collections.abc import Callable

from core.base.reports import ImportReport, Progress, SkippedLine

__all__ = ["ImportReport", "Meter", "Progress", "SkippedLine", "Tally"]

SKIPPED_LISTED = 10_000
_INTERVAL_S = 0.1


class Meter:
    """Calls back with the progress, at most about ten times a second and once at the end."""

    def __init__(self, callback: Callable[[Progress], None] | None, kind: str, total: int) -> None:
        self._callback, self._kind, self.total = callback, kind, total
        self._start = time.monotonic()
        self._last = 0.0

    def at(self, done: int, file: str = "", *, force: bool = False) -> None:
        """Tell that `done` of the total is done."""
        now = time.monotonic()
        if self._callback is None or (now - self._last < _INTERVAL_S and not force):
            return
        self._last = now
        rate = done / max(now - self._start, 1e-6)
        left = max(self.total - done, 0) / rate if rate else None
        self._callback(Progress(self._kind, done, self.total, rate, left, file))


class Tally:
    """The counts of a running import; lists at most `SKIPPED_LISTED` skipped lines, and how many more there were."""

    def __init__(self) -> None:
        self.files = self.sessions = self.messages = self.tool_calls = self.errors = self.resolutions = 0
        self._skipped: list[SkippedLine] = []
        self._unlisted = 0

    def skip(self, file: str, line: int, reason: str) -> None:
        """Note a line (or, with line 0, a file) that was not read."""
        if len(self._skipped) < SKIPPED_LISTED:
            self._skipped.append(SkippedLine(file, line, reason))
        else:
            self._unlisted += 1

    def report(self, *, canceled: bool) -> ImportReport:
        """The report as it stands."""
        more = (SkippedLine("", 0, f"and {self._unlisted} more lines"),) if self._unlisted else ()
        return ImportReport(
            self.files,
            self.sessions,
            self.messages,
            self.tool_calls,
            self.errors,
            self.resolutions,
            (*self._skipped, *more),
            canceled,
        )
