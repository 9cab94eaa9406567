"""Rows and heads of quotes: the quote first, the reason short, what goes on below lines up."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from core.align import Difference
from core.evidence import QuoteRow
from tui.render.evidence import draw_diff, draw_quote_row, draw_reasons
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
    diff = [Difference(True, " ".join(words[:8]), " ".join(words[:8])), Difference(False, "", "not"),
            Difference(True, " ".join(words[8:]), " ".join(words[8:]))]  # fmt: skip
    lines = draw_diff(diff, 50).plain.split("\n")
    assert [line for line in lines if line[:8].strip()] == [
        one for one in lines if one.startswith(("quote   ", "there   "))
    ]
    assert len(lines) > 4
    assert all(cell_len(line) <= 50 for line in lines)
    told = draw_reasons([f"word: the quote has “{number}” and so on, at some length" for number in range(12)], 40).plain
    assert told.count("! ") == 3
    assert told.endswith("  +9 more")
    assert all(line.startswith(("! ", "  ")) for line in told.split("\n"))
