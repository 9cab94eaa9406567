"""Any size of terminal, and any change of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.tui.support import CASES, TRACEBACK, app_on, frame, until
from tui.app import CasebookApp

WALK = (
    (200, 50),
    (120, 34),
    (100, 30),
    (99, 18),
    (80, 24),
    (40, 12),
    (20, 5),
    (9, 9),
    (2, 3),
    (1, 1),
    (2, 40),
    (99, 2),
)
JOURNEYS = ((), ("down",), ("down", "enter"), ("down", "t"), ("down", "enter", "z"), ("f1",), ("ctrl+p",))


async def started(pilot: Pilot[None], app: CasebookApp) -> None:
    await until(pilot, lambda: app.errors.results.rows.rows.total == len(CASES) and app.errors.case.read)


@pytest.mark.parametrize("keys", JOURNEYS)
async def test_a_walk_through_all_sizes_and_back_loses_nothing(casebook: Path, keys: tuple[str, ...]) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(120, 34), notifications=True, tooltips=True) as pilot:
        await started(pilot, app)
        await pilot.press(*keys)
        focused = app.focused
        app.say("a toast that is longer than most of these terminals are wide")
        for width, height in (*WALK, *WALK[-3::-2], (120, 34)):
            await pilot.resize_terminal(width, height)
            lines = frame(app).split("\n")
            assert len(lines) <= height
        assert app.is_running
        assert app.focused is focused
        if len(app.screen_stack) > 1:
            await pilot.press("escape")
            await until(pilot, lambda: len(app.screen_stack) == 1)
        assert "yaml" in frame(app)


@pytest.mark.parametrize("size", [(20, 5), (10, 3), (1, 1)])
async def test_it_starts_and_searches_however_small_it_is(casebook: Path, size: tuple[int, int]) -> None:
    app = app_on(casebook)
    async with app.run_test(size=size, notifications=True) as pilot:
        await started(pilot, app)
        await pilot.press("y", "a", "m", "l")
        await until(pilot, lambda: app.errors.results.chosen and app.errors.results.chosen.tier == "text")
        await pilot.press("enter")
        await until(pilot, lambda: app.focused is app.errors.case)


async def test_twenty_by_five_still_shows_box_rows_and_help(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(20, 5)) as pilot:
        await started(pilot, app)
        await pilot.press("down")
        await pilot.pause()
        lines = frame(app).split("\n")
        assert "ModuleNotFound" in lines[1]
        assert lines[-1].endswith("? help")


@pytest.mark.parametrize(
    ("width", "parts"), [(80, ("Cases",)), (99, ("Cases",)), (100, ("Cases", "Case")), (160, ("Cases", "Case", "Why"))]
)
async def test_the_columns_follow_the_width(casebook: Path, width: int, parts: tuple[str, ...]) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(width, 30)) as pilot:
        await started(pilot, app)
        text = frame(app)
        assert [part for part in ("Cases", "Case", "Why") if f"╭─ {part} ─" in text] == list(parts)


async def test_no_line_is_wider_than_the_terminal_with_wide_letters(casebook: Path) -> None:
    from rich.cells import cell_len

    app = app_on(casebook)
    async with app.run_test(size=(53, 20)) as pilot:
        await started(pilot, app)
        app.errors.box.ask(TRACEBACK + "한글 " * 80)
        await until(pilot, lambda: not app.jobs.busy("search"))
        assert max(cell_len(line) for line in frame(app).split("\n")) <= 53


async def test_ascii_draws_no_other_letter_of_its_own(casebook: Path) -> None:
    app = app_on(casebook, ascii_only=True)
    async with app.run_test(size=(200, 50)) as pilot:
        await started(pilot, app)
        await pilot.press("y", "a", "m", "l", "down", "enter")
        await until(pilot, lambda: app.focused is app.errors.case and "identify" in frame(app))
        assert [sign for sign in frame(app) if ord(sign) > 126] == []
