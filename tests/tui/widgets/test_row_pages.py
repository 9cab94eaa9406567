"""Rows read page by page, of which some are kept."""

from __future__ import annotations

from tui.widgets.row_list import RowPages


def pages_of(*firsts: int) -> RowPages[str]:
    pages = RowPages[str](size=10, most=3)
    for first in firsts:
        pages.put(first, tuple(f"row {number}" for number in range(first, first + 10)))
    return pages


def test_a_row_is_there_where_its_page_was_read() -> None:
    pages = pages_of(0, 20)
    assert [pages.get(at) for at in (0, 9, 10, 25, -1)] == ["row 0", "row 9", None, "row 25", None]
    assert pages.lacking(5, 39) == (1, 3)
    assert pages.lacking(5, 4) == ()
    assert list(pages.rows())[10] == (20, "row 20")


def test_the_page_that_was_looked_at_longest_ago_goes_first() -> None:
    pages = pages_of(0, 10, 20)
    assert pages.get(3) == "row 3"
    pages.put(30, ("row 30",))
    assert pages.lacking(0, 39) == (1,)
    assert (pages.get(30), pages.get(31)) == ("row 30", None)
