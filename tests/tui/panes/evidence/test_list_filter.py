"""Searching the list of quotes by words, in any script; Esc clears; in the message `/` looks in the session."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.evidence import QuoteFilters, count_sessions, count_types, list_quotes
from core.store import open_store
from tests.tui.panes.evidence.support import SMALL, WIDE, at, idle, one_of_each, opened, shown
from tests.tui.support import app_on, frame, until
from tui.panes.evidence.places import FindScreen
from tui.panes.evidence.queries import FILTERS, FilterName, QuoteFilter, filters_of
from tui.panes.evidence.screen import EvidenceScreen
from tui.shell.app import CasebookApp


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def review(tmp_path: Path) -> Path:
    return one_of_each(tmp_path / "review.db")


def ids(screen: EvidenceScreen) -> list[int]:
    return [row.id for row in screen.quotes.rows]


async def listed(pilot: Pilot[None], app: CasebookApp, screen: EvidenceScreen, *wanted: int) -> None:
    await until(pilot, lambda: idle(app) and ids(screen) == list(wanted))


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("PORT", [1, 2, 3, 6]),
        ("port manif", [3]),
        ("manif port", [3]),
        ("about retr", [4]),  # the title of the entry
        ("decision", [3]),  # its type
        ("스테이징에서", [6]),
        ("스테이징", [6]),
        ("  ", [1, 2, 3, 4, 5, 6]),
        ("100%", []),
        ("port nowhere", []),
    ],
)
def test_every_word_or_half_of_one_is_in_the_quote_or_in_what_its_entry_is_called(
    review: Path, words: str, found: list[int]
) -> None:
    with open_store(review) as store:
        page = list_quotes(store, QuoteFilters(words=words))
        assert [row.id for row in page.quotes] == found
        assert page.counts.total == 6, "what is left is told of all"
        first = list_quotes(store, QuoteFilters(words=words), limit=1)
        assert ([row.id for row in first.quotes], first.next) == (found[:1], found[0] if len(found) > 1 else None)
        assert [row.id for row in list_quotes(store, QuoteFilters(words=words), after=3).quotes] == [
            one for one in found if one > 3
        ]


@pytest.mark.parametrize("name", FILTERS)
def test_the_menu_counts_what_each_value_lists_beside_the_other_filters(review: Path, name: FilterName) -> None:
    with open_store(review) as store:

        def listed_by(**other: str | None) -> int:
            return len(list_quotes(store, filters_of(QuoteFilter(name, **other)), 100).quotes)

        for kind in (None, "fact", "decision"):
            (session,) = count_sessions(store, filters_of(QuoteFilter(name, type=kind)))
            assert session.listed == listed_by(type=kind)
            types = count_types(store, filters_of(QuoteFilter(name, session.session, kind)))
            assert types == tuple((one, listed_by(type=one)) for one, _ in types)
            assert len(types) == 2


@pytest.mark.parametrize("size", [WIDE, SMALL, (20, 5)])
async def test_words_narrow_the_list_and_esc_goes_back_step_by_step(review: Path, size: tuple[int, int]) -> None:
    app = app_on(review)
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 5)
        await pilot.press("slash", *"evicted")
        await listed(pilot, app, screen, 5)
        assert screen.chosen_id == 5, "what is still listed stays chosen"
        await pilot.press("ctrl+u", *"about")
        await listed(pilot, app, screen, 2, 3, 4, 5)
        assert screen.chosen_id == 5
        await pilot.press("space", *"ret")
        await listed(pilot, app, screen, 4)
        await pilot.press("enter")
        await until(pilot, lambda: app.focused is screen.list.rows)
        assert screen.search.box.display
        screen.show_only(QuoteFilter("all"))
        await listed(pilot, app, screen, 4)
        await pilot.press("escape")
        await listed(pilot, app, screen, 1, 2, 3, 4, 5, 6)
        assert not screen.search.box.display
        assert screen.quote_filter == QuoteFilter("all"), "the filter goes with the next one"
        await pilot.press("escape")
        await listed(pilot, app, screen, 2, 3, 4, 5)
        await pilot.press("escape", "alt+1")
        await until(pilot, lambda: app.screen is not screen)


async def test_the_title_counts_and_nothing_found_is_told(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        assert "/ search" in frame(app)
        await pilot.press("slash", *"port")
        await listed(pilot, app, screen, 2, 3)
        assert "Open quotes · 2 found · 4 left" in frame(app)
        await pilot.press("x", "y")
        await listed(pilot, app, screen)
        assert "No matching quotes" in frame(app)
        assert 'No matches for "portxy"' in frame(app)
        await pilot.press("escape", "escape")
        await listed(pilot, app, screen, 2, 3, 4, 5)
        await pilot.press("slash", "up")
        await until(pilot, lambda: screen.search.box.query_text == "portxy")


async def test_a_quote_that_is_listed_again_has_its_message_again(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 3)
        await until(pilot, lambda: shown(screen) and "We agreed" in frame(app))
        await pilot.press("slash", *"nowhere")
        await listed(pilot, app, screen)
        await pilot.press("escape", "escape")
        await listed(pilot, app, screen, 2, 3, 4, 5)
        await at(pilot, screen, 3)
        await until(pilot, lambda: shown(screen))
        await pilot.pause()
        assert "We agreed" in frame(app)


async def test_in_the_message_it_looks_in_the_session(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 3)
        await pilot.press("enter", "slash")
        await until(pilot, lambda: isinstance(app.screen, FindScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        assert not screen.search.box.display


async def test_a_decision_takes_the_quote_out_of_what_was_found(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("slash", *"port")
        await listed(pilot, app, screen, 2, 3)
        await pilot.press("enter", "A", "x", "enter")
        await listed(pilot, app, screen)
        assert screen.quotes.remaining == 2, "none but those that were found"
        await pilot.press("u")
        await listed(pilot, app, screen, 2, 3)
        await pilot.press("F")
        await listed(pilot, app, screen, 2, 3, 4, 5)


async def test_undo_goes_to_the_quote_that_is_open_again_also_after_a_redo_or_a_return(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        for quote in (2, 3):
            await at(pilot, screen, quote)
            await pilot.press("x")
        await listed(pilot, app, screen, 4, 5)
        await pilot.press("u")
        await listed(pilot, app, screen, 3, 4, 5)
        assert screen.chosen_id == 3
        await at(pilot, screen, 5)
        await pilot.press("U")
        await listed(pilot, app, screen, 4, 5)
        assert screen.chosen_id == 5, "the redone quote is not listed"
        await pilot.press("u")
        await listed(pilot, app, screen, 3, 4, 5)
        assert screen.chosen_id == 3
        await at(pilot, screen, 5)
        await pilot.press("alt+1")
        await until(pilot, lambda: app.screen is not screen)
        screen = await opened(pilot, app)
        await pilot.press("u")
        await listed(pilot, app, screen, 2, 3, 4, 5)
        assert screen.chosen_id == 2
