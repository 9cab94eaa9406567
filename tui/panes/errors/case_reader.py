"""Reads the cases that the case view shows, and counts those that were of use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from core.base.fault import Fault
from tui.panes.common.list_pane import Late
from tui.panes.errors.case_view import CaseView
from tui.panes.errors.queries import Read, read_case, use_case
from tui.render.case_list import Row
from tui.runtime.jobs import Jobs
from tui.widgets.workbench import Workbench, workbench

_ABOUT: Final = ("case.", "list.copy", "fix.write", "fix.editor", "history.")
"""Actions, by how they begin, that are about the case on the screen."""


class Reader:
    """Read cases into the view, and count the useful ones. `query_text`: the current search."""

    def __init__(
        self,
        jobs: Jobs,
        case: CaseView,
        query_text: Callable[[], str],
        changed: Callable[[], object],
        failed: Callable[[Fault], None],
    ) -> None:
        self._jobs = jobs
        self._case = case
        self._query_text = query_text
        self._changed = changed
        self._failed = failed
        self._at: Row | None = None
        self._away: list[tuple[int, Callable[[], object] | None]] = []
        self._opened: int | None = None
        self._used: set[tuple[str, int]] = set()
        self._drawn: tuple[Read | None, Row | None] | None = None
        self._then = ""  # what is to be done once the case is there
        self._late = Late(case, case.facts)

    def choose(self, row: Row, delay: float) -> None:
        """The list has chosen this case; `delay`: seconds that it must stay so. The same one as before leaves us."""
        if self._at is None or row.id != self._at.id:
            self._away.clear()
            self._opened = None
            self._let_go()
        self._at = row
        self._read(delay)

    def none(self) -> None:
        """There is no case to read."""
        self._jobs.cancel("case")
        self._at, self._drawn = None, None
        self._away.clear()
        self._late.end()
        self._case.clear()

    def open(self, row: Row) -> None:
        """Open the selected case."""
        self._away.clear()
        if self._case.read is None or self._case.read.case.id != row.id:
            self._opened = row.id
            self._at = row
            self._read(0.0)
        else:
            self.use(row.id)

    def first(self, action_id: str) -> bool:
        """Whether an action has to wait for the case that it is about: what is on the screen is the one before."""
        behind = self._next_case is not None and (self._case.read is None or self._case.read.case.id != self._next_case)
        if not behind or not action_id.startswith(_ABOUT):
            return False
        self._then = action_id
        self._app.hold_keys()
        self._read(0.0)
        return True

    @property
    def _app(self) -> Workbench:
        return workbench(self._case)

    @property
    def _next_case(self) -> int | None:
        return self._away[-1][0] if self._away else self._at.id if self._at is not None else None

    def _let_go(self) -> str:
        """What was to be done; it is not any more, and keys need not wait."""
        then, self._then = self._then, ""
        if then:
            self._app.let_keys_go()
        return then

    def go_to(self, case_id: int, leave: Callable[[], object] | None = None) -> None:
        """Read a case that is not the chosen one; the list stays where it is. `leave`: the way back from it, where one
        came from another pane."""
        if leave is not None:
            self._away.clear()
        self._away.append((case_id, leave))
        self._read(0.0)

    @property
    def is_away(self) -> bool:
        """Whether the case was opened from another case or pane."""
        return bool(self._away)

    def back(self) -> bool:
        """Back to the case or the pane one came from; False where one came from the list."""
        if not self._away:
            return False
        _, leave = self._away.pop()
        self._read(0.0)
        if leave is not None:
            leave()
        return True

    def use(self, case_id: int) -> None:
        """The case was opened or copied: a use, once for each search that it answers. Browsing is none."""
        row, look_up = self._at, (self._query_text(), case_id)
        answered = row is not None and row.id == case_id and row.answers and look_up[0] and not self._away
        if not answered or self._case.fix is None or look_up in self._used:
            return
        self._used.add(look_up)
        hit = None if row is None else row.hit
        self._jobs.run("use", use_case(case_id, hit), lambda _counted, _final: None, lambda _fault: None, keep=True)

    def _read(self, delay: float) -> None:
        row = None if self._away else self._at
        case_id = self._next_case
        if case_id is None:
            return

        def show(read: Read | None, _final: bool) -> None:
            self._late.end()
            if read is None:
                self._case.clear()
            elif (read, row) != self._drawn or self._case.read is None:
                self._case.show(read, row.hit if row else None, row.highlights if row else ())
            else:
                self._case.look_for_citations()
            self._drawn = (read, row)
            if self._opened == case_id:
                self._opened = None
                self.use(case_id)
            self._changed()
            if (then := self._let_go()) and read is not None:
                self._app.action_perform(then)

        def failed(fault: Fault) -> None:
            self._late.end()
            self._let_go()
            self._failed(fault)

        current = self._case.read
        if current is not None and (current.case.id != case_id or self._drawn is None or row != self._drawn[1]):
            self._late.begin(delay)
        visiting = bool(self._away) and self._away[0][1] is not None  # whatever was searched, this is no answer to it
        searched = self._at is not None and self._at.tier is not None and not visiting
        work = read_case(case_id, None if row is None else row.hit, searched=searched)
        self._jobs.run("case", work, show, failed, delay=delay)
