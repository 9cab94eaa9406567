"""The history of decisions about quotes: which quote, where it stood before and after, and Enter leads to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from core.align import ExtractedEntry, ExtractedQuote, Span
from core.errors.curation.decisions import mark_noise, verify
from core.errors.curation.history import Changed, ChangedQuote
from core.errors.curation.transaction import look
from core.evidence import accept, add_entries, align_session, choose, reject, reject_all
from core.evidence.review.queue import QuoteFilters, list_quotes, rank_of_quote
from core.store import open_store
from tests.core.evidence.evidence_support import FLAGGED, MESSAGES, SESSION, entry
from tests.tui.corpus import CORPUS, assert_inert, assert_inert_text, few
from tests.tui.panes.evidence.support import SMALL, WIDE, fill, one_of_each, shown
from tests.tui.support import NOW, app_on, frame, make_casebook, told, until
from tui.panes.errors.history import HistoryScreen
from tui.panes.errors.triage import TriageScreen
from tui.panes.evidence.queries import PAGE, QuoteFilter
from tui.panes.evidence.screen import EvidenceScreen
from tui.panes.library.screen import LibraryScreen
from tui.panes.rules.screen import RulesScreen
from tui.render.common.glyphs import ASCII, UNICODE
from tui.render.curation import draw_change, draw_changed
from tui.render.history import draw_about, draw_quotes
from tui.shell.app import CasebookApp

QUOTE = ChangedQuote(
    4, "배포 스크립트는 PORT 값을 읽지 못하면 멈춥니다.", "ent-4", "배포가 멈추는 까닭", SESSION,
    "2026-10-12T08:00:00.000Z", "/home/mina/work/weather", 2, 14, "message 2 → 14",
)  # fmt: skip
CHANGE = Changed(
    8, "2026-03-14T08:55:00.000Z", "김미나", f"accept the quote: {QUOTE.quote}", (), (), None, None, (QUOTE,)
)


@pytest.fixture
def review(tmp_path: Path) -> Path:
    """Two cases' decisions, then four quotes': 1 moved, 4 chosen among two, 5 rejected, 3 accepted and taken back."""
    path = one_of_each(make_casebook(tmp_path / "review.db"))
    with open_store(path, write=True) as store:
        verify(store, "mina", [look(store.con, 2)])
        mark_noise(store, "mina", [look(store.con, 3)])
        accept(store, "mina", 1, [Span(4, 0, len(MESSAGES[4]))], confirmed=True)
        choose(store, "mina", 4, 2)
        reject(store, "mina", 5, "made up")
        accept(store, "mina", 3, confirmed=True)
    return path


async def opened(pilot: Pilot[None], app: CasebookApp) -> HistoryScreen:
    await until(pilot, lambda: app.errors.case.read)
    await pilot.press("escape", "C")
    await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and app.screen._changes.total)
    screen = app.screen
    assert isinstance(screen, HistoryScreen)
    return screen


def at_quote(app: CasebookApp, evidence_id: int) -> bool:
    """Whether the Evidence pane shows this quote, chosen in a list that is on the screen."""
    screen = app.screen
    if not isinstance(screen, EvidenceScreen) or screen.chosen_id != evidence_id or not shown(screen):
        return False
    rows, at = screen.list.rows, screen.list.rows.chosen
    return rows.region.height > 0 and 0 <= at - round(rows.scroll_y) < rows.size.height


@pytest.mark.parametrize("size", [SMALL, WIDE, (200, 50)], ids=str)
async def test_a_row_names_the_quote_its_entry_its_session_and_its_places(review: Path, size: tuple[int, int]) -> None:
    app = app_on(review)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        rows = frame(app)
        assert f"● {FLAGGED[1][:12]}" in rows, "the sign of the act, then what it is about"
        for place in ("stays in message 4", "not found → rejected", "several locations →"):
            assert place in rows
        assert SESSION[:8] in rows
        await pilot.press("G", "k", "k")
        assert "message 1 → 4" in frame(app)
        assert "about port" in " ".join(frame(app).split())
        assert "verify the fix" in frame(app), "of a case what was done to it"


async def test_enter_leads_to_the_quote_whichever_filter_lists_it_and_esc_back_to_the_history(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=SMALL) as pilot:
        history = await opened(pilot, app)
        for row, (quote, name) in enumerate([(3, "accepted"), (5, "rejected"), (4, "accepted"), (1, "accepted")]):
            await until(pilot, lambda: app.screen is history and history._changes.total == 6)
            assert history._list.chosen == max(0, row - 1), "where one was"
            await pilot.press("home", *("j",) * row, "enter")
            await until(pilot, lambda quote=quote: at_quote(app, quote))
            screen = app.screen
            assert isinstance(screen, EvidenceScreen)
            assert screen.quote_filter == QuoteFilter(name)  # pyright: ignore[reportArgumentType]
            await pilot.press("escape")
        await until(pilot, lambda: app.screen is history)
        await pilot.press("escape")
        await until(pilot, lambda: len(app.screen_stack) == 1)


async def test_what_is_taken_back_is_led_to_among_those_to_decide(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press("u")
        await until(pilot, lambda: "undone · " in frame(app))
        await pilot.press("enter")
        await until(pilot, lambda: at_quote(app, 3))
        screen = app.screen
        assert isinstance(screen, EvidenceScreen)
        assert screen.quote_filter == QuoteFilter()


async def test_what_is_decided_where_it_led_stands_in_the_history_then(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        history = await opened(pilot, app)
        await pilot.press("j", "enter")
        await until(pilot, lambda: at_quote(app, 5))
        await pilot.press("u")  # the newest of mine: quote 3
        await until(pilot, lambda: not app.jobs.busy("curate"))
        with open_store(review, write=True) as store:
            reject(store, "ben", 2, "no")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is history and history._changes.total == 7)
        chosen = history._changes.get(history._list.chosen)
        assert chosen is not None
        assert chosen.change.quotes[0].id == 5, "the chosen one stays chosen though others came above it"


async def test_from_the_evidence_the_history_leads_into_the_pane_that_is_there(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("alt+2")
        await until(pilot, lambda: isinstance(app.screen, EvidenceScreen) and shown(app.screen))
        evidence = app.screen
        await pilot.press("C")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and app.screen._changes.total)
        await pilot.press("j", "enter")
        await until(pilot, lambda: at_quote(app, 5))
        assert app.screen is evidence
        assert len(app.screen_stack) == 2


@pytest.mark.parametrize(("key", "pane"), [("alt+1", None), ("alt+4", LibraryScreen)])
async def test_another_pane_leaves_the_history_behind(review: Path, key: str, pane: type | None) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press("enter")
        await until(pilot, lambda: at_quote(app, 3))
        await pilot.press(key)
        if pane is not None:
            await until(pilot, lambda: isinstance(app.screen, pane))
            await pilot.press("alt+1")
        await until(pilot, lambda: len(app.screen_stack) == 1)


async def test_a_quote_that_is_gone_says_so_in_one_line(review: Path) -> None:
    with open_store(review, write=True) as store, store.transaction() as con:
        con.execute("DELETE FROM alignment WHERE evidence_id = 3")
        con.execute("DELETE FROM evidence WHERE id = 3")
        con.execute("DELETE FROM entry WHERE id = 'manifest'")
    app = app_on(review)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        history = await opened(pilot, app)
        assert "gone · unknown → message 4" in frame(app)
        assert "The quote and its entry manifest were deleted." in frame(app)
        await pilot.press("enter")
        await until(pilot, lambda: told(app, "This quote was deleted"))
        assert app.screen is history


async def test_one_that_goes_meanwhile_is_told_in_the_pane(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await opened(pilot, app)
        with open_store(review, write=True) as store, store.transaction() as con:
            con.execute("DELETE FROM alignment WHERE evidence_id = 3")
            con.execute("DELETE FROM evidence WHERE id = 3")
        await pilot.press("enter")
        await until(pilot, lambda: "This quote was deleted" in frame(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen))


@pytest.mark.parametrize("size", [SMALL, WIDE], ids=str)
async def test_enter_on_a_case_leads_to_the_case_listed_or_not(review: Path, size: tuple[int, int]) -> None:
    app = app_on(review)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        await pilot.press("G", "enter")
        await until(pilot, lambda: app.errors.case.read is not None and app.errors.case.read.case.id == 2)
        await until(pilot, lambda: app.errors.focus_part == "case")
        app.errors.results.load(replace(app.errors.results.scope, tool="psql"))
        await until(pilot, lambda: app.errors.results.rows.rows.total == 1)
        await pilot.press("C")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and app.screen._changes.total)
        await pilot.press("G", "k", "enter")
        await until(pilot, lambda: app.errors.case.read is not None and app.errors.case.read.case.id == 3)
        assert app.errors.focus_part == "case"
        assert app.errors.case.region.height > 0


@pytest.mark.parametrize(("key", "pane"), [("q", ""), ("escape", ""), ("q", "3")])
async def test_the_way_back_from_a_case_is_the_change_that_it_was_opened_from(
    review: Path, key: str, pane: str
) -> None:
    app = app_on(review)
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("escape")
        if pane:
            await pilot.press(pane)
            await until(pilot, lambda: isinstance(app.screen, RulesScreen))
        await pilot.press("C")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and app.screen._changes.total)
        await pilot.press("G", "enter")
        await until(pilot, lambda: app.errors.focus_part == "case" and len(app.screen_stack) == 1)
        await until(pilot, lambda: "esc back" in frame(app))
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and app.screen._changes.total)
        screen = app.screen
        assert isinstance(screen, HistoryScreen)
        assert screen._list.chosen == screen._changes.total - 1, "at the change that one was at"
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, RulesScreen) if pane else app.screen is app.errors)
        assert app.return_code is None, "q has not quit"


async def test_from_the_queue_a_case_is_led_to_past_the_queue_and_one_that_is_gone_is_told(review: Path) -> None:
    app = app_on(review)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("escape", "T")
        await until(pilot, lambda: isinstance(app.screen, TriageScreen) and app.screen.case.read)
        await pilot.press("C")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and app.screen._changes.total)
        history = app.screen
        assert isinstance(history, HistoryScreen)
        history._list.rows.entries = tuple(  # pyright: ignore[reportAttributeAccessIssue]
            replace(one, change=replace(one.change, cases=(99,), quotes=())) for one in history._changes.entries[:1]
        )
        await pilot.press("enter")
        await until(pilot, lambda: told(app, "This case was deleted."))
        history._load()
        await until(pilot, lambda: history._changes.total == 6)
        await pilot.press("G", "enter")
        await until(pilot, lambda: len(app.screen_stack) == 1 and app.errors.focus_part == "case")


async def test_a_quote_far_down_a_long_list_is_chosen_in_its_session(tmp_path: Path) -> None:
    path = fill(tmp_path / "many.db", MESSAGES, *(entry(f"e{at}", (0, f"nobody wrote {at}")) for at in range(PAGE + 9)))
    with open_store(path, write=True) as store:
        last = PAGE + 9
        reject_all(store, "mina", [(one, "failed") for one in range(1, last + 1)], "none")
        assert rank_of_quote(store, last, QuoteFilters(("rejected",))) == last - 1
        assert rank_of_quote(store, last, QuoteFilters(("rejected",), session="another")) == 0
        before = [one.id for one in list_quotes(store, QuoteFilters(("rejected",)), PAGE).quotes]
        assert last not in before
        accept(store, "mina", last, [Span(4, 0, 70)], confirmed=True)
        reject(store, "mina", last, "no")
    app = app_on(path)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("alt+2")
        await until(pilot, lambda: isinstance(app.screen, EvidenceScreen) and app.screen.quotes.read)
        await pilot.press("C")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and app.screen._changes.total)
        assert "509 quotes" in frame(app)
        await pilot.press("enter")
        await until(pilot, lambda: at_quote(app, last))
        screen = app.screen
        assert isinstance(screen, EvidenceScreen)
        assert screen.quote_filter == QuoteFilter("rejected", session=SESSION)


def test_a_row_keeps_its_width_in_korean_and_plain_ascii_has_no_signs_of_its_own() -> None:
    gone, many = replace(QUOTE, gone=True), replace(CHANGE, quotes=(QUOTE, QUOTE), more_quotes=20)
    for one in (CHANGE, many, replace(CHANGE, quotes=(gone,)), replace(CHANGE, quotes=(), what=("배포 " * 40,))):
        for width in range(1, 210):
            for signs in (UNICODE, ASCII):
                line = draw_change(one, "done", width, signs, NOW, chosen=True).plain
                assert "\n" not in line
                assert width < 16 or cell_len(line) <= width, (width, line)
    plain = replace(CHANGE, title="accept", actor="mina", quotes=(replace(QUOTE, quote="stays", entry="port"),))
    assert draw_change(plain, "done", 80, ASCII, NOW, chosen=True).plain.isascii()
    assert draw_changed(plain, "done", ASCII).plain.isascii()
    assert "message 2 -> 14" in draw_about(plain, 80, ASCII).plain
    assert "“배포" in draw_about(many, 80, UNICODE).plain
    assert "and 21 more" in draw_about(many, 80, UNICODE).plain
    assert draw_about(many, 20, UNICODE).plain.startswith("22 quotes"), "no room for the words of one"


def test_every_text_is_inert_in_a_row_and_whole() -> None:
    for text in CORPUS:
        quote = replace(QUOTE, quote=text, entry_id=text, entry=text, session=text, started=text, project=text)
        for one in (quote, replace(quote, gone=True)):
            change = replace(CHANGE, title=text, actor=text, quotes=(one, one), what=(text,))
            for drawn in (
                draw_about(change, 78, UNICODE), draw_quotes(change, ASCII), draw_changed(change, "done", UNICODE)
            ):  # fmt: skip
                assert_inert_text(drawn.plain)


async def test_hostile_quotes_and_entries_are_inert_in_the_history(tmp_path: Path) -> None:
    texts = [text for text in few(1) if 0 < len(text) < 5_000 and text.strip()]
    entries = [ExtractedEntry(text, text, text, (ExtractedQuote(0, text),)) for text in texts]
    path = fill(tmp_path / "hostile.db", MESSAGES)
    with open_store(path, write=True) as store:
        add_entries(store, SESSION, entries)
        align_session(store, SESSION)
        for one in list_quotes(store, limit=200).quotes:
            reject(store, one.quote[:40], one.id, one.quote)
    app = app_on(path)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("alt+2")
        await until(pilot, lambda: isinstance(app.screen, EvidenceScreen) and app.screen.quotes.read)
        await pilot.press("C")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and app.screen._changes.total)
        for _ in range(0, len(texts), 4):
            await pilot.press("j", "j", "j", "j")
            assert_inert(app)


async def test_one_change_is_not_told_as_several(casebook: Path) -> None:
    with open_store(casebook, write=True) as store:
        verify(store, "ben", [look(store.con, 2)])
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        history = await opened(pilot, app)
        assert str(history._list.border_subtitle) == "1 change"
