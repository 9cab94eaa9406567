"""The cases that are like the one that is read: a short list at its end."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from textual.content import Content

from tui.render.common.glyphs import Signs
from tui.render.errors.case import draw_like
from tui.widgets.row_list import NoRows, RowList

if TYPE_CHECKING:
    from core.errors.retrieval.cases_like import CaseLike, CasesLike


class LikeRows:
    """The rows, all in memory."""

    def __init__(self, cases: tuple[CaseLike, ...]) -> None:
        self.cases = cases

    @property
    def total(self) -> int:
        """How many."""
        return len(self.cases)

    def get(self, index: int) -> CaseLike | None:
        """The case at `index`."""
        return self.cases[index] if 0 <= index < len(self.cases) else None


class LikeView(RowList):
    """Shows them one a line, under a heading; hidden where there are none."""

    def __init__(self, signs: Signs) -> None:
        super().__init__(self._paint, id="case-like")
        self._signs = signs
        self.like: CasesLike | None = None
        self.add_class("block")

    @property
    def chosen_id(self) -> int | None:
        """The case one is at."""
        row = self.rows.get(self.chosen)
        return row.row.id if row is not None else None  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]

    def say(self, like: CasesLike | None) -> None:
        """Show these, or hide."""
        self.like = like
        cases = like.cases if like is not None else ()
        self.display = bool(cases)
        if like is None or not cases:
            self.show(NoRows())
            return
        by = "in meaning" if like.by == "meaning" else "by their words"
        self.border_title = Content(f" Similar cases, {by} ")
        self.styles.height = len(cases) + 2
        self.show(LikeRows(cases))

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        from core.errors.retrieval.cases_like import CaseLike

        return draw_like(row, width, self._signs, chosen=chosen) if isinstance(row, CaseLike) else Content("")
