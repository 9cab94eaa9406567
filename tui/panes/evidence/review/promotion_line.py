"""Promotion in the review: the entry of the chosen quote, those of the marked quotes, or all that are ready."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.panes.evidence.queries import read_ready
from tui.panes.evidence.review.controller import Ended, Named, named
from tui.render.evidence import draw_promotable, ready_text
from tui.runtime.stylesheets import sheet
from tui.widgets.scroll_text import Reading

if TYPE_CHECKING:
    from core.evidence import NamedEntry
    from tui.panes.evidence.screen import EvidenceScreen


class PromoteScreen(ModalScreen[bool]):
    """Ends with whether to promote them."""

    CSS_PATH = sheet("evidence")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "dismiss(True)", "Verify"),
        Binding("escape,q,ctrl+c", "dismiss(False)", "Cancel"),
    ]

    def __init__(self, ready: Sequence[NamedEntry]) -> None:
        super().__init__()
        count = len(ready)
        self._title = f"Verify {count:,} ready {'entry' if count == 1 else 'entries'}"
        self._listed = draw_promotable(ready)

    def compose(self) -> ComposeResult:
        """Their titles."""
        with Reading(id="promote") as frame:
            frame.border_title = Content(self._title)
            frame.border_subtitle = Content("enter verifies, esc cancels")
            yield Static(self._listed)

    def on_mount(self) -> None:
        """A list too long for the screen can be scrolled at once."""
        self.query_one("#promote").focus()


LANE = "evidence-ready"


class Promoting:
    """Which entries are promoted, and what a decision has just made ready."""

    def __init__(self, screen: EvidenceScreen) -> None:
        self._screen = screen
        self._free: tuple[Named, ...] = ()

    def heard(self, ended: Ended) -> None:
        """A decision has ended: these entries are ready since."""
        self._free = ended.free

    def forget(self) -> None:
        """Another decision or another quote: nothing is offered any more."""
        self._free = ()

    @property
    def offered(self) -> str:
        """What can be promoted now, and by which key. An entry is named only if its quote is the chosen one."""
        row = self._screen.quotes.get(self._screen.list.rows.chosen)
        here = next((one.name for one in self._free if row is not None and one.id == row.entry_id), "")
        return ready_text(len(self._free), here, self._screen.signs) if self._free else ""

    def promote_marked(self) -> None:
        """Promote the entries of the marked quotes."""
        screen, rows = self._screen, self._screen.quotes.seen
        if screen.reviewing.writes(rows):
            screen.say("Your decision is still being written.", "warning")
        else:
            screen.reviewing.promote([named(row).id for row in rows], rows)

    def promote_ready(self) -> None:
        """Count the entries that are ready, of the session and the type that are on, and ask."""
        screen = self._screen
        screen.jobs.run(LANE, read_ready(screen.shown), self._ask, lambda fault: screen.say(fault.message, "error"))

    def _ask(self, ready: tuple[NamedEntry, ...], _final: bool) -> None:
        screen = self._screen
        if not screen.is_current:
            return
        if not ready:
            screen.say("No entry is ready. Every candidate has an open or rejected quote.")
            return

        def answered(yes: bool | None) -> None:
            if yes:
                screen.reviewing.promote([one.entry_id for one in ready])

        screen.app.push_screen(PromoteScreen(ready), answered)
