"""What the Insights pane reads, as the work of a job, and the rows of its views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from core.flows.insights.pictures import View, event_of, side_words, weeks_line
from tui.render.common.amounts import counted
from tui.runtime.jobs import Job
from tui.widgets.row_list import FixedRows

if TYPE_CHECKING:
    from core.flows.insights.pictures import Picture
    from core.flows.insights.report import Insights, Worked, WorkedItem

Lead = tuple[str, int | None]
"""A session, and the message in it to begin at."""
WEEKS: Final[tuple[int, ...]] = (0, 12, 4)
"""How many weeks can be asked for; 0: all."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the pane shows: a view, the last so many weeks (0: all), and a project (blank: all)."""

    view: View = "worst"
    weeks: int = 0
    project: str = ""

    @property
    def scoped(self) -> bool:
        """Whether weeks or projects are left out."""
        return bool(self.weeks or self.project)


@dataclass(frozen=True, slots=True)
class ReadInsights:
    """The insights of a scope, every project there is, and why the casebook cannot be written, if so.

    `worked` is read with its view alone.
    """

    found: Insights
    projects: tuple[tuple[str, str], ...]
    readonly: str
    worked: Worked | None = None

    def __hash__(self) -> int:
        return id(self.found)


def read_insights(shown: Shown, now: datetime) -> Callable[[Job[ReadInsights]], ReadInsights]:
    """Read the insights of what is shown."""

    def work(job: Job[ReadInsights]) -> ReadInsights:
        from core.flows.insights.api import insights, projects

        store = job.store()
        since = (now - timedelta(weeks=shown.weeks - 1)).date().isoformat() if shown.weeks else None
        found = insights(store, since, shown.project or None)
        worked = None
        if shown.view == "worked":
            from core.flows.insights.api import worked as read_worked

            worked = read_worked(store, shown.project or None)
        return ReadInsights(found, projects(store), store.readonly or "", worked)

    return work


def find_session(case_id: int) -> Callable[[Job[Lead | None]], Lead | None]:
    """Look for the last session with an incident of a case."""

    def work(job: Job[Lead | None]) -> Lead | None:
        from core.flows.insights.api import latest_session

        session = latest_session(job.store(), case_id)
        return None if session is None else (session, None)

    return work


def picture_shown(read: ReadInsights, view: View, scope: str) -> Picture:
    """The view that is shown, as a picture."""
    from core.flows.insights.pictures import picture_of, picture_of_worked

    if view == "worked" and read.worked is not None:
        return picture_of_worked(read.worked, scope)
    return picture_of(read.found, view, scope)


@dataclass(frozen=True, slots=True)
class InsightRow:
    """A row of a view: its bar's value out of the view's most, and where Enter leads.

    `case_id` is a case of the Errors pane, or None; then `name` is searched there. `lead`: a session
    and its message, where it has one of its own.
    """

    value: float
    most: float
    count: str
    name: str
    detail: str
    case_id: int | None = None
    status: str | None = None
    lead: Lead | None = None


def rows_of(read: ReadInsights, view: View) -> FixedRows[InsightRow]:
    """The rows of a view."""
    found = read.found
    if view == "worked":
        items = () if read.worked is None else read.worked.items
        most = max((one.after.times for one in items if one.after is not None), default=0)
        return FixedRows(tuple(_worked_row(one, most) for one in items))
    if view == "worst":
        most = max((one.minutes for one in found.worst), default=0.0)
        return FixedRows(tuple(
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
        return FixedRows(tuple(
            InsightRow(
                one.minutes, most, f"{one.times:,}×", one.key_line,
                f"A fix is known since {one.known_since[:10]}. {one.reason}", one.case_id, one.fix_status,
            )
            for one in found.came_back
        ))  # fmt: skip
    if view == "answers":
        most = max((one.told for one in found.told), default=0)
        return FixedRows(tuple(
            InsightRow(
                one.told, most, f"{one.helped:,} helped", one.key_line,
                f"Told {one.told:,}×: helped {one.helped:,}, failed again {one.failed_again:,},"
                f" ignored {one.ignored:,}. Held back {one.withheld:,}×.",
                one.case_id, one.fix_status,
            )
            for one in found.told
        ))  # fmt: skip
    most = max((one.minutes for one in found.by_tool), default=0.0)
    return FixedRows(tuple(
        InsightRow(
            one.minutes, most, f"{one.incidents:,}×", one.tool,
            f"{counted(one.failures, 'failed run')}, {counted(one.attempts, 'attempt')},"
            f" {counted(one.messages, 'message')} until it was gone",
        )
        for one in found.by_tool
    ))  # fmt: skip


def _worked_row(item: WorkedItem, most: int) -> InsightRow:
    """A decision: what came after it, and before; the detail has a line for each side and for the weeks."""
    kind = "Fix verified" if item.kind == "lesson" else "Rule dated"
    lines = [f"{kind} {item.decided[:10]}. {item.do}".rstrip()]
    if item.before is not None and item.after is not None:
        what = event_of(item)
        lines += [f"Before: {side_words(item.before, what)}.", f"After: {side_words(item.after, what)}."]
    else:
        lines.append("Calls of this rule are not stored by week.")
    if item.by_week:
        lines.append(f"{item.by_week[0].week} {weeks_line(item)} {item.by_week[-1].week}")
    if item.told:
        dismissed = f", dismissed {item.dismissed:,}×" if item.kind == "rule" else ""
        lines.append(f"Shown {item.told:,}×, helped {item.helped:,}×{dismissed}.")
    lines += [f"Still in {lead.session[:8]} message {lead.message}, {lead.ts[:10]}." for lead in item.still]
    after = item.after.times if item.after is not None else 0
    before = f"{item.before.times:,} before" if item.before is not None else ""
    lead = (item.still[0].session, item.still[0].message) if item.still else None
    status = "verified" if item.kind == "lesson" else None
    return InsightRow(after, most, before, item.name, "\n".join(lines), item.case_id, status, lead)
