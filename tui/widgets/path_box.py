"""A line to type a path in: Tab types on as far as there is only one way."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual import events
from textual.message import Message
from textual.widgets import Input

from tui.panes.library.ingest.queries import Ends, read_ends
from tui.runtime.jobs import DEBOUNCE
from tui.widgets.single_line_input import LineBox

if TYPE_CHECKING:
    from tui.shell.app import CasebookApp


class Completing:
    """Tab in a box with a path; where it is not known yet how that goes on, it waits, and so do the keys behind it."""

    def __init__(self, box: Input) -> None:
        self._box = box
        self._ends = Ends("", "")
        self._text: str | None = None  # what was there when Tab was pressed

    @property
    def wanted(self) -> bool:
        """Whether Tab waits: how this goes on is looked up at once then."""
        return self._text is not None

    def complete(self) -> bool:
        """Type what all the offered paths share. False where that is not known yet: it will be done once it is."""
        if self._ends.typed != self._box.value:
            self._text = self._box.value
            cast("CasebookApp", self._box.app).hold_keys()
            return False
        if self._ends.shared != self._box.value:
            self._box.value = self._ends.shared
            self._box.cursor_position = len(self._box.value)
        return True

    def came(self, ends: Ends) -> None:
        """It is known how a path may go on."""
        self._ends = ends
        if self._text is not None:
            wanted, self._text = self._text, None
            if wanted == self._box.value == ends.typed:
                self.complete()
            cast("CasebookApp", self._box.app).let_keys_go()


class PathBox(LineBox):
    """Offers what a path may go on to; `lane`: in which jobs that is looked up."""

    class Offered(Message):
        """These names it may go on to; none while nothing was typed."""

        def __init__(self, names: tuple[str, ...]) -> None:
            super().__init__()
            self.names = names

    def __init__(self, value: str, lane: str, placeholder: str = "") -> None:
        super().__init__(value, placeholder, select_on_focus=False, max_length=4_000)
        self._lane = lane
        self._given = value
        self._completing = Completing(self)

    def on_unmount(self) -> None:
        """Nobody waits for it any more."""
        cast("CasebookApp", self.app).jobs.cancel(self._lane)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look how the path may go on; what stood there from the beginning was not typed."""
        event.stop()
        self._look()

    def _look(self) -> None:
        def found(ends: Ends, _final: bool) -> None:
            self._completing.came(ends)
            self.post_message(self.Offered(ends.names if ends.typed not in ("", self._given) else ()))

        delay = 0.0 if self._completing.wanted else DEBOUNCE
        work = read_ends(self.value, files=True)
        cast("CasebookApp", self.app).jobs.run(self._lane, work, found, lambda _fault: None, delay=delay)

    async def _on_key(self, event: events.Key) -> None:
        """Tab takes its turn, as Enter does: bound above the box it came before letters that were typed first."""
        if event.key == "tab":
            event.stop()
            event.prevent_default()
            if not self._completing.complete():
                self._look()
        else:
            await super()._on_key(event)
