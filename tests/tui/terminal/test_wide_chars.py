"""A part of the screen that is drawn anew leaves every letter of two cells whole, wherever the changed region ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual._compositor import ChopsUpdate
from textual.app import App
from textual.geometry import Region
from textual.strip import Strip

from tests.core.evidence.evidence_support import entry
from tests.tui.panes.evidence.support import SMALL, fill, idle, opened, shown
from tests.tui.support import app_on, frame, until

pytestmark = pytest.mark.usefixtures("every_change_drawn")
SAID = "의도한 합치기라면 --allow-unrelated-histories가 필요 없습니다. 그래서 변경을 먼저 커밋했습니다."


def written(update: ChopsUpdate) -> list[tuple[Strip, Strip]]:
    """What there is to draw and what of it is drawn, as Textual's `ChopsUpdate.render_segments` chooses it."""
    return [
        (strip, strip.crop(0, min(end, stop) - x))
        for y, start, stop in update.spans
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=True)
        if strip is not None and x < stop and end > start
    ]


@pytest.mark.parametrize("half", ["list", "source"])
async def test_a_region_left_over_from_a_narrower_layout_cuts_no_letter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, half: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    review = fill(tmp_path / "review.db", [SAID], entry("merge", (0, "그래서 변경을 커밋하지 않았습니다.")))
    updates: list[ChopsUpdate] = []

    def seen(_app: App[None], _screen: object, renderable: object) -> None:
        if isinstance(renderable, ChopsUpdate):
            updates.append(renderable)

    app = app_on(review)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: idle(app) and shown(screen) and "커밋하지" in frame(app))
        monkeypatch.setattr(App, "_display", seen)
        widget = screen.list.rows if half == "list" else screen.view
        for width in range(1, widget.size.width):
            updates.clear()
            widget.refresh(Region(0, 0, width, widget.size.height))
            await until(pilot, lambda: bool(updates))
            for strip, drawn in [one for update in updates for one in written(update)]:
                assert strip.text.startswith(drawn.text), f"{width}: {drawn.text!r} of {strip.text!r}"
