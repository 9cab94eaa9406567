"""The rows and tabs of the insights: as precise as they are few, and legible in any width."""

from __future__ import annotations

import pytest

from core.flows.insights.pictures import VIEWS, View
from tui.render.common.glyphs import ASCII, UNICODE
from tui.render.insights import HEADS, MINUTES, Columns, draw_heads, draw_row, draw_tabs, minutes_text


@pytest.mark.parametrize(
    ("minutes", "told"),
    [(0, "0 min"), (0.004, "1 s"), (0.7, "42 s"), (0.999, "60 s"), (1.72, "1.7 min"), (9.96, "10 min"), (80, "80 min")],
)
def test_few_minutes_are_told_more_precisely(minutes: float, told: str) -> None:
    assert minutes_text(minutes) == told


@pytest.mark.parametrize("width", [40, 60, 80, 127])
@pytest.mark.parametrize("view", VIEWS)
def test_the_columns_of_the_rows_are_below_their_heads(view: View, width: int) -> None:
    columns = Columns.fitting(width, 7, signs=True, aside=10)
    rows = [
        draw_row(value, 8, count, "boom", "draft", "later", columns, width, signs, unit=MINUTES, chosen=chosen)
        for value, count, signs, chosen in (
            (8, "120×", UNICODE, True),
            (0.2, "1×", UNICODE, False),
            (0, "3x", ASCII, False),
        )
    ]
    value, count, name, aside = HEADS[view]
    head = draw_heads(view, columns, width, UNICODE).plain
    assert {row.plain.index("boom") for row in rows} == {head.index(name)}
    assert {row.plain.index("×") for row in rows[:2]} == {head.index(f" {count}") + len(count)}
    assert head.index(value) < head.index(f" {count}")
    if width >= 90:
        assert {row.plain.index("later") for row in rows} == {head.rindex(aside)}
    assert all(row.cell_length <= width for row in rows)
    assert rows[0].plain.startswith(UNICODE.bar) and rows[1].plain.startswith(" "), "the chosen one by a sign, too"
    assert rows[2].plain.isascii()


def test_where_not_all_views_have_room_the_open_one_says_how_many_there_are() -> None:
    assert "Recurring" in draw_tabs("worst", 90).plain
    assert draw_tabs("came_back", 30).plain == "[Recurring]  view 2 of 5"
