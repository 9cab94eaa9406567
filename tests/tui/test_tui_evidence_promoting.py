"""Promotion in the flow of review: the entry that a decision made ready is named, and no other one is promoted."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from core.evidence import reject, show_entry
from core.store import open_store
from tests.core.evidence.evidence_support import ALIGNED, FLAGGED, KOREAN, MESSAGES, NEAR, entry
from tests.tui.corpus import assert_inert_text, few
from tests.tui.evidence_review import SMALL, WIDE, at, fill, idle, one_of_each, opened, shown
from tests.tui.support import app_on, frame, told, until
from tui.app import CasebookApp
from tui.panes.evidence.queries import Shown
from tui.panes.evidence.screen import EvidenceScreen
from tui.render.evidence import draw_ready
from tui.render.signs import ASCII, UNICODE

NAMED = "Nothing blocks “about port” any more: p promotes it."


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
    await until(pilot, lambda: idle(app) and NAMED in frame(app))
    return screen


async def settled(pilot: Pilot[None], app: CasebookApp, screen: EvidenceScreen) -> None:
    await until(pilot, lambda: idle(app) and (not screen.quotes.total or shown(screen)))


async def test_the_entry_of_the_chosen_quote_is_promoted_and_named_and_no_other(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await at(pilot, screen, 3)
        assert "p promote" not in frame(app)
        await pilot.press("p")  # that of the flagged quote is blocked
        await until(pilot, lambda: told(app, "1 flagged"))
        screen.show_only(Shown("aligned"))
        await at(pilot, screen, 6)
        await pilot.press("p")
        await until(pilot, lambda: told(app, "1 failed"))
        assert {stage(review, one) for one in ("port", "manifest", "retries", "memory")} == {"candidate"}


@pytest.mark.parametrize("size", [WIDE, SMALL, (200, 50)])
async def test_the_entry_of_the_last_open_quote_is_named_and_promoted_at_once(
    review: Path, size: tuple[int, int]
) -> None:
    app = app_on(review)
    async with app.run_test(size=size, notifications=True) as pilot:
        screen = await accepted(pilot, app)
        await until(pilot, lambda: screen.chosen_id == 3 and shown(screen))
        assert "p promote" in frame(app), "the line of keys offers it, too"
        await pilot.press("p")
        await until(pilot, lambda: idle(app) and screen.list.said.startswith("entry “about port” is verified"))
        assert (stage(review, "port"), stage(review, "manifest")) == ("verified", "candidate")
        assert "Nothing blocks" not in frame(app)
        await settled(pilot, app, screen)
        await pilot.press("p", "p")
        await until(pilot, lambda: told(app, "1 flagged"))
        await pilot.press("u")
        await until(pilot, lambda: idle(app) and stage(review, "port") == "candidate")
        assert "Nothing blocks" not in frame(app), "what is taken back offers nothing"


async def test_the_entry_of_the_chosen_quote_goes_first_and_the_line_says_so(tmp_path: Path) -> None:
    path = fill(tmp_path / "two.db", MESSAGES, entry("port", ALIGNED, NEAR), entry("stop", KOREAN))
    app = app_on(path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await accepted(pilot, app)
        screen.show_only(Shown("all"))
        await at(pilot, screen, 3)
        assert "p promotes “about stop”, this quote's entry; “about port” can be too." in frame(app)
        await pilot.press("p")
        await until(pilot, lambda: idle(app) and stage(path, "stop") == "verified")
        assert stage(path, "port") == "candidate"
        await until(pilot, lambda: shown(screen) and NAMED in frame(app))
        await pilot.press("p")
        await until(pilot, lambda: idle(app) and stage(path, "port") == "verified")
        await until(pilot, lambda: "Nothing blocks" not in frame(app))


async def test_nothing_is_promoted_while_the_chosen_quote_is_still_read(tmp_path: Path) -> None:
    path = fill(tmp_path / "two.db", MESSAGES, entry("port", ALIGNED, NEAR), entry("stop", KOREAN))
    app = app_on(path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await accepted(pilot, app)
        screen.show_only(Shown("all"))
        await at(pilot, screen, 3)
        screen.view.show(None)  # as before it is read
        screen.changed()
        await pilot.pause()
        assert "Nothing blocks “about port” any more." in frame(app), "its own entry may be ready: the key is for none"
        await pilot.press("p")
        await until(pilot, lambda: told(app, "still being read"))
        assert (stage(path, "port"), stage(path, "stop")) == ("candidate", "candidate")


async def test_what_is_on_its_way_to_disk_is_waited_for(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await accepted(pilot, app)
        await settled(pilot, app, screen)
        screen.reviewing.pending.add(99)
        await pilot.press("p")
        await until(pilot, lambda: told(app, "Your decision is still being written."))
        assert stage(review, "port") == "candidate"


async def test_a_question_comes_before_it(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await accepted(pilot, app)
        await until(pilot, lambda: screen.chosen_id == 3 and shown(screen))
        await pilot.press("a", "p")
        assert screen.view.asking
        assert "p promotes" not in frame(app)
        await until(pilot, lambda: idle(app) and told(app, "1 flagged"))
        assert stage(review, "port") == "candidate"
        await pilot.press("escape")
        assert NAMED in frame(app)


@pytest.mark.parametrize("keys", [("u",), ("x", "enter")])
async def test_what_is_not_ready_any_more_is_not_offered(review: Path, keys: tuple[str, ...]) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        screen = await accepted(pilot, app)
        screen.show_only(Shown("aligned"))
        await at(pilot, screen, 1)
        await pilot.press(*keys)
        await until(pilot, lambda: idle(app) and "Nothing blocks" not in frame(app))
    assert stage(review, "port") == "candidate"


async def test_what_somebody_blocked_meanwhile_is_told_and_not_promoted(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await accepted(pilot, app)
        with open_store(review, write=True) as store:
            reject(store, "kim", 1, "made up")
        await settled(pilot, app, screen)
        await pilot.press("p")
        await until(pilot, lambda: idle(app) and told(app, "“about port”: Evidence alignment failed"))
    assert stage(review, "port") == "candidate"


async def test_it_is_offered_where_nothing_is_left_to_decide(tmp_path: Path) -> None:
    path = fill(tmp_path / "last.db", MESSAGES, entry("port", ALIGNED, FLAGGED))
    app = app_on(path)
    async with app.run_test(size=SMALL) as pilot:
        screen = await accepted(pilot, app)
        await until(pilot, lambda: not screen.quotes.total and "Nothing is left to decide" in frame(app))
        assert "p promote" in frame(app)
        await pilot.press("p")
        await until(pilot, lambda: idle(app) and stage(path, "port") == "verified")


@pytest.mark.parametrize(("marks", "line"), [(("A",), "2 entries can be promoted now: f aligned"), (("space",), NAMED)])
async def test_of_several_decided_at_once(tmp_path: Path, marks: tuple[str, ...], line: str) -> None:
    path = fill(tmp_path / "two.db", MESSAGES, entry("port", ALIGNED), entry("stop", KOREAN))
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        screen.show_only(Shown("all"))
        await at(pilot, screen, 1)
        await pilot.press(*marks, "a")
        await until(pilot, lambda: idle(app) and "accepted" in screen.list.said and shown(screen))
        screen.show_only(Shown("failed"))
        await until(pilot, lambda: idle(app) and not screen.quotes.total)
        assert line in frame(app)
        await pilot.press("p")
        await until(pilot, lambda: idle(app))
    assert (stage(path, "port"), stage(path, "stop")) == ("verified" if line == NAMED else "candidate", "candidate")


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("own", ["", "이 인용문의 항목 " * 9])
def test_a_long_name_is_cut_and_the_key_is_not(width: int, own: str) -> None:
    told = draw_ready(("a long name " * 9,), own, width, UNICODE, by_key=True).plain
    assert "p promotes" in told
    assert cell_len(told) <= max(width - 2, 75)
    assert draw_ready(("x",), own and "y", width, ASCII, by_key=True).plain.isascii()


def test_a_hostile_name_is_inert() -> None:
    for text in few():
        assert_inert_text(draw_ready((text,), text, 80, UNICODE, by_key=True).plain)
