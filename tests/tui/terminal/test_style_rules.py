"""Styles found once: each widget, and each component of one, has the styles that Textual's own way gives it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.css import stylesheet
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.widgets import Input, Label

from tests.tui.support import app_on, settled
from tui.shell.app import CasebookApp
from tui.terminal import display
from tui.terminal.display import CollectsAtRest, find_styles_once

WALK = (
    ("escape",), ("down",), ("f",), ("escape",), ("enter",), ("t",), ("escape",), ("slash", "y", "a"), ("escape",),
    ("alt+2",), ("alt+3",), ("n",), ("escape",), ("alt+4",), ("alt+5",), ("f1",), ("escape",), ("ctrl+p",), ("escape",),
)  # fmt: skip


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    find_styles_once()


def with_textuals_own() -> None:
    Stylesheet.apply = display._OWN_APPLY
    Stylesheet._process_component_classes = display._OWN_COMPONENTS
    Stylesheet.replace_rules = classmethod(display._OWN_REPLACE)  # pyright: ignore[reportAttributeAccessIssue]
    stylesheet._check_selectors = display._OWN_MATCH  # pyright: ignore[reportPrivateImportUsage]


def styled(nodes: list[DOMNode]) -> list[tuple[str, object, object]]:
    """What each node and its components look like, and what it is styled anew for."""
    return [
        (
            str(node.css_identifier),
            dict(node.styles.base._rules),
            (
                {name: dict(part.base._rules) for name, part in node._component_styles.items()},
                (node._has_hover_style, node._has_focus_within, node._has_order_style, node._has_odd_or_even),
            ),
        )
        for node in nodes
    ]


def differences(app: App[None]) -> list[object]:
    """What Textual's own way changes in the styles of all screens."""
    nodes = [node for screen in app.screen_stack for node in screen.walk_children(with_self=True)]
    found = styled(nodes)
    with_textuals_own()
    app.stylesheet.update_nodes(nodes)
    own = styled(nodes)
    find_styles_once()
    assert len(found) > 20 or not isinstance(app, CasebookApp)
    return [pair for pair in zip(found, own, strict=True) if pair[0] != pair[1]]


@pytest.mark.parametrize("size", [(120, 34), (60, 20)])
async def test_every_widget_of_every_pane_has_the_styles_of_textuals_own_way(
    casebook: Path, size: tuple[int, int]
) -> None:
    app = app_on(casebook)
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app)
        for keys in WALK:
            await pilot.press(*keys)
            await settled(pilot, app)
            assert differences(app) == [], keys
        app.theme = next(name for name in app.available_themes if name != app.theme)
        await settled(pilot, app)
        assert differences(app) == [], "another theme"


class Plain(CollectsAtRest):
    """Values that are set back to their defaults, later rules against heavier ones, and places among the children."""

    CSS = """
    Label { color: red; padding: 1; }
    Screen Label { color: green; }
    #first { color: blue; padding: initial; }
    .odd:odd { margin: 1; }
    Label:first-child { text-style: bold; }
    .late > Label { color: yellow !important; }
    Screen.big Label.odd { display: none; }
    Input:focus { border: heavy red; }
    Screen:focus-within Label { offset: 1 0; }
    """

    def compose(self) -> ComposeResult:
        yield Label("one", id="first")
        yield Label("two", classes="odd")
        yield Label("three", classes="odd")
        yield Input()


async def test_weights_defaults_and_places_count_as_in_textuals_own_way() -> None:
    app = Plain()
    async with app.run_test() as pilot:
        seen = set[str]()
        for change in (
            lambda: None,
            lambda: app.screen.add_class("late"),
            lambda: app.screen.add_class("big"),
            lambda: app.screen.set_focus(None),
            lambda: app.query_one("#first").remove(),
            lambda: app.screen.remove_class("late", "big"),
        ):
            change()
            await pilot.pause()
            app.stylesheet.update(app.screen)  # Textual styles no siblings anew where one is gone
            assert differences(app) == []
            seen.add(str([label.styles.base._rules for label in app.query(Label)]))
        assert len(seen) == 6, "each change shows"


async def test_the_node_that_stands_for_a_component_is_kept_and_looks_different_in_another_theme(
    casebook: Path,
) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(120, 34)) as pilot:
        await settled(pilot, app)
        box = app.errors.box
        parts = dict(box._component_styles)
        before = styled([box])
        app.theme = next(name for name in app.available_themes if name != app.theme)
        await settled(pilot, app)
        assert styled([box]) != before
        assert parts and all(box._component_styles[name] is part for name, part in parts.items())
