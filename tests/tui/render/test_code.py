"""Code, diffs and tracebacks in colour: nothing lost, no sign alone on its line, foreign text inert."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.content import Content

from core.base.trace import Step
from tui.render.case import Raw, draw_raw, rows_before
from tui.render.common.code import code_parts, diff_lines, fit_fill, frame_spans
from tui.render.common.glyphs import UNICODE
from tui.render.common.markdown import draw_fix_markdown
from tui.render.common.trace import draw_trace

LONG = '+ RATES: dict[str, Decimal] = {"DE": Decimal("0.19"), "한국": Decimal("0.10")}'


def named(text: str) -> dict[str, str]:
    return {text[span.start : span.end]: str(span.style) for span in frame_spans(text)}


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ('  File "/app/pricing.py", line 22, in total', {"/app/pricing.py", "22", "total"}),
        ("    at com.acme.Jobs.run(Jobs.java:41)", {"com.acme.Jobs.run", "Jobs.java", "41"}),
        ("src/api/users.ts:12:7 - error TS2304", {"src/api/users.ts", "12"}),
        ("E       TypeError: unsupported operand", {"TypeError: unsupported operand"}),
        ("nothing here at 12:30 of v1.2", set[str]()),
    ],
)
def test_a_frame_shows_its_path_line_and_function(line: str, parts: set[str]) -> None:
    assert set(named(line)) == parts


@pytest.mark.parametrize("width", [12, 20, 40, 0])
def test_a_long_line_of_a_diff_goes_on_under_its_code(width: int) -> None:
    lines = [line.plain for line in diff_lines(LONG, width)]
    assert "".join(line[2:] for line in lines) == LONG[2:]
    assert lines[0].startswith("+ R") and all(line.startswith("  ") for line in lines[1:])
    assert not width or max(map(cell_len, lines)) <= width
    if width >= 40:
        assert all(line.endswith(" ") for line in lines[:-1]), "it breaks at a blank"


def test_code_keeps_every_character() -> None:
    for line in ("def f(x): return 'a' + 1  # why", "$ npm run build --if-present", '"open', "한글 = 1", ""):
        for language in ("python", "bash", ""):
            assert "".join(text for text, _ in code_parts(line, language)) == line
    tones = dict(code_parts("return 'a' + 1  # why", "python"))
    assert tones["return"].startswith("bold") and tones["'a'"] == "$cb-good" and "italic" in tones["# why"]


def test_a_fenced_diff_in_a_fix_is_tinted_and_never_ends_in_a_lone_sign() -> None:
    drawn = draw_fix_markdown(f"Change\n```diff\n- a\n{LONG}\n```", 30)
    assert all(line.strip() not in ("+", "-") for line in drawn.plain.split("\n"))
    assert any("$cb-added" in str(span.style) for span in drawn.spans)


def test_a_hostile_traceback_stays_inert() -> None:
    drawn = draw_raw(Raw('File "/a\x1b]52;c;eA==\x07.py", line 1, in [red]x'), UNICODE)
    assert "\x1b" not in drawn.plain and "[red]x" in drawn.plain


def test_steps_skipped_for_one_reason_are_one_line() -> None:
    skipped = [Step(stage, "skipped", "it has an answer") for stage in ("exact", "prefix", "vector")]
    drawn = draw_trace([Step("fingerprint", "hit", "the same case"), *skipped], UNICODE).plain
    assert drawn.count("it has an answer") == 1 and "exact, prefix, vector  skipped" in drawn
    other = draw_trace([skipped[0], Step("prefix", "skipped", "too short")], UNICODE).plain
    assert "exact  skipped" in other and "prefix  skipped" in other


@pytest.mark.parametrize("width", [24, 40, 79])
@pytest.mark.parametrize("line", ["=" * 35 + " FAILURES " + "=" * 35, "FF." + " " * 70 + "[100%]", "_ " * 50, "-" * 90])
def test_what_only_fills_a_line_is_shortened_to_the_width(line: str, width: int) -> None:
    drawn = fit_fill(Content(f"above\n{line}\nbelow"), width).plain.split("\n")
    assert [drawn[0], drawn[2]] == ["above", "below"]
    assert cell_len(drawn[1]) == width
    assert "".join(drawn[1].split()).strip("=_-") == "".join(line.split()).strip("=_-")


@pytest.mark.parametrize(
    "line", ["=" * 8 + " a title that is too long for any line", "x" * 90, "=" * 10, " " * 12 + "return net + 1"]
)
def test_a_line_that_would_not_fit_or_already_fits_is_left_alone(line: str) -> None:
    assert fit_fill(Content(line), 20).plain == line
    assert fit_fill(Content(line), 0).plain == line


def test_the_key_line_is_still_marked_below_a_shortened_line() -> None:
    raw = Raw("=" * 100 + "\nTypeError: boom", 101, 116)
    drawn = draw_raw(raw, UNICODE, width=30)
    assert drawn.plain == "=" * 30 + "\nTypeError: boom"
    assert [drawn.plain[span.start : span.end] for span in drawn.spans if "$cb-bad" in str(span)] == ["TypeError: boom"]
    assert rows_before(raw, 4_000, 30) == 1
