"""The entries that are ready, before all of them are promoted: Enter verifies, Esc cancels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.render.evidence import draw_promotable
from tui.runtime.stylesheets import sheet
from tui.widgets.scroll_text import Reading

if TYPE_CHECKING:
    from core.evidence import NamedEntry


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
