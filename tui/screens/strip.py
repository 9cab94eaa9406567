"""One session as a strip: a sign a result, red for failures and green for checks that passed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from core.base.fault import Fault
from tui.actions.registry import Situation, bindings
from tui.render.common.empty_states import of_fault
from tui.render.common.glyphs import Signs
from tui.render.common.session import Marks
from tui.render.common.session_name import session_name
from tui.render.common.untrusted import inline
from tui.render.insights.strip import draw_strip
from tui.runtime.jobs import Job, Jobs
from tui.runtime.messages import PaneCopied
from tui.runtime.stylesheets import sheet
from tui.widgets.bars import KeyFooter

if TYPE_CHECKING:
    from core.flows.insights.report import SessionStrip

_LANE = "strip"
_EDGES = 4
_SHARE = 3
"""The strip has this part of the screen's height at most."""


def read_strip(session: str) -> Callable[[Job[SessionStrip]], SessionStrip]:
    """Read the strip of a session."""

    def work(job: Job[SessionStrip]) -> SessionStrip:
        from core.flows.insights.strip import session_strip

        return session_strip(job.store(), session)

    return work


class StripScreen(ModalScreen[None]):
    """Covers the workbench with a session's strip; Esc goes back."""

    CSS_PATH = sheet("session")
    BINDINGS = bindings("strip", only=("app.help",))

    def __init__(
        self, jobs: Jobs, session: str, signs: Signs, clock: Callable[[], datetime], message: int | None = None
    ) -> None:
        super().__init__()
        self._jobs, self._session, self._signs, self._clock = jobs, session, signs, clock
        self._message = message
        self.found: SessionStrip | None = None
        self.chosen = 0
        self._words = Static(Content("Reading."), id="strip-words")
        self._frame = VerticalScroll(self._words, id="strip")
        self._frame.can_focus = False
        self._keys = KeyFooter(signs, Situation("strip"))

    def compose(self) -> ComposeResult:
        """The strip, and the keys."""
        yield self._frame
        yield self._keys

    def on_mount(self) -> None:
        """Read it."""
        self._jobs.run(_LANE, read_strip(self._session), self._came, self._failed)

    def on_unmount(self) -> None:
        """Nobody waits for it any more."""
        self._jobs.cancel(_LANE)

    def on_resize(self) -> None:
        """A line has as many results as there is room for."""
        self.call_after_refresh(self._draw)

    def situation(self) -> Situation:
        """What is possible here."""
        return Situation("strip")

    def _came(self, found: SessionStrip, _final: bool) -> None:
        self.found = found
        started = self._message
        failed = (at for at, cell in enumerate(found.cells) if cell.mark == "failed")
        here = (at for at, cell in enumerate(found.cells) if started is not None and cell.message >= started)
        self.chosen = next(failed if started is None else here, 0)
        name = session_name(found.session, found.started, found.project)
        self._frame.border_title = Content(f" {self._signs.dot} ".join((name, inline(found.agent, 20))))
        self._draw()

    def _failed(self, fault: Fault) -> None:
        self._words.update(Content(inline(of_fault(fault).why or fault.message, 400)))

    def _draw(self) -> None:
        if self.found is None or not self.is_attached:
            return
        width = max(10, self.size.width - _EDGES)
        self._words.update(draw_strip(self.found, self.chosen, width, self.size.height // _SHARE, self._signs))

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        acts: dict[str, Callable[[], object]] = {
            "strip.next": lambda: self._choose(self.chosen + 1),
            "strip.previous": lambda: self._choose(self.chosen - 1),
            "strip.next_failed": lambda: self._to_failed(1),
            "strip.previous_failed": lambda: self._to_failed(-1),
            "strip.first": lambda: self._choose(0),
            "strip.last": lambda: self._choose(len(self.found.cells) if self.found is not None else 0),
            "strip.open": self._open,
            "strip.picture": self._save_picture,
            "strip.copy": self._copy,
            "strip.back": self.dismiss,
        }
        if (act := acts.get(action_id)) is None:
            return False
        act()
        return True

    def _choose(self, at: int) -> None:
        if self.found is not None:
            self.chosen = max(0, min(at, len(self.found.cells) - 1))
            self._draw()

    def _to_failed(self, by: int) -> None:
        if self.found is None:
            return
        failed = [at for at, cell in enumerate(self.found.cells) if cell.mark == "failed"]
        ahead = [at for at in failed if (at - self.chosen) * by > 0]
        if ahead:
            self._choose(min(ahead) if by > 0 else max(ahead))

    def _open(self) -> None:
        """The session at the chosen result."""
        from tui.screens.session import SessionScreen

        if self.found is not None and self.found.cells:
            at = self.found.cells[self.chosen].message
            self.app.push_screen(SessionScreen(self._jobs, self.found.session, at, Marks(), self._signs))

    def _copy(self) -> None:
        from core.flows.insights.picture import markdown_of
        from core.flows.insights.views import picture_of_session

        if self.found is not None:
            self.app.post_message(PaneCopied("strip", markdown_of(picture_of_session(self.found))))

    def _save_picture(self) -> None:
        from core.flows.insights.views import picture_of_session
        from tui.screens.export import ask_picture

        if self.found is not None:
            ask_picture(self, picture_of_session(self.found), "session", self._clock(), self._jobs)
