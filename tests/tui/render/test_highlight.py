"""What is lit in a key line, what is masked in it, and the lines of a session."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.content import Content

from core.errors import Query, SourceMessage
from core.errors.cases.case import CaseRow
from core.errors.retrieval.answer import Hit, Source
from tui.render.case import dim_masked, draw_masked, masked_in
from tui.render.case_list import draw_row, row_of
from tui.render.common.glyphs import UNICODE
from tui.render.common.session import Marks, draw_line, lines_of
from tui.render.common.untrusted import wrap

NOW = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)
LINE = "error TS2304: Cannot find name 'fetchOrders' in src/shop/app.ts"
KEY = "error TS2304: Cannot find name <STR> in <PATH>"
ROW = CaseRow(1, LINE, "draft", "tsc", "shop", 3, 0, "2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z")


def hit(tier: str) -> Hit:
    return Hit(
        1, tier, "high", 0.9, None, KEY, LINE, None, None, None, (), 0, None, Source(None), (),  # pyright: ignore[reportArgumentType]
    )  # fmt: skip


def lit(content: Content) -> list[str]:
    return [content.plain[span.start : span.end] for span in content.spans if "underline" in str(span.style)]


def test_the_typed_half_of_a_word_is_lit_in_the_row() -> None:
    row = row_of(ROW, hit("text"), Query("cannot fetchOr", "", "", ""))
    assert lit(draw_row(row, 120, UNICODE, NOW)) == ["Cannot", "fetchOr"]


def test_what_begins_alike_is_lit_and_a_cut_row_lights_only_what_it_shows() -> None:
    row = row_of(ROW, hit("prefix"), Query("", "error TS2304: Cannot open", "", ""))
    assert lit(draw_row(row, 120, UNICODE, NOW)) == ["error TS2304: Cannot "]
    (short,) = lit(draw_row(row, 20, UNICODE, NOW))
    assert "error TS2304: ".startswith(short.rstrip("…"))


def test_the_same_case_is_toned_by_its_tier_and_not_underlined() -> None:
    row = row_of(ROW, hit("fingerprint"), Query(LINE, LINE, KEY, ""))
    drawn = draw_row(row, 120, UNICODE, NOW)
    assert lit(drawn) == []
    assert [span for span in drawn.spans if "cb-good" in str(span.style) and span.end - span.start >= len(LINE)]


def test_wide_and_hostile_signs_before_it_do_not_shift_the_light() -> None:
    line = "빌드\x1b[2J\u202e 실패\t: config.toml"
    found = replace(hit("text"), key_line=line)
    row = row_of(CaseRow(1, line, "draft", "x", "", 1, 0, "", ""), found, Query("config.toml", "", "", ""))
    assert "".join(lit(draw_row(row, 100, UNICODE, NOW))) == "configtoml"


def test_what_is_masked_is_quiet_in_its_place_and_explained() -> None:
    parts = masked_in(LINE, ("some other key", KEY))
    drawn = dim_masked(Content(LINE), parts)
    quiet = [drawn.plain[span.start : span.end] for span in drawn.spans if "italic" in str(span.style)]
    assert quiet == ["'fetchOrders'", "src/shop/app.ts"]
    lines = draw_masked(LINE, parts).plain.split("\n")
    assert lines[1].split() == ["<STR>", "'fetchOrders'", "any", "quoted", "text"]
    assert lines[2].split() == ["<PATH>", "src/shop/app.ts", "any", "path"]
    assert "No part is masked" in draw_masked("plain", ()).plain


def message(index: int, text: str, **more: str) -> SourceMessage:
    return SourceMessage(index, more.get("role", "tool"), "tool_result", more.get("tool", "Bash"), text, "", "main")


def test_the_key_line_is_lit_in_its_message_across_wrapped_lines_and_tabs() -> None:
    text = "\tstart\n\terror: " + "long word " * 9 + "\nend"
    start = text.index("error")
    end = text.index("\nend")
    lines = lines_of((message(4, text),), 30, Marks({4: (start, end)}), lambda: None)
    assert lines[0].mark == "error"
    shown = "".join(line.text[slice(*line.highlight)] for line in lines if line.highlight)
    assert shown == text[start:end]
    assert all(cell_len(line.text) <= 30 for line in lines)


def test_a_key_line_far_into_a_long_message_is_shown_with_what_is_left_out() -> None:
    text = "x" * 90_000 + "\nerror: boom\n" + "y" * 90_000
    at = text.index("error")
    lines = lines_of((message(0, text),), 80, Marks({0: (at, at + 11)}))
    assert [line.text[slice(*line.highlight)] for line in lines if line.highlight] == ["error: boom"]
    assert [line.kind for line in lines].count("more") == 2
    assert len(lines) < 200


def test_a_head_says_number_role_tool_and_mark() -> None:
    (head, *_) = lines_of((message(7, "ok", tool="[bold]\x1b[2J"),), 80, Marks({}, frozenset({7})))
    text = draw_line(head, 80, UNICODE, chosen=True).plain
    assert text.startswith("▌ #7  tool  result  [bold]␛[2J")
    assert text.endswith("fix")


@given(st.text(alphabet=st.sampled_from("ab 한글👩\u0301‍\t[/]"), max_size=300), st.integers(1, 40))
def test_wrapping_loses_nothing_and_never_stands_still(line: str, cells: int) -> None:
    parts = list(wrap(line, cells))
    assert "".join(line[start:end] for start, end in parts) == line
    assert all(cell_len(line[start:end]) <= max(2, cells) for start, end in parts)
