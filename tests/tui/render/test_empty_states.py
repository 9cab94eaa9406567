"""The designed states and the two bars: what, why, the next key; and that they fit."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import get_args

import pytest

from core.base.fault import Fault, FaultCode
from tui.actions.registry import Keys, footer, panes
from tui.panes.errors.actions import ErrorsNow
from tui.render.common.empty_states import (
    Notice,
    draw_notice,
    empty,
    loading,
    no_case,
    no_match,
    no_trace,
    of_fault,
)
from tui.render.common.glyphs import UNICODE
from tui.widgets.workbench import Place, Tab, draw_footer, draw_top

BUSY = ErrorsNow(focus="list", cases=9, rows=9, query="x", case_open=True, has_fix=True, raw_clipped=True)


@pytest.mark.parametrize("notice", [empty(), loading(), no_match("x", 3), no_trace()])
def test_every_state_has_what_why_and_a_next_step(notice) -> None:
    text = draw_notice(notice, UNICODE).plain
    assert notice.what in text
    assert notice.why
    assert notice.steps
    for key, does in notice.steps:
        assert re.search(rf"^{re.escape(UNICODE.fill_keys(key))} {{2,}}{re.escape(does)}$", text, re.MULTILINE)
    assert "{" not in text


def test_steps_share_a_column_and_wrap_below_their_first_word() -> None:
    steps = (("/", "search for words of an error"), ("^q", "quit"), ("casebook demo", "open a casebook with samples"))
    notice = Notice("Nothing", "", steps)
    for width in (0, 8, 20, 26, 34, 80):
        text = draw_notice(notice, UNICODE, width).plain
        assert width < 12 or max(map(len, text.split("\n"))) <= (width or 80), text
        assert " ".join(text.split()) == "Nothing / search for words of an error ^q quit " + " ".join(steps[2])
    keys, command = (
        "/   search for words of an\n    error\n^q  quit",
        "casebook demo\n    open a casebook with\n    samples",
    )
    assert draw_notice(notice, UNICODE, 26).plain == f"Nothing\n\n{keys}\n{command}"


def test_beside_an_empty_list_no_key_is_offered_that_needs_a_row() -> None:
    notice = no_case()
    assert (notice.what, notice.steps) == ("No case selected", ()), "the list beside it says what to do"
    assert "enter open" not in draw_footer(footer(replace(BUSY, rows=0)), 80).plain


@pytest.mark.parametrize("code", get_args(FaultCode))
def test_every_fault_is_told_with_the_core_s_words_and_a_next_step(code: FaultCode) -> None:
    notice = of_fault(Fault(code, "page 7 of /tmp/x.db is torn", "Do this."))
    assert notice.steps
    if code != "not_indexed":
        assert "Page 7 of /tmp/x.db is torn. Do this." in notice.why
        assert "Do this." in notice.why


def test_a_damaged_casebook_points_at_the_rescue() -> None:
    text = draw_notice(of_fault(Fault("db_damaged", "x")), UNICODE).plain
    assert "casebook db salvage" in text
    assert "damaged" in text


def test_a_search_without_result_says_what_was_searched() -> None:
    text = draw_notice(no_match("[/red]\x1b]52;c;x\x07", 1204), UNICODE).plain
    assert "1,204 cases" in text
    assert "\x1b" not in text
    assert "[/red]" in text


@pytest.mark.parametrize("width", [0, 1, 3, 8, 12, 20, 33, 40, 60, 80, 120, 300])
def test_the_footer_fits_and_never_cuts_help(width: int) -> None:
    for focus in ("box", "list", "case", "why"):
        line = draw_footer(footer(ErrorsNow(focus=focus, cases=9, case_open=True, has_fix=True)), width)
        assert line.cell_length <= width
        if width >= 12:
            assert line.plain.rstrip().endswith("help")


def test_the_footer_at_80_columns_has_the_keys_of_the_journey() -> None:
    text = draw_footer(footer(BUSY), 80).plain
    for word in ("enter open", "y copy fix", "t trace", "/ search", "? help"):
        assert word in text


TABS = (Tab("Errors", "1", "pane.errors"), Tab("Rules", "3", "pane.rules"))


@pytest.mark.parametrize("width", [0, 1, 5, 12, 20, 40, 80, 200])
def test_the_top_line_fits(width: int) -> None:
    place = Place("a very long casebook name [/b]\x1b[2J" * 3, 1204, "the folder is read-only", "Rules")
    line = draw_top(place, width, TABS)
    assert "\x1b" not in line.plain
    if width >= 20:
        assert line.cell_length <= width


def test_the_top_line_names_the_panes_and_their_keys_while_there_is_room() -> None:
    assert draw_top(Place("x", 5, pane="Rules"), 80, TABS).plain.startswith(" casebook  1 Errors  3 Rules ")
    assert draw_top(Place("x", 5, pane="Rules"), 40, TABS).plain.startswith(" casebook  Rules ")
    bound = Keys({"pane.rules": ("f9",), "pane.evidence": ()})
    named = [("pane.errors", "1"), ("pane.rules", "f9"), ("pane.library", "4"), ("pane.insights", "5")]
    assert [(action.id, key) for action, key in panes(bound)] == named


def test_the_top_line_says_read_only_before_anything_else_gives_way() -> None:
    assert "read-only" in draw_top(Place("x", 5, "why"), 40).plain
    assert "1,204 cases" in draw_top(Place("x", 1204), 80).plain
    assert "1 case " in draw_top(Place("x", 1), 80).plain
