"""What harvesting again would change; Enter applies it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.render.errors.again import draw_again
from tui.runtime.stylesheets import sheet
from tui.widgets.scroll_text import Reading

if TYPE_CHECKING:
    from core.flows.transcripts.again.report import ImportAgain


class AgainScreen(ModalScreen[bool]):
    """Ends with whether to apply."""

    CSS_PATH = sheet("curation")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "dismiss(True)", "Apply"),
        Binding("escape,q,ctrl+c", "dismiss(False)", "Change nothing"),
    ]

    def __init__(self, report: ImportAgain) -> None:
        super().__init__()
        self._report = report

    def compose(self) -> ComposeResult:
        """The changes."""
        with Reading(id="again") as frame:
            frame.border_title = Content(f"Harvest {self._report.sessions:,} sessions again")
            frame.border_subtitle = Content("enter applies, esc changes nothing")
            yield Static(draw_again(self._report))

    def on_mount(self) -> None:
        """What is too long for the screen can be scrolled at once."""
        self.query_one("#again").focus()
