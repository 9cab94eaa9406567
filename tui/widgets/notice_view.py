"""A state in words, in the middle of its place."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Static

from tui.actions.registry import bindings
from tui.render.common.empty_states import Notice, draw_notice
from tui.widgets.workbench import workbench


class NoticeView(Container, can_focus=True):
    """Shows one `Notice` at a time, in the place of a list: it takes the focus in its stead, and the list's keys."""

    BINDINGS = bindings("list")

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.notice: Notice | None = None
        self._words = Static(classes="notice--words")

    def compose(self) -> ComposeResult:
        """One block of words."""
        yield self._words

    def tell(self, notice: Notice) -> None:
        """Show this state."""
        if notice != self.notice:
            self.notice = notice
            self._words.update(draw_notice(notice, workbench(self).signs))
