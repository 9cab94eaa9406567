"""The screens for deciding as a person sees them, sign by sign at three sizes, and two pictures with their colours.

After a wanted change: `pytest tests/tui/screens/test_curation_frames.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot

from core.errors.curation.decisions import verify
from core.errors.curation.transaction import Written, look
from core.store import open_store
from tests.tui.support import app_on, assert_frames, frame, settled, until
from tui.panes.errors.case_side import ConflictScreen
from tui.panes.errors.fix_editor import WritingScreen
from tui.panes.errors.history import HistoryScreen
from tui.panes.errors.triage import TriageScreen
from tui.shell.app import CasebookApp

SIZES = ((80, 24), (120, 34), (200, 50))
JOURNEYS = ("queue", "marked", "writing", "conflict", "history", "undone")
DRAFT = 2
"""The case of the samples with a draft."""


@pytest.fixture(autouse=True)
def still(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Times, names and folders are all that differs from run to run and from one computer to the next."""
    for place in ("core.store.journal.now", "core.errors.curation.transaction.now"):
        monkeypatch.setattr(place, lambda: "2026-03-14T08:55:00.000Z")
    monkeypatch.setenv("LOGNAME", "mina")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("NO_COLOR", raising=False)


def shown(queue: TriageScreen) -> bool:
    """Whether the chosen case is the one beside the queue: nothing is decided about one that is still being read."""
    one = queue.queue.get(queue.rows.chosen)
    return one is not None and queue.case.read is not None and queue.case.read.case.id == one.row.id


async def go(pilot: Pilot[None], app: CasebookApp, path: Path, journey: str) -> None:
    """Lead there by what a person does, and wait until it is shown."""
    await until(pilot, lambda: app.errors.case.read)
    app.errors.box.cursor_blink = False
    await pilot.press("escape", "T")
    await until(pilot, lambda: isinstance(app.screen, TriageScreen) and app.screen.case.read)
    queue = app.screen
    assert isinstance(queue, TriageScreen)
    if journey == "marked":
        await pilot.press("space", "space")
    elif journey in ("history", "undone"):
        await pilot.press("a")
        await until(pilot, lambda: queue.queue.remaining == 2 and shown(queue))
        await pilot.press("N")
        await until(pilot, lambda: not app.jobs.busy("curate") and queue.queue.remaining == 1)
        await pilot.press("u")
        await until(pilot, lambda: not app.jobs.busy("curate") and queue.queue.remaining == 2)
        if journey == "history":
            await pilot.press("C")
            await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and "Details" in frame(app))
    elif journey in ("writing", "conflict"):
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WritingScreen) and not app.jobs.busy("writing"))
        writing = app.screen
        assert isinstance(writing, WritingScreen)
        writing.area.cursor_blink = False
        await pilot.press(*"**First** `npm ci`. ")
        await until(pilot, lambda: "• First npm ci" in frame(app) or "First npm ci" in frame(app))
        if journey == "conflict":
            with open_store(path, write=True) as store:
                verify(store, "ben", [look(store.con, DRAFT)], Written("Write the import by hand:\n\n- from `./api`"))
            await pilot.press("ctrl+s")
            await until(pilot, lambda: isinstance(app.screen, ConflictScreen))
    await settled(pilot, app)
    if journey in ("queue", "marked"):
        await until(pilot, lambda: "·  seen " in frame(app))  # the case's facts come a moment after its text


@pytest.mark.parametrize(("journey", "size"), zip(JOURNEYS, cycle(SIZES)), ids=JOURNEYS)
async def test_deciding_sign_by_sign(
    casebook: Path, snapshot: SnapshotAssertion, journey: str, size: tuple[int, int]
) -> None:
    app = app_on(casebook, name="sample")
    async with app.run_test(size=size) as pilot:
        await go(pilot, app, casebook, journey)
        await assert_frames(pilot, app, snapshot, (size, *SIZES))


@pytest.mark.parametrize(
    ("journey", "size", "theme"),
    [("writing", SIZES[1], "casebook-light"), ("conflict", SIZES[0], "casebook-dark")],
    ids=["writing", "conflict"],
)
def test_deciding_in_its_colours(
    casebook: Path, snap_compare: Callable[..., bool], journey: str, size: tuple[int, int], theme: str
) -> None:
    app = app_on(casebook, name="sample")
    app.theme = theme

    async def lead(pilot: Pilot[None]) -> None:
        await go(pilot, app, casebook, journey)

    assert snap_compare(app, terminal_size=size, run_before=lead)
