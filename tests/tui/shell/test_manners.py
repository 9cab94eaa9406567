"""Small things that felt wrong in use, and what was done about each."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Input
from textual.widgets._toast import Toast

from core.store import open_store
from tests.tui.corpus import drawn, letters
from tests.tui.support import CASES, app_on, frame, offered, put, toasts, told, until
from tui.panes.common.filter_menu import FilterScreen
from tui.panes.evidence.screen import EvidenceScreen
from tui.screens.help import HelpScreen
from tui.screens.pager import WholeText
from tui.screens.session import SessionScreen
from tui.shell.app import CasebookApp

WIDE, SMALL = (120, 34), (80, 24)


async def started(pilot: Pilot[None], app: CasebookApp) -> None:
    await until(pilot, lambda: app.errors.results.rows.rows.total == len(CASES) and app.errors.case.read)


async def test_enter_after_tab_leaves_the_filter_as_tab_has_put_it(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        await started(pilot, app)
        await pilot.press("down", "f")
        await until(pilot, lambda: isinstance(app.screen, FilterScreen) and "python" in frame(app))
        await pilot.press(*"pyth", "tab")
        await until(pilot, lambda: app.errors.results.scope.tool == "python")
        await pilot.press("enter")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        assert app.errors.results.scope.tool == "python"
        await until(pilot, lambda: app.errors.results.rows.rows.total == 1)


async def test_a_narrow_screen_shows_one_part_after_the_trace_too(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        await started(pilot, app)
        await pilot.press("down", "enter", "t")
        await until(pilot, lambda: app.focused is app.errors.why)
        await pilot.press("escape")
        await until(pilot, lambda: app.focused is app.errors.case and "╭─ Case" in frame(app))
        assert "╭─ Trace" not in frame(app)


async def test_zoom_gives_a_narrow_screen_the_lines_of_the_box_and_slash_gives_them_back(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        await started(pilot, app)
        await pilot.press("down", "z")
        await until(pilot, lambda: "Search errors" not in frame(app))
        assert "TS2304" in frame(app)
        await pilot.press("slash")
        await until(pilot, lambda: "Search errors" in frame(app))
        assert app.focused is app.errors.box


async def test_the_palette_finds_an_action_by_any_word_of_it_and_puts_the_possible_ones_first(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(120, 70)) as pilot:
        await started(pilot, app)
        await pilot.press("down", "ctrl+p")
        await until(pilot, lambda: "Clear the filter" in frame(app))
        text = frame(app)
        assert text.index("Change the sort: last seen") < text.index("Clear the filter  No filter is active.")
        await pilot.press(*"tags")
        await until(pilot, lambda: "Write a fix" in frame(app))
        assert "Open the source messages" not in frame(app), "letters alone count only if no action has the word"
        await pilot.press(*["backspace"] * 4, *"claude")
        await until(pilot, lambda: "Export the verified fixes" in frame(app))
        await pilot.press(*["backspace"] * 6, *"history")
        await until(pilot, lambda: "Show all fixes in full  This case has no other fixes." in frame(app))


async def test_the_help_clears_its_own_search(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(120, 34), notifications=True) as pilot:
        await started(pilot, app)
        await pilot.press("down", "question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.press(*"tag", "ctrl+l")
        assert isinstance(app.focused, Input) and app.focused.value == ""
        assert not toasts(app)
        await pilot.press("escape")
        app.errors.box.ask("cart")
        await until(pilot, lambda: app.situation().query)
        await pilot.press("ctrl+l")
        await until(pilot, lambda: not app.situation().query)


async def lines(pilot: Pilot[None], app: CasebookApp, words: str) -> str:
    """What the palette offers for these words."""
    await pilot.press("ctrl+p", *words)
    await until(pilot, lambda: offered(app))
    text = frame(app)
    await pilot.press("escape")
    await until(pilot, lambda: not offered(app))
    return text


async def test_the_palette_shows_a_key_only_where_it_works_and_finds_quitting_by_its_other_names(
    casebook: Path,
) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(120, 34)) as pilot:
        await started(pilot, app)
        assert re.search(r"Import agent sessions {9,}esc, i  ", await lines(pilot, app, "agent sessions"))
        assert re.search(r"Ask a question {9,}│", await lines(pilot, app, "ask a question")), "a key of another pane"
        await pilot.press("down")
        text = await lines(pilot, app, "import")
        begin = next(line for line in text.split("\n") if "Import agent sessions" in line)
        other = next(line for line in text.split("\n") if "Report of the last import" in line)
        assert re.search(r"sessions {9,}i  ", begin), "in a column at the right"
        assert "Nothing has been imported" in other
        assert " I " not in other.partition("last import")[2]
        await pilot.press("ctrl+p", *"the")
        await until(pilot, lambda: offered(app).startswith("Change the theme"))  # and not each title with an article
        await pilot.press("escape")
        for words in ("quit", "exit"):
            assert re.search(r"Quit {9,}q \^q  ", await lines(pilot, app, words)), words
        await pilot.press("2")
        await until(pilot, lambda: isinstance(app.screen, EvidenceScreen))
        assert "Change the sort: last seen, most seen, first seen  Only" in await lines(pilot, app, "change the sort")
        await pilot.press("ctrl+p", *"change the sort")
        await until(pilot, lambda: offered(app).startswith("Change the sort"))
        await pilot.press("enter")
        await until(pilot, lambda: told(app, "Only available in the Errors pane."))


async def test_a_session_and_a_whole_text_show_their_keys_and_explain_them(tmp_path: Path) -> None:
    path = tmp_path / "session.db"
    with open_store(path, write=True, create=True) as store:
        put(store, "error: unit aa failed", "shell", None, message="before\nerror: unit aa failed\nafter")
    app = app_on(path)
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("down", "o")
        await until(pilot, lambda: isinstance(app.screen, SessionScreen) and "message 0 · 1 message" in frame(app))
        assert frame(app).split("\n")[-1].startswith(" esc back  n next mark")
        assert frame(app).split("\n")[-1].endswith("? help")
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("escape", "enter")
        await until(pilot, lambda: isinstance(app.screen, WholeText) and "3 rows" in frame(app))
        assert frame(app).split("\n")[-1].startswith(" esc back")
        await pilot.click("#keys", offset=(2, 0))
        await until(pilot, lambda: isinstance(app.screen, SessionScreen))
        await pilot.press("escape")
        await until(pilot, lambda: len(app.screen_stack) == 1)


async def test_the_full_message_of_an_error_opens_at_its_key_line(tmp_path: Path) -> None:
    path, key = tmp_path / "long.db", "error: unit aa failed"
    before = "\n".join(f"downloading part {number}" for number in range(400))
    with open_store(path, write=True, create=True) as store:
        put(store, key, "shell", None, message=f"{before}\n{key}\nafter")
    app = app_on(path)
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("down", "o")
        await until(pilot, lambda: isinstance(app.screen, SessionScreen) and "message 0" in frame(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, WholeText) and f"  {key} " in frame(app))


@pytest.mark.parametrize("size", [SMALL, (100, 30), WIDE, (160, 40), (200, 50)])
async def test_a_toast_loses_no_korean_letter_to_the_parts_below_it(casebook: Path, size: tuple[int, int]) -> None:
    app = app_on(casebook)
    async with app.run_test(size=size, notifications=True) as pilot:
        await started(pilot, app)
        told = [lead + "가나다라마바사아자차카타파하" * 3 for lead in ("", "x", " y ")]
        told.append(unicodedata.normalize("NFD", told[0]))
        for text in told:
            app.say(text)
        await until(pilot, lambda: len(app.screen.query(Toast)) == len(told))
        for toast, text in zip(app.screen.query(Toast), told, strict=True):
            assert letters(drawn(app, toast)) == letters(text)


async def test_a_toast_leaves_the_number_of_the_case_in_sight(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await started(pilot, app)
        await until(pilot, lambda: re.search(r"#\d+ ─╯", frame(app)))
        app.say("said over the case " * 9)
        await until(pilot, lambda: "said over the case" in frame(app))
        assert re.search(r"#\d+ ─╯", frame(app))


@pytest.mark.parametrize(("size", "keys"), [((80, 24), ("f1",)), ((120, 34), ("down", "f")), ((80, 24), ("down", "S"))])
async def test_a_click_on_the_edge_that_names_esc_closes(
    casebook: Path, size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    app = app_on(casebook)
    async with app.run_test(size=size) as pilot:
        await started(pilot, app)
        await pilot.press(*keys)
        await until(pilot, lambda: len(app.screen_stack) == 2 and "esc closes" in frame(app))
        rows = frame(app).split("\n")
        row = next(number for number, line in enumerate(rows) if "esc closes" in line)
        await pilot.click(offset=(rows[row].index("esc closes") + 2, row))
        await until(pilot, lambda: len(app.screen_stack) == 1)


@pytest.mark.parametrize(
    ("menu", "key"),
    [(("ctrl+p", "z", "o"), "enter"), (("down", "f"), "enter"), (("down", "Y"), "enter"), (("ctrl+o",), "x")],
    ids=["palette", "filter", "copy", "jump"],
)
async def test_a_key_that_comes_twice_closes_a_menu_once(casebook: Path, menu: tuple[str, ...], key: str) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pilot.press(*menu)
        await until(pilot, lambda: len(app.screen_stack) == 2 and (menu[0] != "ctrl+p" or offered(app)))
        for _ in range(3):
            app.post_message(Key(key, key if len(key) == 1 else "\r"))
        await until(pilot, lambda: len(app.screen_stack) == 1)
        await pilot.pause()
        assert app.is_running


async def test_what_a_part_says_while_the_app_ends_is_heard_without_a_fault(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        await started(pilot, app)
    app.on_pane_changed()  # it was sent before the parts were taken away
    assert app.situation().focus == "none"
