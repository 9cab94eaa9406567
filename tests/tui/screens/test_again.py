"""Harvesting again from the workbench: shown first, applied by one key, taken back by one, stopped and resumed."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.flows.transcripts.api import import_transcripts
from core.flows.transcripts.report import ImportAgain
from core.store import jobs, open_store
from tests.flows.harvest.chat import LOOKUP
from tests.flows.harvest.test_session import Transcript
from tests.tui.services import import_children
from tests.tui.support import app_on, frame, look_up, offered, told, until
from tui.panes.errors.fix_editor import WritingScreen
from tui.screens.import_files import AgainScreen
from tui.services import tasks
from tui.shell.app import CasebookApp


def vague(tmp_path: Path) -> Path:
    """A casebook whose draft says what no harvest of today says."""
    path = tmp_path / "casebook.db"
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1).edit("a.py").bash("python app.py", "fine")
    with open_store(path, write=True, create=True) as store:
        import_transcripts(store, "auto", [chat.save()])
        store.con.execute("UPDATE resolution SET text = 'changed 1 file', original = NULL")
        store.con.execute("UPDATE error_kb SET resolution = 'changed 1 file'")
    return path


def text(path: Path) -> str:
    with open_store(path) as store:
        row = store.con.execute("SELECT text FROM resolution").fetchone()
    return "" if row is None else str(row[0])


async def begin(pilot: Pilot[None], app: CasebookApp) -> None:
    await until(pilot, lambda: app.errors.case.read is not None)
    await pilot.press("escape")
    await look_up(pilot, app, "harvest imported")
    await until(pilot, lambda: offered(app).startswith("Harvest imported"))
    await pilot.press("enter")


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_it_shows_the_changes_applies_them_and_one_undo_takes_them_back(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    path = vague(tmp_path)
    app = app_on(path)
    copies = path.with_name(f"{path.name}.again")
    async with app.run_test(size=size, notifications=True) as pilot:
        await begin(pilot, app)
        await until(pilot, lambda: isinstance(app.screen, AgainScreen) and "1 replaced" in frame(app))
        assert "before" in frame(app) and text(path) == "changed 1 file"
        await pilot.press("escape")
        await until(pilot, lambda: not copies.exists())
        assert text(path) == "changed 1 file"
        await begin(pilot, app)
        await until(pilot, lambda: isinstance(app.screen, AgainScreen))
        await pilot.press("enter")
        await until(pilot, lambda: told(app, "undoes it"))
        assert text(path) != "changed 1 file" and not copies.exists() and not app.errors.incoming.busy
        await pilot.press("u")
        await until(pilot, lambda: text(path) == "changed 1 file")


async def test_the_question_does_not_open_over_what_one_types(tmp_path: Path) -> None:
    path = vague(tmp_path)
    app = app_on(path)
    async with app.run_test(size=(120, 34), notifications=True) as pilot:
        await begin(pilot, app)
        await until(pilot, lambda: isinstance(app.screen, AgainScreen))
        await pilot.press("escape", "w")
        await until(pilot, lambda: isinstance(app.screen, WritingScreen))
        report = tasks.harvest_task(path, apply=False).run(lambda _progress: None)
        assert isinstance(report, ImportAgain)
        answers: list[bool | None] = []
        app.errors.incoming._confirm(report, answers.append)
        await until(pilot, lambda: told(app, "The preview of the harvest is ready."))
        await pilot.press(*"a line", "enter")
        assert isinstance(app.screen, WritingScreen)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, AgainScreen))
        await pilot.press("escape")
        await until(pilot, lambda: answers == [False])
        await pilot.press("slash", "x")
        await until(pilot, lambda: app.errors.box.value == "x")
        app.errors.incoming._confirm(report, answers.append)
        assert app.screen is app.errors
        await pilot.press("ctrl+u")
        await until(pilot, lambda: isinstance(app.screen, AgainScreen))


async def test_nothing_that_changes_is_said(tmp_path: Path) -> None:
    path = vague(tmp_path)
    app = app_on(path)
    async with app.run_test(size=(120, 34), notifications=True) as pilot:
        await begin(pilot, app)
        await until(pilot, lambda: isinstance(app.screen, AgainScreen))
        await pilot.press("enter")
        await until(pilot, lambda: told(app, "undoes it"))
        await begin(pilot, app)
        await until(pilot, lambda: told(app, "No changes"))


async def test_it_is_stopped_and_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = vague(tmp_path)
    app = app_on(path)
    monkeypatch.setattr(tasks, "run_harvest", import_children.stopped_again)
    async with app.run_test(size=(120, 34), notifications=True) as pilot:
        await begin(pilot, app)
        await until(pilot, lambda: app.errors.incoming.running and app.errors.incoming.running.progress)
        assert "cancels" in frame(app)
        app.action_perform("import.stop")
        await until(pilot, lambda: told(app, "was stopped"))
        with open_store(path) as store:
            assert jobs.recent(store, kind="again")[0].status == "canceled"
        monkeypatch.undo()
        await begin(pilot, app)
        await until(pilot, lambda: isinstance(app.screen, AgainScreen))


async def test_a_process_that_dies_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_on(vague(tmp_path))
    monkeypatch.setattr(tasks, "run_harvest", import_children.killed)
    async with app.run_test(size=(120, 34), notifications=True) as pilot:
        await begin(pilot, app)
        await until(pilot, lambda: told(app, "Harvesting again") and not app.errors.incoming.busy)


def test_the_report_is_the_same_on_both_sides(tmp_path: Path) -> None:
    report = tasks.harvest_task(vague(tmp_path), apply=False).run(lambda _progress: None)
    assert isinstance(report, ImportAgain) and report.drafts.replaced == 1 and not report.applied
