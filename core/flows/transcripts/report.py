"""Reports of imports: while one runs, when it is done, and what harvesting again changes (`import_again.v1`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from core.base.reports import ImportReport, Progress, SkippedLine

SKIPPED_LISTED = 10_000
_INTERVAL_S = 0.1
_ESTIMATE_AFTER_S = 3.0
"""Seconds before the first estimate: until then the start of the run distorts the rate."""


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
        left = max(self.total - done, 0) / rate if rate and now - self._start >= _ESTIMATE_AFTER_S else None
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


LISTED = 100
"""Cases named of those that disappear."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a casebook holds: `errors` are finer cases (fingerprints), the fixes are counted by status."""

    cases: int
    errors: int
    occurrences: int
    drafts: int
    verified: int
    rejected: int


@dataclass(frozen=True, slots=True)
class Drafts:
    """Changes of the untouched harvested drafts."""

    replaced: int
    removed: int
    added: int
    unchanged: int


@dataclass(frozen=True, slots=True)
class RemovedCase:
    """A case that disappears, by the line it was first seen with."""

    id: int
    key_line: str


@dataclass(frozen=True, slots=True)
class ImportAgain:
    """What harvesting again changes, or would change while `applied` is false.

    `kept` fixes were decided on and stay. `no_longer_harvested` counts the cases that stay only because of a decision.
    `gone` names at most `LISTED` of the `cases_removed`. `change` is the change in the history and `backup` the copy
    of the casebook as it was before; both are None where nothing was changed.
    """

    SCHEMA: ClassVar[str] = "import_again.v1"

    sessions: int
    before: Counts
    after: Counts
    drafts: Drafts
    kept: int
    cases_added: int
    cases_removed: int
    no_longer_harvested: int
    gone: tuple[RemovedCase, ...] = ()
    applied: bool = False
    change: int | None = None
    backup: str | None = None
    canceled: bool = False

    @property
    def changes_nothing(self) -> bool:
        """Whether no case and no fix would change."""
        moved = (self.drafts.replaced, self.drafts.removed, self.drafts.added, self.cases_added, self.cases_removed)
        return not any(moved) and self.before == self.after
