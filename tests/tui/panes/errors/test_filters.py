"""Filters: a menu that narrows as one types, chips in the list's title, searches that keep to them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.events import Key
from textual.pilot import Pilot

from core.errors.curation.decisions import edit
from core.errors.curation.transaction import SeenVersion, Written
from core.store import open_store
from tests.tui.support import CASES, NOW, app_on, frame, put, until
from tui.panes.common.filter_menu import FilterScreen
from tui.panes.errors.queries import Scope, since_of
from tui.render.case_list import draw_choice, draw_title, none_pass
from tui.render.common.glyphs import ASCII, UNICODE
from tui.runtime.state import State
from tui.services.environment import Surroundings
from tui.shell.app import CasebookApp

WIDE, SMALL = (120, 34), (80, 24)


async def started(pilot: Pilot[None], app: CasebookApp) -> None:
    await until(pilot, lambda: app.errors.results.rows.rows.total == len(CASES) and app.errors.case.read)
    await pilot.press("down")


def total(app: CasebookApp) -> int:
    return app.errors.results.rows.rows.total


async def pick(pilot: Pilot[None], app: CasebookApp, *keys: str) -> None:
    """Open the menu, wait for its counts, press the keys."""
    await pilot.press("f")
    await until(pilot, lambda: isinstance(app.screen, FilterScreen) and not app.jobs.busy("facets"))
    await pilot.press(*keys)


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_a_filter_is_picked_by_a_few_letters_and_cleared_by_esc(casebook: Path, size: tuple[int, int]) -> None:
    app = app_on(casebook)
    async with app.run_test(size=size) as pilot:
        await started(pilot, app)
        await pick(pilot, app, *"unres", "enter")
        await until(pilot, lambda: total(app) == 2)
        assert not isinstance(app.screen, FilterScreen)
        assert "○ unresolved" in frame(app).split("\n")[4]
        await pilot.press("escape")
        await until(pilot, lambda: total(app) == len(CASES))
        assert "○ unresolved " not in frame(app).split("\n")[4]


async def test_a_match_that_the_filter_hides_is_not_called_found(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pick(pilot, app, *"unres", "enter")
        await until(pilot, lambda: total(app) == 2)
        app.errors.box.ask(CASES[1][0])
        await until(pilot, lambda: "Match hidden by the filter" in frame(app))
        app.errors.box.ask(CASES[2][0])
        await until(pilot, lambda: "Known error, no fix yet" in frame(app))


async def test_what_shows_nothing_comes_last_and_words_without_a_value_are_told(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pick(pilot, app)
        counts = [int(found) for found in re.findall(r"│   (?:status|reuse|seen|tool) .* (\d+) +[▁-█▄▆]?│", frame(app))]
        assert 0 in counts
        assert not any(counts[counts.index(0) :])
        await pilot.press(*"nosuch")
        await until(pilot, lambda: "no matches, esc closes" in frame(app))
        await pilot.press(*["backspace"] * 6)
        await until(pilot, lambda: "enter selects" in frame(app))


async def test_a_tag_is_seen_at_its_fix_searched_and_filtered_by(casebook: Path) -> None:
    with open_store(casebook, write=True) as store:
        edit(store, "mina", [SeenVersion(3, None)], Written("Borrow it.", tags=("disk", "디스크")), status="verified")
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pick(pilot, app, *"dis")
        await until(pilot, lambda: re.search(r"tag +disk +1 ", frame(app)))
        await pilot.press("enter")
        await until(pilot, lambda: total(app) == 1 and "tags  disk, 디스크" in frame(app))
        assert "tag disk" in frame(app).split("\n")[4]
        await pilot.press("escape", "slash", *"disk")
        await until(pilot, lambda: total(app) == 1 and "E0382" in frame(app))


async def test_a_filter_by_reuse_hides_the_slips_and_stays_over_a_restart(casebook: Path) -> None:
    with open_store(casebook, write=True) as store, store.transaction() as con:
        con.execute("UPDATE case_state SET worth = iif(case_id = 2, 'general', 'slip')")
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pick(pilot, app)
        assert re.search(r"reuse +any project +1\b", frame(app))
        assert re.search(rf"reuse +none +{len(CASES) - 1}\b", frame(app))
        await pilot.press(*"any", "enter")
        await until(pilot, lambda: total(app) == 1)
        assert "reuse any project" in frame(app)
        left = State(pane="errors", panes={"errors": app.errors.remembered()})
    app = CasebookApp(casebook, around=Surroundings(state=left), clock=lambda: NOW)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: total(app) == 1 and "reuse any project" in frame(app))


async def test_filters_add_up_and_the_menu_counts_what_each_would_show(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pick(pilot, app, *"verified", "tab")
        await until(pilot, lambda: total(app) == 2 and not app.jobs.busy("facets"))
        await pilot.press(*("backspace",) * 8)
        await until(pilot, lambda: re.search(r"tool +psql +1 ", frame(app)) and not app.jobs.busy("facets"))
        assert not re.search(r"tool +rustc", frame(app)), "it would show nothing"
        await pilot.press(*"psql", "enter")
        await until(pilot, lambda: total(app) == 1)
        await until(pilot, lambda: "Connection refused" in frame(app))
        assert "● verified   tool psql" in frame(app)
        await pick(pilot, app, *"psql", "enter")
        await until(pilot, lambda: total(app) == 2)


async def test_times_are_reckoned_from_now(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        for letters, cases in (("today", 1), ("7 days", 3), ("30 days", 4)):
            await pick(pilot, app, *["space" if letter == " " else letter for letter in letters], "enter")
            await until(pilot, lambda cases=cases: total(app) == cases)


async def test_letters_typed_as_fast_as_a_paste_count_before_enter(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pick(pilot, app)
        for key in ("t", "s", "c", "enter"):
            app.post_message(Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: app.errors.results.scope.picked == (("tool", "tsc"),) and total(app) == 1)


async def test_a_typed_search_keeps_to_the_filter(casebook: Path) -> None:
    with open_store(casebook, write=True) as store:
        put(store, "fetchOrders: nobody answers", "node", None)
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: total(app) == len(CASES) + 1)
        app.errors.box.ask("fetchOrders")
        await until(pilot, lambda: total(app) == 2)
        await pilot.press("down")
        await pick(pilot, app, *"tsc", "enter")
        await until(pilot, lambda: total(app) == 1 and "TS2304" in frame(app))
        assert "1 case has these words" in str(app.errors.results.border_title)
        await pilot.press("F")
        await until(pilot, lambda: total(app) == 2)


async def test_a_match_that_the_filter_hides_is_spoken_of(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pick(pilot, app, *"unres", "enter")
        await until(pilot, lambda: total(app) == 2)
        app.errors.box.ask("ModuleNotFoundError: No module named 'yaml'")
        await until(pilot, lambda: "No cases match the filter" in frame(app))
        assert "○ unresolved" in frame(app)


async def test_what_nothing_passes_says_so_and_esc_leads_out(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pick(pilot, app, *"unres", "enter")
        await pick(pilot, app, *"today", "enter")
        await until(pilot, lambda: "No cases match the filter" in frame(app))
        await pilot.press("escape")
        await until(pilot, lambda: total(app) == len(CASES))


async def test_hostile_names_of_tools_and_projects_stay_text(tmp_path: Path) -> None:
    path = tmp_path / "hostile.db"
    names = ["[/red] [@click=app.quit]x", "\x1b]52;c;aGk=\x07", "도구 \u202e", "a" * 400, ""]
    with open_store(path, write=True, create=True) as store:
        for number, name in enumerate(names):
            put(store, f"Error: number {chr(97 + number)} of them", name, None)
    app = app_on(path)
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: total(app) == len(names))
        await pilot.press("down")
        await pick(pilot, app)
        await until(pilot, lambda: "[/red] [@click=app.quit]x" in frame(app))
        assert not {"\x1b", "\x07", "\u202e"} & set(frame(app))
        await pilot.press(*"click", "enter")
        await until(pilot, lambda: total(app) == 1)
        assert "tool [/red] [@click" in frame(app)


async def test_the_menu_lives_through_every_size(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pick(pilot, app)
        for size in ((20, 5), (3, 2), (1, 1), (200, 50), WIDE):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert "─ Filter ─" in frame(app)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, FilterScreen))


def test_a_picked_value_is_dropped_by_picking_it_again() -> None:
    scope = Scope(sort="seen").toggled("tool", "tsc").toggled("status", "draft").toggled("tool", "npm")
    assert scope.picked == (("status", "draft"), ("tool", "npm"))
    assert scope.toggled("status", "draft").picked == (("tool", "npm"),)
    assert scope.cleared() == Scope(sort="seen")


def test_days_are_counted_back_from_now() -> None:
    assert since_of("7 days", NOW) == "2026-03-07T09:00:00.000Z"
    assert since_of("today", NOW) <= "2026-03-14T09:00:00.000Z"


def test_chips_choices_and_states_are_made_of_any_text() -> None:
    for text in ("", "x" * 5_000, "\x1b[2J\x00", "[bold", "한글" * 50):
        for signs in (UNICODE, ASCII):
            assert "\x1b" not in draw_title("Cases", (("project", text),), signs).plain
            assert draw_choice("project", text, 1_200, signs, on=True, complete=False).cell_length == 48
            assert "\x1b" not in none_pass((("tool", text),), 3, signs).why


async def test_what_is_selected_is_picked_also_after_letters_were_typed(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pick(pilot, app, *"days", "down", "tab")
        await until(pilot, lambda: app.errors.results.scope.period == "30 days" and not app.jobs.busy("facets"))
        await pilot.press("up", "enter")
        await until(pilot, lambda: app.errors.results.scope.period == "7 days" and total(app) == 3)
        await pick(pilot, app, *"days", "down", "backspace", "enter")
        await until(pilot, lambda: app.errors.results.scope.period == "today")
