"""Hostile text through every part of the workbench: nothing crashes, and no control character reaches the screen."""

from __future__ import annotations

import json
import re
from pathlib import Path

from textual.events import Paste

from core.errors import add_resolution, occurrences_of, show_case
from core.errors.cases import Name, observe
from core.store import open_store
from tests.tui.support import NOW, app_on, frame, until
from tui.app import CasebookApp
from tui.panes.errors.queries import Read
from tui.panes.messages import PaneCopied
from tui.widgets.row_list import RowList

GIVEN = Path(__file__).parents[1] / "data" / "hostile.jsonl"

MARKUP = (
    "[/foo] [bold",
    "ERROR [date] [/usr/lib/x.py]",
    "[link=https://x.invalid]click[/link]",
    "[red]oops[/red]\\",
    "[@click=app.quit]quit[/]",
    "[@click=app.perform('app.quit')]x[/]",
    "$cb-accent [$primary]x[/] {0} %s ${HOME}",
    "[[[[[[[[[[[[",
)
CONTROLS = (
    "\x1b]52;c;ZXZpbA==\x07 after",
    "\x1b[2J\x1b[H wiped",
    "\x1b]0;title\x07\x1b[31mred\x1b[0m",
    "\x9b31m c1 \x9d52;c;x\x9c",
    "nul\x00 bel\x07 bs\x08 vt\x0b ff\x0c del\x7f",
    "one\rtwo\r\nthree\u2028four\x85five",
    "\u202egnp.exe\u202c \u2066iso\u2069 zero\u200bwidth\ufeff",
    "lone \ud83d surrogate \udc00",
    "nonchar \ufffe \U0001ffff tag \U000e0041",
)
WIDTHS = (
    "가나다라마바사 " * 30,
    "👩‍👩‍👧‍👦 🇰🇷 ✈️ 각",
    "z" + "\u0301" * 5_000,
    "\t" * 300 + "far right",
    "x" * 100_000,
    "한" * 50_000,
    " \u00a0\u3000 ",
)
INJECTIONS = (
    "'; DROP TABLE error_kb; --",
    '" OR 1=1 NEAR(a b) AND NOT * ^ -col:x',
    "100% _under_ \\ LIKE",
    "column:value* (unclosed",
    "```\n# not closed **bold `code\n| a | b |",
)


def given() -> tuple[str, ...]:
    """The project's shared corpus, where it is there."""
    if not GIVEN.exists():
        return ()
    lines = (json.loads(line) for line in GIVEN.read_text(encoding="utf-8").split("\n") if line.strip())
    return tuple(line["text"] if isinstance(line, dict) else str(line) for line in lines)


CORPUS = (*MARKUP, *CONTROLS, *WIDTHS, *INJECTIONS, *given())


def fill(path: Path) -> int:
    """A case for each text, in which everything that can be foreign is."""
    with open_store(path, write=True, create=True) as store, store.transaction() as con:
        for number, given_text in enumerate(CORPUS):
            text = given_text.encode("utf-8", "replace").decode()  # SQLite keeps no lone surrogate
            name = Name(f"{text[:300]}", f"{number} {text[:150]}", f"{number}:{text[:60]}", text[:40])
            case_id = observe(
                con, name, session_id=None, message_idx=None, tool=text[:40], project=text[:80],
                ts="2026-03-01T00:00:00.000Z", raw=f"before\n{text}\nafter",
            )  # fmt: skip
            add_resolution(
                con, case_id, None, f"{text}\nfix", resolved_by=text[:60], tool_sequence=(text[:50], text[:50]),
                author=text[:40], session_id=text[:60], message_ids=(1,), ts="2026-03-01T00:00:00.000Z",
            )  # fmt: skip
    return len(CORPUS)


DANGEROUS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def assert_inert(app: CasebookApp) -> None:
    """No character on the screen may do anything to a terminal."""
    found = DANGEROUS.search(frame(app))
    assert found is None, ascii(found)


async def test_every_text_is_shown_inert_in_the_list(tmp_path: Path) -> None:
    many = fill(tmp_path / "hostile.db")
    app = app_on(tmp_path / "hostile.db", name="[/red]\x1b[2J name")
    async with app.run_test(size=(60, 24), notifications=True, tooltips=True) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total == many and app.errors.case.read)
        await pilot.press("down")
        while app.errors.results.rows.chosen < many - 1:
            await pilot.press("pagedown")
            assert_inert(app)


async def test_every_text_is_shown_inert_in_the_case(tmp_path: Path) -> None:
    many = fill(tmp_path / "hostile.db")
    app = app_on(tmp_path / "hostile.db")
    async with app.run_test(size=(120, 40), notifications=True, tooltips=True) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total == many and app.errors.case.read)
        with open_store(tmp_path / "hostile.db") as store:
            for case_id in range(1, many + 1):
                case, seen = show_case(store, case_id), occurrences_of(store, case_id, 1)
                assert case is not None
                app.errors.case.show(Read(case, seen[0]), None)
                await pilot.pause()
                assert_inert(app)
        assert app.is_running


async def test_hostile_text_can_be_searched_for_and_explained(tmp_path: Path) -> None:
    fill(tmp_path / "hostile.db")
    app = app_on(tmp_path / "hostile.db")
    async with app.run_test(size=(160, 24), notifications=True, tooltips=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        for text in (*MARKUP, *CONTROLS, *WIDTHS, *INJECTIONS, *given()[::4]):
            app.errors.box.ask(text)
            await pilot.pause()
            while app.jobs.busy("search"):
                await pilot.pause(0.01)
            assert_inert(app)
        assert app.is_running


async def test_every_text_can_be_pasted_and_is_kept_as_it_came(tmp_path: Path) -> None:
    fill(tmp_path / "hostile.db")
    app = app_on(tmp_path / "hostile.db")
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        for text in CONTROLS:
            app.errors.box.ask("")
            app.errors.box.post_message(Paste(f"first\n{text}"))
            wanted = f"first\n{text}".replace("\r\n", "\n").replace("\r", "\n")
            await until(pilot, lambda wanted=wanted: app.errors.box.asked == wanted)
            await until(pilot, lambda: not app.jobs.busy("search"))
            assert_inert(app)


async def test_every_text_is_inert_in_a_toast(tmp_path: Path) -> None:
    app = app_on(tmp_path / "none.db")
    async with app.run_test(size=(100, 200), notifications=True, tooltips=True) as pilot:
        for first in range(0, len(CORPUS), 15):
            for text in CORPUS[first : first + 15]:
                app.say(text)
            await pilot.pause()
            assert_inert(app)
            app.clear_notifications()


async def test_every_text_is_clean_on_the_clipboard(tmp_path: Path) -> None:
    app = app_on(tmp_path / "none.db")
    async with app.run_test(size=(100, 30)) as pilot:
        for text in CORPUS:
            app.on_pane_copied(PaneCopied("fix", text))
            assert not DANGEROUS.search(app.clipboard.replace("\t", " "))
        await pilot.pause()


async def test_a_click_on_hostile_markup_does_nothing(tmp_path: Path) -> None:
    path = tmp_path / "click.db"
    text = "[@click=app.quit]quit[/] [@click=app.perform('app.quit')]now[/]"
    with open_store(path, write=True, create=True) as store, store.transaction() as con:
        name = Name(text, text, text, text)
        case_id = observe(con, name, session_id=None, message_idx=None, tool=None, project=None, ts=NOW.isoformat())
        add_resolution(con, case_id, None, text, author="x", ts=NOW.isoformat())
    app = app_on(path)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        lines = frame(app).split("\n")
        spots = [(line.index("@click"), y) for y, line in enumerate(lines) if "@click" in line]
        assert len(spots) >= 2
        for spot in spots:
            await pilot.click(offset=spot)
        assert app.is_running
        assert isinstance(app.errors.results.rows, RowList)
