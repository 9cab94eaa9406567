"""The Evidence pane: quotes decided by a key or two, true on disk, taken back; hostile quotes and messages inert."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.pilot import Pilot

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
from tui.panes.evidence.reason import ReasonScreen
from tui.panes.evidence.screen import EvidenceScreen

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
        await until(pilot, lambda: "1 to 2 chooses" in frame(app))
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


async def test_filters_next_problem_and_near_miss(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        for name, ids in (
            ("failed", [2, 5]), ("ambiguous", [4]), ("flagged", [3]), ("aligned", [1, 6]), ("rejected", []),
            ("all", [1, 2, 3, 4, 5, 6]),
        ):  # fmt: skip
            await pilot.press("f")
            await until(pilot, lambda: idle(app) and [row.id for row in screen.quotes.rows] == ids)  # noqa: B023
            assert f"Quotes {name}" in frame(app)
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
        await pilot.press("j", "t", "x", "escape", "m", "t")
        await pilot.resize_terminal(*WIDE)
        await until(pilot, lambda: shown(screen) and "left" in frame(app))
