"""All cases as rows read page by page: only what is looked at is read, and only some of that kept in memory."""

from __future__ import annotations

from tui.panes.errors.queries import PAGE, Pages, Stretch
from tui.render.errors.case_list import Row
from tui.widgets.row_list import RowPages, Rows

KEPT = 60
"""Pages kept in memory."""


class PagedRows:
    """Rows by number. `total` is what is known: all that were counted, or what was read so far."""

    def __init__(self, counted: int = 0) -> None:
        self.total = counted
        self._ended = False
        self._pages = RowPages[Row](PAGE, KEPT)
        self._keys: dict[int, str] = {}

    def get(self, index: int) -> Row | None:
        """The row, or None while it is not read."""
        return self._pages.get(index)

    def put(self, pages: Pages) -> None:
        """Take in a page; its end says where the next one begins, or that there is none."""
        number = pages.first // PAGE
        self._pages.put(pages.first, pages.rows)
        if pages.behind is not None:
            self._keys[number] = pages.behind
        end = pages.first + len(pages.rows)
        if pages.after is None:
            self.total, self._ended = end, True
        else:
            self._keys[number + 1] = pages.after
            self.total = max(self.total, end + 1)

    def counted(self, total: int) -> None:
        """The number of rows was counted; the end that a page has shown is believed more."""
        if not self._ended:
            self.total = max(total, self.total)

    def lacking(self, first: int, last: int) -> Stretch | None:
        """What must be read so that rows `first` to `last` are there; None if they are."""
        lacking = self._pages.lacking(first, last)
        if not lacking:
            return None
        return Stretch(lacking[0] * PAGE, min(last, (lacking[-1] + 1) * PAGE - 1), self._keys.get(lacking[0]))

    def index_of(self, case_id: int) -> int | None:
        """The number of a case among the rows in memory."""
        return next((at for at, row in self._pages.rows() if row.id == case_id), None)


class FoundRows:
    """The rows of one search: few, all in memory. `hidden`: how many more it named that the filter hides."""

    def __init__(self, rows: tuple[Row, ...], hidden: int = 0) -> None:
        self.rows = rows
        self.hidden = hidden

    @property
    def total(self) -> int:
        """How many."""
        return len(self.rows)

    def get(self, index: int) -> Row | None:
        """The row at `index`."""
        return self.rows[index] if 0 <= index < len(self.rows) else None

    def index_of(self, case_id: int) -> int | None:
        """The number of a case."""
        return next((at for at, row in enumerate(self.rows) if row.id == case_id), None)


def kept_above(row: Row, now: tuple[Row, ...]) -> tuple[Row, ...]:
    """The rows of `now`, with the one that is chosen still the first, as `now` has it, unless an answer has come."""
    first = next((one for one in now if one.id == row.id), None)
    if first is None or now[0].answers:
        return now
    return (first, *(one for one in now if one.id != row.id))


def kept_in_place(before: Rows, now: tuple[Row, ...]) -> tuple[Row, ...]:
    """The rows of `now`, those that there were `before` in their old places, the new ones below."""
    by_id = {row.id: row for row in now}
    old = [row.id for at in range(before.total) if isinstance(row := before.get(at), Row) and row.id in by_id]
    return tuple(by_id[one] for one in dict.fromkeys((*old, *by_id)))
