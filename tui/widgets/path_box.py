"""A line to type a path in: Tab types on as far as there is only one way."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from tui.jobs import DEBOUNCE
from tui.panes.library.ingest_queries import Ends, read_ends
from tui.widgets.line_box import LineBox

if TYPE_CHECKING:
    from tui.app import CasebookApp


class PathBox(LineBox):
    """Offers what a path may go on to; `lane`: in which jobs that is looked up."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", "Complete", priority=True)]

    class Offered(Message):
        """These names it may go on to; none while nothing was typed."""

        def __init__(self, names: tuple[str, ...]) -> None:
            super().__init__()
            self.names = names

    def __init__(self, value: str, lane: str, placeholder: str = "") -> None:
        super().__init__(value, placeholder, select_on_focus=False, max_length=4_000)
        self._lane = lane
        self._given = value
        self._ends = Ends("", "")

    def on_unmount(self) -> None:
        """Nobody waits for it any more."""
        cast("CasebookApp", self.app).jobs.cancel(self._lane)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look how the path may go on; what stood there from the beginning was not typed."""
        event.stop()

        def found(ends: Ends, _final: bool) -> None:
            self._ends = ends
            self.post_message(self.Offered(ends.names if ends.typed not in ("", self._given) else ()))

        work = read_ends(event.value, files=True)
        cast("CasebookApp", self.app).jobs.run(self._lane, work, found, lambda _fault: None, delay=DEBOUNCE)

    def action_complete(self) -> None:
        """Type what all the offered paths share."""
        if self._ends.typed == self.value and self._ends.shared != self.value:
            self.value = self._ends.shared
            self.cursor_position = len(self.value)
