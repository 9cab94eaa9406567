"""Why a quote is no evidence: one line; Enter rejects it, with or without a reason."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

from tui.runtime.stylesheets import sheet
from tui.widgets.inputs import LineBox


class ReasonScreen(ModalScreen[str | None]):
    """Ends with the reason, which may be empty, or with None: not rejected."""

    CSS_PATH = sheet("evidence")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "dismiss(None)", "Close")]  # in its turn

    def __init__(self, quotes: int = 1) -> None:
        super().__init__()
        self._quotes = quotes
        self._box = LineBox(placeholder="Reason (optional)", max_length=2_000)

    def compose(self) -> ComposeResult:
        """The line."""
        with Vertical(id="reason") as frame:
            frame.border_title = Content("Reject the quote" if self._quotes == 1 else f"Reject {self._quotes:,} quotes")
            frame.border_subtitle = Content("enter rejects, esc cancels")
            yield self._box

    def on_mount(self) -> None:
        """Type at once."""
        self._box.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter rejects."""
        event.stop()
        self.dismiss(event.value.strip())
