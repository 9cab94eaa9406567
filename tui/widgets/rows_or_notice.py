"""A list, or what there is to say in its place."""

from __future__ import annotations

from dataclasses import dataclass

from tui.render.common.empty_states import Notice
from tui.widgets.notice_view import NoticeView
from tui.widgets.row_list import RowList


@dataclass(frozen=True, slots=True)
class RowsOrNotice:
    """Two widgets in one place, one of them shown; the styles hide the notice until there is one."""

    rows: RowList
    notice: NoticeView

    def tell(self, notice: Notice | None) -> None:
        """Show a notice in the place of the rows, or the rows; a focus that was there stays there."""
        if not self.rows.is_attached:
            return  # a report that came as the screen was left
        if notice is not None:
            self.notice.tell(notice)
        had_focus = self.rows.has_focus or self.notice.has_focus or self.rows.screen.focused is None
        self.notice.display, self.rows.display = notice is not None, notice is None
        if had_focus:
            self.take_focus()

    def take_focus(self) -> None:
        """Give the focus to the rows, or to the notice in their place."""
        (self.rows if self.rows.display else self.notice).focus()
