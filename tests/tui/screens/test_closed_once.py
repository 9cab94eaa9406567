"""A small box that is closed by several keys at once is closed once: what lies under it stays."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events
from textual.screen import ModalScreen

from core.evidence import show_quote
from core.store import open_store
from tests.tui.panes.evidence.support import WIDE, at, idle, one_of_each, opened
from tests.tui.support import app_on, frame, until
from tui.panes.common.filter_menu import FilterScreen
from tui.panes.evidence.places import FindScreen, ReasonScreen
from tui.screens.import_files import ImportScreen
from tui.shell.app import CasebookApp


@pytest.fixture
def review(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return one_of_each(tmp_path / "review.db")


def send(app: CasebookApp, *keys: str) -> None:
    """As a terminal sends what was typed ahead: none waits for what the one before does."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else {"enter": "\r"}[key]))


@pytest.mark.parametrize("keys", [("enter", "enter"), ("enter",) * 9])
async def test_a_rejection_is_one_however_many_keys_come_with_it(review: Path, keys: tuple[str, ...]) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 5)
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, ReasonScreen) and app.focused is not None)
        box = app.screen
        send(app, *keys)
        await until(pilot, lambda: idle(app) and not screen.reviewing.pending and not box.is_attached)
        assert screen in app.screen_stack
        assert screen.quotes.remaining == 3
    with open_store(review) as store:
        found = show_quote(store, 5)
    assert found is not None
    assert found.decision is not None
    assert found.decision.reason == "", "what came for the box that was closing is no reason"


@pytest.mark.parametrize(("key", "words", "box"), [("f", "flagged", FilterScreen), ("L", "timeout", FindScreen)])
async def test_other_boxes_leave_the_pane_too(review: Path, key: str, words: str, box: type[ModalScreen]) -> None:  # pyright: ignore[reportMissingTypeArgument]
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, box) and app.focused is not None)
        await pilot.press(*words)
        await until(pilot, lambda: words in frame(app).split("Find in", 1)[-1].split("Filter", 1)[-1])
        over = app.screen
        send(app, "enter", "enter")
        await until(pilot, lambda: not over.is_attached)
        await until(pilot, lambda: app.screen is screen)


async def test_an_import_dialog_that_was_closed_while_its_path_was_looked_up_closes_nothing_else(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        dialog = ImportScreen(app.errors.incoming)
        await app.push_screen(dialog)
        dialog.dismiss()
        dialog._go("here", review.parent)
        await until(pilot, lambda: not dialog.is_attached)
        assert app.screen is screen
        assert not app.errors.incoming.busy


@pytest.mark.parametrize("turns", [0, 2])
async def test_a_box_that_is_closed_before_it_is_drawn_ends_nothing(review: Path, turns: int) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        below = await opened(pilot, app)
        for action in ("app.palette", "view.theme", "library.ingest", "export.backup", "app.help"):
            app.action_perform(action)
            over = app.screen
            assert over is not below, action
            for _ in range(turns):
                await asyncio.sleep(0)
            over.dismiss(None)
            await until(pilot, lambda over=over: app.screen is below and not over.is_running)
        assert app.crash is None
