"""Opens the workbench with the sixth pane in it, and uses that: run in a process of its own, as the registry of the
workbench is read once. Prints what happened, a word a step."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from pathlib import Path

NAME = "tui.actions.registry"
LAST = '    "tui.panes.insights.actions",\n'
LINE = '    "tests.tui.panes.notes.actions",\n'


def with_the_line(source: str) -> str:
    """The registry with the one line that a sixth pane takes."""
    before, found, after = source.partition(LAST)
    assert found
    return before + found + LINE + after


def register() -> None:
    """Load the registry with that line."""
    spec = importlib.util.find_spec(NAME)
    assert spec is not None and spec.origin is not None
    module = sys.modules[NAME] = importlib.util.module_from_spec(spec)
    source = with_the_line(Path(spec.origin).read_text(encoding="utf-8"))
    exec(compile(source, spec.origin, "exec"), module.__dict__)


async def use(path: Path) -> None:
    """List, search, explain, copy, filter, and come back."""
    from tests.tui.panes.notes.screen import NotesScreen, Picked
    from tests.tui.support import NOW, frame, until
    from tui.actions.registry import Wish
    from tui.panes.common.filter_menu import FilterScreen
    from tui.shell.app import CasebookApp

    app = CasebookApp(path, wishes=[Wish("notes.why", ("f9",), "c.toml:2")], clock=lambda: NOW)
    async with app.run_test(size=(120, 34), notifications=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("alt+6")
        await until(pilot, lambda: isinstance(app.screen, NotesScreen) and app.screen.list.rows.rows.total == 5)
        pane = app.screen
        assert isinstance(pane, NotesScreen)
        assert "6 Notes" in frame(app) and "f filter" in frame(app).splitlines()[-1]
        print("list")
        await pilot.press("/", *"yaml", "enter")
        await until(pilot, lambda: pane.list.rows.rows.total == 1 and app.focused is pane.list.rows)
        print("search")
        await pilot.press("f9")
        await until(pilot, lambda: "1 of 5 notes have the words" in frame(app))
        print("why")
        await pilot.press("y")
        await until(pilot, lambda: "yaml" in app.clipboard)
        print("copy")
        await pilot.press("escape", "f")
        await until(pilot, lambda: isinstance(app.screen, FilterScreen))
        await pilot.press(*"draft", "enter")
        await until(pilot, lambda: app.screen is pane and pane.picked == Picked("draft"))
        await until(pilot, lambda: pane.list.rows.rows.total == 1 and "fetchOrders" in frame(app))
        print("filter")
        await pilot.press("F")
        await until(pilot, lambda: pane.list.rows.rows.total == 5)
        await pilot.press("f1")
        await until(pilot, lambda: "In the notes" in frame(app))
        print("help")


if __name__ == "__main__":
    register()
    asyncio.run(use(Path(sys.argv[1])))
