"""The filter menu of the Library pane: values picked, a path glob of one's own typed and counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.tui.panes.library.support import idle, library_app, opened, paths, put_notes, read_notes
from tests.tui.support import NOW, frame, until
from tui.panes.common.filter_menu import FilterScreen
from tui.panes.library.screen import LibraryScreen, memory_of
from tui.runtime.state import State
from tui.services.environment import Surroundings
from tui.shell.app import CasebookApp

SMALL, LARGE = (80, 24), (200, 50)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    return read_notes(tmp_path / "library.db", put_notes(tmp_path / "notes"))


async def with_menu(pilot: Pilot[None], app: CasebookApp) -> LibraryScreen:
    """The pane, with the menu open before it."""
    screen = await opened(pilot, app)
    await pilot.press("down", "f")
    await until(pilot, lambda: isinstance(app.screen, FilterScreen) and "storage" in frame(app))
    return screen


def menu_line(app: CasebookApp, value: str) -> str:
    """What the filter menu says of this path."""
    lines = (line.partition("path     ")[2].partition("│")[0] for line in frame(app).split("\n"))
    return next((line.removeprefix(value).strip() for line in lines if line.startswith(f"{value} ")), "")


async def test_filters_are_picked_in_the_menu_shown_as_chips_and_cleared(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=LARGE) as pilot:
        screen = await with_menu(pilot, app)
        await pilot.press(*"storage", "enter")
        await until(pilot, lambda: app.screen is screen and paths(screen) == ["backup.md"])
        assert "tag storage" in frame(app)
        screen.box.ask("ledger")
        await until(pilot, lambda: screen.hit is not None and idle(app))
        assert set(paths(screen)) == {"backup.md"}
        await pilot.press("F")
        await until(pilot, lambda: "src/cranes.py" in paths(screen))


async def test_a_value_that_is_typed_whole_comes_before_one_that_only_contains_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    notes = put_notes(tmp_path / "notes")
    for at in range(3):
        (notes / "shop-ko").mkdir(exist_ok=True)
        (notes / "shop-ko" / f"{at}.md").write_text(f"# 주문 {at}\n\n결제가 늦으면 다시 시도한다.\n", encoding="utf-8")
    app = library_app(read_notes(tmp_path / "library.db", notes))
    async with app.run_test(size=LARGE) as pilot:
        screen = await with_menu(pilot, app)
        await until(pilot, lambda: menu_line(app, "shop-ko/**") == "3")
        await pilot.press("k", "o", "enter")
        await until(pilot, lambda: app.screen is screen and screen.searching.scope.picked == (("lang", "ko"),))


async def test_a_glob_of_ones_own_is_typed_in_the_menu_counted_and_picked(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=LARGE) as pilot:
        screen = await with_menu(pilot, app)
        await pilot.press(*"s?c/*.p*")
        await until(pilot, lambda: menu_line(app, "s?c/*.p*") == "1")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen and paths(screen) == ["src/cranes.py"])
        assert "path s?c/*.p*" in frame(app)
        assert screen.searching.filters.path_glob == "s?c/*.p*"
        await pilot.press("f")
        await until(pilot, lambda: menu_line(app, "s?c/*.p*") == "1")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen and len(paths(screen)) == 3)


async def test_a_glob_that_lets_nothing_pass_says_so_in_the_menu_and_in_the_list(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=SMALL) as pilot:
        screen = await with_menu(pilot, app)
        await pilot.press(*"docs/*.rst")
        await until(pilot, lambda: menu_line(app, "docs/*.rst") == "no document")
        await pilot.press("enter")
        await until(pilot, lambda: "No documents match the filters" in frame(app))
        assert "3 documents are hidden by path docs/*.rst" in frame(app)
        await pilot.press("F")
        await until(pilot, lambda: len(paths(screen)) == 3)


async def test_what_is_typed_to_narrow_the_menu_down_is_no_glob_before_its_values(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=LARGE) as pilot:
        screen = await with_menu(pilot, app)
        await pilot.press(*"src/")
        await until(pilot, lambda: menu_line(app, "src/") == "no document")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen and paths(screen) == ["src/cranes.py"])
        assert screen.searching.filters.path_glob == "src/**"


async def test_an_active_filter_is_shown_after_a_restart_also_over_a_document(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=SMALL) as pilot:
        screen = await with_menu(pilot, app)
        await pilot.press(*"storage", "enter")
        await until(pilot, lambda: app.screen is screen and paths(screen) == ["backup.md"])
        left = State(pane="errors", panes={"library": memory_of(screen)})
    again = CasebookApp(library, around=Surroundings(state=left), clock=lambda: NOW)
    async with again.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, again)
        assert "Search library  tag storage" in frame(again)
        await pilot.press("down", "enter")
        await until(pilot, lambda: screen.document.has_focus and "How the harbour keeps its logs" in frame(again))
        assert "Documents" not in frame(again), "the document covers the list"
        assert "Search library  tag storage  F clears" in frame(again)
        await pilot.press("F")
        await until(pilot, lambda: "tag storage" not in frame(again))
        await until(pilot, lambda: len(paths(screen)) == 3)
