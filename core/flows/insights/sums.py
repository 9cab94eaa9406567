"""The sums of Insights by week, tool, project and way of telling; read from what the schema's triggers keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import apsw

from core.flows.insights.report import ProjectCost, ToldBy, ToolCost, Totals, Week

_MINUTE_MS: Final = 60_000
_COSTS: Final = "sum(failures), sum(incidents), sum(attempts), sum(messages), sum(milliseconds)"
_TOLD: Final = "sum(told), sum(helped), sum(failed_again), sum(ignored), sum(withheld)"


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
    for week, told, helped, *_ in _sums(con, scope, "week", _TOLD, "insight_answer"):
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
    for project, told, helped, *_ in _sums(con, scope, "project", _TOLD, "insight_answer"):
        known = found.get(project, ProjectCost(project, _shown(names, project), 0, 0, 0, 0.0))
        found[project] = replace(known, answered=told, helped=helped)
    return tuple(sorted(found.values(), key=lambda one: (-one.minutes, -one.failures, one.project)))


def by_way(con: apsw.Connection, scope: Scope) -> tuple[ToldBy, ...]:
    """The ways in which fixes were told, the most frequent first."""
    rows = _sums(con, scope, "via", _TOLD, "insight_answer")
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
