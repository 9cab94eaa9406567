"""Any size of terminal, and any change of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.events import Paste
from textual.pilot import Pilot

from core.store import open_store
from tests.tui.support import CASES, TRACEBACK, app_on, frame, put, settled, until
from tui.screens.pager import WholeText
from tui.screens.session import SessionScreen
from tui.shell.app import CasebookApp

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
    ("width", "parts"), [(80, ("Cases",)), (99, ("Cases",)), (100, ("Cases", "Case")), (160, ("Cases", "Case"))]
)
async def test_the_columns_follow_the_width(casebook: Path, width: int, parts: tuple[str, ...]) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(width, 30)) as pilot:
        await started(pilot, app)
        text = frame(app)
        assert [part for part in ("Cases", "Case", "Trace") if f"╭─ {part} ─" in text] == list(parts)
        await pilot.press(*"yaml")
        await until(pilot, lambda: "has these words" in frame(app))
        assert ("╭─ Trace ─" in frame(app)) is (width >= 160), "the trace comes with the first search"


@pytest.mark.parametrize("width", [160, 200])
async def test_three_columns_stay_as_wide_as_they_are_while_one_types(casebook: Path, width: int) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(width, 30)) as pilot:
        await started(pilot, app)
        parts = ("#results", "#case", "#why")

        def widths() -> list[int]:
            return [app.screen.query_one(part).outer_size.width for part in parts]

        everything = widths()
        assert sum(everything[:2]) == width, "before a search all the room is the list's and the case's"
        await pilot.press("y")
        await until(pilot, lambda: "identify" in frame(app))
        before = widths()
        assert before[2] < width / 3.5
        assert min(before[:2]) > before[2]
        await pilot.press(*"aml")
        await until(pilot, lambda: "yaml" in app.errors.results.query_text and not app.jobs.busy("search"))
        assert widths() == before, "nothing moves while one types on"
        app.errors.why.focus()
        await pilot.press("ctrl+l")
        await until(pilot, lambda: widths()[:2] == everything[:2])
        await until(pilot, lambda: app.errors.focus_part != "why")
        assert app.focused is not None, "who was in the trace is somewhere"
        await pilot.press("slash", *"yaml")
        await until(pilot, lambda: widths() == before)
        facts = app.screen.query_one("#case-facts")
        await pilot.press("down")
        for _ in range(2):
            await until(pilot, lambda: facts.display is (width >= 180 and app.errors.why.display))
            await pilot.press("t")
        await pilot.press("z")
        await until(pilot, lambda: app.screen.query_one("#results").outer_size.width == width)


async def test_no_line_is_wider_than_the_terminal_with_wide_letters(casebook: Path) -> None:
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


MEGABYTE = 1_000_000


@pytest.mark.parametrize("unit", ["x", "한", "👩‍👩‍👧‍👦", "a\u0301"], ids=["x", "han", "emoji", "accent"])
async def test_a_line_of_a_megabyte_stands_in_every_column(tmp_path: Path, unit: str) -> None:
    path, long = tmp_path / "long.db", unit * (MEGABYTE // len(unit.encode()))
    with open_store(path, write=True, create=True) as store:
        put(
            store, f"error: unit aa failed {long}", long[:20_000], long, message=f"before\nerror: unit aa failed {long}"
        )
    app = app_on(path, name=long)
    async with app.run_test(size=(120, 34), notifications=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("down", "enter", "m", "t", "escape")
        await settled(pilot, app)
        for width, height in ((80, 24), (9, 5), (1, 1), (200, 50)):
            await pilot.resize_terminal(width, height)
            assert max(cell_len(line) for line in frame(app).split("\n")) <= width
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, SessionScreen) and "#0" in frame(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, WholeText) and "characters" in frame(app))
        await pilot.press("G", "escape", "escape", "slash")
        await until(pilot, lambda: app.focused is app.errors.box)
        app.errors.box.post_message(Paste(f"error: unit aa failed {long}\nsecond line"))
        await until(pilot, lambda: app.errors.box.pasted_lines == 2 and "Found" in frame(app))
        await settled(pilot, app)
        assert app.is_running
