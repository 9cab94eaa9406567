"""What failed, what it cost, what came back, what was told and helped: sums and cases (`insights.v1`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, Final, cast

import apsw

from core.base.fault import Fault
from core.errors.cases.browse import case_rows
from core.errors.cases.case import CaseRow
from core.errors.cases.derived import meant_by, project_names
from core.errors.fixes import strength_of
from core.flows.insights.report import (
    CameBack,
    Insights,
    ProjectCost,
    ToldBy,
    ToldCase,
    ToolCost,
    Totals,
    Week,
    WorstCase,
)
from core.store import Store, faults
from core.text import redact

_MINUTE_MS: Final = 60_000
_COSTS: Final = "sum(failures), sum(incidents), sum(attempts), sum(messages), sum(milliseconds)"
_ANSWER_SUMS: Final = "sum(told), sum(helped), sum(failed_again), sum(ignored), sum(withheld)"


@dataclass(frozen=True, slots=True)
class Scope:
    """Which weeks and projects are summed. `since` is a Monday; None lets all pass."""

    since: str | None = None
    projects: frozenset[str] | None = None

    def where(self, *more: str) -> tuple[str, list[str]]:
        """The condition on `week` and `project` with its values; `more` conditions have none."""
        tests, values = [*more], list[str]()
        if self.since is not None:
            tests.append("week >= ?")
            values.append(self.since)
        if self.projects is not None:
            tests.append(f"project IN ({', '.join('?' * len(self.projects))})")
            values += sorted(self.projects)
        return (f" WHERE {' AND '.join(tests)}" if tests else ""), values


def minutes(milliseconds: int) -> float:
    """Milliseconds as minutes to a tenth."""
    return round(milliseconds / _MINUTE_MS, 1)


def by_week(con: apsw.Connection, scope: Scope) -> tuple[Week, ...]:
    """The weeks in which something failed or was told, newest first."""
    found: dict[str, Week] = {}
    for week, failures, incidents, attempts, _, ms in _sums(con, scope, "week", _COSTS, "insight_week"):
        found[week] = Week(week, failures, incidents, attempts, minutes(ms))
    for week, told, helped, *_ in _sums(con, scope, "week", _ANSWER_SUMS, "insight_answer"):
        found[week] = replace(found.get(week, Week(week)), answered=told, helped=helped)
    return tuple(sorted(found.values(), key=lambda one: one.week, reverse=True))


def by_tool(con: apsw.Connection, scope: Scope) -> tuple[ToolCost, ...]:
    """The programs and tools that failed, the dearest first."""
    rows = _sums(con, scope, "program", _COSTS, "insight_week")
    found = (ToolCost(*cast("tuple[str, int, int, int, int]", row[:5]), minutes(row[5])) for row in rows)
    return tuple(sorted(found, key=lambda one: (-one.minutes, -one.failures, one.tool)))


def by_project(con: apsw.Connection, scope: Scope, names: Mapping[str, str]) -> tuple[ProjectCost, ...]:
    """The projects in which something failed or was told, the dearest first. `names` are those they are shown by."""
    found: dict[str, ProjectCost] = {}
    for project, failures, incidents, attempts, _, ms in _sums(con, scope, "project", _COSTS, "insight_week"):
        shown = _shown(names, project)
        found[project] = ProjectCost(project, shown, failures, incidents, attempts, minutes(ms))
    for project, told, helped, *_ in _sums(con, scope, "project", _ANSWER_SUMS, "insight_answer"):
        known = found.get(project, ProjectCost(project, _shown(names, project), 0, 0, 0, 0.0))
        found[project] = replace(known, answered=told, helped=helped)
    return tuple(sorted(found.values(), key=lambda one: (-one.minutes, -one.failures, one.project)))


def by_way(con: apsw.Connection, scope: Scope) -> tuple[ToldBy, ...]:
    """The ways in which fixes were told, the most frequent first."""
    rows = _sums(con, scope, "via", _ANSWER_SUMS, "insight_answer")
    found = (ToldBy(*cast("tuple[str, int, int, int, int, int]", row)) for row in rows)
    return tuple(sorted(found, key=lambda one: (-one.told, one.via)))


def totals(con: apsw.Connection, scope: Scope) -> Totals:
    """Everything in one."""
    where, values = scope.where()
    costs = con.execute(f"SELECT {_COSTS} FROM insight_week{where}", values).fetchone()
    told = con.execute(f"SELECT sum(told), sum(helped) FROM insight_answer{where}", values).fetchone()
    failures, incidents, attempts, _, ms = cast("tuple[int | None, ...]", costs)
    answered, helped = cast("tuple[int | None, ...]", told)
    return Totals(failures or 0, incidents or 0, attempts or 0, minutes(ms or 0), answered or 0, helped or 0)


def _shown(names: Mapping[str, str], project: str) -> str:
    return names.get(project, project)


def _sums(con: apsw.Connection, scope: Scope, key: str, sums: str, table: str) -> Iterable[tuple[Any, ...]]:
    where, values = scope.where()
    return con.execute(f"SELECT {key}, {sums} FROM {table}{where} GROUP BY {key}", values).fetchall()


_CANDIDATES: Final = 500
"""The dearest cases, among which those that came back are looked for."""

_FINDING: Final = "CAST(v.fingerprints ->> 0 AS TEXT)"
"""The first finding of `result_verdict v`, as the index has it."""
_INCIDENT: Final = "v.verdict = 'incident' AND v.repeats IS NULL"
_ANSWERS_OF_CASE: Final = (
    "sum(withheld = 0), sum(withheld = 0 AND outcome = 'helped'), sum(withheld = 0 AND outcome = 'failed_again'),"
    " sum(withheld = 0 AND outcome = 'ignored'), sum(withheld <> 0)"
)
_FIRST_FIX: Final = (
    "SELECT ts, coalesce(session_id, '') FROM resolution"
    " WHERE case_id = ? AND status <> 'rejected' AND trim(text) <> '' ORDER BY ts, id LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class CaseCost:
    """What the incidents of a case cost."""

    row: CaseRow
    times: int
    attempts: int
    milliseconds: int


def dearest(store: Store, scope: Scope) -> tuple[CaseCost, ...]:
    """The cases whose incidents took the most time; noise is left out."""
    where, values = scope.where()
    found = cast(
        "list[tuple[int, int, int, int]]",
        store.con.execute(
            "WITH found AS (SELECT fingerprint, sum(incidents) AS times, sum(attempts) AS attempts,"
            f" sum(milliseconds) AS ms FROM insight_finding{where} GROUP BY fingerprint)"
            " SELECT case_id, sum(times), sum(attempts), sum(ms) FROM found JOIN fingerprint USING (fingerprint)"
            " GROUP BY case_id ORDER BY 4 DESC, 2 DESC, 1 LIMIT ?",
            (*values, _CANDIDATES),
        ).fetchall(),
    )
    rows = _rows(store, [case_id for case_id, *_ in found])
    return tuple(
        CaseCost(rows[case_id], *costs)
        for case_id, *costs in found
        if case_id in rows and rows[case_id].status != "noise"
    )


def worst(store: Store, scope: Scope, costs: Sequence[CaseCost]) -> tuple[WorstCase, ...]:
    """These cases with the sessions that met them."""
    return tuple(
        WorstCase(
            cost.row.id,
            cost.row.key_line,
            cost.times,
            _sessions(store.con, scope, cost.row.id),
            cost.attempts,
            minutes(cost.milliseconds),
            cost.row.status,
            cost.row.project_name or cost.row.project,
        )
        for cost in costs
    )


def came_back(store: Store, scope: Scope, costs: Sequence[CaseCost], most: int) -> tuple[CameBack, ...]:
    """The cases with a fix that were met in another session after it was known, the dearest first."""
    found: list[CameBack] = []
    for cost in costs:
        row = cost.row
        if row.status not in ("draft", "verified"):
            continue
        fix = store.con.execute(_FIRST_FIX, (row.id,)).fetchone()
        if fix is None:
            continue
        since, source = cast("tuple[str, str]", fix)
        times, attempts, ms = _after(store.con, scope, row.id, since, source)
        if times:
            told, helped, *_, withheld = _told_of(store.con, scope, row.id)
            why = _why(store.con, row.id, told, helped, withheld)
            found.append(
                CameBack(row.id, row.key_line, times, attempts, minutes(ms), row.status, since, told, helped, why)
            )
    return tuple(sorted(found, key=lambda one: (-one.minutes, -one.times, one.case_id))[:most])


def told_cases(store: Store, scope: Scope, most: int) -> tuple[ToldCase, ...]:
    """The cases whose fixes were told or held back, the most frequent first."""
    tests, values = _told_tests(scope)
    found = cast(
        "list[tuple[int, int, int, int, int, int]]",
        store.con.execute(
            f"SELECT case_id, {_ANSWERS_OF_CASE} FROM answer_outcome JOIN fingerprint USING (fingerprint)"
            f" WHERE fingerprint <> ''{tests} GROUP BY case_id ORDER BY count(*) DESC, case_id LIMIT ?",
            (*values, most),
        ).fetchall(),
    )
    rows = _rows(store, [case_id for case_id, *_ in found])
    return tuple(
        ToldCase(case_id, rows[case_id].key_line, rows[case_id].status, *counts)
        for case_id, *counts in found
        if case_id in rows
    )


def latest_session(store: Store, case_id: int) -> str | None:
    """The last session with an incident of the case, None where none is stored."""
    row = store.con.execute(
        "SELECT session_id FROM fingerprint JOIN insight_session USING (fingerprint) WHERE case_id = ?"
        " ORDER BY week DESC, session_id DESC LIMIT 1",
        (case_id,),
    ).fetchone()
    return None if row is None else cast("str", row[0])


def _rows(store: Store, cases: Sequence[int]) -> Mapping[int, CaseRow]:
    return {row.id: row for row in case_rows(store, tuple(cases))}


def _met(scope: Scope) -> tuple[str, str, list[str]]:
    """A join with `result_verdict v`, the condition on both, and its values."""
    join, tests, values = "", "", list[str]()
    if scope.since is not None:
        tests += " AND v.ts >= ?"
        values.append(scope.since)
    if scope.projects is not None:
        join = " CROSS JOIN session s ON s.id = v.session_id"
        tests += f" AND iif(s.repository = '', s.project, s.repository) IN ({', '.join('?' * len(scope.projects))})"
        values += sorted(scope.projects)
    return join, tests, values


def _sessions(con: apsw.Connection, scope: Scope, case_id: int) -> int:
    """The sessions that met a case."""
    where, values = scope.where("fingerprint IN (SELECT fingerprint FROM fingerprint WHERE case_id = ?)")
    row = con.execute(f"SELECT count(DISTINCT session_id) FROM insight_session{where}", (case_id, *values)).fetchone()
    return cast("int", row[0]) if row else 0


def _after(con: apsw.Connection, scope: Scope, case_id: int, since: str, source: str) -> tuple[int, int, int]:
    """The incidents of a case after a time, their attempts and milliseconds.

    The rest of that week is read one by one, later weeks from their sums.
    """
    join, tests, values = _met(scope)
    rest = con.execute(
        "SELECT count(*), sum(v.attempts), sum(CAST(round(v.seconds * 1000) AS INTEGER))"
        f" FROM fingerprint f CROSS JOIN result_verdict v ON {_FINDING} = f.fingerprint{join}"
        f" WHERE f.case_id = ? AND {_INCIDENT} AND v.ts > ? AND v.session_id <> ?"
        f" AND v.ts < coalesce(date(?, 'weekday 0', '+1 day'), ''){tests}",
        (case_id, since, source, since, *values),
    ).fetchone()
    where, bound = scope.where("f.case_id = ? AND week > coalesce(date(?, 'weekday 0', '-6 days'), '')")
    later = con.execute(
        "SELECT sum(incidents), sum(attempts), sum(milliseconds)"
        f" FROM fingerprint f CROSS JOIN insight_finding USING (fingerprint){where}",
        (case_id, since, *bound),
    ).fetchone()
    pairs = zip(cast("tuple[int | None, ...]", rest), cast("tuple[int | None, ...]", later), strict=True)
    times, attempts, ms = ((one or 0) + (other or 0) for one, other in pairs)
    return times, attempts, ms


def _told_tests(scope: Scope) -> tuple[str, list[str]]:
    tests, values = "", list[str]()
    if scope.since is not None:
        tests += " AND told_at >= ?"
        values.append(scope.since)
    if scope.projects is not None:
        tests += f" AND repository IN ({', '.join('?' * len(scope.projects))})"
        values += sorted(scope.projects)
    return tests, values


def _told_of(con: apsw.Connection, scope: Scope, case_id: int) -> tuple[int, int, int, int, int]:
    """How often a case was told, helped, failed again, was ignored and was held back."""
    tests, values = _told_tests(scope)
    row = con.execute(
        f"SELECT {_ANSWERS_OF_CASE} FROM fingerprint f CROSS JOIN answer_outcome o ON o.fingerprint = f.fingerprint"
        f" WHERE f.case_id = ? AND o.fingerprint <> ''{tests}",
        (case_id, *values),
    ).fetchone()
    told, helped, failed, ignored, withheld = (count or 0 for count in cast("tuple[int | None, ...]", row))
    return told, helped, failed, ignored, withheld


def _why(con: apsw.Connection, case_id: int, told: int, helped: int, withheld: int) -> str:
    """What came of telling the fix of a case, or why it was not told."""
    if told:
        return f"Told {told}×, helped {helped}×."
    if withheld:
        return "Held back, to compare with."
    fixes = con.execute(
        "SELECT author, status, original FROM resolution WHERE case_id = ? AND status <> 'rejected'", (case_id,)
    ).fetchall()
    strengths = {strength_of(*cast("tuple[str, str, str | None]", fix)) for fix in fixes}
    return "Not told: the fix is weak." if strengths == {"weak"} else "Not told: nothing asked."


CASES: Final = 50
"""Cases of each list."""


def week_of(text: str) -> str:
    """The Monday of the week of a date. Raises Fault invalid_input for a text that begins with none."""
    try:
        day = date.fromisoformat(text[:10])
    except ValueError:
        raise Fault("invalid_input", f"{text} is not a date", "write it like 2026-01-31") from None
    return str(day - timedelta(days=day.weekday()))


def insights(store: Store, since: str | None = None, project: str | None = None, cases: int = CASES) -> Insights:
    """What failed, what it cost, what came back, what was told and helped.

    `since` is a date, and its whole week counts; `project` a repository's name, long or short, or a folder. `cases` is
    how many each list of cases holds. Raises Fault: invalid_input for a text that is no date, and those of the store.
    """
    week = None if since is None else week_of(since)
    name = None if project is None else redact(project)  # as it is stored
    with faults(store.path):
        con = store.con
        scope = Scope(week, None if name is None else meant_by(con, name))
        costs = dearest(store, scope)
        return Insights(
            since=week,
            project=name,
            totals=totals(con, scope),
            by_week=by_week(con, scope),
            by_tool=by_tool(con, scope),
            by_project=by_project(con, scope, project_names(con)),
            worst=worst(store, scope, costs[:cases]),
            came_back=came_back(store, scope, costs, cases),
            told=told_cases(store, scope, cases),
            by_way=by_way(con, scope),
        )


def projects(store: Store) -> tuple[tuple[str, str], ...]:
    """Every project in which something failed, the dearest first: its repository or folder, and how it is shown."""
    with faults(store.path):
        found = by_project(store.con, Scope(), project_names(store.con))
    return tuple((one.project, one.name) for one in found)
