"""The Evidence pane's ways to a quote: filters with counts, a look elsewhere in the session, where one was before."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from core.base.config.settings_sources import load_config
from core.evidence import show_quote
from core.store import open_store
from tests.core.evidence.evidence_support import (
    EVERY,
    KOREAN,
    MESSAGES,
    SESSION,
    entry,
)
from tests.tui.panes.evidence.support import SMALL, WIDE, at, fill, idle, one_of_each, opened, shown, state
from tests.tui.support import app_on, frame, until
from tui.panes.common.filter_menu import FilterScreen
from tui.panes.evidence.places import FindScreen
from tui.panes.evidence.queries import QuoteFilter
from tui.runtime.state import read_state
from tui.services.environment import Surroundings, no_log
from tui.shell.app import CasebookApp


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def review(tmp_path: Path) -> Path:
    return one_of_each(tmp_path / "review.db")


async def test_the_menu_filters_by_state_session_and_type_with_counts(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        for name, ids in (
            ("failed", [2, 5]), ("ambiguous", [4]), ("flagged", [3]), ("aligned", [1, 6]), ("rejected", []),
            ("all", [1, 2, 3, 4, 5, 6]),
        ):  # fmt: skip
            await pilot.press("f")
            await until(pilot, lambda: isinstance(app.screen, FilterScreen) and "decision" in frame(app))
            assert f"{name:<31}{len(ids):>7}" in frame(app)
            await pilot.press(*name[:4], "enter")
            await until(pilot, lambda: idle(app) and [row.id for row in screen.quotes.rows] == ids)  # noqa: B023
            assert f"Quotes {name}" in frame(app)
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, FilterScreen) and "decision" in frame(app))
        assert SESSION[:8] in frame(app), "a session is told by its day, its project and a short id"
        await pilot.press(*"decis", "tab")
        await until(pilot, lambda: idle(app) and [row.id for row in screen.quotes.rows] == [3])
        await pilot.press("escape")
        assert "decision" in str(screen.list.border_title)
        await pilot.press("F")
        await until(pilot, lambda: idle(app) and len(screen.quotes.rows) == 4)


async def test_a_quote_is_looked_for_in_the_session_and_accepted_there(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 5)
        await pilot.press("L")
        await until(pilot, lambda: isinstance(app.screen, FindScreen))
        await pilot.press(*"nobody wrote this")
        await until(pilot, lambda: "no match in this session" in frame(app))
        await pilot.press("ctrl+u", *"timeout is 30", "enter")  # as fast as one types: Enter waits for what it finds
        await until(pilot, lambda: app.screen is screen and screen.view.looked.found)
        assert screen.view.index == 3
        assert "timeout is 30" in MESSAGES[3][screen.view.spans[0].start : screen.view.spans[0].end]
        await until(pilot, lambda: "message 3" in frame(app) and "a accept" in frame(app))
        await pilot.press("]", "a")  # unlike the quote: asked about as soon as it is compared
        await until(pilot, lambda: screen.view.asking)
        assert "% similar: below the threshold" in frame(app)
        await pilot.press("enter")
        await until(pilot, lambda: idle(app) and state(review, 5) == "accepted")
        await pilot.press("L")
        await until(pilot, lambda: isinstance(app.screen, FindScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
    with open_store(review) as store:
        fifth = show_quote(store, 5)
    assert fifth is not None
    assert fifth.words == ("timeout is 30 seconds.",)


async def test_the_box_begins_with_the_rarest_words_of_the_quote(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 3)
        await pilot.press("L")
        await until(pilot, lambda: isinstance(app.screen, FindScreen) and "1 match" in frame(app))
        box = app.screen.query_one(Input)
        assert box.value == "manifest, then", "no other message has these two words"
        await pilot.press("x")
        await until(pilot, lambda: box.value == "x")


async def test_a_quote_of_which_no_word_is_there_says_so(tmp_path: Path) -> None:
    path = fill(tmp_path / "none.db", ["The pool has 20 connections."], entry("one", (0, "zebra quagga okapi")))
    app = app_on(path)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 1)
        await pilot.press("L")
        await until(pilot, lambda: "no word of the quote is in this session" in frame(app))
        assert app.screen.query_one(Input).value == "0", "the stated message instead"
        await pilot.press(*"pool")
        await until(pilot, lambda: "1 match" in frame(app))


async def test_a_number_looks_for_the_quote_in_that_message(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 2)
        await pilot.press("L")
        await until(pilot, lambda: isinstance(app.screen, FindScreen))
        await pilot.press("1")
        await until(pilot, lambda: "%" in frame(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen and screen.view.looked.found)
        assert screen.view.index == 1
        await pilot.press("a")
        await until(pilot, lambda: screen.view.asking)
        await pilot.press("enter")
        await until(pilot, lambda: idle(app) and state(review, 2) == "accepted")


@pytest.mark.parametrize(("quote", "words"), [(5, "The"), (6, "값을")])
async def test_a_word_is_no_place_for_a_long_quote(tmp_path: Path, quote: int, words: str) -> None:
    korean = (2, KOREAN[1] + "는 데 실패했다고 배포 담당자가 그날 저녁에 말했다")
    path = fill(tmp_path / "word.db", MESSAGES, entry("all", *EVERY[:5], korean))
    app = app_on(path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, quote)
        await pilot.press("L", *words, "enter")
        await until(pilot, lambda: app.screen is screen and screen.view.looked.found)
        await pilot.press("a")
        await until(pilot, lambda: "The selection is too short for this quote. ] extends" in frame(app))
        await pilot.press("enter", "o")
        await until(pilot, lambda: idle(app) and not screen.reviewing.pending)
        await until(pilot, lambda: screen.quotes.remaining == 5)
    assert state(path, quote) in ("failed", "near")


async def test_of_several_places_the_one_nearest_to_the_entrys_other_quote_is_offered(tmp_path: Path) -> None:
    text = "retry twice here. " + "x" * 300 + " The port is 80. retry twice here. " + "y" * 300 + " retry twice here."
    path = fill(tmp_path / "near.db", [text], entry("one", (0, "The port is 80"), (0, "retry twice here")))
    app = app_on(path)
    async with app.run_test(size=(240, 40)) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 2)
        await pilot.press("a")
        assert "enter accepts location 2, m shows another (nearest to another quote of the entry)" in frame(app)
        await pilot.press("enter")
        await until(pilot, lambda: idle(app) and state(path, 2) == "accepted")
    with open_store(path) as store:
        found = show_quote(store, 2)
    assert found is not None
    assert found.spans[0].start == text.index("retry", 200)


async def test_a_location_changed_by_hand_is_asked_about_as_such(tmp_path: Path) -> None:
    text = "retry twice here. " + "x" * 300 + " retry twice here, then stop."
    path = fill(tmp_path / "by-hand.db", [text], entry("one", (0, "retry twice here")))
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 1)
        await pilot.press("2", *("right_square_bracket",) * 2)
        await until(pilot, lambda: screen.view.place is not None and "then" in getattr(screen.view.place, "words", ""))
        await pilot.press("a")
        await until(pilot, lambda: "The meaning may differ. enter accepts anyway" in frame(app))


async def test_filter_trace_and_place_are_there_again(review: Path, tmp_path: Path) -> None:
    place = tmp_path / "state" / "x.json"
    app = CasebookApp(review, around=Surroundings(load_config(environ={}), no_log, place))
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        screen.show_only(QuoteFilter("failed"))
        await until(pilot, lambda: idle(app) and len(screen.quotes.rows) == 2)
        await at(pilot, screen, 5)
        await pilot.press("t", "alt+1")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        screen = await opened(pilot, app)
        await until(pilot, lambda: shown(screen))
        assert (screen.quote_filter, screen.chosen_id, screen.why) == (QuoteFilter("failed"), 5, "shown")
        await pilot.press("q")
        await until(pilot, lambda: app.return_code == 0 and not app.jobs.busy("state-last"))
    state_, trouble = read_state(place)
    assert trouble == ""
    again = CasebookApp(review, around=Surroundings(load_config(environ={}), no_log, place, state_))
    async with again.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, again)
        await until(pilot, lambda: shown(screen))
        assert (screen.quote_filter, screen.chosen_id, screen.why) == (QuoteFilter("failed"), 5, "shown")
