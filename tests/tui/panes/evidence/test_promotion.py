"""Promotion in the flow of review: what is selected or marked is promoted, nothing out of view, and it is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from core.evidence import BlockedEntry, NamedEntry, PromotedMany, reject, show_entry
from core.store import open_store
from tests.core.evidence.evidence_support import ALIGNED, FLAGGED, KOREAN, MESSAGES, NEAR, entry
from tests.tui.corpus import assert_inert_text, few
from tests.tui.panes.evidence.support import SMALL, WIDE, at, fill, idle, one_of_each, opened, shown, state
from tests.tui.support import app_on, frame, told, until
from tui.panes.evidence.queries import QuoteFilter
from tui.panes.evidence.review import PromoteScreen
from tui.panes.evidence.screen import EvidenceScreen
from tui.render.common.glyphs import ASCII
from tui.render.evidence import draw_promotable, ready_text, summary_of_promotions
from tui.shell.app import CasebookApp

OFFERED = "1 entry is ready. P lists it."


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def review(tmp_path: Path) -> Path:
    return one_of_each(tmp_path / "review.db")


def stage(path: Path, entry_id: str) -> str:
    with open_store(path) as store:
        made = show_entry(store, entry_id)
    assert made is not None
    return made.stage


async def accepted(pilot: Pilot[None], app: CasebookApp) -> EvidenceScreen:
    """The pane, after the last open quote of the entry “about port” was accepted."""
    screen = await opened(pilot, app)
    await at(pilot, screen, 2)
    await pilot.press("a", "enter")
    await until(pilot, lambda: idle(app) and OFFERED in frame(app))
    return screen


async def test_the_entry_of_the_chosen_quote_is_promoted_and_named_and_no_other(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 3)
        assert "p verify" not in frame(app)
        await pilot.press("p")  # that of the flagged quote is blocked
        await until(pilot, lambda: told(app, "1 flagged"))
        screen.show_only(QuoteFilter("aligned"))
        await at(pilot, screen, 6)
        await pilot.press("p")
        await until(pilot, lambda: told(app, "1 failed"))
        assert {stage(review, one) for one in ("port", "manifest", "retries", "memory")} == {"candidate"}


async def ready_to_verify(pilot: Pilot[None], app: CasebookApp, count: int) -> None:
    """The list of what is ready, which `P` opens."""
    await pilot.press("P")
    await until(pilot, lambda: isinstance(app.screen, PromoteScreen) and app.focused is not None)
    assert f"Verify {count} ready {'entry' if count == 1 else 'entries'}" in frame(app)


@pytest.mark.parametrize("size", [WIDE, SMALL, (200, 50)])
async def test_what_a_decision_made_ready_is_told_without_a_name_and_verified_from_a_list(
    review: Path, size: tuple[int, int]
) -> None:
    app = app_on(review)
    async with app.run_test(size=size, notifications=True) as pilot:
        screen = await accepted(pilot, app)
        await until(pilot, lambda: screen.chosen_id == 3 and shown(screen))
        assert "about port" not in frame(app), "it is no longer on the screen"
        await pilot.press("p")  # means the chosen quote, whose entry is blocked
        await until(pilot, lambda: told(app, "1 flagged"))
        assert stage(review, "port") == "candidate"
        await ready_to_verify(pilot, app, 1)
        assert "about port" in frame(app)
        await pilot.press("escape")
        assert stage(review, "port") == "candidate"
        await ready_to_verify(pilot, app, 1)
        await pilot.press("enter")
        await until(pilot, lambda: idle(app) and "“about port” is verified.  u undoes" in frame(app))
        assert (stage(review, "port"), stage(review, "manifest")) == ("verified", "candidate")
        await pilot.press("P")
        await until(pilot, lambda: "No entry is ready." in frame(app))
        await pilot.press("u")
        await until(pilot, lambda: idle(app) and stage(review, "port") == "candidate")


def many(path: Path) -> Path:
    """Entries `a` to `h`, each with one aligned quote, and `digits` with a flagged one, which is #9."""
    aligned = [(1, words) for words in (
        "The deploy fails because the release script", "the release script reads the port", "reads the port from PORT",
        "PORT is not set in staging.", "because the release script reads", "script reads the port from PORT, and PORT",
        "fails because the release", "from PORT, and PORT is not set",
    )]  # fmt: skip
    return fill(path, MESSAGES, *(entry(name, one) for name, one in zip("abcdefgh", aligned, strict=True)),
                entry("digits", FLAGGED))  # fmt: skip


async def test_exactly_the_marked_are_promoted_and_it_is_said(tmp_path: Path) -> None:
    path = many(tmp_path / "many.db")
    app = app_on(path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 9)
        await pilot.press("a", "enter")  # its entry is ready from now on
        await until(pilot, lambda: idle(app) and state(path, 9) == "accepted")
        await pilot.press("f", *"aligned", "enter")
        await until(pilot, lambda: idle(app) and screen.quotes.total == 8 and app.screen is screen)
        assert "ready" not in frame(app), "the offer ends with the list it was made in"
        await pilot.press("A")
        assert "8 selected" in frame(app)
        await pilot.press("p")
        await until(pilot, lambda: idle(app) and "8 entries verified.  u undoes" in frame(app))
        assert "marked" not in frame(app)
        await pilot.press("p")
        await until(pilot, lambda: idle(app) and told(app, "The entry is already verified."))
        assert [stage(path, one) for one in "abcdefgh"] == ["verified"] * 8
        assert stage(path, "digits") == "candidate", "it was not in view"
        await pilot.press("u")
        await until(pilot, lambda: idle(app) and stage(path, "a") == "candidate")
        assert {stage(path, one) for one in "abcdefgh"} == {"candidate"}, "one undo takes all of them back"


async def test_the_marks_of_what_is_blocked_stay_and_the_reason_is_said(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await accepted(pilot, app)
        screen.show_only(QuoteFilter("all"))
        await until(pilot, lambda: idle(app) and screen.quotes.total == 6)
        await pilot.press("A", "p")
        await until(pilot, lambda: idle(app) and "“about port” is verified. Blocked: 3 entries, first" in frame(app))
        assert screen.quotes.marked == {3, 4, 5, 6}
    assert [stage(review, one) for one in ("port", "manifest", "retries", "memory")] == ["verified", *["candidate"] * 3]


async def test_the_entry_of_the_chosen_quote_is_promoted_and_said(tmp_path: Path) -> None:
    path = fill(tmp_path / "two.db", MESSAGES, entry("port", ALIGNED, NEAR), entry("stop", KOREAN))
    app = app_on(path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await accepted(pilot, app)
        screen.show_only(QuoteFilter("all"))
        await at(pilot, screen, 3)
        await pilot.press("p")
        await until(pilot, lambda: idle(app) and "“about stop” is verified." in frame(app))
        assert (stage(path, "port"), stage(path, "stop")) == ("candidate", "verified")
        await pilot.press("u")
        await until(pilot, lambda: idle(app) and stage(path, "stop") == "candidate")
        assert screen.chosen_id == 3, "not at the quote that was accepted before"


async def test_the_offer_names_an_entry_on_the_screen_and_ends_with_a_move(tmp_path: Path) -> None:
    path = fill(tmp_path / "two.db", MESSAGES, entry("port", FLAGGED), entry("stop", KOREAN))
    app = app_on(path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        screen.show_only(QuoteFilter("all"))
        await at(pilot, screen, 1)
        await pilot.press("a", "enter")
        await until(pilot, lambda: idle(app) and "“about port” is ready: p verifies it." in frame(app))
        await pilot.press("j")
        await at(pilot, screen, 2)
        assert "is ready" not in frame(app)
        await pilot.press("k")
        await at(pilot, screen, 1)
        assert "is ready:" not in frame(app), "it does not come back"
        await pilot.press("p")
        await until(pilot, lambda: idle(app) and stage(path, "port") == "verified")


async def test_every_ready_entry_of_the_shown_session_and_type_is_counted_and_promoted(tmp_path: Path) -> None:
    path = fill(tmp_path / "types.db", MESSAGES, entry("port", ALIGNED), entry("stop", KOREAN, kind="decision"))
    app = app_on(path)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: "No open quotes" in frame(app))
        assert "verify all ready entries" in " ".join(frame(app).split()), frame(app)
        screen.show_only(QuoteFilter("ready"))
        await until(pilot, lambda: idle(app) and screen.quotes.total == 2)
        screen.show_only(QuoteFilter("ready", type="decision"))
        await until(pilot, lambda: idle(app) and screen.quotes.total == 1)
        await ready_to_verify(pilot, app, 1)
        assert "about stop" in frame(app)
        await pilot.press("enter")
        await until(pilot, lambda: idle(app) and stage(path, "stop") == "verified" and not screen.quotes.total)
        assert stage(path, "port") == "candidate"
        await pilot.press("F")
        await ready_to_verify(pilot, app, 1)
        await pilot.press("enter")
        await until(pilot, lambda: idle(app) and stage(path, "port") == "verified")


async def test_nothing_is_promoted_while_the_chosen_quote_is_still_read(tmp_path: Path) -> None:
    path = fill(tmp_path / "two.db", MESSAGES, entry("port", ALIGNED, NEAR), entry("stop", KOREAN))
    app = app_on(path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await accepted(pilot, app)
        screen.show_only(QuoteFilter("all"))
        await at(pilot, screen, 3)
        screen.view.show(None)  # as before it is read
        screen.changed()
        await pilot.press("p")
        await until(pilot, lambda: told(app, "still loading"))
        assert (stage(path, "port"), stage(path, "stop")) == ("candidate", "candidate")


async def test_what_is_on_its_way_to_disk_is_waited_for(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await accepted(pilot, app)
        screen.show_only(QuoteFilter("all"))
        await at(pilot, screen, 1)
        await pilot.press("space")
        for key in ("p", "a", "x"):
            screen.reviewing.pending[1] += 1
            await pilot.press(key)
            await until(pilot, lambda: "still being saved." in frame(app))
            assert app.screen is screen
        assert stage(review, "port") == "candidate"


async def test_a_question_comes_before_what_is_ready(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await accepted(pilot, app)
        await until(pilot, lambda: screen.chosen_id == 3 and shown(screen))
        await pilot.press("a")
        assert screen.view.asking
        assert "The meaning may differ. enter accepts anyway, esc cancels." in frame(app)
        assert "ready" not in frame(app)
        await pilot.press("escape")
        assert "The meaning may differ." not in frame(app)
        assert stage(review, "port") == "candidate"


async def test_what_somebody_blocked_meanwhile_is_told_and_not_promoted(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await accepted(pilot, app)
        await ready_to_verify(pilot, app, 1)
        with open_store(review, write=True) as store:
            reject(store, "kim", 1, "made up")
        await pilot.press("enter")
        await until(pilot, lambda: idle(app) and "Blocked: “about port”. Evidence alignment failed" in frame(app))
    assert stage(review, "port") == "candidate"


def test_a_long_or_hostile_name_is_cut_and_inert() -> None:
    assert ready_text(2, "", ASCII) == "2 entries are ready. P lists them."
    assert ready_text(1, "x", ASCII).isascii()
    for text in (*few(), "이 인용문의 항목 " * 90):
        blocked = BlockedEntry(text, text, text, ())
        told = summary_of_promotions(PromotedMany(1, (NamedEntry(text, text),), (blocked,), 2))
        assert_inert_text(told)
        assert cell_len(told) < 400
        assert_inert_text(draw_promotable([NamedEntry(text, text), NamedEntry(text, "")]).plain)
