"""One line above the keys, there only while something long runs: what it is, how far, how to stop it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from tui.render.common.glyphs import Signs
from tui.render.common.progress import draw_progress

if TYPE_CHECKING:
    from core.flows.transcripts.report import Progress


AT_LIST, ELSEWHERE = "{list.back} cancels", "{case.back} {list.back} cancels"
"""How one stops a run, by where the focus is: first to the list, then out of it."""


@dataclass(frozen=True, slots=True)
class Running:
    """A run that lasts: how far it is, whether it was asked to stop, and the actions whose keys ask it.

    `begins`: what it does before it can say how far it is.
    """

    progress: Progress | None = None
    stopping: bool = False
    way_out: str = AT_LIST
    begins: str = "Looking for sessions"


class StatusLine(Widget):
    """Shows one run; a click asks it to stop."""

    running: reactive[Running | None] = reactive(None)

    stop_action = "import.stop"

    def __init__(self, signs: Signs, *, id: str) -> None:
        super().__init__(id=id)
        self._signs = signs

    def watch_running(self, running: Running | None) -> None:
        """It takes its line only while there is something to tell."""
        self.set_class(running is not None, "-on")

    def render(self) -> Content:
        """The line in the width there is."""
        if self.running is None:
            return Content("")
        now = self.running
        way_out = self._signs.told("click cancels" if self._signs.lacks(now.way_out) else now.way_out)
        width = self.size.width
        return draw_progress(now.progress, width, self._signs, way_out, stopping=now.stopping, begins=now.begins)

    async def on_click(self, event: events.Click) -> None:
        """Ask the run to stop."""
        event.stop()
        await self.run_action(f"app.perform('{self.stop_action}')")
