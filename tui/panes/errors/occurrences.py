"""The times a case was seen, one by one: which are read, which one is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.errors import Occurrence

AHEAD = 12
"""Times read at once; each may hold a whole message."""

Older = tuple["Occurrence", ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """The times read so far, newest first; `at` is the one shown, `total` how many there are.

    `fingerprint`: they are those of this one error of the case.
    """

    case_id: int = 0
    total: int = 0
    read: tuple[Occurrence, ...] = ()
    at: int = 0
    fingerprint: str | None = None

    @property
    def current(self) -> Occurrence | None:
        """The time that is shown."""
        return self.read[self.at] if self.at < len(self.read) else None

    @property
    def has_older(self) -> bool:
        """Whether there is an older time, read or not."""
        return self.at + 1 < max(self.total, len(self.read))

    @property
    def lacks_older(self) -> bool:
        """Whether the next older time is still to be read."""
        return self.has_older and self.at + 1 >= len(self.read)

    def moved(self, by: int) -> Seen:
        """The same times, another one shown."""
        return replace(self, at=min(max(0, self.at + by), max(0, len(self.read) - 1)))

    def grown(self, older: Older) -> Seen:
        """With more times read; none more means that there are no more than those."""
        read = (*self.read, *older)
        return replace(self, read=read, total=len(read) if len(older) < AHEAD else max(self.total, len(read)))


def read_older(seen: Seen) -> Callable[[Job[Older]], Older]:
    """Read the times before the oldest that is known."""

    def work(job: Job[Older]) -> Older:
        from core.errors import occurrences_of

        last = seen.read[-1] if seen.read else None
        return occurrences_of(job.store(), seen.case_id, AHEAD, last, seen.fingerprint)

    return work
