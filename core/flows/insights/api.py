"""Insights of a casebook: read at once from sums that are kept on write."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from core.base.fault import Fault
from core.errors.cases.columns import meant_by, project_names
from core.flows.insights.cases import came_back, dearest, told_cases, worst
from core.flows.insights.report import Insights
from core.flows.insights.sums import Scope, by_project, by_tool, by_way, by_week, totals
from core.store import Store, faults
from core.text import redact

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
