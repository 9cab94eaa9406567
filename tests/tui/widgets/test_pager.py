"""A text shown whole: it opens at what is lit, breaks its lines, is searched, and cannot be scrolled out of sight."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.tui.support import app_on, frame, settled, until
from tui.runtime.messages import PaneShowAll
from tui.screens.pager import LongText, WholeText, wrap_rows
from tui.shell.app import CasebookApp

PROSE = "\n".join(f"line {at} " + "of words that go on " * 12 for at in range(200))
QUOTE = "the harbour opens at six"
TEXT = f"{PROSE}\nand then {QUOTE} every day\n{PROSE}"
SIZE = (80, 24)


@given(st.text("ab 한\n\t", max_size=200), st.integers(8, 20))
def test_wrapped_rows_hold_every_sign_and_none_is_wider(text: str, cells: int) -> None:
    starts = [*wrap_rows(text, cells), len(text)]
    rows = [text[a:b] for a, b in pairwise(starts)]
    assert "".join(rows) == text
    assert all("\n" not in row[:-1] for row in rows)
    assert all(cell_len(row.removesuffix("\n").replace("\t", " ")) <= cells for row in rows)
    assert starts == sorted(set(starts[:-1])) + starts[-1:]


async def shown(pilot, app: CasebookApp, text: str, **more: object) -> LongText:  # pyright: ignore
    app.on_pane_show_all(PaneShowAll("Message 3", text, **more))  # pyright: ignore[reportArgumentType]
    await until(pilot, lambda: any(one.starts for one in app.screen.query(LongText)))
    await settled(pilot, app)
    assert isinstance(app.screen, WholeText)
    return app.screen.query_one(LongText)


async def test_it_opens_at_the_quote_lit_and_its_long_lines_are_broken_until_a_key_says_otherwise(
    casebook: Path,
) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        at = TEXT.index(QUOTE)
        long = await shown(pilot, app, TEXT, highlights=[(at, at + len(QUOTE))], wrapped=True)
        await until(pilot, lambda: QUOTE in frame(app))  # the rows are shown first, and scrolled to after that
        y = next(y for y in range(24) if QUOTE in "".join(one.text for one in long.render_line(y)))
        (segment,) = [one for one in long.render_line(y) if one.text == QUOTE]
        assert segment.style is not None and segment.style.underline
        assert long.max_scroll_x == 0
        await pilot.press("w")
        await until(pilot, lambda: long.max_scroll_x > 0 and QUOTE in frame(app))  # what was on top stays in sight


async def test_it_goes_to_the_quote_also_before_the_scrollbar_of_new_rows_is_there(
    casebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screen may be refreshed before the text has asked for a layout of its rows."""
    later = WholeText.call_after_refresh

    def at_once(self: WholeText, act: Callable[..., Any], *given: Any, **named: Any) -> bool:
        if act != self._go:
            return later(self, act, *given, **named)
        self._go(*given)
        return True

    monkeypatch.setattr(WholeText, "call_after_refresh", at_once)
    app = app_on(casebook)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        at = TEXT.index(QUOTE)
        await shown(pilot, app, TEXT, highlights=[(at, at + len(QUOTE))], wrapped=True)
        assert QUOTE in frame(app)


async def test_words_are_looked_for_as_in_less(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        long = await shown(pilot, app, f"{TEXT}\nThe Harbour closes", wrapped=True)
        await pilot.press("slash", *"harbour")
        await settled(pilot, app)
        assert QUOTE in frame(app) and "1 of 2 matches" in frame(app)
        await pilot.press("enter", "n")
        await settled(pilot, app)
        assert "The Harbour closes" in frame(app) and "2 of 2 matches" in frame(app)
        await pilot.press("N")
        await settled(pilot, app)
        assert QUOTE in frame(app)
        await pilot.press("slash", "q", "q")
        await settled(pilot, app)
        assert "no matches" in frame(app)
        await pilot.press("escape", "escape")
        await settled(pilot, app)
        assert not long.is_attached


async def test_a_text_is_not_scrolled_to_the_side_further_than_its_longest_row(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await shown(pilot, app, "\n".join(["a short line"] * 40 + ["x" * 90 + " 끝"]))
        await pilot.press("G", *"llllll")
        await settled(pilot, app)
        assert "x 끝" in frame(app)
