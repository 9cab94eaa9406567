"""Cases that are to be merged are not obviously the same: what differs, and which fix is kept; Enter merges."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.render.common.glyphs import Signs
from tui.render.errors.curation import draw_merge
from tui.runtime.stylesheets import sheet
from tui.widgets.scroll_text import Reading

if TYPE_CHECKING:
    from core.errors.curation import MergePreview


class MergeScreen(ModalScreen[bool]):
    """Ends with whether to merge."""

    CSS_PATH = sheet("curation")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "dismiss(True)", "Merge"),
        Binding("escape,q,ctrl+c", "dismiss(False)", "Leave them apart"),
    ]

    def __init__(self, preview: MergePreview, signs: Signs) -> None:
        super().__init__()
        into, *others = preview.seen
        which = f"#{others[0].case_id}" if len(others) == 1 else f"{len(others):,} cases"
        self._title = f"Merge {which} into #{into.case_id}?"
        self._told = draw_merge(preview, signs)

    def compose(self) -> ComposeResult:
        """What differs, and what becomes of each fix."""
        with Reading(id="merge") as frame:
            frame.border_title = Content(self._title)
            frame.border_subtitle = Content("enter merges, esc leaves them apart")
            yield Static(self._told)

    def on_mount(self) -> None:
        """What is too long for the screen can be scrolled at once."""
        self.query_one("#merge").focus()
