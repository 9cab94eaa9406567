"""The tables of the Rules pane, and its empty list: what leads somewhere, and what is offered."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.rules.evaluation.labels import label_file, put_label
from core.rules.matching.call import ToolCall
from core.store import open_store
from tests.tui.panes.rules.support import CALLS, RULES, idle, opened, put_calls, rules_app
from tests.tui.support import frame, told, until
from tui.panes.rules.tables import TableScreen
from tui.screens.import_files import ImportScreen

WIDE = (120, 34)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


def keys(text: str) -> str:
    return text.rsplit("\n", 1)[-1]


async def test_only_a_row_that_leads_somewhere_offers_to_go_there(tmp_path: Path) -> None:
    rules, casebook = tmp_path / "memory.md", put_calls(tmp_path / "calls.db", *CALLS)
    rules.write_text(RULES, encoding="utf-8")
    put_label(label_file(casebook), ToolCall(*CALLS[-1]), "ERR-001", "right")
    app = rules_app(casebook, rules)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and "hybrid" in frame(app) and idle(app))
        assert "open" not in keys(frame(app)), "a way of matching is no place"
        await pilot.press("o")
        await until(pilot, lambda: told(app, "Nothing to open here"))
        await pilot.press("G")
        await until(pilot, lambda: "open" in keys(frame(app)))
        await pilot.press("o")
        await until(pilot, lambda: screen.calls.typing and screen.is_current)


async def test_an_empty_table_offers_nothing_to_go_to(tmp_path: Path) -> None:
    rules = tmp_path / "memory.md"
    rules.write_text(RULES.split("### ERR-002")[0], encoding="utf-8")
    app = rules_app(put_calls(tmp_path / "calls.db", *CALLS), rules)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await opened(pilot, app)
        await pilot.press("c")
        await until(pilot, lambda: "No similar rules" in frame(app))
        assert "There is only one rule. A comparison needs at least" in " ".join(frame(app).split())
        assert "1 rules" not in frame(app)
        assert "open" not in keys(frame(app))
        for key in ("enter", "o"):
            await pilot.press(key)
            await until(pilot, lambda: told(app, "No rules are similar"))
            assert not told(app, "Nothing to open here") and not told(app, "list is empty"), key
        await pilot.press("escape", "v")
        await until(pilot, lambda: "No labels yet" in frame(app) and idle(app))
        await pilot.press("enter")
        await until(pilot, lambda: told(app, "No labeled calls yet"))


async def test_rules_that_stand_alone_are_told_with_their_number(tmp_path: Path) -> None:
    rules = tmp_path / "memory.md"
    rules.write_text(RULES.split("### ERR-003")[0], encoding="utf-8")
    app = rules_app(put_calls(tmp_path / "calls.db", *CALLS), rules)
    async with app.run_test(size=(200, 50)) as pilot:
        await opened(pilot, app)
        await pilot.press("c")
        await until(pilot, lambda: "2 rules compared by words. None are similar" in frame(app))


async def test_an_empty_casebook_is_filled_from_here(tmp_path: Path) -> None:
    with open_store(tmp_path / "none.db", write=True, create=True):
        pass
    app = rules_app(tmp_path / "none.db", tmp_path / "memory.md")
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: "import agent sessions" in frame(app))
        await pilot.press("i")
        await until(pilot, lambda: isinstance(app.screen, ImportScreen) and len(app.screen_stack) == 3)
