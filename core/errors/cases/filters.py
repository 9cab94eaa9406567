"""The filters of the case list: their conditions, what each would leave, and a case's position among what passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from core.errors.cases.case import Filters, Sort
from core.errors.cases.columns import IN_PROJECT, PROJECT, meant_by, project_names
from core.errors.cases.derived import HAS_TAG, TAGGED, forms, one_form
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


SCANNED = 20_000
"""Cases looked at, the last seen first: what is counted stays cheap however many there are."""

MOST = 100
"""Values listed of each kind, the most frequent first."""


_Group = tuple[str, str, str, int, int, int]
_TagGroup = tuple[str, str, str, int, str, int]


@dataclass(frozen=True, slots=True)
class Facet:
    """One value, and how many of the cases looked at have it and pass the other filters."""

    value: str
    cases: int


@dataclass(frozen=True, slots=True)
class Facets:
    """The values to filter by. `complete`: every case was looked at, so the counts are exact.

    `since` has one entry for each time that was asked about, in that order.
    """

    statuses: tuple[Facet, ...]
    tools: tuple[Facet, ...]
    projects: tuple[Facet, ...]
    since: tuple[Facet, ...]
    complete: bool
    tags: tuple[Facet, ...] = ()


def facets(store: Store, filters: Filters, since: tuple[str, ...] = (), scanned: int = SCANNED) -> Facets:
    """The values of the `scanned` last seen cases. Each kind is counted as if it were not filtered itself.

    `since` are ISO 8601 times to count the cases seen after.
    """
    asked = {*since, filters.since} if filters.since is not None else {*since}
    times: tuple[str, ...] = tuple(sorted(asked))
    age = " + ".join(["0", *("(s.last_seen >= ?)" for _ in times)])
    looked_at = (
        f"(SELECT s.case_id, s.status, s.tool, {PROJECT} AS project, {age} AS age FROM case_state s"
        " ORDER BY s.last_seen DESC, s.case_id DESC LIMIT ?) s"
    )
    tag, forms_of = ("0", ()) if filters.tag is None else (f"NOT {HAS_TAG}", forms(filters.tag))
    rows = store.con.execute(
        f"SELECT status, tool, project, age, {tag}, count(*) FROM {looked_at} GROUP BY 1, 2, 3, 4, 5",
        (*forms_of, *times, scanned),
    )
    meant = None if filters.project is None else meant_by(store.con, filters.project)
    kinds: dict[str, Counter[str]] = {"status": Counter(), "tool": Counter(), "project": Counter(), "since": Counter()}
    seen = 0
    for status, tool, project, passed, untagged, cases in cast("list[_Group]", rows.fetchall()):
        seen += cases
        values = {"status": status, "tool": tool, "project": project}
        recent = times[:passed]  # sorted: a case seen after a time was seen after every earlier one too
        refused = _refused(values, recent, filters, meant) | set[str](["tag"] if untagged else [])
        for kind, value in values.items():
            if not refused - {kind}:
                kinds[kind][value] += cases
        if not refused - {"since"}:
            for time in recent:
                kinds["since"][time] += cases
    return Facets(
        statuses=_most(kinds["status"]),
        tools=_most(kinds["tool"]),
        projects=_named(store, kinds["project"]),
        since=tuple(Facet(time, kinds["since"][time]) for time in since),
        complete=seen < scanned,
        tags=_tags(store, looked_at, times, scanned, filters, meant),
    )


def _tags(
    store: Store, looked_at: str, times: tuple[str, ...], scanned: int, filters: Filters, meant: frozenset[str] | None
) -> tuple[Facet, ...]:
    rows = store.con.execute(
        f"SELECT status, tool, project, age, tag, count(*) FROM {looked_at} JOIN ({TAGGED}) USING (case_id)"
        " GROUP BY 1, 2, 3, 4, 5",
        (*times, scanned),
    )
    counted = Counter[str]()
    for status, tool, project, passed, tag, cases in cast("list[_TagGroup]", rows.fetchall()):
        if not _refused({"status": status, "tool": tool, "project": project}, times[:passed], filters, meant):
            counted[one_form(tag)] += cases
    return _most(counted)


def _refused(
    values: Mapping[str, str], recent: tuple[str, ...], filters: Filters, meant: frozenset[str] | None
) -> set[str]:
    """The kinds whose filter these values do not pass; `meant` are the projects that the filter names."""
    asked = {"status": filters.status, "tool": filters.tool}
    refused = {kind for kind, wanted in asked.items() if wanted is not None and values[kind] != wanted}
    refused |= {"project"} if meant is not None and values["project"] not in meant else set[str]()
    return refused | ({"since"} if filters.since is not None and filters.since not in recent else set())


def _named(store: Store, projects: Counter[str]) -> tuple[Facet, ...]:
    """The projects by the names they are shown and filtered by."""
    names = project_names(store.con)
    return _most(Counter({names.get(project, project): cases for project, cases in projects.items()}))


def _most(counted: Counter[str]) -> tuple[Facet, ...]:
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Facet(value, cases) for value, cases in ordered[:MOST])
