"""The Errors pane: the box on top, the cases on the left, the case in the middle, the trace on demand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widget import Widget

from core.base.fault import Fault
from tui.actions.action import Acts, Focus, Situation
from tui.actions.registry import bindings
from tui.panes.common.list_pane import PasteSearchPane, Search
from tui.panes.common.pane_screen import (
    PaneContext,
    PaneScreen,
    lay_out,
    layout_of,
    number_of,
    one_of,
    push_when_free,
    text_of,
)
from tui.panes.errors.actions import ErrorsNow
from tui.panes.errors.auto_refresh import LiveResults, Watching
from tui.panes.errors.case_reader import Reader
from tui.panes.errors.case_view import CaseView
from tui.panes.errors.curation import Curating
from tui.panes.errors.queries import PERIODS, SORTS, STATUSES, WORTHS, Meaning, Scope
from tui.panes.errors.results import Results
from tui.render.case_list import Row
from tui.runtime.messages import PaneChanged, PaneCounted, PaneTroubled
from tui.runtime.state import Memory
from tui.services.embedding import Embedding
from tui.services.importing import Incoming, Roots
from tui.widgets.inputs import SearchBox
from tui.widgets.row_list import Rows
from tui.widgets.scroll_text import TraceView
from tui.widgets.workbench import AT_LIST, ELSEWHERE

if TYPE_CHECKING:
    from core.flows.transcripts.report import ImportAgain


_NAME = 200
_FACTS_FROM = 180
"""Cells of the screen from which on the facts of a case have a column, above the trace."""
_WIDE = 100
"""Width of the screen, in cells, from which the case is shown to the right of the rows."""
_FEW, _ROWS_OF_CASE, _ROWS_LEFT = 9, 15, 5
"""The most rows that the case is shown below on a narrow screen, and the lines that it and all else need there."""


def recall(pane: ErrorsScreen, memory: Memory) -> None:
    """Restore the pane before it is mounted. Values that are no longer valid are skipped."""
    pane.results.scope = Scope(
        status=one_of(STATUSES, memory.get("status")),
        sort=one_of(SORTS, memory.get("sort")) or Scope().sort,
        period=one_of(PERIODS, memory.get("period")),
        tool=text_of(memory.get("tool"), _NAME),
        project=text_of(memory.get("project"), _NAME),
        tag=text_of(memory.get("tag"), _NAME),
        worth=one_of(WORTHS, memory.get("worth")),
    )
    lay_out(pane, memory)
    pane.embedding.has_warned_no_model = memory.get("told_no_model") is True
    pane.results.resume = number_of(memory.get("case"))


PREVIEW, TYPED = 0.04, 0.1
"""Seconds that a row must stay chosen before its case is read; while someone types the next key mostly comes before."""

Part = Literal["list", "case", "why"]


def _rows_to_show(found: Rows, width: int) -> int:
    """The rows that must be in sight: all of them, or on a narrow screen the first ones where the first one answers."""
    first = found.get(0)
    answered = width < _WIDE and isinstance(first, Row) and first.answers
    return min(found.total, _FEW) if answered else found.total


class ErrorsScreen(PaneScreen, PasteSearchPane):
    """Search errors and read their fixes: the journey from the query to the fix. The other panes open over it.

    `roots`: where agents keep their sessions; `lines`: what the app shows above the keys.
    """

    PANE = "errors"
    LIST = "results"
    STACKS = False
    BINDINGS = bindings("pane")

    def __init__(self, context: PaneContext, roots: Callable[[], Roots]) -> None:
        super().__init__(context, classes="-at-list")
        jobs, signs, clock, settings = self.jobs, self.signs, self.clock, context.around.embedding
        self.box = SearchBox(id="box")
        self.box.border_title = Content("Search errors")
        self.meaning = Meaning(jobs.path, settings)
        self.results = LiveResults(jobs, signs, clock, self.meaning)
        self.search = Search(
            self.results, self.box, jobs, "search", lambda text, pasted: self.results.ask(text, pasted=pasted),
            begin=lambda: (self._unzoom(), self.box.focus()), leave=self._to_list, open=self._open_chosen,
        )  # fmt: skip
        self.case = CaseView(jobs, signs, clock, self.meaning)
        self.why = TraceView(signs)
        asks = {"ask": self._ask_import, "confirm": self._confirm_again, "set_up": self._ask_setup}
        self.incoming = Incoming(jobs, signs, roots, self.results, **asks)
        self.embedding = Embedding(jobs, signs, settings, lambda: self.incoming.busy or self.reading())
        self.reader = Reader(jobs, self.case, lambda: self.box.query_text, self.changed, self._failed)
        self.curating = Curating(jobs, signs, clock, self, self.meaning)
        self.watching = Watching(jobs, self.results, self.set_timer, self._on_written, self.embedding.runs)
        self._is_few = False
        self.reading: Callable[[], bool] = lambda: False
        """Whether folders are being read into the library: embedding waits for that, too."""
        self.lines: tuple[Widget, ...] = ()
        recall(self, context.memory)

    def compose_body(self) -> ComposeResult:
        yield self.box
        with Container(id="body"):
            yield self.results
            with Container(id="reading"):
                yield self.case
                yield self.case.facts
                yield self.why
        yield from (self.incoming, self.embedding, *self.lines)

    def on_mount(self) -> None:
        """Start in the search box; read once the first frame is out."""
        self.set_focus(self.box)
        self.call_after_refresh(self.results.load)
        self.watching.start()
        self.curating.left_over.look(tell=True)
        self._on_written()

    # What is going on ------------------------------------------------------------------------------------------------

    @property
    def focus_part(self) -> Focus:
        focused = self.focused
        rows: dict[object, Focus] = {self.results.rows: "list", self.results.body.notice: "list"}
        reading: dict[object, Focus] = dict.fromkeys(self.case.parts, "case")
        parts: dict[object, Focus] = {self.box: "box", self.why: "why", **rows, **reading}
        return parts.get(focused, "none")

    def way_back(self) -> Callable[[], object] | None:
        return self.reader.back if self.reader.is_away and self.focus_part == "case" else None

    def situation(self) -> Situation:
        return ErrorsNow(
            focus=self.focus_part,
            cases=self.results.rows.rows.total,
            query=self.box.query_text,
            unknown=bool(self.results.query_text) and self.results.unknown,
            filtered=bool(self.results.scope.picked),
            unsaved=self.curating.left_over.count, replaced=len(self.curating.replaced),
            case_open=self.case.read is not None,
            has_fix=self.case.fix is not None,
            lesson=self.case.fix is not None and self.case.fix.lesson is not None,
            raw_clipped=self.case.clipped,
            seen_older=self.case.seen.has_older, seen_newer=self.case.seen.at > 0,
            history=self.case.has_history,
            like=bool(self.case.like.rows.total),
            cites=self.case.cited.rows.total,
        )  # fmt: skip

    def remembered(self) -> Memory:
        scope, chosen = self.results.scope, self.results.chosen
        return {
            "status": scope.status,
            "sort": scope.sort,
            "period": scope.period,
            "tool": scope.tool,
            "project": scope.project,
            "tag": scope.tag,
            "worth": scope.worth,
            **layout_of(self),
            "told_no_model": self.embedding.has_warned_no_model,
            "case": chosen.id if chosen is not None else self.results.resume,
        }

    def on_descendant_focus(self) -> None:
        part = self.focus_part
        if part in ("list", "case", "why"):
            self._at(part)
        elif part == "box" and not self.has_class("-zoomed"):
            self._at("list")
        self.incoming.show_way_out(AT_LIST if part == "list" else ELSEWHERE)
        self.changed()

    def _at(self, part: Part) -> None:
        self.update_classes({f"-at-{name}": name == part for name in ("list", "case", "why")})

    # Queries and results ---------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        self._make_room(bool(self.results.query_text))
        self._place_facts()

    def _place_facts(self) -> None:
        """On a very wide screen the facts of the case are above the trace; without one their column would be empty."""
        traced = self.has_class("-why") or self.results.has_class("-searched")
        in_column = traced and not self.has_class("-no-why") and self.app.size.width >= _FACTS_FROM
        if in_column == self.results.has_class("-facts"):
            return
        self.query("#results, #reading, #case, #case-facts, #why").set_class(in_column, "-facts")
        self.case.put_facts(in_column=in_column)

    def on_results_answered(self, event: Results.Answered) -> None:
        """The search has something to say; only the parts that it moves get new styles: all of it takes a frame."""
        event.stop()
        self.query("#results, #why").set_class(event.answer is not None, "-searched")
        self._make_room(event.answer is not None)
        self._place_facts()
        self.why.explain(event.answer.trace if event.answer is not None else ())
        if event.answer is not None and event.answer.query.raw == self.box.query_text:
            self.box.face(event.answer.query.key_line)

    def _make_room(self, searched: bool) -> None:
        """The case is below the rows found, if these are few or the first one is the answer: `-few`, and how many."""
        total, room = _rows_to_show(self.results.rows.rows, self.app.size.width), self.size.height - _ROWS_OF_CASE
        few = searched and 0 < total <= min(_FEW, room)
        rows = min(total, max(_ROWS_LEFT, room - _ROWS_LEFT))  # the rest scrolls: the fix is in sight
        if few or self._is_few:
            self._is_few = few
            self.query("#body, #results, #reading, #case, #why").set_class(few, "-few")
            self.results.update_classes({f"-rows-{count}": few and count == rows for count in range(1, _FEW + 1)})

    def _on_written(self) -> None:
        """The casebook may have changed."""
        self.embedding.changed()
        self.curating.look_replaced()

    def on_results_chosen(self, event: Results.Chosen) -> None:
        """Another case is chosen: read it, if the choice stays."""
        event.stop()
        if event.row is not None:
            self.reader.choose(event.row, TYPED if self.box.has_focus and self.box.query_text else PREVIEW)
        elif not self.results.rows.rows.total:
            self.reader.none()
        self.changed()

    def on_results_opened(self, event: Results.Opened) -> None:
        event.stop()
        self._open_chosen()

    def _open_chosen(self) -> None:
        """Open the chosen row, if there is one. It has the focus at once: the next key is about it."""
        if (row := self.results.chosen) is not None:
            self.reader.open(row)
            self._at("case")
            self.case.focus()

    def on_results_count_changed(self, event: Results.CountChanged) -> None:
        event.stop()
        self.post_message(PaneCounted(event.counted.every, event.counted.readonly))

    def on_results_empty(self, event: Results.Empty) -> None:
        """Nothing is in the casebook: keys are offered in the place of the list, so the focus goes there."""
        event.stop()
        if self.focus_part == "box" and not self.box.query_text:
            self.results.body.take_focus()
        self.incoming.look()

    def on_results_failed(self, event: Results.Failed) -> None:
        event.stop()
        self._failed(event.fault)

    def on_case_view_used(self, event: CaseView.Used) -> None:
        event.stop()
        self.reader.use(event.case_id)

    def on_case_view_visited(self, event: CaseView.Visited) -> None:
        event.stop()
        self.reader.go_to(event.case_id)
        self.case.focus()

    def _failed(self, fault: Fault) -> None:
        self.post_message(PaneTroubled(fault))

    # What one can do -------------------------------------------------------------------------------------------------

    def actions(self) -> Acts:
        return {
            **self.search.actions(),
            "list.filter": self.results.ask_filter,
            "list.unfilter": self.results.unfilter,
            "fix.new": self._record,
            "list.sort": lambda: self.results.load(self.results.scope.reordered()),
            "list.back": self._back_in_list,
            "case.back": lambda: self.reader.back() or self._to_list(),
            "why.back": self._back_in_trace,
            "list.next": lambda: self.results.rows.choose(self.results.rows.chosen + 1),
            "list.previous": lambda: self.results.rows.choose(self.results.rows.chosen - 1),
            "list.why": self._toggle_trace,
            "view.zoom": self._zoom,
            "view.reload": self.results.load,
        }

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry that belongs to this pane; False for anything else."""
        parts = (self.curating, self.incoming, self.embedding, self.results, self.case)
        return (
            super().perform(action_id) or self.reader.first(action_id) or any(part.perform(action_id) for part in parts)
        )

    def changed(self) -> None:
        """Other actions are possible now: update the footer once the focus has moved."""
        self.post_message(PaneChanged())

    def _ask_import(self) -> None:
        from tui.screens.import_files import ImportScreen

        self.app.push_screen(ImportScreen(self.incoming))

    def _ask_setup(self) -> None:
        from tui.screens.setup import SetupScreen

        self.app.push_screen(SetupScreen(self.incoming, self.embedding.settings, self.embedding.changed))

    def _confirm_again(self, report: ImportAgain, decided: Callable[[bool | None], None]) -> None:
        from tui.screens.import_files import AgainScreen

        ready = "The preview of the harvest is ready. It opens when you finish here."
        push_when_free(self, AgainScreen(report), decided, ready, over_panes=True)

    def _record(self) -> None:
        """Record the searched error, which no case has, and write its fix."""
        from tui.panes.errors.fix_editor import recorded

        def ended(case_id: int) -> None:
            self.curating.say(self.signs.fill_keys(f"Recorded as case #{case_id}. {{undo.last}} undoes."))
            self.results.load()
            self.curating.write_case(case_id)

        self.curating.make(recorded(self.box.query_text), ended, self._failed)

    def _to_list(self) -> None:
        self._unzoom()
        self._at("list")
        self.results.body.take_focus()

    def _back_in_list(self) -> None:
        """One thing less each time, and with nothing left nothing: one press too many must not end in a text box."""
        if self.has_class("-zoomed"):
            self._unzoom()
        elif self.search.clear():
            return
        elif self.results.scope.picked:
            self.results.unfilter()
        elif self.incoming.busy:
            self.incoming.stop_soon()

    def _back_in_trace(self) -> None:
        """Back to the case. On a narrow screen the trace has covered it, and closes."""
        self._unzoom()
        if self.has_class("-narrow"):
            self.remove_class("-why")
        self.case.focus()

    def _toggle_trace(self) -> None:
        visible = self.why.region.area > 0
        self.update_classes({"-no-why": visible, "-why": not visible})
        self._place_facts()
        if visible:
            if self.focus_part == "why":
                self.case.focus()
            self._at("list" if self.focus_part == "list" else "case")
        elif self.has_class("-narrow"):
            self._at("why")
            self.why.focus()

    def _zoom(self) -> None:
        zoomed = not self.has_class("-zoomed")
        if zoomed and self.focus_part in ("box", "none"):
            self.results.body.take_focus()
        self.set_class(zoomed, "-zoomed")

    def _unzoom(self) -> None:
        self.remove_class("-zoomed")
