"""The fixes of cases that are to be merged differ: which is kept, which become history; Enter merges."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.render.curation import draw_merge
from tui.render.signs import Signs
from tui.sheets import sheet

if TYPE_CHECKING:
    from core.errors import Case
    from core.errors.curation import Fixes


class MergeScreen(ModalScreen[bool]):
    """Ends with whether to merge."""

    CSS_PATH = sheet("curation")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,M", "dismiss(True)", "Merge"),
        Binding("escape,q,ctrl+c", "dismiss(False)", "Leave them apart"),
    ]

    def __init__(self, case: Case, many: int, fixes: Fixes, signs: Signs) -> None:
        super().__init__()
        self._case, self._many = case, many
        self._told = draw_merge(case, fixes, signs)

    def compose(self) -> ComposeResult:
        """What becomes of each fix."""
        with VerticalScroll(id="merge") as frame:
            frame.border_title = Content(f"Merge {self._many:,} more into #{self._case.id}?")
            frame.border_subtitle = Content("enter merges, esc leaves them apart")
            yield Static(self._told)
