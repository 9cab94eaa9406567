"""The Evidence pane: quotes decided by a key or two, true on disk, taken back; hostile quotes and messages inert."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input

from core.evidence import show_quote
from core.store import open_store
from tests.core.evidence.evidence_support import (
    FLAGGED,
    MESSAGES,
    NEAR,
    entry,
)
from tests.tui.corpus import assert_inert, few
from tests.tui.panes.evidence.support import SMALL, WIDE, at, fill, idle, one_of_each, opened, shown, state
from tests.tui.support import app_on, frame, settled, toasts, told, until
from tui.panes.common.filter_menu import FilterScreen
from tui.panes.evidence import screen as screen_module
from tui.panes.evidence.places import FindScreen, ReasonScreen
from tui.panes.evidence.queries import QuoteFilter
from tui.panes.evidence.screen import EvidenceScreen
from tui.panes.rules.screen import RulesScreen
from tui.runtime.jobs import Job
from tui.screens.import_files import ImportScreen
from tui.shell.app import CasebookApp


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def review(tmp_path: Path) -> Path:
    return one_of_each(tmp_path / "review.db")


async def test_a_list_of_few_quotes_leaves_its_rows_to_the_message(tmp_path: Path) -> None:
    path = fill(tmp_path / "few.db", MESSAGES, entry("port", NEAR))
    app = app_on(path)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: idle(app) and screen.list.size.height == 3)
    app = app_on(one_of_each(tmp_path / "more.db"))
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: idle(app) and screen.list.size.height == 6)


async def test_a_slow_first_read_says_that_the_quotes_load(review: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, read = Event(), screen_module.read_list

    def held(*about: Any) -> Callable[[Job[Any]], Any]:
        work = read(*about)

        def wait(job: Job[Any]) -> Any:
            gate.wait(60)
            return work(job)

        return wait

    monkeypatch.setattr(screen_module, "read_list", held)
    app = app_on(review)
    async with app.run_test(size=SMALL) as pilot:
        try:
            await pilot.press("alt+2")
            await until(pilot, lambda: "Loading the quotes" in frame(app))
        finally:
            gate.set()
        await until(pilot, lambda: "4 left" in frame(app) and "Loading" not in frame(app))


async def test_each_problem_is_decided_by_a_key_or_two_and_the_last_one_taken_back(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        assert "4 left" in frame(app)
        await until(pilot, lambda: shown(screen))
        assert screen.chosen_id == 2, "it begins at the first problem"
        assert "61% similar" in frame(app)

        await pilot.press("a")  # the near miss: no near match, so it is asked about
        assert "only 61% similar: below the threshold" in frame(app)
        assert screen.quotes.remaining == 4
        await pilot.press("enter")
        assert screen.quotes.remaining == 3, "it leaves at once"
        await until(pilot, lambda: screen.chosen_id == 3 and shown(screen))

        await pilot.press("a")  # flagged: asked once, with what changed
        assert "enter accepts anyway" in frame(app)
        assert "[production]" in frame(app)
        assert "[staging]" in frame(app)
        assert screen.quotes.remaining == 3
        await pilot.press("enter")
        await until(pilot, lambda: screen.chosen_id == 4 and shown(screen))

        await pilot.press("a")  # two places: which one?
        assert "found at 2 locations" in frame(app)
        assert "enter accepts location 1" in frame(app)
        assert screen.quotes.remaining == 2
        await pilot.press("2")
        assert screen.quotes.remaining == 2, "to look at a place decides nothing"
        await pilot.press("a")
        await until(pilot, lambda: screen.chosen_id == 5 and shown(screen))

        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, ReasonScreen))
        await pilot.press(*"made up", "enter")
        await until(pilot, lambda: idle(app) and "No open quotes" in frame(app))
        assert [state(review, one) for one in (2, 3, 4, 5)] == ["accepted", "accepted", "accepted", "rejected"]
        with open_store(review) as store:
            fourth, fifth = show_quote(store, 4), show_quote(store, 5)
        assert fourth is not None
        assert fourth.spans[0].start == MESSAGES[3].rindex("retries stay at 3")
        assert fifth is not None
        assert fifth.decision is not None
        assert fifth.decision.reason == "made up"

        await pilot.press("u")
        await until(pilot, lambda: idle(app) and screen.quotes.remaining == 1 and shown(screen))
        assert screen.chosen_id == 5
    assert state(review, 5) == "failed"


async def test_a_held_key_accepts_nothing_that_asks_and_equal_toasts_are_one(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 3)
        await pilot.press(*"a" * 30)
        await until(pilot, lambda: idle(app))
        assert (screen.chosen_id, screen.quotes.remaining, screen.view.asking) == (3, 4, True)
        await pilot.press("escape")
        assert not screen.view.asking
        assert app.screen is screen
        screen.show_only(QuoteFilter("rejected"))
        await until(pilot, lambda: idle(app) and not screen.quotes.total)
        await pilot.press(*"a" * 9)
        await until(pilot, lambda: told(app, "The list is empty."))
        assert len(toasts(app)) == 1
    assert state(review, 3) == "flagged"


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_a_question_or_a_refusal_moves_nothing_and_covers_nothing(review: Path, size: tuple[int, int]) -> None:
    app = app_on(review)
    async with app.run_test(size=size, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 3)
        before = frame(app).split("\n")
        await pilot.press("a")
        after = frame(app).split("\n")
        assert [line for line, was in zip(after, before, strict=True) if line != was] == [after[-2]]
        assert "The meaning may differ. enter accepts anyway, esc cancels." in after[-2]
        await pilot.press("escape")
        assert frame(app).split("\n") == before
        await pilot.press("space", "a")  # a bulk act that is refused
        await until(pilot, lambda: idle(app) and "Nothing accepted. 1 quote differs from the source" in frame(app))
        assert not toasts(app)


async def test_undo_answers_an_open_question_and_takes_nothing_back(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 2)
        await pilot.press("a", "enter")
        await until(pilot, lambda: idle(app) and not screen.reviewing.pending)
        await at(pilot, screen, 3)
        await pilot.press("a")
        assert screen.view.asking
        await pilot.press("u")
        await until(pilot, lambda: idle(app) and "Not accepted." in frame(app))
        assert (screen.view.asking, state(review, 2), state(review, 3)) == (False, "accepted", "flagged")
        await pilot.press("u")
        await until(pilot, lambda: idle(app) and "Undone: accept the quote" in frame(app))
        assert state(review, 2) == "near"


async def test_escape_leads_back_from_the_entry_that_covers_the_message(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 3)
        await pilot.press("t")
        await until(pilot, lambda: screen.entry.region.area > 0 and not screen.view.region.area)
        await pilot.press("escape")
        await until(pilot, lambda: screen.view.region.area > 0 and not screen.entry.region.area)


async def test_the_next_key_says_that_there_is_no_other_open_quote(tmp_path: Path) -> None:
    app = app_on(fill(tmp_path / "one.db", MESSAGES, entry("port", NEAR)))
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: shown(screen))
        await pilot.press("n")
        await until(pilot, lambda: "The list has no other open quote." in frame(app))


async def test_the_marked_are_rejected_for_one_reason_and_taken_back_at_once(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 2)
        await pilot.press("space", "space")
        assert screen.quotes.marked == {2, 3}
        assert "2 selected" in frame(app)
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, ReasonScreen) and app.focused is not None)
        assert "Reject 2 quotes" in frame(app)
        await pilot.press(*"made up", "enter")
        await until(pilot, lambda: idle(app) and not screen.reviewing.pending and screen.quotes.remaining == 2)
        assert [state(review, one) for one in (2, 3)] == ["rejected", "rejected"]
        await pilot.press("u")
        await until(pilot, lambda: idle(app) and screen.quotes.remaining == 4)
        assert [state(review, one) for one in (2, 3)] == ["near", "flagged"]

        await pilot.press("A")
        assert len(screen.quotes.marked) == 4
        await pilot.press("a")  # all of them ask: left, and told
        await until(pilot, lambda: idle(app) and "Nothing accepted. Left: " in frame(app))
        assert screen.quotes.marked == {2, 3, 4, 5}, "the marks of what is left stay"
        assert "4 selected" in frame(app)
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, ReasonScreen) and app.focused is not None)
        assert "Reject 4 quotes" in frame(app)
        await pilot.press("escape")
        await pilot.press("x")  # at once, as in triage
        await until(pilot, lambda: idle(app) and not screen.reviewing.pending and not screen.quotes.remaining)
        assert {state(review, one) for one in (2, 3, 4, 5)} == {"rejected"}
        await pilot.press("u")
        await until(pilot, lambda: idle(app) and screen.quotes.remaining == 4)
        await pilot.press("A")
        await pilot.press("escape")
        assert not screen.quotes.marked
        assert app.screen is screen
    assert [state(review, one) for one in (2, 3, 4, 5)] == ["near", "flagged", "ambiguous", "failed"]


async def test_a_span_is_drawn_by_words_and_the_original_s_words_are_taken(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 4)
        await pilot.press("m", "}", "[", "]", "]")
        text = MESSAGES[3]
        (span,) = screen.view.spans
        assert text[span.start : span.end] == "stay at 3. The"
        await pilot.press("escape")
        assert text[screen.view.spans[0].start : screen.view.spans[0].end] == "retries stay at 3"
        await pilot.press("m", "}", "a")
        await until(pilot, lambda: screen.view.asking)
        await pilot.press("enter")
        await until(pilot, lambda: idle(app) and state(review, 4) == "accepted")
        await at(pilot, screen, 3)
        await pilot.press("o")
        await until(pilot, lambda: idle(app) and state(review, 3) == "accepted")
    with open_store(review) as store:
        fourth, third = show_quote(store, 4), show_quote(store, 3)
    assert fourth is not None
    assert fourth.words == ("stay at 3",)
    assert third is not None
    assert third.quote == MESSAGES[4]
    assert third.original == FLAGGED[1]


async def test_next_problem_and_near_miss(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        screen.show_only(QuoteFilter("all"))
        await until(pilot, lambda: idle(app) and len(screen.quotes.rows) == 6)
        screen.list.rows.choose(0)
        await pilot.press("n")
        assert screen.chosen_id == 2
        await pilot.press("n", "N")
        assert screen.chosen_id == 2
        await at(pilot, screen, 3)
        await pilot.press("e")
        await until(pilot, lambda: idle(app) and [row.id for row in screen.quotes.rows] == [3])
        await pilot.press("F")
        await until(pilot, lambda: idle(app) and len(screen.quotes.rows) == 4)


async def test_a_hundred_failed_quotes_take_at_most_two_keys_each(tmp_path: Path) -> None:
    """Where the right place is offered: one key, and another one where it is asked about."""
    words = [*["amber", "birch", "cedar", "dusk", "ember", "frost", "grove", "heath", "iris", "juniper"]]
    lines = [
        f"{one} and {other} copy the table of {one} into the bucket of {other} at night"
        for one in words
        for other in words
    ]
    messages = ["\n".join(lines), "twice it says: the queue is full. Again: the queue is full."]
    quotes = [
        (0, line.replace("copy the table", "move a list").replace("into the", "to some")) if number % 3 == 0 else
        (0, line.replace("at night", "at noon")) if number % 3 == 1 else
        (1, "the queue is full")
        for number, line in enumerate(lines)
    ]  # fmt: skip
    path = fill(tmp_path / "hundred.db", messages, *(entry(f"e{at}", quote) for at, quote in enumerate(quotes)))
    app = app_on(path)
    keys = 0
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        assert screen.quotes.remaining == 100
        for number in range(100):
            await until(pilot, lambda: shown(screen))
            left = screen.quotes.remaining
            await pilot.press("a")
            keys += 1
            if screen.quotes.remaining == left:
                await pilot.press("enter")
                keys += 1
            assert screen.quotes.remaining == left - 1, number
            assert number % 10 or f"{left - 1} left" in frame(app)
        await until(pilot, lambda: idle(app) and not screen.reviewing.pending)
    assert keys <= 200
    with open_store(path) as store:
        for evidence_id, line in enumerate(lines, 1):
            found = show_quote(store, evidence_id)
            assert found is not None
            assert found.row.state == "accepted"
            assert found.words == ((line,) if evidence_id % 3 != 0 else ("the queue is full",))


async def test_what_another_decides_meanwhile_is_not_decided_over(review: Path) -> None:
    from core.evidence import reject

    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 2)
        app.jobs.cancel("evidence-watch")
        with open_store(review, write=True) as store:
            reject(store, "ben", 2, "no")
        await pilot.press("a", "enter")
        await until(pilot, lambda: "changed in the meantime" in frame(app))
    assert state(review, 2) == "rejected"


async def test_an_empty_casebook_says_how_entries_come(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: "casebook evidence add FILE" in frame(app))
        assert "No quotes yet" in frame(app)
        assert "show the errors" in frame(app), "all that it says is seen"
        await pilot.press("9")
        assert not toasts(app)
        await pilot.press("1")
        await until(pilot, lambda: len(app.screen_stack) == 1)


async def test_without_a_casebook_it_is_about_quotes_and_its_import_key_works(tmp_path: Path) -> None:
    app = app_on(tmp_path / "none.db")
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "No cases yet" in frame(app))
        await pilot.press("alt+2")
        await until(pilot, lambda: "No quotes yet" in frame(app))
        assert "No cases yet" not in frame(app)
        assert "\u256d\u2500 Quotes" in frame(app)
        await pilot.press("i")
        await until(pilot, lambda: isinstance(app.screen, ImportScreen) and len(app.screen_stack) == 3)


async def test_a_digit_shows_a_place_where_several_are_listed_and_decides_nothing(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 4)
        await pilot.press("1", "2", "1", "2")
        assert screen.view.looked.at == 1
        await pilot.press("7")
        assert "Location 7 not found." in frame(app)
        await pilot.press("3")
        assert "Location 3 not found. To open the Rules pane, press alt+3." in frame(app)
        assert screen.quotes.remaining == 4
        await pilot.press("2", "a")
        assert screen.quotes.remaining == 3, "a place that was looked at is accepted without another question"
        await until(pilot, lambda: idle(app))
    assert [state(review, one) for one in (3, 4)] == ["flagged", "accepted"]


async def refused(pilot: Pilot[None], app: CasebookApp, words: str) -> None:
    """What `z` says where it can do nothing."""
    await settled(pilot, app)
    await pilot.press("z")
    await until(pilot, lambda: told(app, words))


@pytest.mark.parametrize("quote", [2, 3])
async def test_where_no_places_are_listed_digits_are_the_panes_as_everywhere(review: Path, quote: int) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, quote)
        await pilot.press("2", "8", "9", "a" if quote == 3 else "2", "2", "2")  # a flagged quote is asked about
        assert screen.quotes.remaining == 4
        assert app.screen is screen
        assert not toasts(app)
        await refused(pilot, app, "Zoom is not available here. w shows the full message")
        await pilot.press("3")
        await until(pilot, lambda: isinstance(app.screen, RulesScreen))
        await refused(pilot, app, "Zoom is not available here. Press t to show or hide the trace.")
        await pilot.press("2")
        await until(pilot, lambda: isinstance(app.screen, EvidenceScreen))
    assert [state(review, one) for one in (2, 3)] == ["near", "flagged"]


async def test_it_opens_at_the_place_however_long_the_message(tmp_path: Path) -> None:
    long = "\n".join(f"line {number} of a very long message" for number in range(20_000))
    words = "the needle lies exactly here, nowhere else"
    path = fill(
        tmp_path / "long.db", [f"{long}\n{words}\n{long}"], entry("deep", (0, words.replace("exactly", "just")))
    )
    for size in (WIDE, SMALL):
        app = app_on(path)
        async with app.run_test(size=size) as pilot:
            screen = await opened(pilot, app)
            await until(pilot, lambda: shown(screen))  # noqa: B023
            await until(pilot, lambda: "the needle lies exactly here" in frame(app))  # noqa: B023


async def test_hostile_quotes_and_messages_are_inert(tmp_path: Path) -> None:
    texts = [text for text in few(2) if text.strip() and len(text) < 100_000]
    entries = [entry(f"e{number} [/x]", (number, text[:300] + " tail")) for number, text in enumerate(texts)]
    path = fill(tmp_path / "hostile.db", texts, *entries)
    app = app_on(path)
    async with app.run_test(size=(200, 50), notifications=True) as pilot:
        screen = await opened(pilot, app)
        for number in range(screen.quotes.total):
            screen.list.rows.choose(number)
            await until(pilot, lambda: shown(screen))
            assert_inert(app)
        await pilot.press("w")
        await until(pilot, lambda: app.screen is not screen)
        assert_inert(app)
        await pilot.press("escape", "L", "0")
        await until(pilot, lambda: isinstance(app.screen, FindScreen) and not app.jobs.busy("evidence-find"))
        assert_inert(app)
        await pilot.press("escape", "f")
        await until(pilot, lambda: isinstance(app.screen, FilterScreen) and not app.jobs.busy("evidence-counts"))
        assert_inert(app)


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_the_frame_shows_quote_message_and_what_is_left(review: Path, size: tuple[int, int]) -> None:
    app = app_on(review)
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 3)
        told = frame(app)
        assert "Evidence" in told.split("\n", 1)[0]
        assert "Open quotes" in told
        assert "4 left" in told
        assert "[production]" in told
        assert "Set PORT in the staging manifest" in told
        assert "accept" in told.rsplit("\n", 1)[-1]
        await pilot.press("t")
        await until(pilot, lambda: "about manifest" in frame(app))
        assert "1 flagged" in frame(app)


@pytest.mark.parametrize("size", [(20, 5), (1, 1)])
async def test_tiny_sizes_are_lived_through(review: Path, size: tuple[int, int]) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.resize_terminal(*size)
        await pilot.press("j")
        await until(pilot, lambda: shown(screen))
        await pilot.press("t", "x", "escape", "m", "t", "L", "P", "escape", "f", "down", "escape")
        await pilot.resize_terminal(*WIDE)
        await until(pilot, lambda: shown(screen) and "left" in frame(app))


async def test_a_pasted_text_says_where_it_can_be_searched_and_a_box_takes_its_own(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        app.post_message(Paste("error: boom"))
        await until(pilot, lambda: "To search for pasted text, open Errors" in frame(app))
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(app.focused, Input))
        app.post_message(Paste("boom"))
        await until(pilot, lambda: isinstance(app.focused, Input) and app.focused.value == "boom")
        await until(pilot, lambda: app.screen is screen and "To search for pasted" not in frame(app))


async def test_the_place_stays_in_sight_when_the_text_before_it_grows(tmp_path: Path) -> None:
    long = "\n".join(
        f"line {number} of an earlier message that one narrow screen wraps to two lines" for number in range(9)
    )
    path = fill(
        tmp_path / "wrap.db",
        ["Nothing to see.", long, f"{long}\n\nThree lint issues to fix:\n\n{long}"],
        entry("changed", (2, "Five lint issues to fix")),
    )
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: shown(screen) and "Three lint issues to fix" in frame(app))
        await pilot.resize_terminal(*SMALL)
        await until(pilot, lambda: app.size.width == SMALL[0] and "Three lint issues to fix" in frame(app))
        await settled(pilot, app)
        assert "Three lint issues to fix" in frame(app)
