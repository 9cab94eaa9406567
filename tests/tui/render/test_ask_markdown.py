"""The Markdown of an answer as it is drawn: nothing said is lost, marks stand where they belong, nothing acts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.text import visible
from tui.render.common.glyphs import ASCII, UNICODE, Mark
from tui.render.common.markdown import Marked, draw_markdown

WRONG = Mark("!", "$cb-draft", "says otherwise")


def drawn(text: str, *marked: tuple[int, int], cells: int = 76) -> str:
    return draw_markdown(text, UNICODE, [Marked(start, end, WRONG) for start, end in marked], cells).plain


def tones(text: str, words: str, *marked: tuple[int, int]) -> str:
    """How these words are drawn."""
    content = draw_markdown(text, UNICODE, [Marked(start, end, WRONG) for start, end in marked])
    at = content.plain.index(words)
    return " ".join(str(span.style) for span in content.spans if span.start <= at and at + len(words) <= span.end)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Kept for **thirty** days [1].", "Kept for thirty days [1]."),
        ("It is `make all`, *once*.", "It is make all, once."),
        ("## 백업\n\n- **하나** [1].\n  * 둘\n1. 셋", "백업\n\n• 하나 [1].\n  • 둘\n1. 셋"),
        ("```python\nprint('**a**')\n```\nand", "  print('**a**')\nand"),
        ("```\nnever closed **b**", "```\nnever closed b"),
        ("> said", "│ said"),
        ("| **A** | B |\n|---|:-:|\n| three | 2 |\n| 넷 | \\| |", "A     │ B\nthree │ 2\n넷    │ |"),
        ("A | B\n--- | ---\n1 | 2\nend", "A │ B\n1 │ 2\nend"),
        ("a | b, which is no table", "a | b, which is no table"),
        ("snake_case and __init__.py and 2 * 3 * 4", "snake_case and __init__.py and 2 * 3 * 4"),
        ("not <!-- hidden --> here", "not <!-- hidden --> here"),
        ("[@click=app.quit]x[/] [red]y[/red]", "[@click=app.quit]x[/] [red]y[/red]"),
    ],
)
def test_marks_of_markdown_are_drawn(text: str, shown: str) -> None:
    assert [line.rstrip() for line in drawn(text).split("\n")] == shown.split("\n")


def test_what_is_bold_is_bold_and_code_is_code() -> None:
    assert "bold" in tones("Kept for **thirty** days.", "thirty")
    assert "$cb-sunk" in tones("Run `make all` now.", "make all")
    assert "bold" in tones("# Head\n", "Head")


def test_a_mark_stands_where_its_sentence_begins_and_covers_what_is_bold_in_it() -> None:
    text = "One is **so** [1]. Two is **not** so [2]. Three."
    start, end = text.index("Two"), text.index(" Three")
    assert drawn(text, (start, end)) == "One is so [1]. ! Two is not so [2]. Three."
    assert tones(text, "not", (start, end)) == "bold $cb-draft"
    assert WRONG.tone not in tones(text, "Three", (start, end))
    listed = "- One [1].\n- **Two** [2]."
    start = listed.index("- **Two")
    assert drawn(listed, (start, len(listed))) == "• One [1].\n! • Two [2]."
    fenced = "```\ncode\n```"
    assert drawn(fenced, (0, 3)) == "  ! code" or drawn(fenced, (0, 3)).count("!") == 1


def test_a_table_that_does_not_fit_stands_as_it_is() -> None:
    table = "| **one** | two |\n|---|---|\n| " + "long " * 30 + "| x |"
    assert "| one | two |" in drawn(table)
    assert "│" in drawn(table, cells=200)


def test_the_columns_stay_in_line_where_some_rows_are_marked() -> None:
    table = "| A | B |\n|---|---|\n| three | 2 |\n| four | 3 |"
    start = table.index("| three")
    shown = drawn(table, (start, start + len("| three | 2 |")))
    assert [line.rstrip() for line in shown.split("\n")] == ["  A     │ B", "! three │ 2", "  four  │ 3"]


@given(
    st.text(alphabet="xy 1.*_`~|-#>[]()<!\\\n가", max_size=200), st.lists(st.integers(0, 200), max_size=6, unique=True)
)
@settings(max_examples=300)
def test_every_letter_stays_and_every_mark_is_there_once(text: str, ends: list[int]) -> None:
    shown = visible(text.replace("<!--", ""))  # a comment is not drawn, nor is a tag: none is of these letters
    ends = sorted(one for one in ends if one <= len(shown))
    marked = [Marked(a, b, Mark("✕", "$cb-bad", "")) for a, b in zip(ends[::2], ends[1::2], strict=False)]
    for signs in (UNICODE, ASCII):
        found = draw_markdown(shown, signs, marked).plain
        for letter in "xy1가":
            assert found.count(letter) == shown.count(letter)
        assert found.count("✕") == len(marked)


def test_what_is_hostile_and_long_is_drawn_in_no_time() -> None:
    for bad in (
        "**" * 10_000,
        "[" * 20_000,
        "`" * 20_000,
        "|" * 20_000 + "\n" + "|-" * 10_000,
        "<!--" * 5_000,
        "> " * 9_000,
    ):
        assert draw_markdown(bad, UNICODE)
