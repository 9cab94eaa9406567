"""Quotes read whole, the next ones ahead of the chosen one, so that each is there when the one before is decided."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.base.fault import Fault
from tui.panes.evidence.queries import Ahead, Compared, ReadQuote, compare, read_quotes
from tui.runtime.jobs import Jobs

if TYPE_CHECKING:
    from core.align import Span

LANE = "evidence-quote"
AHEAD = 5
_SOON = 0.03
"""Seconds that a row must stay chosen before it is read."""


class QuoteReader:
    """Keeps the quotes around the chosen one; `came` is told of each that was read."""

    def __init__(self, jobs: Jobs, came: Callable[[int], object], failed: Callable[[Fault], object]) -> None:
        self._jobs = jobs
        self._came = came
        self._failed = failed
        self._read: dict[int, ReadQuote | None] = {}

    def get(self, evidence_id: int | None) -> ReadQuote | None:
        """The quote, if it is read."""
        return None if evidence_id is None else self._read.get(evidence_id)

    def forget(self) -> None:
        """All are to be read again."""
        self._read.clear()

    def want(self, ids: tuple[int, ...]) -> None:
        """Read these, the first soonest; others are no longer kept."""
        self._read = {one: self._read[one] for one in ids if one in self._read}
        lacking = tuple(one for one in ids if one not in self._read)
        if lacking and (lacking[0] == ids[0] or len(lacking) > AHEAD // 2 or len(ids) < AHEAD):
            delay = _SOON if lacking[0] == ids[0] else 0.0
            self._jobs.run(LANE, read_quotes(lacking), self._put, self._told, delay=delay)

    def compare(self, read: ReadQuote, spans: tuple[Span, ...], done: Callable[[Compared], None]) -> None:
        """What the quote says otherwise than the words at a place drawn by hand."""
        work = compare(read.quote.row.id, spans)
        self._jobs.run("evidence-compare", work, lambda value, _final: done(value), self._told)

    def _put(self, one: Ahead | None, _final: bool) -> None:
        if one is not None:
            self._read[one.evidence_id] = one.read
            self._came(one.evidence_id)

    def _told(self, fault: Fault) -> None:
        self._failed(fault)
