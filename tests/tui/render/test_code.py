"""Code, diffs and tracebacks in colour: nothing lost, no sign alone on its line, foreign text inert."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from rich.cells import cell_len
from textual.content import Content

from core.base.trace import Step
from tui.render.case import Raw, draw_raw, rows_before
from tui.render.common import code
from tui.render.common.code import fence_lines, fit_fill, frame_spans, hunk_lines, source_spans
from tui.render.common.glyphs import UNICODE
from tui.render.common.markdown import draw_fix_markdown
from tui.render.common.trace import draw_trace
from tui.shell.appearance import tokens

LONG = '+ RATES: dict[str, Decimal] = {"DE": Decimal("0.19"), "한국": Decimal("0.10")}'


def named(text: str) -> dict[str, str]:
    return {text[span.start : span.end]: str(span.style) for span in frame_spans(text)}


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ('  File "/app/pricing.py", line 22, in total', {"/app/pricing.py", "22", "total"}),
        ("    at com.acme.Jobs.run(Jobs.java:41)", {"com.acme.Jobs.run", "Jobs.java", "41"}),
        ("src/api/users.ts:12:7 - error TS2304", {"src/api/users.ts", "12"}),
        ("src/order/receipt.ts(4,30): error TS2307", {"src/order/receipt.ts", "4"}),
        ("E       TypeError: unsupported operand", {"TypeError: unsupported operand"}),
        ("nothing here at 12:30 of v1.2", set[str]()),
    ],
)
def test_a_frame_shows_its_path_line_and_function(line: str, parts: set[str]) -> None:
    assert set(named(line)) == parts


def tone(line: Content, word: str) -> str:
    """The tone of `word` itself, without the tint laid over its line."""
    at = line.plain.index(word)
    held = [span for span in line.spans if span.start <= at and at + len(word) <= span.end]
    return str([span.style for span in held if not str(span.style).endswith("-line")][-1])


@pytest.mark.parametrize("width", [12, 20, 40, 0])
def test_a_long_line_of_a_diff_goes_on_under_its_code(width: int) -> None:
    lines = [line.plain for line in hunk_lines([LONG], width)]
    assert "".join(line[2:] for line in lines).replace(" ", "") == LONG[2:].replace(" ", "")
    assert lines[0].startswith("+ R") and all(line.startswith("  ") for line in lines[1:])
    assert not width or {cell_len(line) for line in lines} == {width}, "the tint fills the width"


HUNK = """\
diff --git a/app.py b/app.py
--- a/app.py
+++ b/app.py
@@ -1,4 +1,4 @@
 def total(order):
-    return f'{order}'  # old
+    return Decimal("1")
-- a list
""".rstrip("\n").split("\n")


def test_a_hunk_has_the_colours_of_its_language_under_the_tint_of_its_sign() -> None:
    lines = hunk_lines(HUNK, 60, "python")
    assert [line.plain.rstrip() for line in lines] == HUNK
    assert all({str(span.style) for span in line.spans} == {"$cb-dim"} for line in lines[:4])
    assert tone(lines[4], "def") == "bold $cb-text"
    assert tone(lines[5], "return") == "bold $cb-text" and tone(lines[5], "# old") == "italic $cb-dim"
    assert tone(lines[6], '"1"') == "$cb-good" and tone(lines[6], "+") == "bold $cb-good"
    laid = [[str(span.style) for span in line.spans][-1] for line in lines[5:]]
    assert laid == ["$cb-removed-line", "$cb-added-line", "$cb-removed-line"]
    assert all(span.end == 60 for line in lines[5:] for span in line.spans if "-line" in str(span.style))


def test_what_was_removed_and_what_was_added_are_read_apart() -> None:
    lines = hunk_lines(['- x = """open', "+ x = 1", "  y = 2", '- """'], 0, "python")
    assert tone(lines[1], "1") == "$cb-draft", "the text that was removed does not go on in what was added"


def test_a_hunk_of_no_known_language_or_of_an_unusual_size_is_tinted_alone() -> None:
    for lines in (["+ return 'a'"], ["+ return 'a'", *["+ x" * 100] * 100]):
        drawn = hunk_lines(lines, 0, "python" if len(lines) > 1 else "")[0]
        assert tone(drawn, "return 'a'") == "$cb-soft" and "$cb-added-line" in str(drawn.spans[-1].style)


def test_the_diff_in_a_fix_is_read_in_the_language_of_the_file_that_is_named_above() -> None:
    drawn = draw_fix_markdown(
        "**Change** `src/pool.rs`\n\n```diff\n- fn a() {}\n```\nin `x`\n```diff\n+ let b = 1;\n```"
    )
    lines = drawn.split("\n")
    assert tone(lines[2], "fn") == "bold $cb-text" and tone(lines[4], "let") == "bold $cb-text"


def test_a_fence_keeps_every_character() -> None:
    lines = ["def f(x): return 'a' + 1  # why", "$ npm run build --if-present", '"open', "한글 = 1", ""]
    for language in ("python", "bash", "", "unheard-of"):
        assert [line.plain for line in fence_lines(lines, language)] == lines
    python, shell = fence_lines(lines[:1], "python")[0], fence_lines(lines[1:2], "sh")[0]
    assert tone(python, "return") == "bold $cb-text" and tone(python, "'a'") == "$cb-good"
    assert tone(python, "# why") == "italic $cb-dim" and tone(shell, "npm") == "bold $cb-text"


OUTPUTS = {
    "python": 'Traceback\n  File "/app/a.py", line 3, in f\n    return x["a"]\n           ~^^^^^\nKeyError: return',
    "pytest": "____ test_a ____\n\n    def test_a():\n>       return x\nE       KeyError: return\n\na.py:3: KeyError",
    "rustc": 'error: return\n --> src/a.rs:41:9\n  |\n40 |   let x = 1;\n41 |   return "a";\n  |   ^^^',
    "tsc": 'src/a.ts:12:7 - error TS1: return\n\n12   return "a";\n     ~~~',
    "no language": 'notes.txt:12: error\n\n12   return "a";\n     ~~~',
    "far from the place": 'src/a.ts:12:7 - error\n\n400 return "a" of 12',
}


@pytest.mark.parametrize("kind", OUTPUTS)
def test_the_source_that_an_output_shows_is_in_colour_and_nothing_else_is(kind: str) -> None:
    text = OUTPUTS[kind]
    found = [text[span.start : span.end] for span in source_spans(text) if str(span.style) == "bold $cb-text"]
    known = kind not in ("no language", "far from the place")
    assert ("return" in found) is known and found.count("return") <= 1
    drawn = draw_raw(Raw(text), UNICODE)
    assert drawn.plain == text


@pytest.mark.parametrize(("path", "sign"), [("+ ", "$cb-added-line"), ("- ", "$cb-removed-line")])
def test_with_the_colours_of_the_terminal_the_whole_line_has_one(path: str, sign: str) -> None:
    found = tokens({}, ansi=True)
    assert found[sign.removeprefix("$")] in ("ansi_green", "ansi_red")
    assert tokens({}, ansi=False)[sign.removeprefix("$")].startswith("on #")
    assert str(hunk_lines([f"{path}return 1"], 0, "python")[0].spans[-1].style) == sign, "it lies over all others"


def test_a_hunk_of_200_lines_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    real = code.colour

    def colour(texts: Sequence[str], language: str) -> list[list[code.Run]]:
        read.append(len(texts))
        return real(texts, language)

    monkeypatch.setattr(code, "colour", colour)
    lines = [f"{'+' if at % 2 else '-'} line_{at} = {at}" for at in range(200)]
    first, second = hunk_lines(lines, 60, "python"), hunk_lines(lines, 40, "python")
    assert read == [100, 100] and len(first) == len(second) == 200


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
