"""Setting casebook up: each step is shown before it is done, and one key does them."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from core.base.config.settings import EmbeddingSettings
from core.base.fault import Fault
from core.flows import setup
from core.samples import sample_paths
from tests.tui.support import app_on, frame, told, until
from tui.services.importing import Roots, Source, no_sessions
from tui.shell.app import CasebookApp

WIDE, SMALL = (120, 34), (80, 24)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the folders of three agents, of which two have sessions."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (".claude", ".codex", ".gemini"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.fixture
def roots() -> Roots:
    claude, codex = sample_paths()
    return {"claude-code": [claude], "codex": [codex]}


def flat(app: CasebookApp) -> str:
    return " ".join(frame(app).replace("│", " ").split())


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_one_key_shows_every_step_and_enter_does_them(home: Path, roots: Roots, size: tuple[int, int]) -> None:
    app = app_on(home / "new.db", roots=roots)
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: "set up sessions" in flat(app))
        await pilot.press("B")
        await until(pilot, lambda: "Gemini CLI: 4 events into ~/.gemini/settings.json" in flat(app))
        for said in ("Claude Code: 7 session files", "Codex: 2 session files", "About 1 second", "run /hooks"):
            assert said in flat(app)
        assert "│ hooks" not in frame(app), "a line goes on under its own beginning"
        assert not (home / "new.db").exists(), "looking makes nothing"
        assert not (home / ".codex/hooks.json").exists()
        await pilot.press("enter")
        await until(pilot, lambda: told(app, "Set up: 3 agents with hooks. In Codex, run /hooks and trust casebook."))
        await until(pilot, lambda: app.errors.incoming.report is not None)
        await until(pilot, (home / ".gemini/settings.json").exists)
    assert json.loads((home / ".codex/hooks.json").read_text())["hooks"].keys() > {"PostToolUse"}


async def test_a_step_is_left_out_by_its_digit(home: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch) -> None:
    pulled: list[str] = []
    seen = threading.Event()

    def pull(plan: setup.SetupPlan, _stopped: object) -> bool:
        assert seen.wait(300), "the toast about the download was never shown"
        return not pulled.append(plan.model)

    monkeypatch.setattr(setup, "_missing_model", lambda _settings: ("small-model", 91_000_000))
    monkeypatch.setattr(setup, "pull_planned", pull)
    app = app_on(home / "new.db", roots=roots)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: "set up sessions" in flat(app))
        await pilot.press("B")
        await until(pilot, lambda: "small-model, 91 MB" in flat(app) and "Claude Code" in flat(app))
        assert "3 [x]" in flat(app)
        await pilot.press("1", "2")
        await until(pilot, lambda: "1 [ ]" in flat(app) and "2 [ ]" in flat(app))
        await pilot.press("enter")
        await until(pilot, lambda: told(app, "Downloading small-model, 91 MB"))
        await pilot.press("B")
        await until(pilot, lambda: "3 [x]" in flat(app) and "Claude Code" in flat(app))
        await pilot.press("enter")
        await until(pilot, lambda: told(app, "The last setup is still running."))
        await pilot.press("escape")
        seen.set()
        await until(pilot, lambda: "the model small-model is installed" in flat(app))
        assert "Downloading" not in flat(app), "the toast does not outlive the download"
    assert pulled == ["small-model"]
    assert not (home / "new.db").exists()
    assert not (home / ".gemini/settings.json").exists()


async def test_a_set_up_that_fails_is_reported(home: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_plan: setup.SetupPlan) -> tuple[str, ...]:
        raise Fault("io", "the disk is full")  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(setup, "install_planned", fail)
    app = app_on(home / "new.db", roots=roots)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: "set up sessions" in flat(app))
        await pilot.press("B")
        await until(pilot, lambda: "Gemini CLI: 4 events" in flat(app))
        await pilot.press("1", "3", "enter")
        await until(pilot, lambda: told(app, "Setup failed: the disk is full"))


@pytest.mark.parametrize("pane", ["alt+2", "alt+3", "alt+4", "alt+5"])
async def test_setup_starts_in_every_pane(home: Path, roots: Roots, pane: str) -> None:
    app = app_on(home / "new.db", roots=roots)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: "set up sessions" in flat(app))
        await pilot.press(pane)
        await until(pilot, lambda: app.screen is not app.errors and app.focused is not None)
        screen = app.screen
        await pilot.press("escape", "B")
        await until(pilot, lambda: "Gemini CLI: 4 events" in flat(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("B")
        await until(pilot, lambda: "Gemini CLI: 4 events" in flat(app))
        await pilot.press("2", "3", "enter")
        await until(pilot, lambda: app.screen is app.errors)
        assert app.errors.incoming.busy, "Errors shows the progress of an import"


async def test_esc_does_nothing_and_empty_places_are_named(home: Path) -> None:
    app = app_on(home / "new.db", roots={"claude-code": [home / ".claude/projects"]})
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: "No sessions in" in flat(app))
        await pilot.press("B")
        await until(pilot, lambda: "No sessions in ~/.claude/projects." in flat(app))
        await until(pilot, lambda: "Gemini CLI: 4 events" in flat(app))
        assert "2 [x]" in flat(app)
        assert "[x] Import sessions" not in flat(app), "there is nothing to import"
        await pilot.press("escape")
        await until(pilot, lambda: "No cases yet" in flat(app))
    assert not (home / ".claude/settings.json").exists()


async def test_without_agents_there_is_nothing_to_set_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(setup, "_missing_model", lambda _settings: ("", 0))
    app = app_on(tmp_path / "new.db", roots={"claude-code": [tmp_path / ".claude/projects"]})
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await until(pilot, lambda: "No sessions in" in flat(app))
        await pilot.press("B")
        await until(pilot, lambda: "No agent that supports hooks found" in flat(app))
        assert "Hooks are installed" not in flat(app)
        await pilot.press("enter")
        await until(pilot, lambda: told(app, "There is nothing to set up."))
        assert "Set up casebook" in flat(app)


async def test_enter_without_a_selected_step_starts_nothing(home: Path, roots: Roots) -> None:
    app = app_on(home / "new.db", roots=roots)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: "set up sessions" in flat(app))
        await pilot.press("B")
        await until(pilot, lambda: "Gemini CLI: 4 events" in flat(app))
        await pilot.press("1", "2", "3", "enter")
        await until(pilot, lambda: told(app, "No step is selected."))
        assert "Set up casebook" in flat(app)


def test_settings_that_cannot_be_read_are_named_and_left(home: Path) -> None:
    (home / ".gemini/settings.json").write_text("{ // mine\n}")
    plan = setup.setup_plan(None, {})
    (gemini,) = [step for step in plan.hooks if step.agent == "gemini"]
    assert "a comment" in gemini.fault
    assert setup.install_planned(plan) == ()
    assert (home / ".gemini/settings.json").read_text() == "{ // mine\n}"
    assert [step.agent for step in setup.setup_plan(None, {}).hooks] == ["gemini"]


def test_a_model_that_is_named_or_here_is_not_fetched() -> None:
    plan = setup.setup_plan(EmbeddingSettings(model="none"), {})
    assert (plan.model, plan.installed) == ("", "")


async def test_the_model_in_use_is_named(home: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "_missing_model", lambda _settings: ("", 0))
    monkeypatch.setattr(setup, "_model_in_use", lambda _settings: "small-model")
    app = app_on(home / "new.db", roots=roots)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "set up sessions" in flat(app))
        await pilot.press("B")
        await until(pilot, lambda: "Installed: small-model" in flat(app))


def test_of_many_folders_without_sessions_the_first_are_named() -> None:
    places = tuple(Path(f"/data/agent{number}") for number in range(9))
    sources = (Source("claude-code", (), 0, 0, places[:1]), Source("codex", (), 0, 0, places[1:]))
    named = ", ".join(map(str, places[:6]))
    assert no_sessions(sources) == f"No sessions in {named} and 3 more folders."
    assert no_sessions(sources[:1]) == "No sessions in /data/agent0."
    assert no_sessions(()) == "No agent sessions found."
