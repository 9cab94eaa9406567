"""From a case to the library and back, citing on the way: in the fix being written, or for the one that is there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.errors import Case, show_case
from core.flows.ingest.api import ingest
from core.library.citations.store import citations_of
from core.store import open_store
from tests.tui.panes.rules.support import CALLS, RULES, opened, put_calls, rules_app
from tests.tui.support import NOW, app_on, frame, told, until
from tui.panes.errors.fix_editor import WritingScreen
from tui.panes.library.screen import LibraryScreen
from tui.services.environment import Surroundings
from tui.shell.app import CasebookApp

NOTE = """# Packages

## Installing yaml

The package of the module yaml is called pyyaml. Add it with uv, not with pip.

## Elsewhere

Nothing else is installed by hand.
"""
SIZES = [(120, 34), (80, 24)]


@pytest.fixture
def shelf(casebook: Path, tmp_path: Path) -> Path:
    """The casebook of five cases, and a library of one note about the first."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "packages.md").write_text(NOTE, encoding="utf-8")
    with open_store(casebook, write=True) as store:
        ingest(store, [docs])
    return casebook


def show_one(casebook: Path, case_id: int) -> Case:
    """The case as it is read for the pane: what it cites is looked up after it."""
    with open_store(casebook) as store:
        case = show_case(store, case_id)
    assert case is not None
    return case


def library(app: CasebookApp) -> LibraryScreen | None:
    return app.screen if isinstance(app.screen, LibraryScreen) else None


async def at_case(pilot: Pilot[None], app: CasebookApp) -> None:
    """The first case is open, and read."""
    await until(pilot, lambda: app.errors.results.rows.rows.total == 5)
    await pilot.press("escape", "enter")
    await until(pilot, lambda: app.errors.case.read is not None and app.errors.case.has_focus)


async def found(pilot: Pilot[None], app: CasebookApp) -> LibraryScreen:
    """The library has answered."""
    await until(pilot, lambda: (screen := library(app)) is not None and screen.hit is not None)
    screen = library(app)
    assert screen is not None
    return screen


@pytest.mark.parametrize("size", SIZES)
async def test_a_passage_is_cited_in_the_fix_being_written_and_opens_at_its_lines(
    shelf: Path, size: tuple[int, int]
) -> None:
    app = app_on(shelf)
    async with app.run_test(size=size, notifications=True) as pilot:
        await at_case(pilot, app)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WritingScreen))
        writing = app.screen
        assert isinstance(writing, WritingScreen)
        before = writing.area.text
        await pilot.press("f6")
        screen = await found(pilot, app)
        assert "yaml" in screen.box.query_text
        await pilot.press("c")
        await until(pilot, lambda: app.screen is writing and "packages.md#L" in writing.area.text)
        assert writing.area.text.startswith(before.rstrip()), "it stands behind what was written"
        await pilot.press("f2")
        await until(pilot, lambda: app.errors.case.cited.rows.total == 1)
        assert app.errors.case.read is not None
        (one,) = app.errors.case.read.case.citations
        assert (one.status, one.uri) == ("attached", "packages.md#L3-L5")
        assert app.errors.case.read is not None
        app.errors.case.show(replace(app.errors.case.read, case=show_one(shelf, app.errors.case.read.case.id)), None)
        assert app.errors.case.read.case.citations == (one,), "read again, it cites what it did until that is looked up"
        await pilot.press("c", "enter")
        await until(pilot, lambda: (screen := library(app)) is not None and screen.document.laid is not None)
        await until(pilot, lambda: "is called pyyaml" in frame(app))
        await pilot.press("escape")
        await until(pilot, lambda: library(app) is None)
        assert app.focused is app.errors.case.cited, "back where one was"
        await pilot.press("u")
        await until(pilot, lambda: app.errors.case.cited.rows.total == 0)


async def test_a_case_asks_the_library_and_its_fix_cites_what_was_found(shelf: Path) -> None:
    app = app_on(shelf)
    async with app.run_test(size=SIZES[0], notifications=True) as pilot:
        await at_case(pilot, app)
        await pilot.press("b")
        await found(pilot, app)
        await pilot.press("c")
        await until(pilot, lambda: told(app, "cites packages.md#L3-L5"))
        await pilot.press("escape")
        await until(pilot, lambda: library(app) is None and app.errors.case.cited.rows.total == 1)
        assert "attached" in frame(app)
        assert app.focused is app.errors.case
        (shelf.parent / "docs" / "packages.md").write_text(NOTE.replace("called pyyaml", "called ruamel"))
        with open_store(shelf, write=True) as store:
            ingest(store, [])
        await until(pilot, lambda: "1 detached" in frame(app))
        await pilot.press("u")
        await until(pilot, lambda: app.errors.case.cited.rows.total == 0)
    with open_store(shelf) as store:
        case = show_case(store, 1)
        assert case is not None
        assert citations_of(store, "resolution", str(case.resolutions[0].id)) == ()


async def test_nothing_can_be_cited_where_nobody_cites(shelf: Path) -> None:
    app = app_on(shelf)
    async with app.run_test(size=SIZES[0], notifications=True) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total == 5)
        await pilot.press("alt+4")
        await until(pilot, lambda: (screen := library(app)) is not None and screen.hits.total)
        await pilot.press("escape", "c")
        await until(pilot, lambda: told(app, "No fix is waiting for a citation"))


async def test_what_is_cited_opens_in_the_editor_at_its_line(
    shelf: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[tuple[Path, int]] = []

    def edit(_app: object, _words: list[str], path: Path, line: int) -> str:
        opened.append((path, line))
        return ""

    monkeypatch.setenv("EDITOR", "vi")
    monkeypatch.setattr("tui.panes.errors.case_view.edit_in", edit)
    app = app_on(shelf)
    async with app.run_test(size=SIZES[0], notifications=True) as pilot:
        await at_case(pilot, app)
        await pilot.press("b")
        await found(pilot, app)
        await pilot.press("c", "escape")
        await until(pilot, lambda: library(app) is None and app.errors.case.cited.rows.total == 1)
        await pilot.press("E")
        await until(pilot, lambda: opened)
        assert opened == [((tmp_path / "docs" / "packages.md").resolve(), 3)]
        (tmp_path / "docs" / "packages.md").write_text("one line\n")
        await pilot.press("E")
        await until(pilot, lambda: told(app, "line 3 not found: the file has 1 line. This is the last line"))
        assert opened[1:] == [((tmp_path / "docs" / "packages.md").resolve(), 1)]
        (tmp_path / "docs" / "packages.md").unlink()
        await pilot.press("E")
        await until(pilot, lambda: told(app, "no longer exists"))


async def test_a_rule_asks_the_library_and_esc_leads_back_to_the_rules(tmp_path: Path) -> None:
    rules = tmp_path / "rules.md"
    rules.write_text(RULES, encoding="utf-8")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "git.md").write_text("# Git\n\n## Force push\n\nNever over a shared branch: commits are lost.\n")
    path = put_calls(tmp_path / "one.db", *CALLS)
    with open_store(path, write=True) as store:
        ingest(store, [docs])
    app = rules_app(path, rules)
    async with app.run_test(size=SIZES[0], notifications=True) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: screen.rank.chosen is not None)
        await pilot.press("b")
        found_there = await found(pilot, app)
        assert "Force push" in found_there.box.query_text
        await pilot.press("c")
        await until(pilot, lambda: told(app, "No fix is waiting for a citation"))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("b")
        await until(pilot, lambda: library(app) is not None)
        await pilot.press("alt+3")
        await until(pilot, lambda: app.screen is screen)
        assert len(app.screen_stack) == 2, "the pane below is gone to, not opened once more"


async def test_a_citation_opens_in_the_workbench_from_the_command_line(shelf: Path) -> None:
    app = CasebookApp(shelf, around=Surroundings(cited="packages.md#L9"), clock=lambda: NOW)
    async with app.run_test(size=SIZES[1], notifications=True) as pilot:
        await until(pilot, lambda: (screen := library(app)) is not None and screen.document.laid is not None)
        await until(pilot, lambda: "Nothing else is installed by hand" in frame(app))
