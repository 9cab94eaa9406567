"""What a key leads to has the focus before the screen is drawn anew: what is typed right behind is meant for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen

from tests.core.llm.llm_server import llm_server
from tests.tui.panes.library.test_ask import library, workbench
from tests.tui.panes.library.test_ask import opened as asking
from tests.tui.panes.rules.support import CALLS, PUSH, RULES, answered, idle, opened, put_calls, rules_app
from tests.tui.support import until
from tests.tui.terminal.test_typed_ahead import box_of, send, text_of
from tui.panes.library.ask_screen import AskScreen, PickTalk
from tui.panes.library.screen import LibraryScreen

__all__ = ["library"]  # the fixture
SMALL, LARGE = (80, 24), (200, 50)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


def never_drawn(monkeypatch: pytest.MonkeyPatch, screen: Screen[Any]) -> None:
    """As on a busy machine, which draws the screen when all keys have come."""
    monkeypatch.setattr(screen, "call_after_refresh", lambda *_call, **_rest: True)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_into_the_reasons_and_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    rules = tmp_path / "memory.md"
    rules.write_text(RULES, encoding="utf-8")
    app = rules_app(put_calls(tmp_path / "calls.db", *CALLS), rules)
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and idle(app))
        await pilot.press("enter")
        await until(pilot, lambda: screen.rank.rows.has_focus)
        at = screen.rank.rows.chosen
        never_drawn(monkeypatch, screen)
        send(app, "enter", "j", "j")
        await until(pilot, lambda: screen.why.has_focus)
        await pilot.pause()
        assert screen.rank.rows.chosen == at, "it is read on, and no other rule is chosen"
        send(app, "escape", "j")
        await until(pilot, lambda: screen.rank.rows.has_focus and screen.rank.rows.chosen == at + 1)


async def test_into_a_source_of_an_answer_and_the_reasons_of_a_search(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with llm_server([]) as server:
        app = workbench(library, server.endpoint)
        async with app.run_test(size=SMALL) as pilot:
            await pilot.press("alt+4")
            await until(pilot, lambda: isinstance(app.screen, LibraryScreen))
            screen = app.screen
            assert isinstance(screen, LibraryScreen)
            await pilot.press("escape")
            await until(pilot, lambda: not screen.box.has_focus and screen.hits.total)
            at = screen.hits.rows.chosen
            never_drawn(monkeypatch, screen)
            send(app, "t", "j")
            await until(pilot, lambda: screen.why.has_focus)
            await pilot.pause()
            assert screen.hits.rows.chosen == at
            screen.open_citation("retries.md#L1")
            assert app.focused is screen.document


async def test_into_the_earlier_conversations(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with llm_server([]) as server:
        app = workbench(library, server.endpoint)
        async with app.run_test(size=SMALL) as pilot:
            asked = await asking(pilot, app)
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, LibraryScreen))
            screen = app.screen
            assert isinstance(screen, LibraryScreen) and asked is not screen
            never_drawn(monkeypatch, screen)
            app.action_perform("ask.talks")
            assert isinstance(app.screen, PickTalk), "nothing stands between the key and what it opens"
            await until(pilot, lambda: box_of(app) is not None)
            send(app, *"why")
            await until(pilot, lambda: isinstance(app.screen, PickTalk) and text_of(box_of(app)) == "why")
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, AskScreen) and box_of(app) is not None)
