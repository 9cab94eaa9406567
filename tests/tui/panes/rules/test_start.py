"""The rules are read also where one types before the calls are there, or before the chosen one is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from core.base.config.settings_sources import load_config
from tests.tui.panes.rules.support import CALLS, RULES, idle, opened, put_calls, rules_app
from tests.tui.support import NOW, frame, until
from tui.panes.rules import calls, matching
from tui.panes.rules.screen import RulesScreen
from tui.services.environment import Surroundings
from tui.shell.app import CasebookApp


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


def held(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> Event:
    """A work of the pane does not begin before the event."""
    go, made = Event(), getattr(module, name)

    def make(*given: object) -> Callable[[object], object]:
        def work(job: Any) -> object:
            while not go.wait(0.01):
                job.check()
            return made(*given)(job)

        return work

    monkeypatch.setattr(module, name, make)
    return go


@pytest.mark.parametrize("rules", [True, False])
async def test_typing_before_the_calls_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: bool) -> None:
    file = tmp_path / "memory.md"
    if rules:
        file.write_text(RULES, encoding="utf-8")
    go = held(monkeypatch, calls, "read_keys")
    around = Surroundings(rules=(file,) if rules else ())
    app = CasebookApp(tmp_path / "none.db", around=around, clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        await pilot.press("alt+3")
        await until(pilot, lambda: isinstance(app.screen, RulesScreen))
        await pilot.press("n", "B", "a")
        go.set()
        await until(pilot, lambda: idle(app) and "Loading the rules" not in frame(app))
        assert ("No tool call selected" if rules else "No rule files") in frame(app)
        if not rules:
            await pilot.press("escape")
            await until(pilot, lambda: "No ranking yet" in frame(app))


async def test_typing_before_the_chosen_call_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "memory.md"
    file.write_text(RULES, encoding="utf-8")
    go = held(monkeypatch, matching, "read_call")
    app = rules_app(put_calls(tmp_path / "calls.db", *CALLS), file)
    async with app.run_test(size=(120, 34)) as pilot:
        await pilot.press("alt+3")
        await until(pilot, lambda: isinstance(app.screen, RulesScreen) and app.jobs.busy("rules-call"))
        await pilot.press("n")
        go.set()
        await until(pilot, lambda: idle(app) and "No tool call selected" in frame(app))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: idle(app) and "ERR-001" in frame(app))


async def test_a_blank_call_is_asked_by_the_rules_of_the_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    mine, other = tmp_path / "mine", tmp_path / "other"
    for folder in (mine, other):
        (folder / ".git").mkdir(parents=True)
    (mine / "CLAUDE.md").write_text("- Never use `npm`.\n", encoding="utf-8")
    around = Surroundings(load_config(environ={"CASEBOOK_EMBEDDING_MODEL": "none"}), folder=mine)
    db = put_calls(tmp_path / "calls.db", *CALLS, project=str(other))
    app = CasebookApp(db, around=around, clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        await pilot.press("alt+3")
        await until(pilot, lambda: isinstance(app.screen, RulesScreen) and "No rule files for" in frame(app))
        await pilot.press("n")
        await until(pilot, lambda: idle(app) and "One rule was loaded." in frame(app))


async def test_typing_again_reads_nothing_anew(tmp_path: Path) -> None:
    file = tmp_path / "memory.md"
    file.write_text(RULES, encoding="utf-8")
    app = rules_app(put_calls(tmp_path / "calls.db", *CALLS), file)
    async with app.run_test(size=(120, 34)) as pilot:
        screen = await opened(pilot, app)
        ranked = screen.rank.ranked
        assert ranked is not None
        await pilot.press("n", "B")
        await until(pilot, lambda: idle(app))
        assert screen.rank.ranked is ranked
