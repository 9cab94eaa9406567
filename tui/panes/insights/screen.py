"""The Insights pane: failures, their cost, recurrences, and fixes that helped; each row opens its case."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from core.base.fault import Fault
from core.flows.insights.pictures import (
    TITLES,
    VIEWS,
    Picture,
    View,
    event_of,
    markdown_of,
    picture_of,
    picture_of_practice,
    picture_of_worked,
    side_words,
    weeks_line,
)
from core.flows.insights.report import NO_PROOF, PAUSES, Insights, Worked, WorkedItem
from tui.actions.action import Acts, Situation
from tui.actions.registry import bindings
from tui.panes.common.pane_screen import PASTE_ELSEWHERE, PaneContext, PaneScreen, one_of, text_of
from tui.panes.insights.actions import InsightsNow
from tui.render.common.amounts import counted
from tui.render.common.empty_states import Notice, loading, of_fault
from tui.render.common.untrusted import title
from tui.render.insights import (
    HEADS,
    MINUTES,
    UNKNOWN,
    Columns,
    draw_details,
    draw_heads,
    draw_row,
    draw_tabs,
    draw_totals,
    name_cells,
    no_insights,
    no_rows,
    tab_at,
)
from tui.runtime.jobs import Job, job_work
from tui.runtime.messages import PaneCopied, PaneOpenCase
from tui.runtime.state import Memory
from tui.widgets.row_list import FixedRows, NoticeView, RowList, RowsOrNotice
from tui.widgets.scroll_text import Reading
from tui.widgets.workbench import sheet

if TYPE_CHECKING:
    from core.errors.practice import Practice

Lead = tuple[str, int | None]
"""A session, and the message in it to begin at."""
WEEKS: Final[tuple[int, ...]] = (0, 12, 4)
"""The choices for the number of weeks; 0: all."""


@dataclass(frozen=True, slots=True)
class InsightsView:
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

    `worked` and `practices` are read with their view alone.
    """

    found: Insights
    projects: tuple[tuple[str, str], ...]
    readonly: str
    worked: Worked | None = None
    practices: tuple[Practice, ...] | None = None

    def __hash__(self) -> int:
        return id(self.found)


@job_work
def read_insights(job: Job[ReadInsights], view: InsightsView, now: datetime) -> ReadInsights:
    from core.flows.insights.api import insights, projects

    store = job.store()
    since = (now - timedelta(weeks=view.weeks - 1)).date().isoformat() if view.weeks else None
    found = insights(store, since, view.project or None)
    worked = None
    if view.view == "worked":
        from core.flows.insights.api import worked as read_worked

        worked = read_worked(store, view.project or None)
    practices = None
    if view.view == "practice":
        from core.errors.practice import practices as read_practices

        practices = tuple(sorted(read_practices(store.con, view.project or None), key=lambda one: -one.count))
    return ReadInsights(found, projects(store), store.readonly or "", worked, practices)


@job_work
def find_session(job: Job[Lead | None], case_id: int) -> Lead | None:
    """Look for the last session with an incident of a case."""
    from core.flows.insights.api import latest_session

    session = latest_session(job.store(), case_id)
    return None if session is None else (session, None)


def picture_of_view(read: ReadInsights, view: View, scope: str) -> Picture:
    """The view that is shown, as a picture."""
    if view == "worked" and read.worked is not None:
        return picture_of_worked(read.worked, scope)
    if view == "practice":
        return picture_of_practice(read.practices or (), scope)
    return picture_of(read.found, view, scope)


@dataclass(frozen=True, slots=True)
class InsightRow:
    """A row of a view: its bar's value out of the view's most, and what Enter opens.

    `aside` is the last column of a wide row. `case_id` is a case of the Errors pane, or None; then `query`, or `name`
    without one, is searched there. `lead`: a session and its message, where it has one of its own.
    """

    value: float
    most: float
    count: str
    name: str
    detail: str
    aside: str = ""
    case_id: int | None = None
    status: str | None = None
    lead: Lead | None = None
    query: str = ""


def rows_of(read: ReadInsights, view: View) -> FixedRows[InsightRow]:
    """The rows of a view; what took no time is no cost, and has no row where something did."""
    found = read.found
    if view == "worked":
        items = () if read.worked is None else read.worked.items
        most = max((one.after.times for one in items if one.after is not None), default=0)
        return FixedRows(tuple(_worked_row(one, most) for one in items))
    if view == "practice":
        practices = read.practices or ()
        most = max((one.count for one in practices), default=0)
        return FixedRows(tuple(_practice_row(one, most) for one in practices))
    if view == "worst":
        worst = [one for one in found.worst if one.minutes] or found.worst
        most = max((one.minutes for one in worst), default=0.0)
        return FixedRows(tuple(
            InsightRow(
                one.minutes, most, f"{one.times:,}×", one.key_line,
                f"{counted(one.times, 'incident')} in {counted(one.sessions, 'session')},"
                f" {counted(one.attempts, 'attempt')}",
                one.project, one.case_id, one.fix_status,
            )
            for one in worst
        ))  # fmt: skip
    if view == "came_back":
        most = max((one.minutes for one in found.came_back), default=0.0)
        return FixedRows(tuple(
            InsightRow(
                one.minutes, most, f"{one.times:,}×", one.key_line,
                f"Fix known since {one.known_since[:10]}. {one.reason}",
                f"{one.told:,}×, helped {one.helped:,}×" if one.told else "not shown", one.case_id, one.fix_status,
            )
            for one in found.came_back
        ))  # fmt: skip
    if view == "answers":
        most = max((one.told for one in found.told), default=0)
        return FixedRows(tuple(
            InsightRow(
                one.told, most, f"{one.helped:,}", one.key_line,
                f"Shown {one.told:,}×: helped {one.helped:,}, failed again {one.failed_again:,},"
                f" ignored {one.ignored:,}. Withheld {one.withheld:,}×.",
                _without_effect(one.failed_again, one.ignored), one.case_id, one.fix_status,
            )
            for one in found.told
        ))  # fmt: skip
    by_tool = [one for one in found.by_tool if one.minutes] or found.by_tool
    most = max((one.minutes for one in by_tool), default=0.0)
    return FixedRows(tuple(
        InsightRow(
            one.minutes, most, f"{one.incidents:,}×", one.tool,
            f"{counted(one.failures, 'failed run')}, {counted(one.attempts, 'attempt')},"
            f" {counted(one.messages, 'message')} until resolved",
            f"{one.failures:,}",
        )
        for one in by_tool
    ))  # fmt: skip


def _without_effect(failed_again: int, ignored: int) -> str:
    """The shown fixes that did not help, in words."""
    words = ((failed_again, "failed again"), (ignored, "ignored"))
    return ", ".join(f"{count:,} {what}" for count, what in words if count)


def _worked_row(item: WorkedItem, most: int) -> InsightRow:
    """A decision: what came after it, and before; the detail has a line for each side and for the weeks."""
    kind = "Fix verified" if item.kind == "lesson" else "Rule added"
    lines = [f"{kind} {item.decided[:10]}: {item.do}".rstrip(": ")]
    if item.before is not None and item.after is not None:
        what = event_of(item)
        lines += [f"Before: {side_words(item.before, what)}.", f"After: {side_words(item.after, what)}."]
    else:
        lines.append("There are no weekly counts for this rule.")
    if item.by_week:
        lines.append(f"{item.by_week[0].week} {weeks_line(item)} {item.by_week[-1].week}")
    if item.told:
        dismissed = f", dismissed {item.dismissed:,}×" if item.kind == "rule" else ""
        lines.append(f"Shown {item.told:,}×, helped {item.helped:,}×{dismissed}.")
    lines += [f"Still in session {lead.session[:8]}, message {lead.message}, {lead.ts[:10]}." for lead in item.still]
    after = 0 if item.after is None else item.after.times or (0 if item.after.of_sessions else UNKNOWN)
    before = f"{item.before.times:,}" if item.before is not None else ""
    lead = (item.still[0].session, item.still[0].message) if item.still else None
    status = "verified" if item.kind == "lesson" else None
    return InsightRow(after, most, before, item.name, "\n".join(lines), item.decided[:10], item.case_id, status, lead)


def _practice_row(one: Practice, most: int) -> InsightRow:
    """A practice; the detail has a line for each approach."""
    from core.errors.practice import shown_how

    what = "Lint rule" if one.kind == "rule" else "Missing part"
    lines = [f"{what} {one.name}: {counted(one.count, 'finding')} in {counted(one.sessions, 'session')}."]
    lines += [
        f"{shown_how(how.how).capitalize()} {how.count:,}×{f': {how.example}' if how.example else ''}"
        for how in one.approaches
    ]
    place = next((place for how in one.approaches for place in how.found_in), None)
    lead = (place.session, place.message) if place is not None else None
    return InsightRow(
        one.count, most, f"{one.sessions:,}", one.line, "\n".join(lines), one.project, lead=lead, query=one.name
    )


_UNITS: Final = {"answers": "", "worked": "", "practice": ""}
_NOTES: Final = {"worked": NO_PROOF, "practice": ""}
"""What the frame of a view says, if not how minutes are counted."""
_SPLIT_FROM: Final = 100
"""Cells from which the totals have a part of their own."""
_PATIENCE: Final = 0.2
"""Seconds after which a first read that still runs is said."""


class _Side(Reading):
    """The panel next to the rows, which the screen draws for its width."""

    def on_resize(self) -> None:
        """The screen tells its size first, and lays its panels out later."""
        self.post_message(PanelResized())


class PanelResized(Message):
    """A panel has another width now."""


class InsightsScreen(PaneScreen):
    """The views and their rows, the chosen row, weeks and projects."""

    PANE = "insights"
    LIST = "insights-list"
    DETAIL_WIDTHS: ClassVar = {"-wide": 40, "-xwide": 40}
    LANES = ("insights", "insights-watch", "insights-session")
    CSS_PATH = sheet("insights")
    BINDINGS = bindings("insights")

    def __init__(self, context: PaneContext) -> None:
        super().__init__(context)
        self.insights_view = _recalled(context.memory)
        self._values = context.values
        self.read: ReadInsights | None = None
        self.rows = RowList(self._paint, id="insights-rows")
        self.body = RowsOrNotice(self.rows, NoticeView(id="insights-notice"))
        self._list = Vertical(id="insights-list")
        self._tabs = Static(id="insights-head")
        self._heads = Static(id="insights-columns")
        self._side = _Side(id="insights-side")
        self._totals = Reading(id="insights-totals")
        self._words, self._sums = Static(), Static()
        self._cells = (0, 0)
        self._row_width = 0

    def compose_body(self) -> ComposeResult:
        """The views and their rows; next to them the selected row, and the totals of all."""
        with Container(id="insights-body"):
            with self._list:
                yield self._tabs
                yield self._heads
                yield self.body.rows
                yield self.body.notice
            with Vertical(id="insights-right"):
                with self._side:
                    yield self._words
                with self._totals:
                    yield self._sums

    def on_mount(self) -> None:
        self._side.border_title = Content("Details")
        self._totals.border_title = Content("Totals")
        self.set_focus(self.rows)
        self.follow_casebook("insights-watch", ("insights",), self.load)
        self.load()
        self.set_timer(_PATIENCE, self._still_reading)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def on_panel_resized(self) -> None:
        self._draw()

    def on_paste(self, event: events.Paste) -> None:
        """Nothing is searched here for a pasted text; a box takes its own."""
        event.stop()
        self.say(self.signs.fill_keys(PASTE_ELSEWHERE), "warning")

    def situation(self) -> Situation:
        row = self.chosen
        has_target = row is not None and (row.lead is not None or row.case_id is not None)
        scoped = bool(self.insights_view.weeks or self.insights_view.project)
        total = self.rows.rows.total
        return InsightsNow("insights", cases=total, rows=total, has_target=has_target, scoped=scoped)

    @property
    def chosen(self) -> InsightRow | None:
        row = self.rows.rows.get(self.rows.chosen)
        return row if isinstance(row, InsightRow) else None

    def load(self) -> None:
        """Read what is shown; old rows stay until it is there."""
        self.jobs.run("insights", read_insights(self.insights_view, self.clock()), self._on_report, self._troubled)

    def _still_reading(self) -> None:
        if self.read is None and self.jobs.busy("insights"):
            self.body.show_notice(loading())

    def _on_report(self, read: ReadInsights, _final: bool) -> None:
        if not self.is_attached:
            return
        first, self.read = self.read is None, read
        at, rows, chosen = self.rows.chosen, rows_of(read, self.insights_view.view).rows, self.chosen
        if first and (name := self._values.pop("opened", None)) is not None:  # back from the case that was opened here
            at = next((at for at, row in enumerate(rows) if row.name == name), at)
        elif chosen is not None:  # others may be above it now
            about = chosen.case_id, chosen.name
            at = next((at for at, row in enumerate(rows) if (row.case_id, row.name) == about), at)
        self._show(at)
        if first:  # a notice that hid the rows may have sent the focus elsewhere
            self.call_after_refresh(self.body.take_focus)

    def _troubled(self, fault: Fault) -> None:
        if self.is_attached:
            self.body.show_notice(
                no_insights(scoped=False, readonly=False) if fault.code == "not_indexed" else of_fault(fault)
            )
            for part in (self._words, self._sums, self._heads):
                part.update(Content(""))
            self.changed()

    def _show(self, at: int = 0) -> None:
        """Show the rows of the view, or why there are none."""
        if self.read is None:
            return
        rows = rows_of(self.read, self.insights_view.view)
        heads = HEADS[self.insights_view.view]
        counts = (len(row.count) for row in rows.rows)
        asides = (cell_len(row.aside) for row in rows.rows)
        self._cells = (max(len(heads[1]), *counts), max(len(heads[3]), *asides)) if rows.total else (0, 0)
        self.rows.show(rows, at)
        self.body.show_notice(self._notice(rows))
        self._draw()
        self.changed()

    def _notice(self, rows: FixedRows[InsightRow]) -> Notice | None:
        assert self.read is not None
        if rows.total:
            return None
        if not self.read.found.by_week:
            return no_insights(scoped=self.insights_view.scoped, readonly=bool(self.read.readonly))
        unread = {"worked": self.read.worked, "practice": self.read.practices}
        if unread.get(self.insights_view.view, ()) is None:
            return loading()
        return no_rows(self.insights_view.view)

    def _draw(self) -> None:
        """Draw the tabs, and the panels next to the rows."""
        if not self.is_attached:
            return
        self._tabs.update(draw_tabs(self.insights_view.view, max(1, self._tabs.size.width), self.signs))
        self._list.border_title = Content(f"Insights {self.signs.dot} {title(self._scope)}")
        self._list.border_subtitle = Content(_NOTES.get(self.insights_view.view, PAUSES))
        self._draw_heads()
        if self.read is not None:
            row, width = self.chosen, max(20, self._side.size.width - 5)
            name, detail = ("", "") if row is None else (row.name, row.detail)
            in_column = self.size.width >= _SPLIT_FROM
            words = draw_details(name, detail, width, self.signs, wide=in_column)
            totals = draw_totals(self.read.found, width, self.signs)
            if not in_column:
                words = Content("\n\n").join(part for part in (words, totals) if part)
            self._words.update(words)
            self._sums.update(totals if in_column else Content(""))

    def _draw_heads(self) -> None:
        """Draw the heads above the columns of the rows, which a scroll bar makes narrower."""
        self._row_width = self.rows.scrollable_content_region.width or self.size.width
        rows = self.rows.rows.total
        columns, width = self._columns(self._row_width), self._row_width
        self._stand_rows(name_cells(columns, width))
        self._heads.update(draw_heads(self.insights_view.view, columns, width, self.signs) if rows else Content(""))

    def _stand_rows(self, cells: int) -> None:
        """Few rows with long names have two lines each."""
        rows = self.rows.rows
        found = [row for at in range(rows.total) if isinstance(row := rows.get(at), InsightRow)]
        fit = 2 * rows.total <= self.rows.size.height
        self.rows.stand(2 if fit and any(cell_len(row.name) > cells for row in found) else 1)

    def _columns(self, width: int) -> Columns:
        count, aside = self._cells
        return Columns.fitting(width, count, signs=self.insights_view.view not in ("time", "practice"), aside=aside)

    @property
    def _scope(self) -> str:
        """The weeks and the project that are shown, in words."""
        weeks = f"last {self.insights_view.weeks} weeks" if self.insights_view.weeks else "all weeks"
        names = dict(self.read.projects) if self.read is not None else {}
        return f"{weeks}, {names.get(self.insights_view.project, self.insights_view.project) or 'all projects'}"

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        if not isinstance(row, InsightRow):
            return Content("")
        if width != self._row_width:  # the rows have got a scroll bar since, or lost it
            self._row_width = width
            self.call_after_refresh(self._draw_heads)
        return draw_row(
            row.value,
            row.most,
            row.count.replace("×", self.signs.times),
            row.name,
            row.status,
            row.aside.replace("×", self.signs.times),
            self._columns(width),
            width,
            self.signs,
            unit=_UNITS.get(self.insights_view.view, MINUTES),
            chosen=chosen,
            tall=self.rows.tall,
        )

    def actions(self) -> Acts:
        return {
            "insights.next": lambda: self._turn(1),
            "insights.previous": lambda: self._turn(-1),
            "insights.since": self._next_weeks,
            "insights.project": self._next_project,
            "list.unfilter": lambda: self._scoped(replace(self.insights_view, weeks=0, project="")),
            "list.copy": self._copy,
            "insights.picture": self._save_picture,
            "insights.session": self._open_session,
            "list.open": self._open,
            "list.back": self._back,
            "view.reload": self.load,
        }

    def _turn(self, by: int) -> None:
        self._open_view(VIEWS[(VIEWS.index(self.insights_view.view) + by) % len(VIEWS)])

    def _open_view(self, view: View) -> None:
        self.insights_view = replace(self.insights_view, view=view)
        self._show()
        if view in ("worked", "practice"):
            self.load()

    def on_click(self, event: events.Click) -> None:
        """A click on a tab opens its view."""
        if event.widget is self._tabs:
            event.stop()
            self._open_view(tab_at(event.x, self.insights_view.view, self._tabs.size.width))

    def _next_weeks(self) -> None:
        self._scoped(replace(self.insights_view, weeks=WEEKS[(WEEKS.index(self.insights_view.weeks) + 1) % len(WEEKS)]))

    def _next_project(self) -> None:
        names = ["", *(project for project, _ in self.read.projects if project)] if self.read is not None else [""]
        at = names.index(self.insights_view.project) if self.insights_view.project in names else 0
        self._scoped(replace(self.insights_view, project=names[(at + 1) % len(names)]))

    def _scoped(self, insights_view: InsightsView) -> None:
        self.insights_view = insights_view
        self.load()
        self._draw()
        self.changed()

    def _open(self) -> None:
        """The case of the chosen row; what has the name of a command."""
        if (row := self.chosen) is not None:
            self._values["opened"] = row.name
            self.post_message(PaneOpenCase(row.case_id, row.query or row.name))

    def _back(self) -> None:
        if self.insights_view.scoped:
            self._scoped(replace(self.insights_view, weeks=0, project=""))
        elif self.insights_view.view != VIEWS[0]:
            self.insights_view = replace(self.insights_view, view=VIEWS[0])
            self._show()

    def _copy(self) -> None:
        if self.read is None:
            return

        self.post_message(
            PaneCopied("view", markdown_of(picture_of_view(self.read, self.insights_view.view, self._scope)))
        )

    def _save_picture(self) -> None:
        if self.read is None:
            return
        from tui.screens.export import ask_picture

        picture = picture_of_view(self.read, self.insights_view.view, self._scope)
        name = f"insights-{TITLES[self.insights_view.view]}".casefold().replace(" ", "-")
        ask_picture(self, picture, name, self.clock(), self.jobs)

    def _open_session(self) -> None:
        """The strip of the session of the chosen row: of a case the last one with an incident."""
        row = self.chosen
        if row is not None and row.lead is not None:
            self._show_strip(row.lead)
        elif row is not None and row.case_id is not None:
            self.jobs.run(
                "insights-session", find_session(row.case_id), lambda lead, _: self._show_strip(lead), self.say_fault
            )

    def _show_strip(self, lead: Lead | None) -> None:
        from tui.screens.session import StripScreen

        if lead is None:
            self.say("The sessions of this row are not in the casebook.")
        elif self.is_current:
            self.app.push_screen(StripScreen(self.jobs, lead[0], self.signs, self.clock, lead[1]))

    def remembered(self) -> Memory:
        return {
            "view": self.insights_view.view,
            "weeks": self.insights_view.weeks,
            "project": self.insights_view.project or None,
        }

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        event.stop()
        self._draw()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self._open()


def _recalled(memory: Memory) -> InsightsView:
    """What was shown the last time."""
    weeks = memory.get("weeks")
    number = next((one for one in WEEKS if one == weeks), 0)
    view = one_of(VIEWS, memory.get("view")) or VIEWS[0]
    return InsightsView(view, number, text_of(memory.get("project")) or "")


open_pane = InsightsScreen
