"""The way from pane to pane: Errors is always beneath; one of the others at a time is open over it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from tui.actions.registry import PANES
from tui.panes.common.pane_screen import PaneContext, PaneScreen
from tui.runtime.messages import PaneOpenCase, PaneOpenCitation, PaneSearchLibrary

if TYPE_CHECKING:
    from tui.shell.app import CasebookApp

HOME = "errors"
"""The pane that is always there."""


class PaneRouter:
    """Opens panes. What outlives a visit, as a process that has a model loaded, stays in the contexts they get."""

    def __init__(self, app: CasebookApp, context: Callable[[str], PaneContext]) -> None:
        self._app = app
        self._context = context

    @property
    def pane(self) -> str:
        """The pane on the screen, or beneath what is."""
        return next((one.PANE for one in reversed(self._app.screen_stack) if isinstance(one, PaneScreen)), HOME)

    @property
    def covered(self) -> bool:
        """Whether something that is no pane is open: keys that go before everything do nothing then."""
        app = self._app
        return bool(app.screen_stack) and not isinstance(app.screen, PaneScreen)

    def begin(self, cited: str, pane: str) -> None:
        """What is cited on the command line, else the pane where one was when the workbench was left."""
        if cited:
            self.library(PaneOpenCitation(cited))
        elif pane != HOME and pane in PANES:
            self.show(pane)

    def show(self, pane: str) -> None:
        """Go to a pane; in Errors, to its list."""
        app = self._app
        covered = self.covered
        if not self._gives_way():
            return
        if pane == HOME:
            if app.screen is not app.errors:
                self._close_panes()
            elif not covered and app.errors.focus_part in ("none", "box"):
                app.errors.results.body.take_focus()
        elif self._leave_for(pane):
            app.push_screen(import_module(f"{PANES[pane]}.screen").open_pane(self._context(pane)))

    def _close_panes(self) -> None:
        app = self._app
        while app.screen is not app.errors and isinstance(app.screen, PaneScreen):
            app.screen.dismiss()

    def _leave_for(self, pane: str) -> bool:
        """Leave the pane that is open over Errors for another one; False where that is on the screen by now."""
        app = self._app
        if _is(app.screen, pane):
            return False
        if app.screen is app.errors:
            return True
        beneath = app.screen_stack[-2]
        app.screen.dismiss()
        return not _is(beneath, pane)

    def _gives_way(self) -> bool:
        """Close the queue and the history over a pane. False with a message if another screen is open."""
        app = self._app
        if not self.covered:
            return True
        from tui.panes.errors.history import HistoryScreen
        from tui.panes.errors.triage import TriageScreen

        while isinstance(app.screen, HistoryScreen | TriageScreen):
            app.screen.dismiss()
        if self.covered:
            app.say("Close the open dialog first.", severity="warning")
        return not self.covered

    def library(self, request: PaneSearchLibrary | PaneOpenCitation) -> None:
        """The Library pane with a query, or at a citation: Esc returns from there."""
        from tui.panes.library.screen import LibraryScreen

        app = self._app
        if not isinstance(app.screen, LibraryScreen):
            app.push_screen(LibraryScreen(self._context("library"), request))
        elif isinstance(request, PaneOpenCitation):
            app.screen.open_citation(request.uri)
        elif request.query:
            app.screen.ask(request.query)

    def open_case(self, request: PaneOpenCase) -> None:
        """A case in the Errors pane, from which Esc returns; or a search for the words."""
        if request.case_id is not None:
            pane = self.pane
            self.show_case(request.case_id, None if pane == HOME else lambda: self.show(pane))
            return
        self.show(HOME)
        self._app.errors.box.ask(request.query)

    def show_case(self, case_id: int, leave: Callable[[], object] | None = None) -> None:
        """Show this case in the Errors pane: selected in the list if it is read there, else next to it.

        Next to it too where the list answers a search, which the case is no answer to, and where Esc is to `leave`.
        """
        from tui.panes.errors.results import PagedRows, Results

        app = self._app
        while len(app.screen_stack) > 1:
            app.screen.dismiss()
        results = app.errors.results
        rows = results.rows.rows
        at = rows.index_of(case_id) if isinstance(rows, PagedRows) and leave is None else None
        if at is None:
            app.errors.reader.go_to(case_id, leave)
            app.errors.case.focus()
        else:
            results.rows.choose(at)
            results.post_message(Results.Opened())

    def visit_case(self, case_id: int, leave: Callable[[], object]) -> None:
        """Show this case. Its way back is the pane that is open now, where `leave` is called."""
        pane = self.pane

        def back() -> None:
            self.show(pane)
            leave()

        self.show_case(case_id, back)

    def show_quote(self, evidence_id: int, leave: Callable[[bool], None]) -> None:
        """This quote in the Evidence pane beneath what is open, else in one over it, from which Esc returns."""
        from tui.panes.evidence.screen import EvidenceScreen

        app = self._app
        if any(isinstance(one, EvidenceScreen) for one in app.screen_stack):
            while not isinstance(there := app.screen, EvidenceScreen):
                there.dismiss()
            there.deep_link.go_to(evidence_id)
            return
        pane = EvidenceScreen(self._context("evidence"))
        app.push_screen(pane, lambda _ended: leave(pane.deep_link.came_back))
        pane.deep_link.go_to(evidence_id, visiting=True)


def _is(screen: object, pane: str) -> bool:
    return isinstance(screen, PaneScreen) and pane == screen.PANE
