"""Hostile text through everything that covers the workbench or stands at its edges."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets import Input, OptionList

from core.base.fault import Fault
from core.base.trace import Step
from core.flows.transcripts.report import ImportReport, SkippedLine
from core.store import open_store
from tests.tui.corpus import (
    CORPUS,
    STORED,
    assert_inert,
    assert_inert_text,
    assert_literal,
    drawn,
    few,
    is_literal,
    letters,
    of_kinds,
)  # fmt: skip
from tests.tui.support import app_on, frame, put, until
from tui.panes.common.filter_menu import FilterScreen
from tui.panes.errors.queries import Scope
from tui.panes.errors.results import missing_casebook
from tui.render.case_list import draw_choice, draw_title, none_pass
from tui.render.common.amounts import report_text
from tui.render.common.empty_states import draw_notice, no_match, of_fault
from tui.render.common.glyphs import ASCII, UNICODE
from tui.render.common.untrusted import title
from tui.runtime.messages import PaneShowAll, PaneTroubled
from tui.screens.help import HelpScreen
from tui.screens.import_files import ImportScreen
from tui.screens.pager import LongText, WholeText
from tui.screens.palette import JumpScreen
from tui.screens.status import StatusScreen
from tui.shell.app import CasebookApp, crash_line
from tui.terminal.crash import crash_of
from tui.widgets.workbench import Place

CONTROLS = of_kinds("ansi", "osc52", "osc", "c1", "bidi", "zero-width", "nul", "return", "tab", "surrogate")


def cut(app: CasebookApp) -> bool:
    """Whether the lines of the long text are found."""
    return any(len(one.starts) for one in app.screen.query(LongText))


@pytest.mark.parametrize("signs", [UNICODE, ASCII])
def test_every_text_is_inert_and_itself_in_headings_chips_and_notices(signs) -> None:
    for text in CORPUS:
        assert_inert_text(title(text))
        for told in (
            draw_notice(no_match(text, 3), signs),
            draw_notice(missing_casebook(Path(text.replace("\x00", "0"))), signs),
            draw_notice(of_fault(Fault("io_error", f"no {text}", f"see {text}")), signs),
            draw_notice(none_pass((("tool", text),), 3, signs), signs),
            draw_title("Cases", (("tool", text[:24]), ("status", "draft")), signs),
            draw_choice("tool", text, 3, signs, on=True, complete=True),
        ):
            assert_inert_text(told.plain)
            if len(text) < 12 and "\x00" not in text and letters(text):
                assert_literal(text, told.plain, 4)
        skipped = (SkippedLine(text, 3, text),)
        assert_inert_text(report_text(ImportReport(1, 1, 1, 1, 1, 1, skipped)))


async def test_every_text_is_itself_in_the_first_line(tmp_path: Path) -> None:
    app = app_on(tmp_path / "none.db")
    async with app.run_test(size=(120, 20)) as pilot:
        for text in CORPUS:
            app.errors.top.place = Place(text, 5, text)
            await pilot.pause()
            assert_literal(text, drawn(app, app.errors.top), 12)


def told(text: str) -> Step:
    """A step of which every part is this text."""
    below = Step("below", "miss", text, (("name", text),), (), 0.1)
    return Step(text, "hit", text, ((text, text),), (below,), 0.2)


async def test_every_text_is_itself_in_the_trace(tmp_path: Path) -> None:
    with open_store(tmp_path / "one.db", write=True, create=True) as store:  # an empty casebook shows no trace
        put(store, "error: unit aa failed", "shell", None)
    app = app_on(tmp_path / "one.db")
    async with app.run_test(size=(200, 60)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        app.errors.add_class("-why")
        for first in range(0, len(CORPUS), 4):
            texts = CORPUS[first : first + 4]
            app.errors.why.explain(tuple(map(told, texts)))
            await pilot.pause()
            shown = drawn(app, app.errors.why)
            for text in texts:
                if not is_literal(text, shown, 12):  # the others are too long to stand beside it
                    app.errors.why.explain((told(text),))
                    await pilot.pause()
                    assert_literal(text, drawn(app, app.errors.why), 12)


async def test_every_text_is_itself_when_it_is_shown_whole(tmp_path: Path) -> None:
    """Some of every kind as a person sees them, then all others one below the other."""
    alone = few(1)
    others = [text for text in CORPUS if len(text) < 5_000]
    app = app_on(tmp_path / "none.db")
    async with app.run_test(size=(100, 60)) as pilot:
        for text in alone:
            app.on_pane_show_all(PaneShowAll(text, text))
            await until(pilot, lambda: isinstance(app.screen, WholeText) and cut(app))
            line = next((line for line in text.split("\n") if letters(line)), "")
            assert_literal(line, drawn(app, app.screen.query_one(LongText)), 12)
            app.screen.dismiss()
            await until(pilot, lambda: len(app.screen_stack) == 1)
        app.on_pane_show_all(PaneShowAll("all", "\n".join(others)))
        await until(pilot, lambda: isinstance(app.screen, WholeText) and cut(app))
        whole = app.screen.query_one(LongText)
        rows: list[str] = []
        while len(rows) < len(whole.starts):
            whole.scroll_to(y=len(rows), animate=False, force=True)
            await pilot.pause()
            seen = drawn(app, whole).split("\n")[: whole.scrollable_content_region.height]  # no scrollbar
            rows += seen[len(rows) - round(whole.scroll_y) :]
        begins = accumulate((len(text) + 1 for text in others), initial=0)
        for text, begin in zip(others, begins, strict=False):
            shown = next((at for at, sign in enumerate(text) if not sign.isspace()), 0)
            line = text.rfind("\n", 0, shown) + 1
            assert_literal(text[line:].split("\n")[0], rows[bisect_right(whole.starts, begin + line) - 1], 12)
    assert len(others) > len(CORPUS) * 0.9
    assert {text for text in STORED if len(text) >= 5_000} & set(alone)


async def test_texts_are_themselves_in_the_filter_menu_and_its_chips(tmp_path: Path) -> None:
    path = tmp_path / "values.db"
    texts = [text[:40] for text in few(2)]
    with open_store(path, write=True, create=True) as store:
        for number, text in enumerate(texts):
            put(store, f"error: {'abcdefghij'[number % 10]}{'abcdefghij'[number // 10]} failed", text, None)
    app = app_on(path)
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("down", "f")
        await until(pilot, lambda: isinstance(app.screen, FilterScreen) and not app.jobs.busy("facets"))
        lines = app.screen.query_one(OptionList)
        shown = ""
        for first in range(0, lines.option_count, 10):
            lines.scroll_to(y=first, animate=False, force=True)
            await pilot.pause()
            assert_inert(app)
            shown += drawn(app, lines)
        for text in texts:
            if text.strip():
                assert_literal(text, shown, 8)
        await pilot.press("escape")
        for text in texts:
            app.errors.results.load(Scope(tool=text, project=text))
            await until(pilot, lambda: not app.jobs.busy("rows"))
            assert_inert(app)


@pytest.mark.parametrize("keys", [("f1",), ("ctrl+p",), ("down", "f"), ("down", "i")])
async def test_no_box_takes_a_control_character_from_a_paste(casebook: Path, keys: tuple[str, ...]) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(120, 34), notifications=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press(*keys)
        await until(pilot, lambda: len(app.screen_stack) == 2 and isinstance(app.focused, Input))
        for text in few(2) if "ctrl+p" in keys else (*CONTROLS, *few(1)):  # the palette looks for each anew
            app.post_message(Paste(text))
            await pilot.pause()
            assert isinstance(app.focused, Input)
            assert_inert(app)
            assert_inert_text(app.focused.value)
            app.focused.value = ""
        await pilot.press("escape")
        await until(pilot, lambda: len(app.screen_stack) == 1)


async def test_a_casebook_with_a_hostile_path_has_a_quiet_status_and_help_and_jump(tmp_path: Path) -> None:
    folder = tmp_path / "[red]\x1b[2J\u202e\x9b31m 한글"
    folder.mkdir()
    path = folder / "[@click=app.quit] \x1b]0;t\x07.db"
    with open_store(path, write=True, create=True) as store:
        put(store, "error: unit aa failed", "shell", None)
    app = app_on(path)
    async with app.run_test(size=(120, 60), notifications=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        assert_inert(app)
        for keys, kind in (("S", StatusScreen), ("f1", HelpScreen), ("ctrl+o", JumpScreen)):
            await pilot.press("down", keys)
            await until(pilot, lambda kind=kind: isinstance(app.screen, kind))
            await until(pilot, lambda: not app.jobs.busy("doctor") and not app.jobs.busy("status"))
            assert_inert(app)
            await pilot.press("escape")
            await until(pilot, lambda: len(app.screen_stack) == 1)


async def test_a_hostile_file_to_import_and_a_hostile_fault_are_told_inert(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(120, 60), notifications=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("down", "i")
        await until(pilot, lambda: isinstance(app.screen, ImportScreen))
        app.screen.query_one(Input).value = "/nowhere/[red]\x1b]52;c;x\x07\u202e.jsonl"
        await pilot.press("enter")
        await until(pilot, lambda: "File or folder not found" in " ".join(frame(app).split()))
        assert_inert(app)
        for text in few(1):
            app.post_message(PaneTroubled(Fault("io_error", text, text)))
            await pilot.pause()
            assert_inert(app)
        assert app.is_running


async def test_nothing_has_a_tooltip_of_foreign_text(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(200, 50), tooltips=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        assert [one for one in app.screen.query("*") if one.tooltip is not None] == []


def test_what_is_told_of_a_crash_is_one_inert_line() -> None:
    for text in STORED:
        try:
            raise KeyError(text)
        except KeyError as error:
            crash = replace(crash_of(error), place=text[:80])
        line = crash_line(crash, Path("/home") / text[:80].replace("\x00", "0"))
        assert_inert_text(line)
        assert "\n" not in line
