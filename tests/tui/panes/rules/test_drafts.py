"""Draft rules in the Rules pane: read, opened in their session, accepted, undone, rejected."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.flows.corrections.drafts import rule_drafts
from core.store import open_store
from tests.flows.corrections.chat import Transcript, imported
from tests.tui.panes.rules.support import RULES, opened, rules_app
from tests.tui.support import app_on, frame, told, until
from tui.panes.errors.history import HistoryScreen
from tui.panes.rules.drafts import DraftFile, DraftScreen
from tui.panes.rules.screen import RulesScreen
from tui.screens.session import SessionScreen
from tui.shell.app import CasebookApp
from tui.widgets.inputs import LineBox

SAID = "no \x1b]52;c;aGk=\x07 wait. Never force push to [bold]shared[/] branches"


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "memory.md").write_text(RULES)
    with open_store(tmp_path / "casebook.db", create=True) as store:
        imported(
            store,
            Transcript(tmp_path / "logs", "a", str(folder)).declines("git push -f origin main", SAID),
            Transcript(tmp_path / "logs", "b", str(folder)).declines("npm i", "always use pnpm"),
            Transcript(tmp_path / "logs", "c", str(folder)).declines("npm i", "Always use pnpm."),
        )
    return folder


def statuses(project: Path) -> dict[str, str]:
    with open_store(project.parent / "casebook.db") as store:
        return {one.rule: one.status for one in rule_drafts(store, None).drafts}


async def at_drafts(pilot: Pilot[None], app: CasebookApp) -> None:
    await opened(pilot, app)
    await pilot.press("d")
    await until(pilot, lambda: isinstance(app.screen, DraftScreen) and "2 drafts" in frame(app))


@pytest.mark.parametrize("size", [(120, 24), (80, 24)])
async def test_a_draft_is_read_opened_accepted_and_undone(project: Path, size: tuple[int, int]) -> None:
    file = project / "memory.md"
    app = rules_app(project.parent / "casebook.db", file)
    async with app.run_test(size=size) as pilot:
        await at_drafts(pilot, app)
        shown = frame(app)
        assert shown.index("Always use pnpm") < shown.index("Never force push to [bold]shar")
        await pilot.press("j")
        await until(pilot, lambda: "Said “Never force push to [bold]shared[/]" in frame(app))
        for key in ("o", "enter"):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, SessionScreen) and "Never force push" in frame(app))
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, DraftScreen))
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, DraftFile))
        assert app.screen.query_one(LineBox).value == str(file)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, DraftScreen) and "1 draft (" in frame(app))
        assert "### ERR-005: Never force push" in file.read_text()
        await pilot.press("u")
        await until(pilot, lambda: "2 drafts" in frame(app))
        assert file.read_text() == RULES
        await pilot.press("U")
        await until(pilot, lambda: "1 draft (" in frame(app))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, RulesScreen))
        await pilot.press("u")
        await until(pilot, lambda: file.read_text() == RULES)
        await pilot.press("C")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and "draft → accepted" in frame(app))
        await pilot.press("enter")
        assert isinstance(app.screen, HistoryScreen), "a change of a rule leads nowhere"
        assert set(statuses(project).values()) == {"draft"}


async def test_the_file_of_the_drafts_own_project_is_suggested(tmp_path: Path) -> None:
    own, other, gone = tmp_path / "shop", tmp_path / "bank", tmp_path / "gone"
    for folder in (own, other, gone):
        (folder / ".git").mkdir(parents=True)
        (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    with open_store(tmp_path / "casebook.db", create=True) as store:
        imported(
            store,
            Transcript(tmp_path / "logs", "a", str(own)).declines("npm i", "always use pnpm"),
            Transcript(tmp_path / "logs", "b", str(gone)).declines("npm i", "Never force push"),
            Transcript(tmp_path / "logs", "c", str(other)).declines("npm i", "thanks"),
        )
    (gone / ".git" / "HEAD").unlink()
    (gone / ".git").rmdir()
    gone.rmdir()
    app = app_on(tmp_path / "casebook.db")
    async with app.run_test(size=(80, 24)) as pilot:
        await at_drafts(pilot, app)
        files: dict[str, str] = {}
        for _ in range(2):
            await pilot.press("a")
            await until(pilot, lambda: isinstance(app.screen, DraftFile))
            files[app.screen.query_one(LineBox).placeholder] = app.screen.query_one(LineBox).value
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, DraftScreen))
            await pilot.press("j")
    assert files == {"A Markdown file of shop": str(own / "CLAUDE.md"), "A Markdown file of gone": ""}


async def test_rejected_ones_leave_and_a_refused_file_is_told(project: Path) -> None:
    app = rules_app(project.parent / "casebook.db", project / "memory.md")
    async with app.run_test(size=(120, 24), notifications=True) as pilot:
        await at_drafts(pilot, app)
        await pilot.press("x")
        await until(pilot, lambda: "1 draft (" in frame(app))
        assert statuses(project)["Always use pnpm"] == "rejected"
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, DraftFile))
        app.screen.query_one(LineBox).value = str(project.parent / "elsewhere.md")
        await pilot.press("enter")
        await until(pilot, lambda: told(app, "is outside the project"))
        assert not (project.parent / "elsewhere.md").exists()
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, DraftFile))
        app.screen.query_one(LineBox).value = "~nobody-here/CLAUDE.md"
        await pilot.press("enter")
        await until(pilot, lambda: told(app, "Unknown user in ~nobody-here/CLAUDE.md"))
        await pilot.press("x")
        await until(pilot, lambda: "No draft rules" in frame(app))
