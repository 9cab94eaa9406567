"""What stands on a border is told line by line: as Textual tells it, without drawing what the border encloses."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.widgets import Static

from tui.widgets.scroll_text import set_border


class Framed(App[None]):
    CSS = "Vertical { border: round white; padding: 1 2; width: 40; height: 8; }"

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("inside")


def drawn(app: App[None]) -> str:
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips(app.size))


@pytest.mark.parametrize("told", [("Found", "1 of 43"), ("찾은 것", ""), ("a\tb\nc", "[b]as it is[/b]")])
async def test_a_border_says_the_same_as_by_textuals_own_setter(told: tuple[str, str]) -> None:
    title, subtitle = map(Content, told)
    async with Framed().run_test(size=(50, 10)) as ours, Framed().run_test(size=(50, 10)) as theirs:
        part = theirs.app.query_one(Vertical)
        part.border_title, part.border_subtitle = title, subtitle
        set_border(ours.app.query_one(Vertical), title, subtitle)
        await theirs.pause()
        await ours.pause()
        assert drawn(ours.app) == drawn(theirs.app)


async def test_only_the_line_that_changes_is_drawn() -> None:
    app = Framed()
    async with app.run_test(size=(50, 10)) as pilot:
        part = app.query_one(Vertical)
        set_border(part, Content("Found"), Content("1 of 43"))
        await pilot.pause()
        set_border(part, Content("Found"), Content("2 of 43"))
        assert part._repaint_regions == {Region(0, 7, 40, 1)}
        await pilot.pause()
        assert "2 of 43" in drawn(app)
        set_border(part, Content("Found"), Content("2 of 43"))
        assert part._repaint_regions == set()
