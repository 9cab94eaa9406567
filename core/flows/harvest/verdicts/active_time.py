"""Time worked: the seconds between two messages, where a long pause counts as a short one."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import pairwise
from typing import Final

from core.flows.harvest.event_features import Seen
from core.flows.harvest.events import Said

PAUSE: Final = 300.0
"""Seconds that a gap between two messages counts at most: after that nobody was at work."""


class ActiveTime:
    """The times of a history, noted in any order, and the seconds worked between two of them."""

    __slots__ = ("_sums", "_times")

    def __init__(self) -> None:
        self._times = array("d")
        self._sums: array[float] | None = None

    def watch(self, events: Iterable[Seen]) -> Iterator[Seen]:
        """The events as they are, each noted with its time."""
        for event in events:
            self.note(event.ts if isinstance(event, Said) else event.ran.ts)
            yield event

    def note(self, ts: str) -> None:
        """A message was written at this time; what is no time is left out."""
        if (at := _seconds(ts)) is not None:
            self._times.append(at)
            self._sums = None

    def between(self, start: str, end: str) -> float:
        """The seconds worked from one time to another; 0.0 where either is none, or they are the wrong way round."""
        first, last = _seconds(start), _seconds(end)
        if first is None or last is None or last <= first:
            return 0.0
        return max(0.0, self._until(last) - self._until(first))

    def _until(self, at: float) -> float:
        """The seconds worked up to a time; less than 0 before the first message."""
        if self._sums is None:
            self._times = array("d", sorted(self._times))
            self._sums = array("d", [0.0] if self._times else [])
            for earlier, later in pairwise(self._times):
                self._sums.append(self._sums[-1] + min(PAUSE, later - earlier))
        known = bisect_right(self._times, at)
        if not known:
            return -min(PAUSE, self._times[0] - at) if self._times else 0.0
        return self._sums[known - 1] + min(PAUSE, at - self._times[known - 1])


def _seconds(ts: str) -> float | None:
    try:
        return datetime.fromisoformat(ts).timestamp()
    except (ValueError, OverflowError):
        return None
