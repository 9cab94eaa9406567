"""The Insights pane: what failed, what it cost, what came back, what was told and helped; each row opens its case."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Final

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widgets import Static

from core.base.fault import Fault
from core.flows.insights.pictures import VIEWS
from core.flows.insights.report import NO_PROOF, PAUSES
from tui.actions.action import Acts, Situation
from tui.actions.registry import bindings
from tui.panes.common.memory import one_of
from tui.panes.common.pane_screen import PaneContext, PaneScreen
from tui.panes.insights.actions import InsightsNow
from tui.panes.insights.queries import (
    WEEKS,
    InsightRow,
    Lead,
    ReadInsights,
    Shown,
    find_session,
    picture_shown,
    read_insights,
    rows_of,
)
from tui.render.common.empty_states import Notice, loading, of_fault
from tui.render.common.untrusted import title
from tui.render.insights import (
    draw_row,
    draw_side,
    draw_tabs,
    no_insights,
    no_rows,
)
from tui.runtime.messages import PaneCopied, PaneOpenCase
from tui.runtime.state import Memory
from tui.runtime.stylesheets import sheet
from tui.widgets.row_list import FixedRows, NoticeView, RowList, RowsOrNotice
from tui.widgets.scroll_text import Reading

_UNITS: Final = {"answers": "", "worked": " after"}
_PATIENCE: Final = 0.2
"""Seconds after which a first read that still runs is said."""


class InsightsScreen(PaneScreen):
    """The views and their rows, the chosen row, weeks and projects."""

    PANE = "insights"
    LANES = ("insights", "insights-watch", "insights-session")
    CSS_PATH = sheet("insights")
    BINDINGS = bindings("insights")

    def __init__(self, context: PaneContext) -> None:
        super().__init__(context)
        self.shown = _recalled(context.memory)
        self.read: ReadInsights | None = None
        self.rows = RowList(self._paint, id="insights-rows")
        self.body = RowsOrNotice(self.rows, NoticeView(id="insights-notice"))
        self._list = Vertical(id="insights-list")
        self._tabs = Static(id="insights-head")
        self._side = Reading(id="insights-side")
        self._words = Static()

    def compose_body(self) -> ComposeResult:
        """The views and their rows; beside them the chosen row, weeks and projects."""
        with Container(id="insights-body"):
            with self._list:
                yield self._tabs
                yield self.body.rows
                yield self.body.notice
            with self._side:
                yield self._words

    def on_mount(self) -> None:
        """Read, and read again whenever somebody writes."""
        self.set_focus(self.rows)
        self.follow_casebook("insights-watch", ("insights",), self.load)
        self.load()
        self.set_timer(_PATIENCE, self._still_reading)

    def on_resize(self) -> None:
        """Bars are as long as there is room."""
        self.call_after_refresh(self._draw)

    def situation(self) -> Situation:
        """What is possible here."""
        row = self.chosen
        leads = row is not None and (row.lead is not None or row.case_id is not None)
        return InsightsNow("insights", cases=self.rows.rows.total, rows=self.rows.rows.total, leads=leads)

    @property
    def chosen(self) -> InsightRow | None:
        """The chosen row of the view."""
        row = self.rows.rows.get(self.rows.chosen)
        return row if isinstance(row, InsightRow) else None

    def load(self) -> None:
        """Read what is shown; old rows stay until it is there."""
        self.jobs.run("insights", read_insights(self.shown, self.clock()), self._came, self._troubled)

    def _still_reading(self) -> None:
        if self.read is None and self.jobs.busy("insights"):
            self.body.tell(loading())

    def _came(self, read: ReadInsights, _final: bool) -> None:
        if not self.is_attached:
            return
        first, self.read = self.read is None, read
        self._show(self.rows.chosen)
        if first:  # a notice that hid the rows may have sent the focus elsewhere
            self.call_after_refresh(self.body.take_focus)

    def _troubled(self, fault: Fault) -> None:
        if self.is_attached:
            self.body.tell(
                no_insights(scoped=False, readonly=False) if fault.code == "not_indexed" else of_fault(fault)
            )
            self._words.update(Content(""))
            self.changed()

    def _show(self, at: int = 0) -> None:
        """Show the rows of the view, or why there are none."""
        if self.read is None:
            return
        rows = rows_of(self.read, self.shown.view)
        self.rows.show(rows, at)
        self.body.tell(self._notice(rows))
        self._draw()
        self.changed()

    def _notice(self, rows: FixedRows[InsightRow]) -> Notice | None:
        assert self.read is not None
        if rows.total:
            return None
        if not self.read.found.by_week:
            return no_insights(scoped=self.shown.scoped, readonly=bool(self.read.readonly))
        return no_rows(self.shown.view)

    def _draw(self) -> None:
        """The tabs, and what stands beside the rows."""
        if not self.is_attached:
            return
        self._tabs.update(draw_tabs(self.shown.view, max(1, self._tabs.size.width - 2)))
        self._list.border_title = Content(f"Insights {self.signs.dot} {title(self._scope)}")
        self._list.border_subtitle = Content(NO_PROOF if self.shown.view == "worked" else PAUSES)
        if self.read is not None:
            row, width = self.chosen, max(20, self._side.size.width - 5)
            detail = row.detail if row is not None else ""
            wide = self.size.width >= 100
            self._words.update(draw_side(self.read.found, detail, width, self.signs, wide=wide))

    @property
    def _scope(self) -> str:
        """The weeks and the project that are shown, in words."""
        weeks = f"last {self.shown.weeks} weeks" if self.shown.weeks else "all weeks"
        names = dict(self.read.projects) if self.read is not None else {}
        return f"{weeks}, {names.get(self.shown.project, self.shown.project) or 'all projects'}"

    def _paint(self, row: Hashable | None, width: int, _chosen: bool) -> Content:
        if not isinstance(row, InsightRow):
            return Content("")
        return draw_row(
            row.value,
            row.most,
            row.count.replace("×", self.signs.times),
            row.name,
            row.status,
            width,
            self.signs,
            unit=_UNITS.get(self.shown.view, " min"),
        )

    def actions(self) -> Acts:
        """What it does, by the ids of the registry."""
        return {
            "insights.next": lambda: self._turn(1),
            "insights.previous": lambda: self._turn(-1),
            "insights.since": self._next_weeks,
            "insights.project": self._next_project,
            "list.unfilter": lambda: self._scoped(replace(self.shown, weeks=0, project="")),
            "list.copy": self._copy,
            "insights.picture": self._save_picture,
            "insights.session": self._open_session,
            "list.open": self._open,
            "list.back": self._back,
            "view.reload": self.load,
        }

    def _turn(self, by: int) -> None:
        view = VIEWS[(VIEWS.index(self.shown.view) + by) % len(VIEWS)]
        self.shown = replace(self.shown, view=view)
        self._show()
        if view == "worked":
            self.load()

    def _next_weeks(self) -> None:
        self._scoped(replace(self.shown, weeks=WEEKS[(WEEKS.index(self.shown.weeks) + 1) % len(WEEKS)]))

    def _next_project(self) -> None:
        names = ["", *(project for project, _ in self.read.projects if project)] if self.read is not None else [""]
        at = names.index(self.shown.project) if self.shown.project in names else 0
        self._scoped(replace(self.shown, project=names[(at + 1) % len(names)]))

    def _scoped(self, shown: Shown) -> None:
        self.shown = shown
        self.load()
        self._draw()
        self.changed()

    def _open(self) -> None:
        """The case of the chosen row; what has the name of a command."""
        if (row := self.chosen) is not None:
            self.post_message(PaneOpenCase(row.case_id, row.name))

    def _back(self) -> None:
        if self.shown.scoped:
            self._scoped(replace(self.shown, weeks=0, project=""))
        elif self.shown.view != VIEWS[0]:
            self.shown = replace(self.shown, view=VIEWS[0])
            self._show()

    def _copy(self) -> None:
        if self.read is None:
            return
        from core.flows.insights.pictures import markdown_of

        self.post_message(PaneCopied("view", markdown_of(picture_shown(self.read, self.shown.view, self._scope))))

    def _save_picture(self) -> None:
        if self.read is None:
            return
        from tui.screens.export import ask_picture

        picture = picture_shown(self.read, self.shown.view, self._scope)
        ask_picture(self, picture, f"insights-{self.shown.view.replace('_', '-')}", self.clock(), self.jobs)

    def _open_session(self) -> None:
        """The strip of the session that the chosen row leads to: of a case the last one with an incident."""
        row = self.chosen
        if row is not None and row.lead is not None:
            self._show_strip(row.lead)
        elif row is not None and row.case_id is not None:
            self.jobs.run(
                "insights-session", find_session(row.case_id), lambda lead, _: self._show_strip(lead), self._troubled
            )

    def _show_strip(self, lead: Lead | None) -> None:
        from tui.screens.session import StripScreen

        if lead is None:
            self.say("No session of this row is stored.")
        elif self.is_current:
            self.app.push_screen(StripScreen(self.jobs, lead[0], self.signs, self.clock, lead[1]))

    def remembered(self) -> Memory:
        """The view and the weeks."""
        return {"view": self.shown.view, "weeks": self.shown.weeks}

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Another row is the chosen one."""
        event.stop()
        self._draw()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Enter, or a second click."""
        event.stop()
        self._open()

    def on_row_list_wanted(self, event: RowList.Wanted) -> None:
        """All rows are there."""
        event.stop()


def _recalled(memory: Memory) -> Shown:
    """What was shown the last time."""
    weeks = memory.get("weeks")
    shown = next((one for one in WEEKS if one == weeks), 0)
    return Shown(one_of(VIEWS, memory.get("view")) or VIEWS[0], shown)


def open_pane(context: PaneContext) -> InsightsScreen:
    """The pane, as it was left."""
    return InsightsScreen(context)
