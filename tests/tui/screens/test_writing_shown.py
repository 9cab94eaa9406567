"""A case of two errors with a fix each: what one decides is about the fix that is on the screen, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.errors import add_resolution, identify, observe, show_case
from core.errors.cases.record import Name
from core.store import open_store
from tests.tui.support import app_on, frame, settled, until
from tui.panes.errors.fix_editor import WritingScreen
from tui.shell.app import CasebookApp

ERROR = "ModuleNotFoundError: No module named '{}'"
FIXES = {"freezegun": "uv add --dev freezegun", "harmonica": "pip install harmonica"}
WIDE = (160, 45)


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """One case, since the key is the same; the newer fix answers for all of it."""
    path = tmp_path / "two.db"
    with open_store(path, write=True, create=True) as store, store.transaction() as con:
        for at, (module, fix) in enumerate(FIXES.items(), 1):
            raw = ERROR.format(module)
            found = identify(raw)
            name = Name(found.key_line or raw, found.normalized or raw, found.fingerprint, "python")
            ts = f"2026-03-0{at}T10:00:00.000Z"
            case_id = observe(
                con, name, session_id=None, message_idx=None, tool="python", project="shop", ts=ts, raw=raw
            )
            add_resolution(con, case_id, found.fingerprint, fix, author="mina", ts=ts)
        assert case_id == 1, "both are one case"
    return path


def fixes(path: Path) -> dict[str, str]:
    with open_store(path) as store:
        case = show_case(store, 1)
    assert case is not None
    return {one.text: one.status for one in case.resolutions}


async def at_the_older(pilot: Pilot[None], app: CasebookApp) -> None:
    """Its fix answers the search, and stands on the screen."""
    await pilot.press(*ERROR.format("freezegun"), "enter")
    await until(pilot, lambda: app.errors.case.fix is not None and app.errors.case.has_focus)
    await settled(pilot, app)
    assert FIXES["freezegun"] in frame(app)


async def test_the_editor_opens_on_the_fix_that_is_shown(two: Path) -> None:
    app = app_on(two)
    async with app.run_test(size=WIDE) as pilot:
        await at_the_older(pilot, app)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WritingScreen))
        assert isinstance(app.screen, WritingScreen)
        assert app.screen.area.text == FIXES["freezegun"]


@pytest.mark.parametrize(("key", "status"), [("f2", "verified"), ("f8", "rejected")])
async def test_it_is_that_one_which_is_decided(two: Path, key: str, status: str) -> None:
    app = app_on(two)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await at_the_older(pilot, app)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WritingScreen))
        await pilot.press(key)
        await until(pilot, lambda: fixes(two)[FIXES["freezegun"]] == status)
        assert fixes(two)[FIXES["harmonica"]] == "draft"


async def test_what_was_decided_elsewhere_meanwhile_is_still_that_one(two: Path) -> None:
    app = app_on(two)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await at_the_older(pilot, app)
        with open_store(two, write=True) as store, store.transaction() as con:
            con.execute("UPDATE resolution SET status = 'verified' WHERE text = ?", (FIXES["freezegun"],))
        app.errors.reader._read(0.0)
        await settled(pilot, app)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WritingScreen))
        await pilot.press("f8")
        await until(pilot, lambda: fixes(two)[FIXES["freezegun"]] == "rejected")
        assert fixes(two)[FIXES["harmonica"]] == "draft"


async def test_the_state_above_is_that_of_the_fix_below(two: Path) -> None:
    app = app_on(two)
    with open_store(two, write=True) as store, store.transaction() as con:
        con.execute("UPDATE resolution SET status = 'verified' WHERE text = ?", (FIXES["harmonica"],))
    async with app.run_test(size=WIDE) as pilot:
        await at_the_older(pilot, app)
        head = str(app.errors.case._head.content)
        assert "draft" in head
        assert "verified" not in head


async def test_another_question_begins_at_what_answers_it(two: Path) -> None:
    app = app_on(two)
    async with app.run_test(size=(80, 24)) as pilot:
        await at_the_older(pilot, app)
        await pilot.press("G")
        await until(pilot, lambda: app.errors.case.scroll_y > 0)
        await pilot.press("escape", "slash", "ctrl+u", *ERROR.format("harmonica"), "enter")
        await until(pilot, lambda: app.errors.case.fix and app.errors.case.fix.text == FIXES["harmonica"])
        await settled(pilot, app)
        assert app.errors.case.scroll_y == 0
