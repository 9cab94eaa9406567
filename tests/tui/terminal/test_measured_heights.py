"""A text that changes while its screen is being laid out is as high as what it says last."""

from __future__ import annotations

import pytest
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from tui.terminal.display import CollectsAtRest
from tui.widgets.scroll_text import Block


class OneText(CollectsAtRest):
    """A text that scrolls."""

    def compose(self) -> ComposeResult:
        self.head = Block("head")
        with VerticalScroll() as self.side:
            yield self.head


@pytest.mark.parametrize("lines", [(1,), (2,), (2, 3), (4, 2)])
async def test_a_text_is_as_high_as_its_last_content(lines: tuple[int, ...]) -> None:
    app = OneText()
    async with app.run_test(size=(40, 10)) as pilot:
        app.head.set_content(Content("one\ntwo\nthree"))
        await pilot.pause()
        app.side._clear_arrangement_cache()  # as while a screen opens: whoever asks for a place has all measured
        app.screen._compositor._full_map_invalidated = True
        for many in lines:
            app.head.set_content(Content("\n".join(map(str, range(many)))))
        await pilot.pause()
        assert app.head.size.height == lines[-1]
