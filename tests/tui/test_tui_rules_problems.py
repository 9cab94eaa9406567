"""The problems of the rule files are rows, and Enter opens the editor at the line of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.rules_support import CALLS, RULES, opened, put_calls, rules_app
from tests.tui.support import frame, until
from tui.panes.rules.problems import problem_table
from tui.panes.rules.rule_acts import RuleActs
from tui.panes.rules.tables import TableScreen


async def test_a_problem_is_a_row_and_enter_opens_the_editor_at_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    went: list[tuple[str, int]] = []
    monkeypatch.setattr(RuleActs, "edit", lambda _self, path, line: went.append((path.name, line)))
    rules = tmp_path / "memory.md"
    rules.write_text(f"{RULES}\n### ERR-001: Twice\n**Problem**: the same id\n**Solution**: another\n", "utf-8")
    app = rules_app(put_calls(tmp_path / "calls.db", *CALLS), rules)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: screen.rank.ranked is not None and screen.rank.ranked.flaws)
        assert screen.rank.ranked is not None
        flaws = screen.rank.ranked.flaws
        last = flaws[-1]
        assert len(flaws) > 1 and last.line > 1
        await pilot.press("p")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and "opens the file there" in frame(app))
        assert f"{len(flaws)} problems in the rule files" in frame(app)
        await pilot.press("G", "enter")
        await until(pilot, lambda: went)
        assert went == [("memory.md", last.line)]
        assert app.screen is screen
        app.push_screen(problem_table(screen, [last]))
        await until(pilot, lambda: "1 problem in the rule files" in frame(app))
