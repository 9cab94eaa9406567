"""What only looks like the error that was searched is no answer: it is never called one, and never counted."""

from __future__ import annotations

from pathlib import Path

from textual.events import Paste
from textual.pilot import Pilot

from core.store import open_store
from tests.tui.support import CASES, TRACEBACK, app_on, frame, told, until
from tui.shell.app import CasebookApp

SIZE = (160, 40)
LOOKS_LIKE_IT = "Not a match. The closest case:"
LIKE_IT = "yaml frobnicate"
"""No case has both words."""


def uses(path: Path) -> list[int]:
    with open_store(path) as store:
        return [int(str(one)) for (one,) in store.con.execute("SELECT coalesce(use_count, 0) FROM error_kb")]


async def started(pilot: Pilot[None], app: CasebookApp) -> None:
    await until(pilot, lambda: app.errors.results.rows.rows.total == len(CASES) and app.errors.case.read)


async def asked(pilot: Pilot[None], app: CasebookApp, text: str) -> None:
    """Paste it, and wait until the first row it found is the case on the screen."""
    app.post_message(Paste(text))
    rows = app.errors.results.rows
    await until(pilot, lambda: app.errors.results.query_text and not app.jobs.busy("search"))
    await until(pilot, lambda: (row := rows.rows.get(0)) is not None and row.tier is not None)  # pyright: ignore[reportAttributeAccessIssue]
    chosen = app.errors.results.chosen
    assert chosen is not None
    await until(pilot, lambda: not app.jobs.busy("case") and app.errors.case.read.case.id == chosen.id)  # pyright: ignore[reportOptionalMemberAccess]


async def test_a_search_that_nothing_answers_says_so_in_its_title_and_over_the_case(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SIZE) as pilot:
        await started(pilot, app)
        await asked(pilot, app, LIKE_IT)
        assert str(app.errors.results.border_title) == "No match · 1 shares some words"
        assert LOOKS_LIKE_IT in frame(app)
        assert "Fix for a different error" in frame(app)


async def test_an_answer_is_called_found_and_its_fix_is_its_own(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SIZE) as pilot:
        await started(pilot, app)
        await asked(pilot, app, TRACEBACK)
        assert str(app.errors.results.border_title) == "Found"
        assert LOOKS_LIKE_IT not in frame(app)
        assert "Fix for a different error" not in frame(app)


async def test_an_answer_that_the_filter_hides_is_still_known(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SIZE) as pilot:
        await started(pilot, app)
        app.errors.results.load(app.errors.results.scope.toggled("status", "unresolved"))
        app.post_message(Paste(TRACEBACK))
        await until(pilot, lambda: "hidden" in frame(app))
        assert str(app.errors.results.border_title).startswith("Match hidden by the filter")


async def test_copying_what_only_looks_like_it_says_that(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await started(pilot, app)
        await asked(pilot, app, LIKE_IT)
        await pilot.press("down", "y")
        await until(pilot, lambda: told(app, "Copied the fix for a different error."))


async def test_looking_around_is_no_use(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SIZE) as pilot:
        await started(pilot, app)
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.focused is app.errors.case)
        await pilot.press("y", "escape")
        await pilot.press("slash")
        await asked(pilot, app, "yaml")
        await pilot.press("enter")
        await until(pilot, lambda: app.focused is app.errors.case and app.errors.case.read)
        await pilot.press("y")
        await pilot.press("escape", "escape", "slash")
        await asked(pilot, app, TRACEBACK)
        await pilot.press("enter")
        await until(pilot, lambda: uses(casebook)[0])
        await until(pilot, lambda: not app.jobs.busy("use"))
        assert uses(casebook) == [1, 0, 0, 0, 0], "the answer alone, and once"
        with open_store(casebook) as store:
            rows = store.con.execute("SELECT via, session_id, outcome FROM answer_outcome").fetchall()
        assert rows == [("workbench", None, "open")]
