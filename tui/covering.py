"""The panes that cover the errors: one at a time, left for one another; what they keep between two visits."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from textual.screen import Screen

from tui.surroundings import Surroundings

if TYPE_CHECKING:
    from tui.app import CasebookApp
    from tui.panes.rules.matching import Matching


class Covering:
    """Opens panes. The model that rules are matched with stays loaded."""

    def __init__(self, app: CasebookApp, around: Surroundings, clock: Callable[[], datetime]) -> None:
        self._app = app
        self._around = around
        self._clock = clock
        self._matching: Matching | None = None

    def leave_for(self, wanted: type[Screen[None]]) -> bool:
        """Leave the pane that covers the errors for another one; False where that is not to be."""
        app = self._app
        over = len(app.screen_stack) > 1
        if isinstance(app.screen, wanted) or (over and not app.screen.has_class("-pane")):
            return False
        if over:
            app.screen.dismiss()
        return True

    def rules(self) -> None:
        """The Rules pane."""
        from tui.panes.rules.matching import Matching
        from tui.panes.rules.screen import RulesScreen

        app = self._app
        if not self.leave_for(RulesScreen):
            return
        if self._matching is None:
            self._matching = Matching(self._around.sources, app.jobs.path, self._told)
        screen = RulesScreen(app.jobs, self._matching, app.signs, app.top.place, self._clock)
        app.push_screen(screen, lambda _left: app.on_pane_changed())

    def _told(self, text: str) -> None:
        self._app.log_line("warning", "rules", told=text)
