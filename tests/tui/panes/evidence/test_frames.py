"""The Evidence pane as a person sees it, sign by sign at three sizes.

After a wanted change: `pytest tests/tui/panes/evidence/test_frames.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot

from tests.tui.panes.evidence.support import one_of_each
from tests.tui.support import app_on, assert_frames, frame, settled, until
from tui.panes.evidence.screen import EvidenceScreen
from tui.shell.app import CasebookApp

SIZES = ((80, 24), (120, 34), (200, 50))
JOURNEYS = ("near", "flagged", "ambiguous", "find", "filter")
LED_AT_EACH_SIZE = ("find",)
"""Journeys whose keys do something else where there is another room."""
RESIZED = tuple(one for one in JOURNEYS if one not in LED_AT_EACH_SIZE)


@pytest.fixture
def review(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One quote of each kind; durations are all that differs from run to run."""
    monkeypatch.setattr("core.base.trace.Stopwatch.ms", lambda _watch: 0.4)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return one_of_each(tmp_path / "sample.db")


async def go(pilot: Pilot[None], app: CasebookApp, journey: str) -> None:
    """Lead there by what a person does, and wait until it is shown."""
    await pilot.pause()
    await pilot.press("alt+2")
    await until(pilot, lambda: isinstance(app.screen, EvidenceScreen) and app.screen.quotes.read is not None)
    screen = app.screen
    assert isinstance(screen, EvidenceScreen)
    await until(pilot, lambda: screen.view.read is not None)
    if journey in ("flagged", "ambiguous"):
        at = 3 if journey == "flagged" else 4
        screen.list.rows.choose(screen.quotes.index_of(at) or 0)
        await until(pilot, lambda: screen.view.read is not None and screen.view.read.quote.row.id == at)
        await pilot.press("a")
    if journey == "find":
        await pilot.press("L", *"PORT")
        await until(pilot, lambda: "matches" in frame(app))
        app.screen.query_one("Input").cursor_blink = False  # pyright: ignore[reportAttributeAccessIssue]
    if journey == "filter":
        await pilot.press("f")
        await until(pilot, lambda: "decision" in frame(app))
        app.screen.query_one("Input").cursor_blink = False  # pyright: ignore[reportAttributeAccessIssue]
    await settled(pilot, app)


@pytest.mark.parametrize(("journey", "size"), zip(RESIZED, cycle(SIZES)), ids=RESIZED)
async def test_the_evidence_sign_by_sign(
    review: Path, snapshot: SnapshotAssertion, journey: str, size: tuple[int, int]
) -> None:
    app = app_on(review, name="sample")
    async with app.run_test(size=size) as pilot:
        await go(pilot, app, journey)
        await assert_frames(pilot, app, snapshot, (size, *SIZES))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("journey", LED_AT_EACH_SIZE)
async def test_the_evidence_sign_by_sign_led_there(
    review: Path, snapshot: SnapshotAssertion, journey: str, size: tuple[int, int]
) -> None:
    app = app_on(review, name="sample")
    async with app.run_test(size=size) as pilot:
        await go(pilot, app, journey)
        assert frame(app) == snapshot
