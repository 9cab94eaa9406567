"""Rows and heads of quotes: the quote first, the reason short, what goes on below lines up."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.content import Content

from core.align import Difference
from core.align.diff import verbatim
from core.evidence import QuoteRow
from core.evidence.review.detail import MessageText
from tui.render.common.glyphs import ASCII, UNICODE
from tui.render.evidence import (
    draw_diff,
    draw_labelled,
    draw_neighbour,
    draw_quote_row,
    draw_reasons,
    fit_change,
    flat,
    reason_width,
)

QUOTE = "All 57 tests pass. Next, the migration of the orders table, which the export job waits for at night and by day"


def row(brief: str) -> QuoteRow:
    return QuoteRow(1, "e", "fact", "t", "candidate", "s", 0, 0, QUOTE, "flagged", "fuzzy", 0.9, "a long reason",
                    None, None, None, brief)  # fmt: skip


@pytest.mark.parametrize("width", [30, 46, 58, 78])
@pytest.mark.parametrize("brief", ["75≠57", "not found", "a rejection that somebody explained at length", ""])
def test_what_differs_comes_first_and_the_quotes_begin_in_one_column(width: int, brief: str) -> None:
    rows = [row(brief), row("Thursday≠Tuesday")]
    lead = reason_width(rows, UNICODE)
    told = [draw_quote_row(one, width, UNICODE, lead=lead).plain for one in rows]
    assert all(cell_len(line) <= width for line in told)
    assert told[0][4:].startswith((brief or "flagged")[:9])
    assert len({line.index("All 57") for line in told}) == 1
    assert len(told[0]) - told[0].index("All 57") >= (width - 4) // 2 - 2


@pytest.mark.parametrize(
    ("change", "cells", "told"),
    [
        ("Thursday≠Tuesday", 20, "Thursday≠Tuesday"),
        ("확인해야≠확인하면", 20, "확인해야≠확인하면"),
        ("확인해야 합니다≠확인하면 합니다", 20, "확인해야…≠확인하면…"),
        ("필요 없습니다≠필요합니다", 20, "… 없습니다≠…합니다"),
        ("authentication_required≠authentication_optional", 20, "…required≠…optional"),
        ("a long beginning≠something else entirely", 20, "a long b…≠something…"),
        ("uploader⇄exporter", 20, "uploader⇄exporter"),
        ("the uploader of files⇄the exporter of files", 20, "…upload…⇄…export…"),
        ("order: 500, 2000 → 2000, 500", 20, "500, 2000→2000, 500"),
        ("order: 500, 2000 → 2000, 500", 30, "order: 500, 2000 → 2000, 500"),
        ("+not", 20, "+not"),
        ("-something that was left out", 12, "-something …"),
    ],
)
def test_a_change_is_cut_where_both_sides_are_the_same_first(change: str, cells: int, told: str) -> None:
    found = fit_change(change, cells, UNICODE)
    assert cell_len(found) <= cells
    assert found == told


def test_in_plain_ascii_the_change_is_too() -> None:
    for brief, told in (("75≠57", "75!=57"), ("a⇄b", "a<->b"), ("x y → x z", "x y -> x z")):
        assert draw_quote_row(row(brief), 60, ASCII).plain[4:].startswith(f"{told} ")


def test_what_goes_on_below_lines_up_and_three_reasons_are_told() -> None:
    words = QUOTE.split()
    start, rest = " ".join(words[:8]) + " ", " ".join(words[8:])
    diff = [Difference(True, start, start), Difference(False, "", "not "), Difference(True, rest, rest)]
    lines = draw_diff(diff, 50).plain.split("\n")
    assert [line for line in lines if line[:8].strip()] == [
        one for one in lines if one.startswith(("quote   ", "source  "))
    ]
    assert len(lines) > 4
    assert all(cell_len(line) <= 50 for line in lines)
    told = draw_reasons([f"word: the quote has “{number}” and so on, at some length" for number in range(12)], 40).plain
    assert told.count("! ") == 3
    assert told.endswith("  +9 more")
    assert all(line.startswith(("! ", "  ")) for line in told.split("\n"))


NO_BRACKETS = st.text(st.characters(exclude_characters="[]"), max_size=60)
_WORDS = ("SHA-1", "SHA-256", "70%", "run,", "don't", "“so”", "서버를", "1,024", "not", "up-to-date;", "a\tb")
WORDS = st.lists(st.sampled_from(_WORDS)).map(" ".join)


@given(st.one_of(WORDS, NO_BRACKETS), st.one_of(WORDS, NO_BRACKETS))
@example("by the uploader, not by SHA-1 at 70%", "by the exporter, not by SHA-256 at 75%")
def test_without_its_marks_a_row_of_the_diff_is_the_text_itself(quote: str, source: str) -> None:
    told = draw_diff(verbatim(quote, source), 10_000).plain
    rows = re.sub(r"[\[\]]", "", told).split("\n")
    assert [row[8:].rstrip() for row in rows] == [flat(quote).rstrip(), flat(source).rstrip()]


def test_the_marks_stand_at_the_words_that_differ() -> None:
    told = draw_diff(verbatim("at SHA-1, 70% up-to-date", "at SHA-256, 70% out-of-date"), 200).plain
    assert told == "quote   at SHA-[1], 70% [up-to]-date\nsource  at SHA-[256], 70% [out-of]-date"


def test_the_rows_of_a_quote_have_a_bar_and_its_neighbours_are_short() -> None:
    drawn = draw_labelled("quote", Content("one two three four five six"), 24, "│ ").plain
    assert drawn == "quote  │ one two three\n       │ four five six"
    lines = "\n".join(f"line {number}" for number in range(30))
    message = MessageText("s", 4, "assistant", "text", "", lines, 9)
    before = draw_neighbour(message, UNICODE, before=True).plain.split("\n")
    behind = draw_neighbour(message, UNICODE, before=False).plain.split("\n")
    assert before[0] == "message 4  assistant" and before[-2:] == ["line 29", ""] and len(before) == 10
    assert behind[:3] == ["", "message 4  assistant", "line 0"] and behind[-1] == "line 7…"
    patch = json.dumps({"input": "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch\n"})
    call = draw_neighbour(MessageText("s", 5, "assistant", "tool_use", "", patch, 9), UNICODE, before=False).plain
    assert "-x\n" in call and "\\n" not in call, "a call is laid out as in the session"
