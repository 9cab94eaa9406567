"""Rows, cut text and times: pure functions, read as plain text."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.errors.cases.case import CaseRow, CaseStatus
from tui.render.case_list import TOOL_CELLS, Row, distinct_line, draw_row, list_lines, row_of, short_line, tool_cells
from tui.render.common.amounts import ago, parse, stamp
from tui.render.common.glyphs import ASCII, UNICODE
from tui.render.common.untrusted import block, cut, inline
from tui.screens.help import draw_legend, legend

NOW = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)


def row(key_line: str = "error: boom", **more: object) -> Row:
    values = {"status": "draft", "tool": "tsc", "seen": 12, "last_seen": "2026-03-13T10:00:00.000Z", **more}
    return Row(1, key_line, **values)  # pyright: ignore[reportArgumentType]


def plain(of: Row, width: int, *, chosen: bool = False, tool: int = TOOL_CELLS) -> str:
    return draw_row(of, width, UNICODE, NOW, chosen=chosen, tool=tool).plain


def test_a_row_shows_tier_status_line_count_and_age() -> None:
    assert plain(row(tier="fingerprint"), 48).split() == ["=", "◐", "error:", "boom", "×12", "23h"]


def test_a_listed_case_has_no_tier() -> None:
    assert plain(row(), 48).split()[0] == "◐"


def test_the_chosen_row_has_a_bar_besides_its_colour() -> None:
    assert plain(row(), 40, chosen=True).startswith("▌")
    assert not plain(row(), 40).startswith("▌")


def test_a_narrow_row_gives_up_age_then_count_and_keeps_the_line() -> None:
    assert "23h" not in plain(row(), 40)
    assert "×12" in plain(row(), 40)
    assert "×12" not in plain(row(), 20)
    assert "error: boom" in plain(row(), 20)


def test_a_row_says_where_a_fix_came_from_a_team_if_there_is_room() -> None:
    assert plain(row(tier="exact", team=True), 48).split() == ["≈", "◐", "error:", "boom", "team", "×12", "23h"]
    assert "team" not in plain(row(team=True), 40)
    assert "team" not in plain(row(), 48)
    case = CaseRow(1, "boom", "verified", "tsc", "", 1, 0, "", "")
    assert (row_of(case).team, row_of(replace(case, origin="team")).team) == (False, True)


def test_a_slip_that_nobody_decided_is_dimmed() -> None:
    case = CaseRow(1, "boom", "draft", "tsc", "", 1, 0, "", "", worth="slip")
    assert row_of(case).slip
    assert not row_of(replace(case, status="verified")).slip
    assert not row_of(replace(case, worth="general")).slip
    tones = [draw_row(row(slip=slip), 40, UNICODE, NOW).spans for slip in (True, False)]
    assert tones[0] != tones[1]


def test_a_count_takes_room_only_where_there_is_one() -> None:
    line = "e" * 60
    once, often = plain(row(line, seen=1), 60), plain(row(line, seen=12), 60)
    assert once.count("e") == often.count("e") + len(" ×12")
    assert (once[-6:], often[-10:]) == ("  23h ", " ×12  23h ")
    assert once.rstrip().endswith("…  23h")


def test_a_list_that_is_wide_enough_names_the_tool_in_a_column() -> None:
    assert "tsc" not in plain(row(), 63)
    lines = [plain(row("e" * 80, seen=seen), width) for seen in (1, 2_000) for width in (64, 72)]
    assert [len(line) - line.index("tsc") for line in lines] == [9 + 6] * 4


def test_the_column_of_tools_is_as_wide_as_the_longest_of_them_within_a_bound() -> None:
    long, short = row("e" * 80, tool="golangci-lint"), row("e" * 80)
    cells = tool_cells((long, short))
    lines = [plain(one, 80, tool=cells) for one in (long, short)]
    assert "golangci-lint" in lines[0] and lines[0].index("golangci-lint") == lines[1].index("tsc")
    assert tool_cells((short,)) == TOOL_CELLS, "a narrow one moves nothing"
    assert tool_cells((row(tool="t" * 40),)) < 20 and plain(row(tool="t" * 40), 80, tool=16).count("…") == 1


def test_each_tier_and_status_has_its_own_sign_in_both_alphabets() -> None:
    for signs in (UNICODE, ASCII):
        for marks in (signs.tiers, signs.statuses, signs.quotes):
            assert len({mark.sign for mark in marks.values()}) == len(marks)
            assert all(cell_len(mark.sign) == 1 for mark in marks.values())
    every = [
        mark.sign for marks in (ASCII.tiers, ASCII.statuses, ASCII.quotes, ASCII.outcomes) for mark in marks.values()
    ]
    assert "".join(every).isascii()


@pytest.mark.parametrize("status", get_args(CaseStatus))
def test_each_status_that_the_core_knows_has_its_sign_in_the_list_the_legend_and_the_docs(status: str) -> None:
    docs = (Path(__file__).parents[3] / "docs" / "guide" / "workbench.md").read_text(encoding="utf-8")
    for signs in (UNICODE, ASCII):
        mark = signs.statuses[status]
        assert draw_row(row(status=status, key_line="boom"), 20, signs, NOW).plain.split()[:2] == [mark.sign, "boom"]
        assert f"{mark.sign}  {status}" in draw_legend(legend(signs, status)).plain
    assert f"| `{UNICODE.statuses[status].sign}` | `{ASCII.statuses[status].sign}` |" in docs


def test_ascii_rows_are_ascii() -> None:
    assert draw_row(row("x" * 300, tier="exact", seen=3), 60, ASCII, NOW, chosen=True).plain.isascii()


@given(st.text(max_size=300), st.integers(0, 130), st.sampled_from([None, "fingerprint", "text"]))
def test_a_row_is_exactly_as_wide_as_its_place(text: str, width: int, tier: str | None) -> None:
    drawn = draw_row(row(text, tier=tier), width, UNICODE, NOW)
    assert "\n" not in drawn.plain
    assert drawn.cell_length == width


@given(st.text(max_size=400), st.integers(0, 90))
def test_a_cut_text_fits_and_is_a_beginning(text: str, cells: int) -> None:
    drawn = cut(text, cells)
    assert cell_len(drawn) <= cells
    assert text.startswith(drawn)


def test_a_line_of_a_megabyte_is_cut_before_it_is_looked_at() -> None:
    assert cell_len(inline("가" * 1_000_000, 80)) <= 80
    assert inline("x" * 1_000_000, 10) == "x" * 9 + "…"


def test_a_million_combining_marks_on_one_letter_are_cut_too() -> None:
    assert len(inline("a" + "\u0301" * 1_000_000, 80)) < 1_000


def test_a_line_never_holds_a_control_character() -> None:
    drawn = inline("a\nb\tc\x1b[2Jd\x00e\u202ef\r\x9b", 80)
    assert drawn.startswith("a b c␛[2Jd␀e")
    assert not [sign for sign in drawn if ord(sign) < 32 or 127 <= ord(sign) < 160]


def test_a_block_says_how_much_was_left_out() -> None:
    text, left = block("x" * 100, 30)
    assert (len(text), left) == (30, 70)


@pytest.mark.parametrize(
    ("ts", "said"),
    [
        ("2026-03-14T08:59:40.000Z", "now"),
        ("2026-03-14T08:48:00.000Z", "12m"),
        ("2026-03-14T04:00:00.000Z", "5h"),
        ("2026-03-10T09:00:00.000Z", "4d"),
        ("2026-02-14T09:00:00.000Z", "4w"),
        ("2025-11-02T09:00:00.000Z", "4mo"),
        ("2021-03-02T09:00:00.000Z", "5y"),
        ("2027-01-01T00:00:00.000Z", "now"),
        ("nonsense", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_ages_are_one_short_word(ts: str | None, said: str) -> None:
    assert ago(ts, NOW) == said


def test_a_time_without_a_zone_is_utc() -> None:
    assert stamp("2026-03-14T08:20:00") == "2026-03-14 08:20"
    assert parse("2026-03-14T10:20:00+09:00") == datetime(2026, 3, 14, 1, 20, tzinfo=UTC)


def test_a_generic_lead_is_left_out_where_the_line_does_not_fit() -> None:
    long = 'error: error validating "job.yaml": error validating data: unknown field'
    assert plain(row(long), 48).startswith(' ◐ error validating "job.yaml"')
    assert plain(row('Exception in thread "main" java.lang.IllegalStateException: x'), 48).startswith(" ◐ java.lang")
    for lead in ("Error: ", "ERROR:  ", "npm ERR! code ", "make[1]: *** ", "fatal: "):
        assert plain(row(f"{lead}no rule to make the target that the build of today asks for"), 48)[3:].startswith(
            "no rule"
        )
    drawn = draw_row(row(long, tier="text", highlights=((13, 23),)), 48, UNICODE, NOW)
    assert [drawn.plain[span.start : span.end] for span in drawn.spans if "underline" in str(span.style)] == [
        "validating"
    ]


ALIKE = (
    "Error return value of `logging.Init` is not checked by the caller (errcheck)",
    "Error return value of `logging.Initialize` is not checked (errcheck)",
    "Error return value of `repo.Commit` is not checked (errcheck)",
    "expected one key, got two",
)


def test_rows_with_the_same_beginning_show_what_differs() -> None:
    rows = [row(line) for line in ALIKE]
    drawn = [draw_row(one, 40, UNICODE, NOW, lines=list_lines(rows)).plain for one in rows]
    assert all(cell_len(line) == 40 for line in drawn)
    assert ["logging.Init`" in drawn[0], "logging.Initialize`" in drawn[1], "`repo." in drawn[2]] == [True] * 3
    assert all(line.startswith(" ◐ Error re") for line in drawn[:3]), "the beginning names the error"
    assert "expected one key, got two" in drawn[3]
    assert draw_row(rows[0], 40, UNICODE, NOW, lines=list_lines(rows[:1])).plain == plain(rows[0], 40)
    assert ALIKE[0] in draw_row(rows[0], 120, UNICODE, NOW, lines=list_lines(rows)).plain


def test_a_match_moves_along_where_the_middle_of_a_line_is_left_out() -> None:
    line = ALIKE[0]
    at = line.index("logging")
    spans = ((0, 5), (13, 18), (at, at + 7))
    shown, lit = distinct_line(line, spans, list_lines([row(one) for one in ALIKE]), 30, "…")
    assert [shown[start:end] for start, end in lit] == ["Error", "logging"]
    whole = distinct_line(line, ((0, len(line)),), list_lines([row(one) for one in ALIKE]), 30, "…")
    assert whole == (shown, ((0, len(shown)),))


@given(st.lists(st.text(st.sampled_from("ab c"), min_size=1, max_size=60), min_size=2, max_size=6), st.integers(8, 40))
def test_what_is_left_out_of_a_line_is_only_what_others_share(lines: list[str], room: int) -> None:
    ordered = sorted(lines)
    shown = {line: inline(distinct_line(line, (), ordered, room, "…")[0], room) for line in set(lines)}
    for line, text in shown.items():
        assert cell_len(text) <= room
        head, more, tail = distinct_line(line, (), ordered, room, "…")[0].partition("…")
        assert line.startswith(head)
        assert line.endswith(tail) if more else head == line


def test_runs_of_blanks_in_a_key_line_are_one_and_its_matches_move_along() -> None:
    line = 'ERROR:  column   "tax_cents" does not exist'
    at = line.index("tax_cents")
    drawn = draw_row(row(line, tier="text", highlights=((0, 3), (7, at + 3))), 120, UNICODE, NOW)
    assert 'ERROR: column "tax_cents" does not' in drawn.plain
    lit = [drawn.plain[span.start : span.end] for span in drawn.spans if "underline" in str(span.style)]
    assert lit == ["ERR", 'column "tax']


@given(st.text(st.sampled_from("ab  "), max_size=30), st.integers(0, 30), st.integers(0, 30))
def test_a_match_keeps_its_letters_where_blanks_are_dropped(line: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(line)), min(other, len(line))))
    shown, lit = short_line(line, 80, ((start, end),) if start < end else ())
    assert shown == re.sub(" {2,}", " ", line)
    assert [shown[a:b].replace(" ", "") for a, b in lit if shown[a:b].strip()] == [
        part for part in [line[start:end].replace(" ", "")] if part
    ]
