"""The rows and tabs of the insights: as precise as they are few, and legible in any width."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.flows.insights.pictures import TITLES, VIEWS, View
from core.flows.insights.report import Insights, ProjectCost, ToolCost, Totals, WorstCase
from tui.panes.insights.screen import ReadInsights, rows_of
from tui.render.common.glyphs import ASCII, UNICODE
from tui.render.insights import (
    HEADS,
    MINUTES,
    UNKNOWN,
    Columns,
    draw_heads,
    draw_row,
    draw_tabs,
    draw_totals,
    minutes_text,
    name_cells,
    tab_at,
)


def test_a_decision_that_no_session_has_followed_has_no_number() -> None:
    columns = Columns.fitting(120, 6, signs=True, aside=10)
    row = draw_row(UNKNOWN, 4, "9", "boom", "verified", "2026-01-21", columns, 120, UNICODE, unit="").plain
    assert row.split()[:2] == ["-", "9"]
    none = draw_row(0, 4, "9", "boom", "verified", "2026-01-21", columns, 120, UNICODE, unit="").plain
    assert none.split()[:2] == ["0", "9"]


@pytest.mark.parametrize(
    ("minutes", "told"),
    [(0, "0 min"), (0.004, "1 s"), (0.7, "42 s"), (0.999, "60 s"), (1.72, "1.7 min"), (9.96, "10 min"), (80, "80 min")],
)
def test_few_minutes_are_told_more_precisely(minutes: float, told: str) -> None:
    assert minutes_text(minutes) == told


@pytest.mark.parametrize("width", [40, 60, 80, 127])
@pytest.mark.parametrize("view", VIEWS)
def test_the_columns_of_the_rows_are_below_their_heads(view: View, width: int) -> None:
    columns = Columns.fitting(width, max(7, len(HEADS[view][1])), signs=True, aside=10)
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
    assert draw_tabs("came_back", 30, UNICODE).plain == " Recurring  2 of 6"
    assert draw_tabs("came_back", 30, ASCII).plain == "[Recurring] 2 of 6"
    assert tab_at(2, "came_back", 30) == "came_back"


@pytest.mark.parametrize("width", [70, 100, 140])
def test_the_open_tab_is_marked_and_the_keys_are_named_where_there_is_room(width: int) -> None:
    drawn = draw_tabs("answers", width, UNICODE)
    (marked,) = [drawn.plain[span.start : span.end] for span in drawn.spans if "$cb-cursor" in str(span.style)]
    assert marked == " Answers " and drawn.cell_length <= width
    assert drawn.plain.endswith("previous") is (width > 80)
    assert "[Answers]" in draw_tabs("answers", width, ASCII).plain
    for view, words in TITLES.items():
        assert tab_at(drawn.plain.index(words), "worst", width) == view
    assert tab_at(width - 1, "time", width) == "time"


def test_a_long_error_begins_with_what_is_its_own() -> None:
    columns = Columns.fitting(60, 3, signs=True, aside=0)
    name = "npm error code ERESOLVE unable to   resolve dependency tree"
    drawn = draw_row(8, 8, "3×", name, "draft", "", columns, 60, UNICODE, unit=MINUTES).plain
    assert "◐ ERESOLVE unable to res" in drawn


def test_a_name_that_does_not_fit_continues_on_the_second_line_of_a_tall_row() -> None:
    columns = Columns.fitting(60, 3, signs=True, aside=0)
    name = "expected one receive-pack POST for each of the refs"
    drawn = draw_row(8, 8, "3×", name, "draft", "", columns, 60, UNICODE, unit=MINUTES, tall=2).plain
    first, second = drawn.split("\n")
    start = 60 - name_cells(columns, 60)
    assert f"{first[start:].rstrip()} {second[start:]}" == name
    assert not second[:start].strip(), "it begins below the name"


def _cost(*minutes: float) -> Insights:
    return Insights(
        None, None, Totals(), (),
        tuple(ToolCost(f"tool-{at}", 1, 1, 1, 1, cost) for at, cost in enumerate(minutes)),
        tuple(ProjectCost(f"/p{at}", f"project-{at}", 1, 1, 1, cost) for at, cost in enumerate(minutes)),
        tuple(WorstCase(at, f"error {at}", 1, 1, 1, cost, "draft", "/p") for at, cost in enumerate(minutes)),
        (), (), (),
    )  # fmt: skip


@pytest.mark.parametrize(("view", "name"), [("worst", "error"), ("time", "tool")])
def test_what_took_no_time_has_no_row_where_something_did(view: View, name: str) -> None:
    def names(*minutes: float) -> list[str]:
        return [
            one.name.split(name)[1].strip(" -") for one in rows_of(ReadInsights(_cost(*minutes), (), ""), view).rows
        ]

    assert names(3, 0, 0.2, 0) == ["0", "2"]
    assert names(0, 0) == ["0", "1"], "else the view would be empty"


def test_the_totals_leave_out_zeros_and_say_less_than_one() -> None:
    drawn = draw_totals(_cost(30, 0, 0.2), 60, UNICODE).plain
    assert "project-1" not in drawn and "tool-1" not in drawn
    (line,) = [line for line in drawn.split("\n") if line.startswith("tool-2")]
    assert line.split()[1] == "<1"


@pytest.mark.parametrize(("width", "shown"), [(44, "completion-stanza-manag…"), (72, "completion-stanza-manager")])
def test_a_name_of_the_totals_is_shown_whole_where_there_is_room(width: int, shown: str) -> None:
    cost = _cost(30)
    (project,) = cost.by_project
    found = replace(cost, by_project=(replace(project, name="completion-stanza-manager"),))
    drawn = draw_totals(found, width, UNICODE).plain.split("\n")
    assert [line.split(" ")[0] for line in drawn if line.startswith("completion")] == [shown]
    assert max(map(len, drawn)) <= width
