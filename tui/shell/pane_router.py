"""The panes that cover the errors: one at a time, left for one another; what they keep between two visits."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from textual.screen import Screen

from tui.shell.environment import Surroundings
from tui.widgets.bars import KeyFooter

if TYPE_CHECKING:
    from tui.panes.library.memory import Desk
    from tui.panes.library.screen import LibraryScreen
    from tui.panes.library.vector_search import Meaning
    from tui.panes.rules.matcher_client import Matching
    from tui.runtime.messages import PaneOpenCase, PaneOpenCitation, PaneSearchLibrary
    from tui.shell.app import CasebookApp


class Covering:
    """Opens panes. The process that rules are matched and the library is searched with stays, its model loaded."""

    def __init__(self, app: CasebookApp, around: Surroundings, clock: Callable[[], datetime]) -> None:
        self._app = app
        self._around = around
        self._clock = clock
        self._matching: Matching | None = None
        self._library: tuple[Meaning, Desk] | None = None
        self.pane = "errors"
        """The pane on the screen, by the name of its action."""

    @property
    def panes(self) -> dict[str, Callable[[], None]]:
        """What opens each pane, by the name of its action."""
        found = {"errors": self.errors, "evidence": self.evidence, "rules": self.rules, "library": self.library}
        return {f"pane.{name}": act for name, act in (*found.items(), ("insights", self.insights))}

    def begin(self) -> None:
        """What is cited on the command line, else the pane where one was when the workbench was left."""
        from tui.runtime.messages import PaneOpenCitation

        if self._around.cited:
            self.library(PaneOpenCitation(self._around.cited))
        elif self._around.state.pane != "errors" and (again := self.panes.get(f"pane.{self._around.state.pane}")):
            again()

    def leave_for(self, wanted: type[Screen[None]]) -> bool:
        """Leave the pane that covers the errors for another one; False where that is not to be."""
        app = self._app
        if not self._gives_way() or isinstance(app.screen, wanted):
            return False
        over = len(app.screen_stack) > 1
        beneath = app.screen_stack[-2] if over else None
        if over:
            app.screen.dismiss()
        return not isinstance(beneath, wanted)

    def _gives_way(self) -> bool:
        """Close the queue and the history over a pane. False where something else is open, which is told."""
        app = self._app
        if not app.covered:
            return True
        from tui.panes.errors.curation.triage import TriageScreen
        from tui.panes.errors.history import HistoryScreen

        while isinstance(app.screen, HistoryScreen | TriageScreen):
            app.screen.dismiss()
        if app.covered:
            app.say("Close what is open here first; then the panes can be reached.", severity="warning")
        return not app.covered

    def errors(self) -> None:
        """The Errors pane: nothing covers it any more."""
        app = self._app
        covered = app.covered
        if not self._gives_way():
            return
        if app.screen.has_class("-pane"):
            while app.screen.has_class("-pane"):
                app.screen.dismiss()
        elif not covered and app.errors.focus_part in ("none", "box"):
            app.errors.results.body.take_focus()

    def evidence(self) -> None:
        """The Evidence pane."""
        from tui.panes.evidence.screen import EvidenceScreen

        app = self._app
        if self.leave_for(EvidenceScreen):
            self._open("evidence", EvidenceScreen(app.jobs, app.signs, app.top.place, app.recalled("evidence")))

    def rules(self) -> None:
        """The Rules pane."""
        from tui.panes.rules.matcher_client import Matching
        from tui.panes.rules.screen import RulesScreen

        app = self._app
        if not self.leave_for(RulesScreen):
            return
        if self._matching is None:
            process = app.errors.meaning.process
            self._matching = Matching(self._around.sources, app.jobs.path, process, self._told)
        screen = RulesScreen(app.jobs, self._matching, app.signs, app.top.place, self._clock, app.recalled("rules"))
        self._open("rules", screen)

    def library(self, wanted: PaneSearchLibrary | PaneOpenCitation | None = None) -> None:
        """The Library pane, as it was left; or with a query, or at a citation: then Esc leads back to where one was."""
        from tui.panes.library.screen import LibraryScreen
        from tui.runtime.messages import PaneOpenCitation

        app = self._app
        query = wanted.query if wanted is not None and not isinstance(wanted, PaneOpenCitation) else ""
        uri = wanted.uri if isinstance(wanted, PaneOpenCitation) else ""
        if isinstance(app.screen, LibraryScreen):
            if query:
                app.screen.ask(query)
            elif uri:
                app.screen.open_citation(uri)
        elif wanted is not None or self.leave_for(LibraryScreen):
            screen = self._library_screen(query, uri)
            screen.visiting = wanted is not None
            screen.target = wanted.target if wanted is not None and not isinstance(wanted, PaneOpenCitation) else None
            self._open("library", screen)

    def insights(self) -> None:
        """The Insights pane."""
        from tui.panes.insights.screen import InsightsScreen

        app = self._app
        if self.leave_for(InsightsScreen):
            screen = InsightsScreen(app.jobs, app.signs, app.top.place, self._clock, app.recalled("insights"))
            self._open("insights", screen)

    def open_case(self, wanted: PaneOpenCase) -> None:
        """A case in the Errors pane, or what has the words that are wanted."""
        if wanted.case_id is not None:
            self.show_case(wanted.case_id)
            return
        self.errors()
        self._app.errors.box.ask(wanted.query)

    def show_case(self, case_id: int) -> None:
        """This case in the Errors pane: chosen in the list where it is read there, else beside it."""
        from tui.panes.errors.paged_rows import FoundRows, PagedRows
        from tui.panes.errors.results import Results

        app = self._app
        while len(app.screen_stack) > 1:
            app.screen.dismiss()
        results = app.errors.results
        rows = results.rows.rows
        at = rows.index_of(case_id) if isinstance(rows, PagedRows | FoundRows) else None
        if at is None:
            app.errors.reader.go_to(case_id)
            app.errors.case.focus()
        else:
            results.rows.choose(at)
            results.post_message(Results.Opened())

    def show_quote(self, evidence_id: int, leave: Callable[[bool], None]) -> None:
        """This quote in the Evidence pane beneath what is open, else in one over it, from which Esc leads back."""
        from tui.panes.evidence.screen import EvidenceScreen

        app = self._app
        if any(isinstance(one, EvidenceScreen) for one in app.screen_stack):
            while not isinstance(there := app.screen, EvidenceScreen):
                there.dismiss()
            there.led.go_to(evidence_id)
            return
        pane = EvidenceScreen(app.jobs, app.signs, app.top.place, app.recalled("evidence"))
        app.push_screen(pane, lambda _ended: leave(pane.led.came_back))
        pane.led.go_to(evidence_id, visiting=True)

    def _open(self, pane: str, screen: Screen[None]) -> None:
        self.pane = pane
        self._app.push_screen(screen)

    def _library_screen(self, query: str, uri: str) -> LibraryScreen:
        from tui.panes.library.memory import desk_of
        from tui.panes.library.screen import LibraryScreen
        from tui.panes.library.vector_search import Meaning

        app = self._app
        if self._library is None:
            settings = self._around.config.values if self._around.config else None
            self._library = Meaning(app.jobs, app.errors.meaning.process), desk_of(app.recalled("library"), settings)
        meaning, desk = self._library
        if query and query != desk.query:
            desk.memory = {**desk.memory, "passage": None}
        desk.query, desk.uri, desk.searched = query or desk.query, uri, bool(query)
        return LibraryScreen(app.jobs, meaning, app.signs, app.top.place, self._clock, desk)

    def tell_keys(self) -> None:
        """The footer on the screen tells what one can do now; that of a pane beneath does once it is there again."""
        app = self._app
        screen = app.screen_stack[-1] if app.screen_stack else None
        if screen is not None and screen is app.screen_stack[0]:
            self.pane = "errors"
        if screen is not None and (screen.has_class("-pane") or screen is app.screen_stack[0]):
            for keys in screen.query(KeyFooter):
                keys.situation = app.situation()

    def _told(self, text: str) -> None:
        self._app.log_line("warning", "rules", told=text)
