"""The history: changes, authors and times; any change can be undone."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.screen import ModalScreen

from core.base.fault import Fault
from tui.actions.action import Acts, Performs, Situation
from tui.actions.registry import bindings
from tui.panes.common.decisions import Returned
from tui.panes.errors.actions import CaseNow
from tui.panes.errors.curation import Curating
from tui.render.common.untrusted import inline
from tui.render.curation import State, draw_change, draw_changed
from tui.runtime.jobs import Job, job_work
from tui.widgets.row_list import RowList
from tui.widgets.scroll_text import Block, Reading
from tui.widgets.workbench import KeyFooter, fit_size, sheet, workbench

if TYPE_CHECKING:
    from core.errors.curation.history import Changed, ChangedFix, History

PAGE = 100


@dataclass(frozen=True, slots=True)
class Entry:
    """A decision and what became of it; `last` is the change that took it back, where one did, else itself."""

    change: Changed
    state: State
    last: int


def entries_of(read: Sequence[Changed]) -> tuple[Entry, ...]:
    """One row a decision: what took it back, and what did it again, is its state. Newest first, as they were read."""
    touched = {one.undoes for one in read}
    found: list[Entry] = []
    for one in read:
        if one.undoes is None:  # a redo restores the decision
            state: State = "done" if one.change not in touched else "redone"
            back = one.undone_by
            found.append(Entry(one, state, one.change) if back is None else Entry(one, "undone", back))
    return tuple(found)


class Changes:
    """The changes read so far, as rows."""

    def __init__(self, read: tuple[Changed, ...] = ()) -> None:
        self.read = read
        self.entries = entries_of(read)

    @property
    def total(self) -> int:
        return len(self.entries)

    def get(self, index: int) -> Entry | None:
        return self.entries[index] if 0 <= index < len(self.entries) else None

    def index_of(self, change: int | None) -> int:
        """Return the row of a decision; the newest, if it is not listed."""
        return next((at for at, one in enumerate(self.entries) if one.change.change == change), 0)


@job_work
def read_page(job: Job[Any], case_id: int | None, before: int | None, limit: int = PAGE) -> History:
    from core.flows.system.history import read_history

    return read_history(job.store(), limit, before, case_id)


@job_work
def read_case_of(job: Job[Any], cases: Sequence[int]) -> int | None:
    """The first of these cases that there is, or the one that it was merged into; None: all are gone."""
    from core.errors import show_case
    from core.errors.curation.transaction import moved_to

    store = job.store()
    there = next((one for one in cases if show_case(store, one, 1) is not None), None)
    return there or next((into for one in cases if (into := moved_to(store.con, one)) is not None), None)


FIXES = 0.06
"""Seconds that a change must stay selected before its fixes are read."""


@job_work
def read_fixes(job: Job[Any], change: int) -> tuple[ChangedFix, ...]:
    from core.errors.curation.history import fixes_of

    return fixes_of(job.store(), change)


class HistoryScreen(Performs, ModalScreen[None]):
    """The changes, newest first, and what the chosen one did."""

    CSS_PATH = sheet("curation")
    BINDINGS = bindings("history")

    def __init__(self, curating: Curating, case_id: int | None, *, one_case: bool = False, at: int = 0) -> None:
        """`one_case`: list the changes of this case only; `at`: the change to select, 0 for the newest."""
        super().__init__()
        self._curating = curating
        self._case_id = case_id
        self._one_case = one_case
        self._first = at
        self._next: int | None = None
        self.left = False  # whether the pane that was opened from here was left for another: it is not to be seen again
        self._list = RowList(self._paint, id="history-rows")
        self._details = Block("history-details")
        self._details.remove_class("block")  # the frame around it has the heading
        self._fixes: tuple[int, tuple[ChangedFix, ...]] = (0, ())  # those of one change
        self._keys = KeyFooter(curating.signs, self.situation())

    def compose(self) -> ComposeResult:
        fit_size(self)
        with Container(id="history-body"):
            yield self._list
            with Reading(id="history-change") as frame:
                frame.border_title = Content("Details")
                yield self._details
        yield self._keys

    def situation(self) -> Situation:
        return CaseNow("history", cases=self._changes.total, case_open=self._case_id is not None)

    def on_mount(self) -> None:
        self._list.focus()
        self._load()

    def on_screen_resume(self) -> None:
        """The user is back from the target of a change: read the decisions made there."""
        if self.left and self.is_current:
            self.dismiss()
        elif self._changes.read:
            self._load()

    def on_unmount(self) -> None:
        for lane in ("history", "history-case", "history-fixes"):
            self._curating.jobs.cancel(lane)

    def actions(self) -> Acts:
        return {
            "history.undo": self._take_back,
            "undo.redo": lambda: self._curating.bring_back(self._undone),
            "history.case": self._toggle_case,
            "view.reload": self._load,
            "history.back": self._back,
            "list.back": self._back,
            "list.open": self._lead,
        }

    def _back(self) -> None:
        if self.is_current:
            self.dismiss()

    def _toggle_case(self) -> None:
        one = self._changes.get(self._list.chosen)
        if not self._one_case and one is not None and one.change.cases:
            self._case_id = one.change.cases[0]
        if self._case_id is None:
            self._curating.say("The selected change is about no case.", "warning")
            return
        self._one_case = not self._one_case
        self._load()

    def _take_back(self) -> None:
        if (one := self._changes.get(self._list.chosen)) is not None:
            self._curating.take_back(one.last, self._undone, self._refused)

    def _refused(self, fault: Fault) -> None:
        """Go to the later change that must be undone first."""
        later = fault.details.get("later")
        entries = self._changes.entries
        at = next((at for at, one in enumerate(entries) if later in (one.change.change, one.last)), None)
        if at is not None and self.is_attached:
            self._list.choose(at)

    def _lead(self) -> None:
        """To what the chosen change is about: the quote, or the case."""
        bench = workbench(self)
        one = self._changes.get(self._list.chosen)
        if one is None or not self.is_current:
            return
        there = next((quote.id for quote in one.change.quotes if not quote.gone), None)
        if there is not None:
            bench.show_quote(there, self._on_return)
        elif one.change.quotes:
            self._curating.say("This quote was deleted with its entry.", "warning")
        elif one.change.cases:

            def on_case(case_id: int | None, _final: bool) -> None:
                if case_id is None:
                    self._curating.say("This case was deleted.", "warning")
                elif self.is_current:
                    again = partial(HistoryScreen, self._curating, self._case_id, one_case=self._one_case)
                    at = one.change.change
                    bench.show_case(case_id, lambda: self._curating.show_history(again(at=at)))

            self._curating.jobs.run("history-case", read_case_of(one.change.cases), on_case, self._failed)
        else:
            self._curating.say("This change is about no case and no quote.", "warning")

    def _on_return(self, came_back: bool) -> None:
        """The pane that was opened from here was left; for another pane: then this is not to be seen again."""
        self.left = not came_back

    def _undone(self, _returned: Returned, _summary: str) -> None:
        if self.is_attached:
            self._load()

    @property
    def _changes(self) -> Changes:
        rows = self._list.rows
        return rows if isinstance(rows, Changes) else Changes()

    def _load(self) -> None:
        one = self._changes.get(self._list.chosen)

        def on_page(page: History, _final: bool) -> None:
            self._next = page.next
            changes = Changes(page.changes)
            self._list.show(changes, changes.index_of(self._first if one is None else one.change.change))
            self._caption()
            self._show()
            self._go_on_if_near_the_end()

        as_far = max(PAGE, len(self._changes.read))
        self._curating.jobs.run("history", read_page(self._about, None, as_far), on_page, self._failed)

    def _go_on_if_near_the_end(self) -> None:
        """Read earlier changes, if there are some, before one comes to the end."""
        near = self._list.chosen + PAGE // 2 > self._changes.total
        if not near or self._next is None or self._curating.jobs.busy("history"):
            return

        def on_page(page: History, _final: bool) -> None:
            self._next = page.next
            at, top = self._list.chosen, round(self._list.scroll_y)
            self._list.renew(Changes((*self._changes.read, *page.changes)), at, top)
            self._caption()
            self._go_on_if_near_the_end()

        self._curating.jobs.run("history", read_page(self._about, self._next), on_page, self._failed)

    @property
    def _about(self) -> int | None:
        return self._case_id if self._one_case else None

    def _failed(self, fault: Fault) -> None:
        self._list.border_subtitle = Content(inline(fault.message, 200))

    def _caption(self) -> None:
        about = f"of case {self._case_id}" if self._one_case else "of all changes"
        self._list.border_title = Content(f"History {about}")
        more = "+" if self._next is not None else ""
        changes = "change" if self._changes.total == 1 and not more else "changes"
        self._list.border_subtitle = Content(f"{self._changes.total:,}{more} {changes}")
        self._keys.situation = replace(
            self.situation(), rows=self._changes.total, around=workbench(self).situation().around
        )

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        event.stop()
        self._go_on_if_near_the_end()
        self._show()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self._lead()

    def _show(self) -> None:
        one = self._changes.get(self._list.chosen)
        known = self._fixes if one is not None and self._fixes[0] == one.change.change else (0, ())
        self._draw(one, known[1])
        self.query_one("#history-change", Reading).scroll_home(animate=False)
        if one is None or not one.change.cases or known[0]:
            self._curating.jobs.cancel("history-fixes")
            return

        def on_fixes(fixes: tuple[ChangedFix, ...], _final: bool) -> None:
            self._fixes = one.change.change, fixes
            if fixes and self._changes.get(self._list.chosen) == one:
                self._draw(one, fixes)

        self._curating.jobs.run("history-fixes", read_fixes(one.change.change), on_fixes, self._failed, delay=FIXES)

    def _draw(self, one: Entry | None, fixes: Sequence[ChangedFix]) -> None:
        signs = self._curating.signs
        self._details.set_wrapped(
            lambda width: draw_changed(one and one.change, one and one.state, signs, fixes, width)
        )

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        if not isinstance(row, Entry):
            return Content("")
        signs, now = self._curating.signs, self._curating.clock()
        return draw_change(row.change, row.state, width, signs, now, chosen=chosen)
