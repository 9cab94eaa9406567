"""The problems of the rule files are rows, and Enter opens the editor at the line of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.panes.rules.support import CALLS, RULES, idle, opened, put_calls, rules_app
from tests.tui.support import frame, until
from tui.panes.rules.rule_actions import RuleActs
from tui.panes.rules.tables import TableScreen
from tui.widgets.row_list import RowList


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


async def test_a_problem_is_a_row_and_the_editor_leads_back_to_those_that_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = tmp_path / "memory.md"
    short = "### ERR-009: Short\n**Problem**: one more\n**Root Cause**: haste\n- **Solutoin**: another\n"
    twice = "### ERR-001: Twice\n**Problem**: the same id\n**Solution**: another\n"
    rules.write_text(f"{short}\n{RULES}\n{twice}", "utf-8")
    went: list[tuple[str, int]] = []

    def edit(_self: RuleActs, path: Path, line: int) -> None:
        went.append((path.name, line))
        rules.write_text(rules.read_text("utf-8").replace("Solutoin", "Solution"), "utf-8")

    monkeypatch.setattr(RuleActs, "edit", edit)
    app = rules_app(put_calls(tmp_path / "calls.db", *CALLS), rules)
    async with app.run_test(size=(120, 24)) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: screen.rank.ranked is not None and screen.rank.ranked.flaws)
        await pilot.press("p")
        await until(
            pilot, lambda: isinstance(app.screen, TableScreen) and "3 problems, 3 hints · enter opens" in frame(app)
        )
        table = frame(app)
        told = (
            "probably a mistyped Solution",
            "ERR-001 already exists",
            "ERR-009 has no Solution",
            "2 rules have no Prevention",
        )
        assert [table.index(one) for one in told] == sorted(table.index(one) for one in told), "the dearest first"
        await pilot.press("enter")
        await until(pilot, lambda: "1 problem, 3 hints · enter opens" in frame(app))
        assert went == [("memory.md", 4)]
        assert "Solutoin" not in frame(app)
        await pilot.press("j", "enter")
        await until(pilot, lambda: len(went) == 2)
        await until(pilot, lambda: "1 problem, 3 hints · enter opens" in frame(app) and idle(app))
        (rows,) = app.screen.query(RowList)
        assert rows.chosen == 1, "who was at a row stays there"
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)


async def test_the_last_problem_is_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RuleActs, "edit", lambda _self, path, _line: path.write_text(RULES, "utf-8"))
    rules = tmp_path / "memory.md"
    rules.write_text(RULES.replace("### ERR-001:", "### ERR-1:"), "utf-8")
    app = rules_app(put_calls(tmp_path / "calls.db", *CALLS), rules)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: screen.rank.ranked is not None and screen.rank.ranked.flaws)
        await pilot.press("p")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and "1 problem · enter opens" in frame(app))
        await pilot.press("enter")
        await until(pilot, lambda: "No problems" in frame(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
