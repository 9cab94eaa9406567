"""The list of a pane: rows, or in their place what there is to say, and a box above them to search in."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from textual.app import ComposeResult
from textual.containers import Vertical

from tui.runtime.jobs import Job, Jobs
from tui.widgets.row_list import KeyedRows, NoticeView, Page, Painter, RowList, RowsOrNotice
from tui.widgets.search_box import SearchBox

R = TypeVar("R", bound=Hashable)


class ListView(Vertical):
    """Shows rows. `ids`: of the whole, of the rows, and of what is said in their place."""

    def __init__(
        self, ids: tuple[str, str, str], painter: Painter, *, box: SearchBox | None = None, tall: int = 1
    ) -> None:
        super().__init__(id=ids[0])
        self.rows = RowList(painter, id=ids[1], tall=tall)
        self.body = RowsOrNotice(self.rows, NoticeView(id=ids[2]))
        self._above = box

    def compose(self) -> ComposeResult:
        """The box; the rows, or in their place a notice."""
        if self._above is not None:
            yield self._above
        yield self.body.rows
        yield self.body.notice

    def read_page(
        self,
        jobs: Jobs,
        lane: str,
        span: tuple[int, int],
        read: Callable[[int, Sequence[int]], Callable[[Job[Any]], Page[Any]]],
        came: Callable[[], object] = lambda: None,
    ) -> None:
        """Read the first page that the rows of this span lack; others are asked for once it is there."""
        rows = self.rows.rows
        if not isinstance(rows, KeyedRows) or (lacking := rows.lacking(*span)) is None:
            return

        def put(page: Page[Any], _final: bool) -> None:
            if rows is self.rows.rows:
                rows.put(page)
                self.rows.repaint_rows()
                self.rows.want()
                came()

        keys = rows.keys[lacking.start : lacking.stop].tolist()
        jobs.run(lane, read(lacking.start, keys), put, lambda _fault: None)
