"""Where there is no casebook yet, nothing is offered that needs one; what is pressed all the same names the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.support import app_on, frame, settled, told


@pytest.mark.parametrize("there", [False, True])
async def test_deciding_and_undoing_are_offered_only_where_there_is_a_casebook(
    casebook: Path, tmp_path: Path, there: bool
) -> None:
    app = app_on(casebook if there else tmp_path / "none.db")
    async with app.run_test(size=(200, 50)) as pilot:
        await settled(pilot, app)
        await pilot.press("escape")
        await settled(pilot, app)
        keys = frame(app).split("\n")[-1]
        assert ("u undo" in keys, "T triage" in keys) == (there, there), keys
        if not there:
            await pilot.press("u", "T")
            await settled(pilot, app)
            assert told(app, "No casebook found. Press i ")
            assert len(app.screen_stack) == 1
