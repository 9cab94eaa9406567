"""Lines that break between two facts, or go on under their own beginning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.content import Content

from tests.tui.support import until
from tui.render.common.glyphs import ASCII, UNICODE
from tui.render.common.lines import dotted, hanging
from tui.widgets.scroll_text import HangingText

_FACTS = [("draft", "bold"), ("earlier", "dim"), ("by harvest", "dim"), ("2026-02-01", "dim")]


@pytest.mark.parametrize("signs", [UNICODE, ASCII])
def test_facts_break_at_a_dot_alone(signs: object) -> None:
    dot = signs.dot  # type: ignore[attr-defined]
    whole = dotted(_FACTS, 0, signs).plain  # type: ignore[arg-type]
    assert whole == f"  {dot}  ".join(text for text, _ in _FACTS)
    narrow = dotted(_FACTS, 20, signs, "  ").plain.split("\n")  # type: ignore[arg-type]
    assert narrow == [f"draft  {dot}  earlier", "  by harvest", "  2026-02-01"]


def test_a_long_line_goes_on_under_its_beginning_and_keeps_its_tone() -> None:
    line = Content.assemble(("name\n", "bold"), ("    one two three four\n", "dim"), "end")
    drawn = hanging(line, 14)
    assert drawn.plain == "name\n    one two\n    three four\nend"
    assert [drawn.plain[span.start : span.end].strip() for span in drawn.spans if str(span.style) == "dim"] == [
        "one two",
        "three four",
    ]


@given(st.lists(st.text("ab ", max_size=40), max_size=5), st.integers(4, 30))
def test_no_letter_is_lost_and_a_line_with_blanks_before_it_fits(lines: list[str], width: int) -> None:
    drawn = hanging(Content("\n".join(lines)), width).plain
    assert drawn.replace(" ", "").replace("\n", "") == "".join(lines).replace(" ", "")
    for line in drawn.split("\n"):
        blanks = len(line) - len(line.lstrip(" "))
        assert cell_len(line.rstrip()) <= width or not 0 < blanks <= width // 2


class _Shown(App[None]):
    def compose(self) -> ComposeResult:
        yield HangingText("text")


async def test_the_text_is_broken_again_in_another_width() -> None:
    app = _Shown()
    async with app.run_test(size=(40, 10)) as pilot:
        text = app.query_one(HangingText)
        text.put(Content("    one two three four"))
        await until(pilot, lambda: str(text.content) == "    one two three four")  # type: ignore[arg-type]
        await pilot.resize_terminal(14, 10)
        await until(pilot, lambda: str(text.content) == "    one two\n    three four")  # type: ignore[arg-type]
