"""Under the fix of a case: what its repository did about errors of this rule."""

from __future__ import annotations

from pathlib import Path

from core.flows.transcripts.api import import_transcripts
from core.store import open_store
from tests.flows.practice.chats import three_linted
from tests.tui.support import app_on, frame, until


async def test_the_practice_is_under_the_fix(tmp_path: Path) -> None:
    path = tmp_path / "casebook.db"
    with open_store(path, write=True, create=True) as store:
        import_transcripts(store, "auto", three_linted(tmp_path / "in"))
    app = app_on(path)
    async with app.run_test(size=(160, 60)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await until(pilot, lambda: "Practice" in frame(app))
        shown = " ".join(frame(app).split())
        assert "nilerr: edited in 1 of 3" in shown
        assert "3 findings in 3 sessions" in shown
        assert shown.index(" Fix ") < shown.index(" Practice ")
