"""The line of keys is of the pane and the part that are there; the mouse does what the keys do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual.events import MouseScrollDown

from tests.tui.support import app_on, frame, until
from tui.actions.action import Around, Situation
from tui.actions.registry import footer
from tui.panes.errors.actions import ErrorsNow
from tui.panes.evidence.actions import EvidenceNow
from tui.panes.library.actions import LibraryNow
from tui.panes.rules.screen import RulesScreen
from tui.runtime.messages import PaneChanged
from tui.widgets.workbench import TopBar, draw_footer


@pytest.mark.parametrize("width", [80, 60, 40, 20])
@pytest.mark.parametrize("focus", ["box", "list", "case", "why"])
def test_the_footer_fits_and_never_cuts_help(width: int, focus: str) -> None:
    now = ErrorsNow(focus, 5, 5, "x", case_open=True, has_fix=True, raw_clipped=True, seen_older=True)
    line = draw_footer(footer(now), width).plain
    assert len(line) <= width
    assert line.rstrip().endswith("help")


def test_the_footer_names_the_way_out_of_a_text_and_of_a_visit() -> None:
    def offered(now: Situation) -> list[tuple[str, str]]:
        return [(action.id, key) for action, key in footer(now)]

    here = LibraryNow("library", 5, library=True)
    assert ("case.back", "escape") not in offered(here)
    assert ("app.quit", "q") in offered(here)
    assert ("case.back", "escape") in offered(replace(here, around=Around(text="case")))
    visit = offered(replace(here, around=Around(visiting=True)))
    assert ("visit.back", "q") in visit
    assert ("app.quit", "ctrl+q") in visit, "q is offered once"


def test_an_empty_library_offers_an_ingest_alone() -> None:
    offered = {action.id for action, _ in footer(LibraryNow("library", 0, library=True, empty=True))}
    assert "library.ingest" in offered and not offered & {"library.ask", "library.mode", "list.filter", "list.why"}
    loading = {action.id for action, _ in footer(LibraryNow("library", 0, library=True))}
    assert "library.ask" in loading, "a question may be asked before the documents are listed"


def test_keys_about_cases_are_offered_once_the_first_import_has_found_one() -> None:
    def offered(empty: bool) -> set[str]:
        now = ErrorsNow("list", 0 if empty else 3, around=Around(importing=True, empty=empty))
        return {action.id for action, _ in footer(now)} & {"triage.open", "undo.last"}

    assert not offered(empty=True)
    assert offered(empty=False) == {"triage.open", "undo.last"}


def test_keys_about_a_quote_are_not_offered_without_one() -> None:
    offered = {action.id for action, _ in footer(EvidenceNow("evidence", filtered=True))}
    assert not offered & {"evidence.next", "list.why"}
    assert "evidence.next" in {action.id for action, _ in footer(EvidenceNow("evidence", 1))}


async def test_the_mouse_focuses_scrolls_chooses_and_opens(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(120, 20)) as pilot:
        await until(pilot, lambda: app.errors.case.read and app.errors.results.rows.rows.total == 5)
        await pilot.click("#rows", offset=(4, 2))
        await until(pilot, lambda: app.errors.results.rows.chosen == 2)
        assert app.focused is app.errors.results.rows
        await pilot.click("#rows", offset=(4, 0), times=2)
        await until(pilot, lambda: app.focused is app.errors.case)
        await pilot.click("#box")
        assert app.focused is app.errors.box
        before = app.errors.case.scroll_y
        await pilot._post_mouse_events([MouseScrollDown], "#case", button=0)
        await until(pilot, lambda: app.errors.case.scroll_y > before)
        await pilot.click("#keys", offset=(app.size.width - 3, 0))
        await until(pilot, lambda: len(app.screen_stack) == 2)


async def test_the_footer_is_of_the_pane_that_is_there_however_one_came(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(120, 20)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("escape")
        await until(pilot, lambda: " y copy fix" in frame(app))
        before = frame(app).splitlines()[-1]
        await pilot.press("alt+3")
        await until(pilot, lambda: isinstance(app.screen, RulesScreen))
        for number, offered_there in ((3, " i ingest"), (0, " y copy fix"), (3, " i ingest")):
            bar = app.screen.query_one(TopBar)
            await pilot.click(bar, offset=(bar.tab_places[number][0] + 1, 0))
            await until(pilot, lambda there=offered_there: there in frame(app).splitlines()[-1])
        app.errors.post_message(PaneChanged())  # something beneath goes on: it is not told here
        await pilot.pause()
        assert " i ingest" in frame(app).splitlines()[-1]
        app.errors.footer.situation = Situation()  # what it was told last does not hold any more
        await pilot.press("alt+1")
        await until(pilot, lambda: frame(app).splitlines()[-1] == before)
