"""Tables over the Rules pane, with the chosen row in detail: clusters, the comparison on labelled calls, problems."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from core.base.fault import Fault
from tui.actions.action import Acts, Performs, Situation
from tui.actions.registry import bindings
from tui.panes.rules.actions import TableNow
from tui.panes.rules.queries import Measured, find_clusters, measure
from tui.render.common.amounts import counted
from tui.render.common.empty_states import Notice
from tui.render.common.untrusted import inline, pad
from tui.render.ranking import place_of, unreadable
from tui.render.tables import (
    Heading,
    draw_case,
    draw_case_row,
    draw_cluster,
    draw_cluster_row,
    draw_heading,
    draw_legend,
    draw_system,
    draw_system_row,
)
from tui.runtime.jobs import Job
from tui.services.environment import Sources
from tui.widgets.row_list import FixedRows, NoticeView, RowList, RowsOrNotice
from tui.widgets.scroll_text import Reading
from tui.widgets.workbench import KeyFooter, sheet

if TYPE_CHECKING:
    from core.rules.evaluation.clusters import Clusters
    from core.rules.format.rule import Flaw
    from tui.panes.rules.screen import RulesScreen


LANE = "rules-table"
_WORKING = "Still loading."
_FAILED = "Loading failed. The reason is shown here."
T = TypeVar("T")


class Detail(Reading):
    """The chosen row in full."""

    BINDINGS = bindings("case")


@dataclass(frozen=True, slots=True)
class Table(Generic[T]):
    """What a table is made of: its work, its rows with heading and footing, how a row and its detail are drawn, whether
    a row has a target and what opens it. `direct`: Enter opens it at once, without the detail. `empty`:
    the message if no row is chosen."""

    heading: str
    work: Callable[[Job[T]], T]
    rows: Callable[[T], tuple[Hashable, ...]]
    summary: Callable[[T], str]
    nothing: Callable[[T], Notice]
    paint: Callable[[Hashable, int, bool], Content]
    detail: Callable[[Hashable], Content]
    take: Callable[[Hashable], bool]
    has_target: Callable[[Hashable], bool]
    empty: str
    direct: bool = False


class TableScreen(Performs, ModalScreen[None], Generic[T]):
    """Shows one table. `o` goes to what the row is about."""

    CSS_PATH = sheet("rules")
    BINDINGS = bindings("table")

    def __init__(self, pane: RulesScreen, table: Table[T]) -> None:
        super().__init__(classes="rules-table")
        self._pane = pane
        self._table = table
        self._list = RowList(self._paint, id="table-rows")
        self._place = RowsOrNotice(self._list, NoticeView(id="table-notice"))
        self._detail_body = Static()
        self._detail = Detail(id="table-detail")
        self._frame = Vertical(id="table-list")
        self._nothing = _WORKING  # why there is no row
        self._keys = KeyFooter(pane.signs, Situation("table"))

    def compose(self) -> ComposeResult:
        with Container(id="table-body"):
            with self._frame:
                yield self._place.rows
                yield self._place.notice
            with self._detail:
                yield self._detail_body
        yield self._keys

    def situation(self) -> TableNow:
        return TableNow("table", has_target=self._has_target, nothing="" if self._list.rows.total else self._nothing)

    @property
    def chosen(self) -> Hashable | None:
        return self._list.rows.get(self._list.chosen)

    @property
    def _has_target(self) -> bool:
        row = self._list.rows.get(self._list.chosen)
        return row is not None and self._table.has_target(row)

    def on_mount(self) -> None:
        """Work it out off this thread: it may take seconds."""
        self._frame.border_title = Content(self._table.heading)
        self._detail.border_title = Content("Details")
        self._place.show_notice(Notice("Loading", "The model may still be loading.",
                                (("{table.back}", "go back"),)))  # fmt: skip
        self._place.take_focus()
        self.work_out()

    def work_out(self) -> None:
        """Request the rows (again); the selected row stays."""
        self._pane.jobs.run(LANE, self._table.work, self._on_rows, self._failed)

    def on_unmount(self) -> None:
        self._pane.jobs.cancel(LANE)

    def _on_rows(self, found: T, _final: bool) -> None:
        rows = self._table.rows(found)
        self._nothing = self._table.empty
        named = bool(rows) and isinstance(rows[0], Heading)
        self._list.show(FixedRows(rows), self._list.chosen or int(named))
        self._place.show_notice(None if rows else self._table.nothing(found))
        self._frame.border_subtitle = Content(self._table.summary(found))
        self._show()

    def _failed(self, fault: Fault) -> None:
        self._nothing = _FAILED
        self._place.show_notice(unreadable(fault))

    def actions(self) -> Acts:
        return {
            "table.back": self._back,
            "list.back": self._back,
            "list.open": self._open,
            "case.back": self._place.take_focus,
            "case.enter": self._take,
            "table.take": self._take,
        }

    def _back(self) -> None:
        if self.is_current:
            self.dismiss()

    def _take(self) -> None:
        row = self._list.rows.get(self._list.chosen)
        if row is not None and self._table.take(row):
            self._back()

    def _open(self) -> None:
        if self._table.direct:
            self._take()
        else:
            self._detail.focus()

    def _show(self) -> None:
        row = self._list.rows.get(self._list.chosen)
        self._detail_body.update(Content("") if row is None else self._table.detail(row))
        self._detail.scroll_home(animate=False)
        self._keys.situation = self.situation()

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        return Content("") if row is None else self._table.paint(row, width, chosen)

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        event.stop()
        self._show()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self._open()


def cluster_table(pane: RulesScreen) -> TableScreen[Clusters]:
    """Rules that say nearly the same, or belong together."""
    from core.rules.evaluation.clusters import Cluster

    def take(row: Hashable) -> bool:
        if isinstance(row, Cluster):
            first = row.rules[0]
            pane.call_after_refresh(pane.acts.edit, Path(first.path), first.line)
        return True

    def nothing(found: Clusters) -> Notice:
        if found.rules > 1:
            message = f"{found.rules:,} rules compared by {found.by}. None are similar or related."
        else:
            few = "There is only one rule" if found.rules else "There are no rules"
            message = f"{few}. A comparison needs at least two rules."
        return Notice("No similar rules", message, (("{table.back}", "go back"),))

    def paint(row: Hashable, width: int, chosen: bool) -> Content:
        return draw_cluster_row(row, width, pane.signs, chosen=chosen) if isinstance(row, Cluster) else Content("")

    def detail(row: Hashable) -> Content:
        return draw_cluster(row, pane.signs) if isinstance(row, Cluster) else Content("")

    table = Table(
        "Similar and related rules", find_clusters(pane.matching), lambda found: found.clusters,
        lambda found: counted(found.rules, "rule") + (f", compared by {found.by}" if found.rules > 1 else ""), nothing,
        paint, detail, take, lambda row: isinstance(row, Cluster),
        "No rules are similar or related.",
    )  # fmt: skip
    return TableScreen(pane, table)


def compare_table(pane: RulesScreen) -> TableScreen[Measured | None]:
    """Every way of matching on what was labelled, then each labelled call."""
    from core.rules.evaluation.compare import CaseResult, SystemScore

    notes: list[str] = []

    def rows(found: Measured | None) -> tuple[Hashable, ...]:
        notes[:] = found.notes if found is not None else ()
        if found is None or found.comparison is None:
            return ()
        cases = (Heading("calls"), *map(Row, found.cases)) if found.cases else ()
        systems = found.comparison.systems
        return (Heading("methods", any(one.unwanted.of for one in systems)), *systems, *cases)

    def take(row: Hashable) -> bool:
        if isinstance(row, Row) and isinstance(row.case, CaseResult):
            pane.own_call.take(row.case.labelled.call)
            return True
        return False

    def nothing(found: Measured | None) -> Notice:
        if found is not None:
            return Notice("No labels for these rules", " ".join(found.notes), (("{table.back}", "go back"),))
        return Notice(
            "No labels yet",
            "Go back, select a call and label its rules as right, wrong or missing. Compare uses each labeled call.",
            (
                ("{table.back}", "show the calls"),
                ("{rules.right} {rules.wrong} {rules.missing}", "label the selected rule"),
            ),
        )

    def paint(row: Hashable, width: int, chosen: bool) -> Content:
        if isinstance(row, SystemScore):
            return draw_system_row(row, width, pane.signs, chosen=chosen)
        if isinstance(row, Heading):
            return draw_heading(row, width, pane.signs, chosen=chosen)
        return draw_case_row(row.case, width, pane.signs, chosen=chosen) if isinstance(row, Row) else Content("")

    def detail(row: Hashable) -> Content:
        if isinstance(row, SystemScore):
            return draw_system(row, notes)
        if isinstance(row, Heading):
            return draw_legend(row)
        return draw_case(row.case, pane.signs) if isinstance(row, Row) else Content("")

    table = Table(
        "Compare matching methods (labeled calls)", measure(pane.matching), rows, _measured, nothing,
        paint, detail, take, lambda row: isinstance(row, Row) and isinstance(row.case, CaseResult),
        "No labeled calls yet.",
    )  # fmt: skip
    return TableScreen(pane, table)


def _measured(found: Measured | None) -> str:
    """What a comparison was made of."""
    if found is None or found.comparison is None:
        return ""
    judged = [one for one in found.cases if not one.labelled.undecided]
    right, only = sum(one.result == "right" for one in judged), len(found.cases) - len(judged)
    parts = [f"{right} of {len(judged)} labeled calls right"] if judged else []
    parts += [f"{counted(only, 'call')} with a “wrong” label only"] if only else []
    warned = [f"{counted(len(found.notes), 'warning')} (see details)"] if found.notes else []
    whose = f" including {inline(found.project, 30)}" if found.project else ""
    return ", ".join((*warned, *parts, f"{counted(found.comparison.rules, 'rule')}{whose}"))


class Row:
    """A case as a row: cases hold unhashable inputs, so rows are compared by identity."""

    def __init__(self, case: object) -> None:
        self.case = case


_PLACE_CELLS = 24


def problem_table(pane: RulesScreen, flaws: Sequence[Flaw]) -> TableScreen[tuple[Flaw, ...]]:
    """These problems, those that cost most first."""
    from core.rules.format.rule import Flaw, counted_flaws, dearest_first, folded

    def paint(row: Hashable, width: int, chosen: bool) -> Content:
        if not isinstance(row, Flaw):
            return Content("")
        place = pad(inline(place_of(row.path, row.line), _PLACE_CELLS, more=pane.signs.more), _PLACE_CELLS)
        message = inline(row.message, max(1, width - _PLACE_CELLS - 4), more=pane.signs.more)
        mark = pane.signs.bar if chosen else " "
        return Content.assemble(
            (f"{mark} ", "$cb-accent"), (f"{place}  ", "$cb-dim"), (message, _tone(row, chosen=chosen))
        )

    def detail(row: Hashable) -> Content:
        if not isinstance(row, Flaw):
            return Content("")
        place = f"{inline(row.path)}:{row.line}" if row.line else inline(row.path)
        return Content.assemble((inline(row.message), "$cb-text"), "\n\n", (place, "$cb-dim"))

    def take(row: Hashable) -> bool:
        """Into the editor, and back to what is left: the table stays."""
        nonlocal left
        if isinstance(row, Flaw):
            pane.acts.edit(Path(row.path), max(1, row.line))
            left = None
            screen.work_out()
        return False

    def work(_job: Job[tuple[Flaw, ...]]) -> tuple[Flaw, ...]:
        return dearest_first(_read_flaws(pane.matching.sources) if left is None else left)

    def draw_row(found: tuple[Flaw, ...]) -> str:
        return f"{counted_flaws(found)} · enter opens the file" if found else ""

    left: Sequence[Flaw] | None = flaws
    nothing = Notice("No problems", "", (("{table.back}", "go back"),))
    table = Table(
        "Problems in the rule files", work, folded, draw_row, lambda _found: nothing,
        paint, detail, take, lambda row: isinstance(row, Flaw), "The rule files have no problems.", direct=True,
    )  # fmt: skip
    screen = TableScreen(pane, table)
    return screen


def _read_flaws(sources: Sources) -> tuple[Flaw, ...]:
    """What is wrong with the files as they are now. Raises Fault."""
    from core.rules.format.parse import joined, parse

    return joined(parse(path, scope=scope) for path, scope in sources.files()).flaws


def _tone(flaw: Flaw, *, chosen: bool) -> str:
    """Lost rules are emphasized, optional ones dimmed."""
    if flaw.cost == "lost":
        return "$cb-bad"
    return "$cb-dim" if flaw.cost == "missing" and not chosen else "$cb-text"
