"""Rows and heads of quotes: the quote first, the reason short, what goes on below lines up."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.align import Difference
from core.align.verbatim import verbatim
from core.evidence import QuoteRow
from tui.render.evidence import draw_diff, draw_quote_row, draw_reasons, flat
from tui.render.signs import ASCII, UNICODE

QUOTE = "All 57 tests pass. Next, the migration of the orders table, which the export job waits for at night and by day"


def row(brief: str) -> QuoteRow:
    return QuoteRow(1, "e", "fact", "t", "candidate", "s", 0, 0, QUOTE, "flagged", "fuzzy", 0.9, "a long reason",
                    None, None, None, brief)  # fmt: skip


@pytest.mark.parametrize("width", [30, 46, 58, 78])
@pytest.mark.parametrize("brief", ["75≠57", "not found", "a rejection that somebody explained at length"])
def test_the_quote_has_most_of_its_row_and_the_reason_stands_at_its_end(width: int, brief: str) -> None:
    told = draw_quote_row(row(brief), width, UNICODE).plain
    quote, _, reason = told[3:].rpartition("  ")
    assert cell_len(told) <= width
    assert brief.startswith(reason.rstrip("…").rstrip())
    assert len(quote) >= (width - 4) * 0.65


def test_in_plain_ascii_the_reason_is_too() -> None:
    assert draw_quote_row(row("75≠57"), 60, ASCII).plain.endswith("  75!=57")


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
