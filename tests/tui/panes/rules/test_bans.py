"""Code that an instruction file forbids is shown for a call like a rule, with its place as id."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.panes.rules.support import answered, idle, ids, opened, put_calls, told
from tests.tui.support import NOW, frame, until
from tui.services.environment import Surroundings
from tui.shell.app import CasebookApp


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / "CLAUDE.md").write_text("# Rules\n\n- Never use `npm`. Use `pnpm`.\n", encoding="utf-8")
    return root


async def test_a_ban_is_listed_and_explained_and_follows_its_file(project: Path) -> None:
    calls = (("Bash", {"command": "ls"}), ("Bash", {"command": "npm ci"}))
    casebook = put_calls(project.parent / "calls.db", *calls, project=str(project))
    app = CasebookApp(casebook, around=Surroundings(folder=project), clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, "npm ci") and idle(app))
        assert ids(screen) == ["CLAUDE.md:3"]
        assert "CLAUDE.md:3" in frame(app)
        assert "Rules · 1 of 1 rule shown" in frame(app)
        said = told(screen)
        assert "Never use `npm`" in said
        assert "Forbidden code `npm` (exact match)." in said
        assert "Use `pnpm`." in said
        (project / "CLAUDE.md").write_text("Never use `npm ci`.\n", encoding="utf-8")
        await until(pilot, lambda: ids(screen) == ["CLAUDE.md:1"] and idle(app))
        await pilot.press("j")
        await until(pilot, lambda: answered(screen, "ls") and idle(app))
        assert ids(screen) == []
        assert "no rule applies" in frame(app)


async def test_an_instruction_file_without_a_rule_says_so(project: Path) -> None:
    (project / "CLAUDE.md").write_text("# Rules\n\n- Prefer pnpm.\n", encoding="utf-8")
    casebook = put_calls(project.parent / "calls.db", ("Bash", {"command": "npm ci"}), project=str(project))
    app = CasebookApp(casebook, around=Surroundings(folder=project), clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: "No rules in the rule files" in frame(app))
        assert "CLAUDE.md was read." in frame(app)
        assert "create a rule file in your editor" in frame(app)
