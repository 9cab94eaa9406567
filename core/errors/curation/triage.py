"""The triage queue, an item an incident: what most sessions met is first. Of those what has a strong fix, then a weak
one, then an edit of the project's code, then what has no fix; of those what cost most, then what was seen most.

An item is the first case of its incident; the other waiting cases of the incident are listed with it. Once it is
decided, they leave the queue with it, and they come back with it when the decision is undone. Slips have no item, and
neither has a draft that is a workaround or fixes a slip: practice counts those. An incident without a fix, or with one
that its message tells, has an item once three sessions met it. Cases that were never judged come last, those seen
most first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import ClassVar, cast

import apsw

from core.base.fault import Fault
from core.errors.cases.browse import EVERY, case_rows, conditions
from core.errors.cases.case import CaseRow, Filters
from core.store import Store

# Word for word as in the partial index, or SQLite does not use it; without being told, it takes one that needs sorting.
WAITING = "status IN ('unresolved', 'draft')"
_QUEUE = "case_state s INDEXED BY case_state_triage"
SESSIONS = 3
"""Sessions from which on an error is an item that has no fix, or whose message tells it; 0 where it was not judged."""
_ITEM = f"{WAITING} AND queued = 1 AND offer >= iif(sessions BETWEEN 1 AND {SESSIONS - 1}, 1, 0)"
_CURSOR = re.compile(
    r"(?P<sessions>[0-9]{1,18})\|(?P<offer>[0-9])\|(?P<seconds>[0-9.e+]{1,32})\|(?P<seen>[0-9]{1,18})"
    r"\|(?P<last>[^|]{0,64})\|(?P<id>[0-9]{1,18})"
)
_FINDINGS = 20
"""Other cases of an item that are listed with it."""

_Key = tuple[int, int, float, int, str, int]
_PLACE = ("sessions", "offer", "seconds", "seen", "last_seen", "case_id")
_PLACES = ", ".join(f"s.{name}" for name in _PLACE)
_ORDER = ", ".join(f"s.{name} DESC" for name in _PLACE)


@dataclass(frozen=True, slots=True)
class QueuePage:
    """One page of the queue, a case an item. `left` counts all items; `next` asks for the page after this one.

    `findings`: the other waiting cases of these items (`is_part_of` says of which), at most 20 an item. An item with a
    draft lists only those with a draft.
    """

    SCHEMA: ClassVar[str] = "triage.v1"

    cases: tuple[CaseRow, ...]
    left: int
    next: str | None
    findings: tuple[CaseRow, ...] = ()


def triage_queue(
    store: Store,
    filters: Filters = EVERY,
    limit: int = 50,
    after: str | None = None,
    *,
    also: Collection[int] = (),
) -> QueuePage:
    """One page of the cases that wait: unresolved, or with a draft as their answer.

    `after` is the `next` of the page before. Pages go by key. `filters.status` may name one of
    the two. `also`: items that come behind this page are added to its end. Raises Fault invalid_input on a cursor that
    is none.
    """
    with store.moment():
        keys = _keys(store, filters, limit + 1, after)
        page = keys[:limit]
        following = "|".join(map(str, page[-1])) if len(keys) > limit and page else None
        found: list[CaseRow] = []
        ids = tuple(key[-1] for key in page)
        if following is not None and (later := set(also) - set(ids)):
            ids += tuple(key[-1] for key in _keys(store, filters, len(later), following, among=later))
        for at in range(0, len(ids), 500):
            found += case_rows(store, ids[at : at + 500])
        return QueuePage(tuple(found), count_waiting(store, filters), following, _findings(store, found))


def count_waiting(store: Store, filters: Filters = EVERY) -> int:
    """How many items the queue has."""
    tests, values = _tests(filters)
    row = store.con.execute(f"SELECT count(*) FROM {_QUEUE} WHERE {' AND '.join(tests)}", tuple(values)).fetchone()
    return cast("int", row[0]) if row else 0


def is_part_of(finding: CaseRow, item: CaseRow) -> bool:
    """Whether the case belongs to the incident of the item."""
    return finding.queue_case == (item.queue_case or item.id)


def open_items(con: apsw.Connection, cases: Iterable[int]) -> frozenset[int]:
    """Those of the cases that are items of the queue."""
    rows = con.execute(
        f"SELECT case_id FROM case_state WHERE case_id IN (SELECT value FROM json_each(?)) AND {_ITEM}",
        (json.dumps(list(cases)),),
    )
    return frozenset(cast("int", row[0]) for row in rows)


def parts_of_decided(con: apsw.Connection, items: Collection[int]) -> tuple[int, ...]:
    """The undecided cases that left the queue because these items of their incidents were decided."""
    rows = con.execute(
        "SELECT m.case_id FROM json_each(?) one CROSS JOIN case_state s ON s.case_id = one.value"
        " CROSS JOIN case_state m ON m.queue_case = coalesce(s.queue_case, s.case_id) AND m.case_id <> s.case_id"
        f" WHERE NOT s.{WAITING} AND m.{WAITING} AND m.worth <> 'slip' ORDER BY m.case_id",
        (json.dumps(list(items)),),
    )
    return tuple(dict.fromkeys(cast("int", row[0]) for row in rows))


def _findings(store: Store, items: Iterable[CaseRow]) -> tuple[CaseRow, ...]:
    """The waiting cases that are part of these items, item by item, those that cost most first. With a draft only those
    with a draft: about the others there is nothing to decide."""
    found: list[int] = []
    for item in items:
        rows = store.con.execute(
            f"SELECT case_id FROM case_state s WHERE queue_case = ?1 AND case_id <> ?2 AND s.{WAITING}"
            " AND worth <> 'slip' AND (status = 'draft' OR ?4)"
            " ORDER BY sessions DESC, offer DESC, seconds DESC, case_id LIMIT ?3",
            (item.queue_case or item.id, item.id, _FINDINGS, item.status == "unresolved"),
        )
        found += [cast("int", row[0]) for row in rows]
    return tuple(row for at in range(0, len(found), 500) for row in case_rows(store, tuple(found[at : at + 500])))


def _keys(store: Store, filters: Filters, limit: int, after: str | None, among: Collection[int] = ()) -> list[_Key]:
    tests, values = _tests(filters)
    more: list[int | float | str] = [*values]
    if among:
        tests.append("s.case_id IN (SELECT value FROM json_each(?))")
        more.append(json.dumps(list(among)))
    if after is not None:
        tests.append(f"({_PLACES}) < (?, ?, ?, ?, ?, ?)")
        more.extend(_parsed(after))
    rows = store.con.execute(
        f"SELECT {_PLACES} FROM {_QUEUE} WHERE {' AND '.join(tests)} ORDER BY {_ORDER} LIMIT ?",
        (*more, limit),
    )
    return cast("list[_Key]", rows.fetchall())


def _tests(filters: Filters) -> tuple[list[str], list[str | int]]:
    tests, values = conditions(filters)
    return [f"s.{_ITEM}", *tests], values


def _parsed(cursor: str) -> _Key:
    found = _CURSOR.fullmatch(cursor)
    try:
        if found is not None:
            sessions, offer, seen, case_id = (int(found[name]) for name in ("sessions", "offer", "seen", "id"))
            return sessions, offer, float(found["seconds"]), seen, found["last"], case_id
    except ValueError:
        pass
    raise Fault("invalid_input", "invalid page cursor", "use `next` of the previous page")
