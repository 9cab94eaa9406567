"""The two boxes of a typed call: begun anew, gone through with Tab, emptied."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from tests.tui.panes.rules.support import CALLS, PUSH, RULES, answered, idle, opened, put_calls, rules_app
from tests.tui.support import frame, until
from tui.panes.rules.screen import RulesScreen
from tui.shell.app import CasebookApp

LIST = json.dumps({"command": "ls -la"})


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture
def app(tmp_path: Path) -> CasebookApp:
    rules = tmp_path / "memory.md"
    rules.write_text(RULES, encoding="utf-8")
    return rules_app(put_calls(tmp_path / "calls.db", *CALLS), rules)


async def typed_before(pilot: Pilot[None], app: CasebookApp) -> RulesScreen:
    """The pane, in which a call was typed, and left."""
    screen = await opened(pilot, app)
    await pilot.press("n", *"Bash", "tab")
    app.post_message(events.Paste(LIST))
    await until(pilot, lambda: answered(screen, "ls -la") and idle(app))
    await pilot.press("escape")
    await until(pilot, lambda: answered(screen, PUSH) and not screen.calls.typing and idle(app))
    return screen


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_n_begins_anew_and_what_was_there_stays_until_one_types(app: CasebookApp, size: tuple[int, int]) -> None:
    async with app.run_test(size=size) as pilot:
        screen = await typed_before(pilot, app)
        await pilot.press("n")
        await until(pilot, lambda: answered(screen, "ls -la") and idle(app))
        assert screen.calls.typed.text == ("Bash", LIST)
        assert "ls -la" in frame(app), "it is still there to be read"
        await until(pilot, lambda: "typing replaces it" in frame(app))
        await pilot.press(*"Read")
        assert screen.calls.typed.text == ("Read", LIST)
        await pilot.press("tab", "{")
        assert screen.calls.typed.text == ("Read", "{")
        await pilot.press("tab", "X", "shift+tab", "}")
        assert screen.calls.typed.text == ("ReadX", "{}"), "what was typed since is not selected again"


async def test_the_call_before_is_kept_where_only_one_part_is_another(app: CasebookApp) -> None:
    async with app.run_test(size=(120, 34)) as pilot:
        screen = await typed_before(pilot, app)
        await pilot.press("n", "enter", *"{}")
        assert screen.calls.typed.text == ("Bash", "{}")
        await pilot.press("f3", "n", "tab", "right", "left", "space")
        assert screen.calls.typed.text == ("Bash", "{ }"), "an arrow takes the selection away"


@pytest.mark.parametrize("from_input", [False, True])
async def test_f4_empties_both_boxes_and_one_types_the_tool(app: CasebookApp, from_input: bool) -> None:
    async with app.run_test(size=(120, 34)) as pilot:
        screen = await typed_before(pilot, app)
        await pilot.press("N", *(["shift+tab"] if not from_input else []))
        await until(pilot, lambda: PUSH in screen.calls.typed.text[1])
        await pilot.press("f4", "W")
        assert screen.calls.typed.text == ("W", "")
        await pilot.press("f4")
        await until(pilot, lambda: "The call is empty. Type a command" in frame(app) and idle(app))
        await pilot.press("ctrl+z", "tab", "ctrl+z")
        assert PUSH in screen.calls.typed.text[1], "an input that was emptied by mistake comes back"


async def test_tab_stays_in_the_boxes_and_the_footer_says_so(app: CasebookApp) -> None:
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("n")
        footer = frame(app).rsplit("\n", 1)[-1]
        assert "tool or input" in footer and "F4 clear" in footer
        for key in ("tab", "shift+tab", "tab", "tab"):
            await pilot.press(key)
            assert screen.calls.typed.has_focus_within, key
        await pilot.press(*"Bash", "tab", "{")
        assert screen.calls.typed.text == ("Bash", "{")
        await pilot.press("escape")
        await until(pilot, lambda: not screen.calls.typing and screen.calls.rows.has_focus)


async def test_what_follows_enter_goes_into_the_input_at_once(app: CasebookApp) -> None:
    async with app.run_test(size=(120, 34)) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("n")
        for key in ("B", "enter", "x", "tab", "y"):
            app.post_message(events.Key(key, "\r" if key == "enter" else key if len(key) == 1 else None))
        await until(pilot, lambda: screen.calls.typed.text == ("By", "x"))


async def test_an_example_that_is_put_in_is_gone_on_with_not_replaced(app: CasebookApp) -> None:
    async with app.run_test(size=(120, 34)) as pilot:
        screen = await typed_before(pilot, app)
        await pilot.press("n", "f2")
        example = screen.calls.typed.text
        assert example[1] != LIST
        await pilot.press("tab", "space")
        assert screen.calls.typed.text == (example[0], example[1] + " ")


async def test_a_call_begun_anew_is_of_no_earlier_project(app: CasebookApp) -> None:
    """The rules that hold are those of the call's own project, as long as it is that call."""
    async with app.run_test(size=(120, 34)) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("N")
        await until(pilot, lambda: answered(screen, PUSH) and screen.asking.project == "/home/mina/shop" and idle(app))
        await pilot.press("escape", "n")
        await until(pilot, lambda: idle(app))
        assert screen.asking.project == "/home/mina/shop", "it is still that call"
        await pilot.press(*"Bash")
        await until(pilot, lambda: screen.asking.project == "" and idle(app))
