"""The pane of the exercise: cases as notes, searched by words, filtered by status, with how they were found."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from core.base.trace import Step
from tests.tui.panes.notes.actions import NotesNow
from tui.actions.action import Acts
from tui.actions.registry import bindings
from tui.panes.common.filter_menu import Choices, FilterScreen, Value
from tui.panes.common.list_pane import ListView, PasteSearchPane, Search
from tui.panes.common.pane_screen import PaneContext, PaneScreen, one_of
from tui.render.case_list import Row, row_of
from tui.render.common.empty_states import Notice
from tui.render.common.untrusted import inline
from tui.runtime.jobs import DEBOUNCE, Job
from tui.runtime.messages import PaneCopied
from tui.runtime.state import Memory
from tui.widgets.inputs import SearchBox
from tui.widgets.row_list import FixedRows, RowList
from tui.widgets.scroll_text import TraceView

STATUSES = ("verified", "draft", "unresolved")


@dataclass(frozen=True, slots=True)
class Picked:
    """The status that is on, if one is."""

    status: str | None = None

    def toggled(self, kind: str, value: str) -> Picked:
        """With this on; or off, if it was on."""
        return Picked(None if self.status == value else value)


@dataclass(frozen=True, slots=True)
class Found:
    """Notes, and how they were found."""

    rows: tuple[Row, ...]
    trace: tuple[Step, ...]


def read_notes(words: str, picked: Picked) -> Callable[[Job[Found]], Found]:
    """The notes of a status that have all of the words."""

    def work(job: Job[Any]) -> Found:
        from core.errors import Filters, list_cases

        listed = list_cases(job.store(), Filters(picked.status), "last_seen", 100, None)  # pyright: ignore[reportArgumentType]
        rows = [row_of(case) for case in listed.cases]
        found = tuple(row for row in rows if all(word in row.key_line.casefold() for word in words.casefold().split()))
        outcome = "hit" if found else "miss"
        return Found(found, (Step("words", outcome, f"{len(found)} of {len(rows)} notes have the words"),))

    return work


class StatusChoices(Choices[Picked, int]):
    """The statuses to pick from."""

    HINT: ClassVar[str] = "Filter by status"
    LANE: ClassVar[str] = "notes-values"

    def values(self) -> Sequence[Value]:
        """Each status."""
        return [("status", status, None) for status in STATUSES]

    def draw(self, kind: str, value: str, count: int | None) -> Content:
        """The status, and whether it is on."""
        return Content(f"{'on ' if self.picked.status == value else '   '}{kind} {value}")

    def count(self) -> Callable[[Job[Any]], int]:
        """Nothing is counted."""
        return lambda _job: 0


class NotesScreen(PaneScreen, PasteSearchPane):
    """The notes, and how they were found."""

    PANE = "notes"
    LIST = "notes-list"
    LANES = ("notes", "notes-watch", StatusChoices.LANE)
    BINDINGS = bindings("notes")
    CSS = "#notes-list, #notes-why { height: 1fr; } #notes-rows, #notes-notice { height: 1fr; }"

    def __init__(self, context: PaneContext) -> None:
        super().__init__(context)
        box = SearchBox(id="notes-box", placeholder="Words of a note")
        self.list = ListView(("notes-list", "notes-rows", "notes-notice"), self._paint, box=box)
        self.search = Search(self.list, box, self.jobs, "notes", lambda _text, _pasted: self.load(DEBOUNCE))
        self.why = TraceView(self.signs, id="notes-why")
        self.picked = Picked(one_of(STATUSES, context.memory.get("status")))

    def compose_body(self) -> ComposeResult:
        """The box and the list, the trace."""
        with Container():
            yield self.list
            yield self.why

    def on_mount(self) -> None:
        """Read, and again whenever somebody writes."""
        self.why.display = False
        self.set_focus(self.list.rows)
        self.follow_casebook("notes-watch", ("notes",), self.load)
        self.load()

    def load(self, delay: float = 0.0) -> None:
        """Read what is asked for."""
        self.search.read(read_notes(self.search.words, self.picked), self._came, self.say_fault, delay)

    def _came(self, found: Found, _final: bool) -> None:
        self.list.rows.show(FixedRows(found.rows))
        self.list.body.show_notice(None if found.rows else Notice("No note has these words"))
        self.why.explain(found.trace)
        self.changed()

    def situation(self) -> NotesNow:
        """What is possible here."""
        focus = "box" if self.search.box.has_focus else "notes"
        return NotesNow(focus, self.list.rows.rows.total, query=self.search.words, filtered=self.picked != Picked())

    def actions(self) -> Acts:
        """What it does, by the ids of the registry."""
        return {
            **self.search.actions(),
            "list.filter": self._filter,
            "list.unfilter": lambda: self._pick(Picked()),
            "list.why": self._toggle_why,
            "list.copy": self._copy,
            "list.back": self.search.clear,
        }

    def _filter(self) -> None:
        self.app.push_screen(FilterScreen(StatusChoices(self.picked, self.signs, self._pick), self.jobs))

    def _pick(self, picked: Picked) -> None:
        self.picked = picked
        self.load()

    def _toggle_why(self) -> None:
        self.why.display = not self.why.display

    def _copy(self) -> None:
        if isinstance(row := self.list.rows.rows.get(self.list.rows.chosen), Row):
            self.post_message(PaneCopied("note", row.key_line))

    def remembered(self) -> Memory:
        """The status that is on."""
        return {"status": self.picked.status}

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Another note is the chosen one."""
        event.stop()
        self.changed()

    def _paint(self, row: Hashable | None, width: int, _chosen: bool) -> Content:
        return Content(inline(row.key_line, width) if isinstance(row, Row) else "")


def open_pane(context: PaneContext) -> NotesScreen:
    """The pane, as it was left."""
    return NotesScreen(context)
