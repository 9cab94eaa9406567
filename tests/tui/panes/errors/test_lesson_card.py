"""The lesson of a fix in the Errors pane: its card, and where it holds."""

from __future__ import annotations

from pathlib import Path

from core.errors import show_case
from core.flows.transcripts.api import import_transcripts
from core.store import open_store
from tests.flows.harvest.chat import LOOKUP
from tests.flows.harvest.test_session import Transcript
from tests.tui.support import app_on, frame, told, until
from tui.panes.errors.triage import TriageScreen
from tui.shell.app import CasebookApp
from tui.widgets.scroll_text import Block


def scope(path: Path) -> str:
    with open_store(path) as store:
        case = show_case(store, 1)
    assert case is not None and case.resolutions[0].lesson is not None
    return case.resolutions[0].lesson.scope


async def test_the_fix_has_its_card_and_one_key_keeps_it_for_every_project(tmp_path: Path) -> None:
    path = tmp_path / "casebook.db"
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1)
    chat.edit("\x1b]52;c;aGk=\x07a.py").bash("python app.py", "fine")
    with open_store(path, write=True, create=True) as store:
        import_transcripts(store, "auto", [chat.save()])
    before, app = scope(path), app_on(path)
    async with app.run_test(size=(100, 40)) as pilot:
        await until(pilot, lambda: app.errors.case.read is not None)
        screen = frame(app)
        assert "When        python" in screen and "Check       python app.py" in screen
        assert "\x1b]52" not in screen
        assert "no longer shows" not in screen and screen.count("Linked") == 1  # the text repeats the card
        assert "Linked      the only change" in screen and "More" not in screen and "Steps" not in screen
        await pilot.press("escape", "W")
        await until(pilot, lambda: told(app, "Lesson applied to all projects #1") and scope(path) == "general")
        await until(pilot, lambda: _scope_shown(app) == "general")
        await pilot.press("W")
        await until(pilot, lambda: scope(path) == "project")
        await pilot.press("u")
        await until(pilot, lambda: scope(path) == "general")
        await pilot.press("u")
        await until(pilot, lambda: scope(path) == before)
        await pilot.press("T")
        await until(pilot, lambda: isinstance(app.screen, TriageScreen) and app.screen.case.read is not None)
        await pilot.press("W")
        await until(pilot, lambda: "lesson applied to all projects #1" in frame(app) and scope(path) == "general")


async def test_a_long_line_of_the_card_goes_on_below_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "casebook.db"
    long = "python app.py " + " ".join(f"--option-{number} {number}" for number in range(12))
    chat = Transcript(tmp_path / "in").bash(long, LOOKUP, 1).edit("a.py").bash(long, "fine")
    with open_store(path, write=True, create=True) as store:
        import_transcripts(store, "auto", [chat.save()])
    app = app_on(path)
    async with app.run_test(size=(110, 40)) as pilot:
        await until(pilot, lambda: app.errors.case.read is not None)
        await until(pilot, lambda: "\n            --option" in _fix_shown(app))
        await pilot.resize_terminal(200, 50)
        await until(pilot, lambda: "\n            --option-1 " not in _fix_shown(app))


async def test_the_command_of_a_fix_is_copied_alone(tmp_path: Path) -> None:
    path = tmp_path / "casebook.db"
    chat = Transcript(tmp_path / "in").bash("python b.py", "/bin/bash: line 1: python: command not found", 127)
    with open_store(path, write=True, create=True) as store:
        import_transcripts(store, "auto", [chat.bash("python3 b.py", "fine").save()])
    app = app_on(path)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.errors.case.fix is not None)
        await pilot.press("down", "Y", "d")
        await until(pilot, lambda: app.clipboard)
    assert app.clipboard == "python3 b.py"


def _fix_shown(app: CasebookApp) -> str:
    return str(app.errors.case.query_one("#case-fix", Block).content)


def _scope_shown(app: CasebookApp) -> str:
    fix = app.errors.case.fix
    return "" if fix is None or fix.lesson is None else fix.lesson.scope
