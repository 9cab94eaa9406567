"""The triage queue: cases that wait for a person, the most frequent first, then the most recent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, cast

from core.base.fault import Fault
from core.errors.cases.browse import EVERY, case_rows
from core.errors.cases.case import CaseRow, Filters
from core.errors.cases.positions import conditions
from core.store import Store

# Word for word as in the partial index, or SQLite does not use it; without being told, it takes one that needs sorting.
WAITING = "status IN ('unresolved', 'draft')"
_QUEUE = "case_state s INDEXED BY case_state_triage"
_CURSOR = re.compile(r"(?P<seen>[0-9]{1,18})\|(?P<last>[^|]{0,64})\|(?P<id>[0-9]{1,18})")


@dataclass(frozen=True, slots=True)
class QueuePage:
    """One page of the queue. `left` counts all that wait; `next` asks for the page after it, None at the end."""

    SCHEMA: ClassVar[str] = "triage.v1"

    cases: tuple[CaseRow, ...]
    left: int
    next: str | None


def triage_queue(store: Store, filters: Filters = EVERY, limit: int = 50, after: str | None = None) -> QueuePage:
    """One page of the cases that wait: unresolved, or with a draft as their answer.

    `after` is the `next` of the page before, or `place_of` any case. Pages go by key. `filters.status` may name one of
    the two. Raises Fault invalid_input on a cursor that is none.
    """
    with store.moment():
        rows = _rows(store, filters, limit + 1, after)
        page = rows[:limit]
        following = _cursor(page[-1]) if len(rows) > limit and page else None
        found: list[CaseRow] = []
        ids = tuple(case_id for case_id, _, _ in page)
        for at in range(0, len(ids), 500):
            found += case_rows(store, ids[at : at + 500])
        return QueuePage(tuple(found), count_waiting(store, filters), following)


def next_after(store: Store, place: str, filters: Filters = EVERY) -> CaseRow | None:
    """The case that waits behind `place`, else the first one of the queue (going round); None if none waits."""
    rows = _rows(store, filters, 1, place) or _rows(store, filters, 1, None)
    found = case_rows(store, (rows[0][0],)) if rows else ()
    return found[0] if found else None


def place_of(row: CaseRow) -> str:
    """Where the case stands (or stood, once it is decided) in the queue, for `after` and `next_after`."""
    return _cursor((row.id, row.seen, row.last_seen))


def count_waiting(store: Store, filters: Filters = EVERY) -> int:
    """How many cases wait."""
    tests, values = _tests(filters)
    row = store.con.execute(f"SELECT count(*) FROM {_QUEUE} WHERE {' AND '.join(tests)}", tuple(values)).fetchone()
    return cast("int", row[0]) if row else 0


def _rows(store: Store, filters: Filters, limit: int, after: str | None) -> list[tuple[int, int, str]]:
    tests, values = _tests(filters)
    if after is not None:
        tests.append("(s.seen, s.last_seen, s.case_id) < (?, ?, ?)")
        values.extend(_parsed(after))
    rows = store.con.execute(
        f"SELECT s.case_id, s.seen, s.last_seen FROM {_QUEUE} WHERE {' AND '.join(tests)}"
        " ORDER BY s.seen DESC, s.last_seen DESC, s.case_id DESC LIMIT ?",
        (*values, limit),
    )
    return cast("list[tuple[int, int, str]]", rows.fetchall())


def _tests(filters: Filters) -> tuple[list[str], list[str | int]]:
    tests, values = conditions(filters)
    return [f"s.{WAITING}", *tests], values


def _cursor(row: tuple[int, int, str]) -> str:
    return f"{row[1]}|{row[2]}|{row[0]}"


def _parsed(cursor: str) -> tuple[int, str, int]:
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise Fault("invalid_input", "the page cursor is not one of ours", "use `next` of the page before")
    return int(found["seen"]), found["last"], int(found["id"])
