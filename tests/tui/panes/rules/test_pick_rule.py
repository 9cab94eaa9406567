"""Picking a rule by a few letters: where none is found it says so, and rules of one id are told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.rules.format.rule import Rule
from tests.tui.panes.rules.support import CALLS, PUSH, RULES, answered, idle, opened, put_calls, rules_app
from tests.tui.support import frame, until
from tui.panes.rules.rule_actions import PickRule

WIDE = (120, 34)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


async def test_picking_a_rule_says_where_none_is_found_and_tells_rules_of_one_id_apart(tmp_path: Path) -> None:
    twice = (Rule("ERR-001", "One", path="/a/own.md", line=3), Rule("ERR-001", "Two", path="/b/theirs.md", line=7))
    many = tuple(Rule(f"ERR-{at}", f"Rule {at}", path="/a/own.md", line=at) for at in range(100, 400))
    app = rules_app(tmp_path / "none.db", tmp_path / "none.md")
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        app.push_screen(PickRule((*twice, *many), "Explain a rule"))
        await until(pilot, lambda: "the first 200 of 302" in frame(app))
        await pilot.press(*"001")
        await until(pilot, lambda: "a/own.md:3" in frame(app) and "b/theirs.md:7" in frame(app))
        assert "the first" not in frame(app)
        await pilot.press("z")
        await until(pilot, lambda: "no matches" in frame(app))


async def test_the_rule_that_was_asked_about_stays_in_sight_when_more_is_known(tmp_path: Path) -> None:
    """As when the model answers after keywords have."""
    (tmp_path / "memory.md").write_text(RULES, encoding="utf-8")
    app = rules_app(put_calls(tmp_path / "calls.db", *CALLS), tmp_path / "memory.md")
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and idle(app))
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, PickRule))
        await pilot.press(*"retry", "enter")
        await until(pilot, lambda: screen.rank.chosen is not None and screen.rank.chosen.id == "ERR-003" and idle(app))
        before = screen.rank.ranked
        screen.asking.match(None)
        await until(pilot, lambda: screen.rank.ranked is not before and idle(app))
        assert screen.rank.chosen is not None and screen.rank.chosen.id == "ERR-003"
        assert screen.calls.rows.has_focus


async def test_a_name_longer_than_its_box_is_seen_where_one_types(tmp_path: Path) -> None:
    """Tools of an MCP server have long names; no scrollbar may lie over the one line that there is."""
    (tmp_path / "memory.md").write_text(RULES, encoding="utf-8")
    app = rules_app(put_calls(tmp_path / "calls.db", *CALLS), tmp_path / "memory.md")
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press("alt+1", "slash", *("a" * 140), *"_to_the_end")
        await until(pilot, lambda: "aa_to_the_end" in frame(app))
        await pilot.press("alt+3")
        screen = await opened(pilot, app)
        await pilot.press("n")
        await until(pilot, lambda: screen.calls.typed.has_focus_within)
        await pilot.press(*("a" * 60), *"_to_the_end")
        await until(pilot, lambda: "aa_to_the_end" in frame(app))
        await pilot.press("escape", "w")
        await until(pilot, lambda: isinstance(app.screen, PickRule))
        await pilot.press(*("a" * 100), *"_to_the_end")
        await until(pilot, lambda: "aa_to_the_end" in frame(app))
