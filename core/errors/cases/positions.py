"""Where a case stands in the list: what a list needs that was read before others wrote, and must stay where it is."""

from __future__ import annotations

from typing import cast

from core.errors.cases.case import Filters, Sort
from core.errors.cases.projects import IN_PROJECT
from core.errors.cases.tags import HAS_TAG, forms
from core.store import Store

SORT_COLUMNS: dict[Sort, str] = {"last_seen": "last_seen", "seen": "seen", "first_seen": "first_seen"}


def conditions(filters: Filters) -> tuple[list[str], list[str | int]]:
    """The conditions on `case_state s` that the filters mean, and their values."""
    tests: list[str] = []
    values: list[str | int] = []
    for column, value in (("status", filters.status), ("tool", filters.tool)):
        if value is not None:
            tests.append(f"s.{column} = ?")
            values.append(value)
    if filters.project is not None:
        tests.append(IN_PROJECT)
        values.extend((filters.project, filters.project))
    if filters.since is not None:
        tests.append("s.last_seen >= ?")
        values.append(filters.since)
    if filters.tag is not None:
        tests.append(HAS_TAG)
        values.extend(forms(filters.tag))
    return tests, values


def rank_of(store: Store, case_id: int, filters: Filters, sort: Sort) -> int | None:
    """How many cases stand before this one in the list; None if it is not in it."""
    column = SORT_COLUMNS[sort]
    tests, values = conditions(filters)
    passing = "".join(f" AND {test}" for test in tests)
    own = store.con.execute(
        f"SELECT s.{column} FROM case_state s WHERE s.case_id = ?{passing}", (case_id, *values)
    ).fetchone()
    if own is None:
        return None
    row = store.con.execute(
        f"SELECT count(*) FROM case_state s WHERE (s.{column}, s.case_id) > (?, ?){passing}",
        (own[0], case_id, *values),
    ).fetchone()
    return cast("int", row[0]) if row else 0


def cursor_at(store: Store, index: int, filters: Filters, sort: Sort) -> str | None:
    """The cursor with which `list_cases` begins at row `index`; None for the first row, and behind the last.

    It walks an index from the nearer end of the list, once: the last rows cost what the first ones do.
    """
    if index <= 0:
        return None
    column = SORT_COLUMNS[sort]
    tests, values = conditions(filters)
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    counted = store.con.execute(f"SELECT count(*) FROM case_state s{where}", tuple(values)).fetchone()
    left = (cast("int", counted[0]) if counted else 0) - index
    if left < 0:
        return None
    order, offset = ("DESC", index - 1) if index <= left else ("ASC", left)
    row = store.con.execute(
        f"SELECT s.{column}, s.case_id FROM case_state s{where}"
        f" ORDER BY s.{column} {order}, s.case_id {order} LIMIT 1 OFFSET ?",
        (*values, offset),
    ).fetchone()
    return None if row is None else f"{row[0]}|{row[1]}"
