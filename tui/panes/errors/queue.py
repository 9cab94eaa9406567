"""The rows of the triage queue: read, marked, skipped, decided; they keep their places when they are read again."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tui.render.case_list import Row, row_of
from tui.runtime.jobs import Job, job_work
from tui.widgets.row_list import FixedRows

if TYPE_CHECKING:
    from core.errors import Filters


PAGE = 500
"""Rows read at a time."""


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

    def in_place(self, before: Waiting, behind: Mapping[int, int]) -> Waiting:
        """The same rows in the order of `before`, whatever they rank now. A new item comes before the first that ranks
        below it, or behind the item of the case that it was split from (`behind`)."""
        places = {row.id: at for at, row in enumerate(before.rows)}
        items: list[tuple[Row, ...]] = []
        for row in self.rows:
            if row.id in self.parts and items:
                items[-1] = (*items[-1], row)
            else:
                items.append((row,))
        first_of = {row.id: item[0].id for item in items for row in item}
        made: dict[int, list[tuple[Row, ...]]] = {}
        for item in items:
            source = first_of.get(behind.get(item[0].id, 0), 0)
            if item[0].id not in places and source in places:
                made.setdefault(source, []).append(item)
        late = {item[0].id for those in made.values() for item in those}
        rows: list[Row] = []
        for item in _in_place([item for item in items if item[0].id not in late], places):
            for one in (item, *made.get(item[0].id, ())):
                rows += (one[0], *(part[0] for part in _in_place([(part,) for part in one[1:]], places)))
        return replace(self, rows=tuple(rows))


def _in_place(items: Sequence[tuple[Row, ...]], places: Mapping[int, int]) -> list[tuple[Row, ...]]:
    """The items that have a place, in that order, each new one before the first that ranks below it."""
    ranks = {item[0].id: rank for rank, item in enumerate(items)}
    new = deque(item for item in items if item[0].id not in places)
    found: list[tuple[Row, ...]] = []
    for item in sorted((item for item in items if item[0].id in places), key=lambda item: places[item[0].id]):
        while new and ranks[new[0][0].id] < ranks[item[0].id]:
            found.append(new.popleft())
        found.append(item)
    return [*found, *new]


@dataclass(frozen=True, slots=True)
class Joins:
    """What a merge here would join: the case that stays, and those that go into it; none: one is picked for it."""

    into: Row
    others: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Queue(FixedRows[Entry]):
    """What waits, as rows for the list. `gone`: decided here, and not read again since."""

    read: Waiting = Waiting((), 0, False)
    marked: frozenset[int] = frozenset()
    skipped: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()

    @property
    def remaining(self) -> int:
        """How many items wait in all, read or not."""
        return self.read.left - sum(row.id in self.gone and row.id not in self.read.parts for row in self.read.rows)

    def index_of(self, case_id: int | None) -> int | None:
        return next((at for at, one in enumerate(self.rows) if one.row.id == case_id), None)

    def joins(self, chosen: int) -> Joins | None:
        """The marked ones alone: into the one at row `chosen` if it is one of them, else into the first; with none
        marked the chosen one."""
        marked = [one.row for one in self.rows if one.marked]
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
        every = frozenset(one.row.id for one in self.rows)
        return _drawn(replace(self, marked=frozenset() if self.marked >= every else every))

    def passed(self, case_id: int) -> Queue:
        """Skipped: it stays, and is passed over once."""
        return _drawn(replace(self, skipped=self.skipped | {case_id}))

    def next_from(self, index: int) -> int:
        """The first row from `index` on that was not skipped, going round once; `index` itself where all were."""
        order = [*range(index, self.total), *range(min(index, self.total))]
        return next((at for at in order if not self.rows[at].skipped), min(index, max(0, self.total - 1)))

    def behind(self, index: int) -> int | None:
        """The next case after row `index`: behind an item the next item, for its other findings leave the
        queue with it; behind a finding the next row. None at the end."""
        here = self.get(index)
        rest = self.rows[index + 1 :]
        found = (one.row.id for one in rest if not one.skipped and (here is None or here.part or not one.part))
        return next(found, None)


def _drawn(queue: Queue) -> Queue:
    """The queue with its rows: those decided here are gone, and with an item its other findings, which are skipped
    with it too."""
    entries: list[Entry] = []
    item_gone = item_skipped = False
    for row in queue.read.rows:
        part = row.id in queue.read.parts
        if not part:
            item_gone, item_skipped = row.id in queue.gone, row.id in queue.skipped
        if row.id not in queue.gone and not (part and item_gone):
            skipped = row.id in queue.skipped or (part and item_skipped)
            entries.append(Entry(row, row.id in queue.marked, skipped, part))
    ids = frozenset(one.row.id for one in entries)
    return replace(queue, rows=tuple(entries), marked=queue.marked & ids)


@job_work
def read_queue(job: Job[Any], filters: Filters, rows: int, shown: tuple[int, ...] = ()) -> Waiting:
    """Read the beginning of the queue, at least `rows` of it, and of the cases `shown` those that still wait."""
    from core.errors.curation.triage import triage_queue

    page = triage_queue(job.store(), filters, max(PAGE, rows), also=shown)
    parts: dict[int | None, list[Row]] = {}
    for case in page.findings:
        parts.setdefault(case.queue_case, []).append(row_of(case))
    items = (one for case in page.cases for one in (row_of(case), *parts.get(case.queue_case or case.id, ())))
    return Waiting(tuple(items), page.left, page.next is not None, frozenset(one.id for one in page.findings))
