"""The triage queue as the screen has it: what waits, what is marked, what was decided and is on its way to disk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tui.panes.errors.queries import Read, read_case
from tui.render.errors.case_list import Row, row_of
from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.errors import Filters

PAGE = 500
"""Rows read at a time."""

AHEAD = 12
"""Cases read whole ahead of the chosen one, so that the next is there when this one is decided."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the queue, and whether it is marked or was skipped. `part`: another finding of the item above."""

    row: Row
    marked: bool = False
    skipped: bool = False
    part: bool = False


@dataclass(frozen=True, slots=True)
class Waiting:
    """The beginning of the queue as it was read: `left` items wait in all, `more` whether there are further rows.

    `parts`: the rows that are other findings of the item above them.
    """

    rows: tuple[Row, ...]
    left: int
    more: bool
    parts: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Joins:
    """What a merge here would join: the case that stays, and those that go into it; none: one is picked for it."""

    into: Row
    others: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits, as rows for the list. `gone`: decided here, and not read again since."""

    read: Waiting = Waiting((), 0, False)
    marked: frozenset[int] = frozenset()
    skipped: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()
    entries: tuple[Entry, ...] = ()

    @property
    def total(self) -> int:
        """How many rows."""
        return len(self.entries)

    @property
    def left(self) -> int:
        """How many items wait in all, read or not."""
        return self.read.left - sum(row.id in self.gone and row.id not in self.read.parts for row in self.read.rows)

    def get(self, index: int) -> Entry | None:
        """The row at `index`."""
        return self.entries[index] if 0 <= index < len(self.entries) else None

    def index_of(self, case_id: int | None) -> int | None:
        """Where a case stands."""
        return next((at for at, one in enumerate(self.entries) if one.row.id == case_id), None)

    def joins(self, chosen: int) -> Joins | None:
        """The marked ones alone: into the one at row `chosen` if it is one of them, else into the first; with none
        marked the chosen one."""
        marked = [one.row for one in self.entries if one.marked]
        here = self.get(chosen)
        if here is None:
            return None
        into = here.row if here.marked or not marked else marked[0]
        return Joins(into, tuple(row.id for row in marked if row.id != into.id))

    def renewed(self, waiting: Waiting, pending: Collection[int]) -> Queue:
        """The same queue, read again; what is still on its way to disk (`pending`) stays away."""
        there = {row.id for row in waiting.rows}
        return _drawn(replace(self, read=waiting, marked=self.marked & there, gone=self.gone & frozenset(pending)))

    def unmarked(self) -> Queue:
        """No row is marked."""
        return _drawn(replace(self, marked=frozenset()))

    def without(self, cases: Iterable[int]) -> Queue:
        """These were decided: they leave at once, and lose their marks."""
        left = frozenset(cases)
        return _drawn(replace(self, gone=self.gone | left, marked=self.marked - left))

    def settled(self, cases: Iterable[int]) -> Queue:
        """What was decided about these is on disk, or was not done: the next reading says which of them wait."""
        return _drawn(replace(self, gone=self.gone - frozenset(cases)))

    def toggled(self, case_id: int) -> Queue:
        """Marked, or no longer."""
        return _drawn(replace(self, marked=self.marked ^ {case_id}))

    def all_marked(self) -> Queue:
        """Every row that is there is marked; none, if all are already."""
        every = frozenset(one.row.id for one in self.entries)
        return _drawn(replace(self, marked=frozenset() if self.marked >= every else every))

    def passed(self, case_id: int) -> Queue:
        """Skipped: it stays, and is passed over once."""
        return _drawn(replace(self, skipped=self.skipped | {case_id}))

    def next_from(self, index: int) -> int:
        """The first row from `index` on that was not skipped, going round once; `index` itself where all were."""
        order = [*range(index, self.total), *range(min(index, self.total))]
        return next((at for at in order if not self.entries[at].skipped), min(index, max(0, self.total - 1)))


def _drawn(queue: Queue) -> Queue:
    entries = tuple(
        Entry(row, row.id in queue.marked, row.id in queue.skipped, row.id in queue.read.parts)
        for row in queue.read.rows
        if row.id not in queue.gone
    )
    return replace(queue, entries=entries)


def read_queue(filters: Filters, rows: int) -> Callable[[Job[Waiting]], Waiting]:
    """Read the beginning of the queue, at least `rows` of it."""

    def work(job: Job[Any]) -> Waiting:
        from core.errors.curation.triage import triage_queue

        page = triage_queue(job.store(), filters, max(PAGE, rows))
        parts: dict[int | None, list[Row]] = {}
        for case in page.findings:
            parts.setdefault(case.queue_case, []).append(row_of(case))
        items = (one for case in page.cases for one in (row_of(case), *parts.get(case.queue_case or case.id, ())))
        return Waiting(tuple(items), page.left, page.next is not None, frozenset(one.id for one in page.findings))

    return work


@dataclass(frozen=True, slots=True)
class WholeCase:
    """A case read whole; None if it is gone."""

    case_id: int
    read: Read | None


def read_ahead(cases: tuple[int, ...]) -> Callable[[Job[WholeCase | None]], WholeCase | None]:
    """Read these cases whole, handing over each as it comes."""

    def work(job: Job[Any]) -> WholeCase | None:
        for case_id in cases:
            job.partial(WholeCase(case_id, read_case(case_id)(job)))
        return None

    return work
