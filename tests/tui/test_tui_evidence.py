"""The Evidence pane: quotes decided by a key or two, true on disk, taken back; hostile quotes and messages inert."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.config import load_config
from core.evidence import add_entries, align_session, show_entry, show_quote
from core.store import open_store
from tests.core.evidence.evidence_support import (
    ALIGNED,
    AMBIGUOUS,
    FAILED,
    FLAGGED,
    KOREAN,
    MESSAGES,
    NEAR,
    SESSION,
    add_messages,
    entry,
)
from tests.tui.corpus import assert_inert, few
from tests.tui.support import app_on, frame, until
from tui.app import CasebookApp
from tui.panes.evidence.find_screen import FindScreen
from tui.panes.evidence.queries import Shown
from tui.panes.evidence.reason import ReasonScreen
from tui.panes.evidence.screen import EvidenceScreen
from tui.screens.filter import FilterScreen
from tui.state import read_state
from tui.surroundings import Surroundings, no_log

WIDE, SMALL = (120, 34), (80, 24)


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def fill(path: Path, messages: Sequence[str], *entries: object) -> Path:
    with open_store(path, write=True, create=True) as store:
        add_messages(store, messages)
        add_entries(store, SESSION, entries)  # pyright: ignore[reportArgumentType]
        align_session(store, SESSION)
    return path


@pytest.fixture
def review(tmp_path: Path) -> Path:
    """One quote of each kind: 1 aligned, 2 near, 3 flagged, 4 ambiguous, 5 failed, 6 aligned."""
    return fill(
        tmp_path / "review.db",
        MESSAGES,
        entry("port", ALIGNED, NEAR),
        entry("manifest", FLAGGED, kind="decision"),
        entry("retries", AMBIGUOUS),
        entry("memory", FAILED, KOREAN),
    )


def state(path: Path, evidence_id: int) -> str:
    with open_store(path) as store:
        found = show_quote(store, evidence_id)
    assert found is not None
    return found.row.state


async def opened(pilot: Pilot[None], app: CasebookApp) -> EvidenceScreen:
    await pilot.pause()
    await pilot.press("alt+2")
    await until(pilot, lambda: isinstance(app.screen, EvidenceScreen) and app.screen.quotes.read is not None)
    screen = app.screen
    assert isinstance(screen, EvidenceScreen)
    return screen


def shown(screen: EvidenceScreen) -> bool:
    """Whether the chosen quote is the one beside the list."""
    read = screen.view.read
    return read is not None and read.quote.row.id == screen.chosen_id


def idle(app: CasebookApp) -> bool:
    return not any(map(app.jobs.busy, ("curate", "evidence", "evidence-quote")))


async def at(pilot: Pilot[None], screen: EvidenceScreen, evidence_id: int) -> None:
    await until(pilot, lambda: screen.quotes.index_of(evidence_id) is not None)
    screen.list.rows.choose(screen.quotes.index_of(evidence_id) or 0)
    await until(pilot, lambda: screen.chosen_id == evidence_id and shown(screen))


async def test_each_problem_is_decided_by_a_key_or_two_and_the_last_one_taken_back(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        assert "4 left" in frame(app)
        await until(pilot, lambda: shown(screen))
        assert screen.chosen_id == 2, "it begins at the first problem"
        assert "alike" in frame(app)

        await pilot.press("a")  # the near miss
        assert screen.quotes.left == 3, "it leaves at once"
        await until(pilot, lambda: screen.chosen_id == 3 and shown(screen))

        await pilot.press("a")  # flagged: asked once, with what changed
        assert "accepts it all the same" in frame(app)
        assert "[production]" in frame(app)
        assert "[staging]" in frame(app)
        assert screen.quotes.left == 3
        await pilot.press("a")
        await until(pilot, lambda: screen.chosen_id == 4 and shown(screen))

        await pilot.press("a")  # two places: which one?
        assert "stands in 2 places" in frame(app)
        assert "again takes place 1" in frame(app)
        assert screen.quotes.left == 2
        await pilot.press("2")
        await until(pilot, lambda: screen.chosen_id == 5 and shown(screen))

        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, ReasonScreen))
        await pilot.press(*"made up", "enter")
        await until(pilot, lambda: idle(app) and "Nothing is left to decide" in frame(app))
        assert [state(review, one) for one in (2, 3, 4, 5)] == ["accepted", "accepted", "accepted", "rejected"]
        with open_store(review) as store:
            fourth, fifth = show_quote(store, 4), show_quote(store, 5)
        assert fourth is not None
        assert fourth.spans[0].start == MESSAGES[3].rindex("retries stay at 3")
        assert fifth is not None
        assert fifth.decision is not None
        assert fifth.decision.reason == "made up"

        await pilot.press("u")
        await until(pilot, lambda: idle(app) and screen.quotes.left == 1 and shown(screen))
        assert screen.chosen_id == 5
    assert state(review, 5) == "failed"


async def test_an_entry_is_promoted_once_nothing_blocks_it(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 2)
        await pilot.press("p")
        await until(pilot, lambda: "1 failed" in frame(app))
        await pilot.press("a")
        await until(pilot, lambda: idle(app) and screen.reviewing.ready == "port")
        await pilot.press("p")
        await until(pilot, lambda: idle(app) and "the entry is verified" in frame(app))
        with open_store(review) as store:
            made = show_entry(store, "port")
        assert made is not None
        assert made.stage == "verified"
        await pilot.press("u")
        await until(pilot, lambda: idle(app) and "taken back" in frame(app))
        with open_store(review) as store:
            made = show_entry(store, "port")
        assert made is not None
        assert made.stage == "candidate"


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
        assert f"session {SESSION[:20]}" in frame(app)
        await pilot.press(*"decis", "tab")
        await until(pilot, lambda: idle(app) and [row.id for row in screen.quotes.rows] == [3])
        await pilot.press("escape")
        assert "decision" in str(screen.list.border_title)
        await pilot.press("F")
        await until(pilot, lambda: idle(app) and len(screen.quotes.rows) == 4)


async def test_next_problem_and_near_miss(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        screen.show_only(Shown("all"))
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


async def test_a_quote_is_looked_for_in_the_session_and_accepted_there(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 5)
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(app.screen, FindScreen))
        await pilot.press(*"nobody wrote this")
        await until(pilot, lambda: "nowhere in this session" in frame(app))
        await pilot.press("ctrl+u", *"timeout is 30", "enter")  # as fast as one types: Enter waits for what it finds
        await until(pilot, lambda: app.screen is screen and screen.view.looked.found)
        assert screen.view.index == 3
        assert "timeout is 30" in MESSAGES[3][screen.view.spans[0].start : screen.view.spans[0].end]
        await until(pilot, lambda: "message 3" in frame(app) and "a accept" in frame(app))
        await pilot.press("]", "a")
        await until(pilot, lambda: idle(app) and state(review, 5) == "accepted")
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(app.screen, FindScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
    with open_store(review) as store:
        fifth = show_quote(store, 5)
    assert fifth is not None
    assert fifth.words == ("timeout is 30 seconds.",)


async def test_a_number_looks_for_the_quote_in_that_message(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 2)
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(app.screen, FindScreen))
        await pilot.press("1")
        await until(pilot, lambda: "%" in frame(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen and screen.view.looked.found)
        assert screen.view.index == 1
        await pilot.press("a")
        await until(pilot, lambda: idle(app) and state(review, 2) == "accepted")


async def test_of_several_places_the_one_nearest_to_the_entrys_other_quote_is_offered(tmp_path: Path) -> None:
    text = "retry twice here. " + "x" * 300 + " The port is 80. retry twice here. " + "y" * 300 + " retry twice here."
    path = fill(tmp_path / "near.db", [text], entry("one", (0, "The port is 80"), (0, "retry twice here")))
    app = app_on(path)
    async with app.run_test(size=(240, 40)) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 2)
        await pilot.press("a")
        assert "again takes place 2, the nearest to another quote of the entry" in frame(app)
        await pilot.press("a")
        await until(pilot, lambda: idle(app) and state(path, 2) == "accepted")
    with open_store(path) as store:
        found = show_quote(store, 2)
    assert found is not None
    assert found.spans[0].start == text.index("retry", 200)


async def test_filter_trace_and_place_are_there_again(review: Path, tmp_path: Path) -> None:
    place = tmp_path / "state" / "x.json"
    app = CasebookApp(review, around=Surroundings(load_config(environ={}), no_log, place))
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        screen.show_only(Shown("failed"))
        await until(pilot, lambda: idle(app) and len(screen.quotes.rows) == 2)
        await at(pilot, screen, 5)
        await pilot.press("t", "alt+1")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        screen = await opened(pilot, app)
        await until(pilot, lambda: shown(screen))
        assert (screen.shown, screen.chosen_id, screen.why) == (Shown("failed"), 5, "shown")
        await pilot.press("q")
    state_, trouble = read_state(place)
    assert trouble == ""
    again = CasebookApp(review, around=Surroundings(load_config(environ={}), no_log, place, state_))
    async with again.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, again)
        await until(pilot, lambda: shown(screen))
        assert (screen.shown, screen.chosen_id, screen.why) == (Shown("failed"), 5, "shown")


async def test_a_hundred_failed_quotes_take_at_most_two_keys_each(tmp_path: Path) -> None:
    """Where the right place is offered: near misses by one key, flagged and repeated ones by two."""
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
        assert screen.quotes.left == 100
        for number in range(100):
            await until(pilot, lambda: shown(screen))
            left = screen.quotes.left
            await pilot.press("a")
            keys += 1
            if screen.quotes.left == left:
                await pilot.press("a")
                keys += 1
            assert screen.quotes.left == left - 1, number
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
        await pilot.press("a")
        await until(pilot, lambda: "decided about it meanwhile" in frame(app))
    assert state(review, 2) == "rejected"


async def test_an_empty_casebook_says_how_entries_come(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: "casebook evidence add FILE" in frame(app))
        assert "No entries yet" in frame(app)
        await pilot.press("alt+1")
        await until(pilot, lambda: len(app.screen_stack) == 1)


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
        await pilot.pause(0.2)
        assert_inert(app)
        await pilot.press("escape", "slash", "0")
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
        assert "Quotes to decide" in told
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
        await pilot.press("j", "t", "x", "escape", "m", "t", "slash", "P", "escape", "f", "down", "escape")
        await pilot.resize_terminal(*WIDE)
        await until(pilot, lambda: shown(screen) and "left" in frame(app))
