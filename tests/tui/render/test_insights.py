"""The rows and tabs of the insights: as precise as they are few, and legible in any width."""

from __future__ import annotations

import pytest

from tui.render.common.glyphs import ASCII, UNICODE
from tui.render.insights import MINUTES, draw_row, draw_tabs, minutes_text


@pytest.mark.parametrize(
    ("minutes", "told"),
    [(0, "0 min"), (0.004, "1 s"), (0.7, "42 s"), (0.999, "60 s"), (1.72, "1.7 min"), (9.96, "10 min"), (80, "80 min")],
)
def test_few_minutes_are_told_more_precisely(minutes: float, told: str) -> None:
    assert minutes_text(minutes) == told


@pytest.mark.parametrize("width", [40, 60, 80, 127])
def test_the_columns_of_the_rows_stand_below_each_other(width: int) -> None:
    rows = [
        draw_row(value, 8, count, "boom", "draft", width, signs, unit=MINUTES, count_cells=4, chosen=chosen)
        for value, count, signs, chosen in (
            (8, "120×", UNICODE, True),
            (0.2, "1×", UNICODE, False),
            (2, "3x", ASCII, False),
        )
    ]
    assert len({row.plain.index("boom") for row in rows}) == 1
    assert rows[0].plain.startswith(UNICODE.bar) and rows[1].plain.startswith(" "), "the chosen one by a sign, too"
    assert rows[2].plain.isascii()


def test_where_not_all_views_have_room_the_open_one_says_how_many_there_are() -> None:
    assert "Recurring" in draw_tabs("worst", 90).plain
    assert draw_tabs("came_back", 30).plain == "[Recurring]  view 2 of 5"
