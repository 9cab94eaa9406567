"""The screen as a person sees it, sign by sign at three sizes, and a few pictures with their colours.

After a wanted change: `pytest tests/tui/panes/errors/test_frames.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.events import Paste
from textual.pilot import Pilot

from tests.tui.support import CASES, TRACEBACK, app_on, assert_frames, frame, settled, until
from tui.shell.app import CasebookApp

SIZES = ((80, 24), (120, 34), (200, 50))
JOURNEYS = ("start", "found", "trace", "help")
LED_AT_EACH_SIZE = ("trace",)
"""Journeys whose keys do something else where there is another room."""
RESIZED = tuple(one for one in JOURNEYS if one not in LED_AT_EACH_SIZE)


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Durations and the environment are all that differs from run to run and from one computer to the next."""
    monkeypatch.setattr("core.base.trace.Stopwatch.ms", lambda _watch: 0.4)
    monkeypatch.delenv("NO_COLOR", raising=False)


async def go(pilot: Pilot[None], app: CasebookApp, journey: str) -> None:
    """Lead there by what a person does, and wait until it is shown."""
    await until(pilot, lambda: app.errors.results.rows.rows.total == len(CASES) and app.errors.case.read)
    app.errors.box.cursor_blink = False
    if journey == "help":
        await pilot.press("f1")
        await until(pilot, lambda: "Keys and actions" in frame(app))
    elif journey != "start":
        app.errors.box.post_message(Paste(TRACEBACK))
        await until(pilot, lambda: app.errors.results.chosen and app.errors.results.chosen.tier == "fingerprint")
        await until(pilot, lambda: not app.jobs.busy("search") and not app.jobs.busy("case"))
        await pilot.press("down")
        await until(pilot, lambda: app.focused is app.errors.results.rows)
        if journey == "trace" and not app.errors.why.display:
            await pilot.press("t")
        if journey == "trace":
            await until(pilot, lambda: "identify  hit" in frame(app))
    await settled(pilot, app)


@pytest.mark.parametrize(("journey", "size"), zip(RESIZED, cycle(SIZES)), ids=RESIZED)
async def test_the_screen_sign_by_sign(
    casebook: Path, snapshot: SnapshotAssertion, journey: str, size: tuple[int, int]
) -> None:
    app = app_on(casebook, name="sample")
    async with app.run_test(size=size) as pilot:
        await go(pilot, app, journey)
        await assert_frames(pilot, app, snapshot, (size, *SIZES))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("journey", LED_AT_EACH_SIZE)
async def test_the_screen_sign_by_sign_led_there(
    casebook: Path, snapshot: SnapshotAssertion, journey: str, size: tuple[int, int]
) -> None:
    app = app_on(casebook, name="sample")
    async with app.run_test(size=size) as pilot:
        await go(pilot, app, journey)
        assert frame(app) == snapshot


@pytest.mark.parametrize(
    ("size", "theme"), [(SIZES[0], "casebook-dark"), (SIZES[1], "casebook-light"), (SIZES[2], "nord")]
)
def test_the_picture_with_its_colours(
    casebook: Path, snap_compare: Callable[..., bool], size: tuple[int, int], theme: str
) -> None:
    app = app_on(casebook, name="sample")
    app.theme = theme

    async def lead(pilot: Pilot[None]) -> None:
        await go(pilot, app, "found")

    assert snap_compare(app, terminal_size=size, run_before=lead)
