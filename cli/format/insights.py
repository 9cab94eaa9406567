"""What failed, what it cost, what came back, what was told and helped, as lines for people (`insights.v1`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cli.format.layout import clip, counted, pad
from cli.output import Output
from core.flows.insights.bars import bar
from core.flows.insights.report import PAUSES, Insights
from core.flows.insights.views import View

_BAR, _NAME = 24, 22
_ROWS = 12
"""Rows of a table of bars; the text says how many more there are."""


def insight_lines(out: Output, found: Insights, view: View | None = None) -> Iterator[str]:
    """The totals, then minutes by week, tool and project as bars, then the cases; or only what a view shows."""
    sums = found.totals
    scope = f" since {found.since}" if found.since else ""
    if not found.by_week:
        yield f"Nothing failed{scope}. Import transcripts: casebook import auto"
        return
    yield (
        f"{counted(sums.failures, 'failure')} in {counted(sums.incidents, 'incident')}{scope}:"
        f" {sums.minutes:,.0f} minutes, {counted(sums.attempts, 'attempt')}"
    )
    yield f"{counted(sums.answered, 'answer')}, {sums.helped:,} helped"
    yield out.paint(PAUSES, "dim")
    weeks = [(one.week or "no time", one.minutes, one.incidents) for one in found.by_week]
    tools = [(one.tool or "other", one.minutes, one.incidents) for one in found.by_tool]
    projects = [(one.name or "no project", one.minutes, one.incidents) for one in found.by_project]
    bars = (("Week", weeks), ("Command", tools), ("Project", projects))
    for title, rows in bars if view is None else bars[1:2] if view == "time" else ():
        yield from _bars(out, title, rows)
    worst = [(one.case_id, one.key_line, _cost(one.minutes, one.times), one.fix_status) for one in found.worst]
    again = [(one.case_id, one.key_line, _cost(one.minutes, one.times), one.reason) for one in found.came_back]
    told = [
        (one.case_id, one.key_line, f"shown {one.told:,}, helped {one.helped:,}", f"failed again {one.failed_again:,}")
        for one in found.told
    ]
    lists: tuple[tuple[View, str, list[tuple[int, str, str, str]]], ...] = (
        ("worst", "Worst", worst),
        ("came_back", "Came back although a fix was known", again),
        ("answers", "Answers", told),
    )
    for name, title, cases in lists:
        if view in (None, name):
            yield from _cases(out, title, cases)


def _cost(minutes: float, times: int) -> str:
    return f"{minutes:,.0f} min, {times:,}×"


def _bars(out: Output, title: str, rows: list[tuple[str, float, int]]) -> Iterator[str]:
    yield ""
    yield out.paint(f"{pad(title, _NAME)}  {pad('minutes', _BAR + 11)}  incidents", "bold")
    most = max((minutes for _, minutes, _ in rows), default=0.0)
    for name, minutes, incidents in rows[:_ROWS]:
        yield f"{pad(name, _NAME)}  {pad(bar(minutes, most, _BAR), _BAR)}{minutes:>11,.0f}  {incidents:>9,}"
    if len(rows) > _ROWS:
        yield f"… and {len(rows) - _ROWS:,} more (all of them: --json)"


def _cases(out: Output, title: str, rows: Iterable[tuple[int, str, str, str]]) -> Iterator[str]:
    shown = list(rows)
    if not shown:
        return
    yield ""
    yield out.paint(title, "bold")
    for case_id, key_line, cost, note in shown:
        yield f"{case_id:>6}  {clip(key_line, max(40, out.columns - 8))}"
        yield f"        {cost}, {note}"
