"""What the Insights pane reads, as the work of a job, and the rows of its views."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal

from tui.render.insights.rows import counted
from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.flows.insights.report import Insights

View = Literal["worst", "came_back", "answers", "time"]
VIEWS: Final[tuple[View, ...]] = ("worst", "came_back", "answers", "time")
WEEKS: Final[tuple[int, ...]] = (0, 12, 4)
"""How many weeks can be asked for; 0: all."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the pane shows: a view, the last so many weeks (0: all), and a project (blank: all)."""

    view: View = "worst"
    weeks: int = 0
    project: str = ""


@dataclass(frozen=True, slots=True)
class ReadInsights:
    """The insights of a scope, every project there is, and why the casebook cannot be written, if so."""

    found: Insights
    projects: tuple[tuple[str, str], ...]
    readonly: str

    def __hash__(self) -> int:
        return id(self.found)


def read_insights(shown: Shown, now: datetime) -> Callable[[Job[ReadInsights]], ReadInsights]:
    """Read the insights of what is shown."""

    def work(job: Job[ReadInsights]) -> ReadInsights:
        from core.flows.insights.api import insights, projects

        store = job.store()
        since = (now - timedelta(weeks=shown.weeks - 1)).date().isoformat() if shown.weeks else None
        found = insights(store, since, shown.project or None)
        return ReadInsights(found, projects(store), store.readonly or "")

    return work


@dataclass(frozen=True, slots=True)
class InsightRow:
    """A row of a view: its bar's value out of the view's most, and where Enter leads.

    `case_id` is a case of the Errors pane, or None; then `name` is searched there.
    """

    value: float
    most: float
    count: str
    name: str
    detail: str
    case_id: int | None = None
    status: str | None = None


@dataclass(frozen=True, slots=True)
class InsightRows:
    """The rows of a view, as a list takes them."""

    rows: tuple[InsightRow, ...] = ()

    @property
    def total(self) -> int:
        return len(self.rows)

    def get(self, index: int) -> Hashable | None:
        """The row of that number."""
        return self.rows[index] if 0 <= index < len(self.rows) else None


def rows_of(found: Insights, view: View) -> InsightRows:
    """The rows of a view."""
    if view == "worst":
        most = max((one.minutes for one in found.worst), default=0.0)
        return InsightRows(tuple(
            InsightRow(
                one.minutes, most, f"{one.times:,}×", one.key_line,
                f"{counted(one.times, 'incident')} in {counted(one.sessions, 'session')},"
                f" {counted(one.attempts, 'attempt')}",
                one.case_id, one.fix_status,
            )
            for one in found.worst
        ))  # fmt: skip
    if view == "came_back":
        most = max((one.minutes for one in found.came_back), default=0.0)
        return InsightRows(tuple(
            InsightRow(
                one.minutes, most, f"{one.times:,}×", one.key_line,
                f"A fix is known since {one.known_since[:10]}. {one.reason}", one.case_id, one.fix_status,
            )
            for one in found.came_back
        ))  # fmt: skip
    if view == "answers":
        most = max((one.told for one in found.told), default=0)
        return InsightRows(tuple(
            InsightRow(
                one.told, most, f"{one.helped:,} helped", one.key_line,
                f"Told {one.told:,}×: helped {one.helped:,}, failed again {one.failed_again:,},"
                f" ignored {one.ignored:,}. Held back {one.withheld:,}×.",
                one.case_id, one.fix_status,
            )
            for one in found.told
        ))  # fmt: skip
    most = max((one.minutes for one in found.by_tool), default=0.0)
    return InsightRows(tuple(
        InsightRow(
            one.minutes, most, f"{one.incidents:,}×", one.tool,
            f"{counted(one.failures, 'failed run')}, {counted(one.attempts, 'attempt')},"
            f" {counted(one.messages, 'message')} until it was gone",
        )
        for one in found.by_tool
    ))  # fmt: skip
