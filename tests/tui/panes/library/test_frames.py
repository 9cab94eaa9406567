"""The Library pane as a person sees it, sign by sign at three sizes.

After a wanted change: `pytest tests/tui/panes/library/test_frames.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from core.store import open_store
from tests.tui.panes.library.support import library_app, opened, put_notes, read_notes, searched
from tests.tui.support import assert_frames, frame, settled

SIZES = ((80, 24), (120, 34), (200, 50))
JOURNEYS = {
    "documents": ("", ()),
    "found": ("crane logs", ("down",)),
    "reading": ("crane logs", ("down", "enter", "n")),
    "why": ("새벽 두 시", ("down", "t")),
    "nothing": ("zeppelin", ("down",)),
}
LED_AT_EACH_SIZE = ("reading", "why")
"""Journeys whose keys do something else where there is another room."""
RESIZED = tuple(one for one in JOURNEYS if one not in LED_AT_EACH_SIZE)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three documents; durations and times are all that differs from run to run."""
    monkeypatch.setattr("core.base.trace.Stopwatch.ms", lambda _watch: 0.4)
    monkeypatch.delenv("NO_COLOR", raising=False)
    path = read_notes(tmp_path / "sample.db", put_notes(tmp_path / "notes"))
    with open_store(path, write=True) as store:
        store.con.execute("UPDATE documents SET indexed_at = '2026-03-13T09:00:00.000Z'")
    return path


@pytest.mark.parametrize(("journey", "size"), zip(RESIZED, cycle(SIZES)), ids=RESIZED)
async def test_the_library_sign_by_sign(
    library: Path, snapshot: SnapshotAssertion, journey: str, size: tuple[int, int]
) -> None:
    text, keys = JOURNEYS[journey]
    app = library_app(library)
    async with app.run_test(size=size) as pilot:
        screen = await (searched(pilot, app, text) if text else opened(pilot, app))
        screen.box.cursor_blink = False
        for key in keys:
            await pilot.press(key)
            await settled(pilot, app)
        await settled(pilot, app)
        await assert_frames(pilot, app, snapshot, (size, *SIZES))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("journey", LED_AT_EACH_SIZE)
async def test_the_library_sign_by_sign_led_there(
    library: Path, snapshot: SnapshotAssertion, journey: str, size: tuple[int, int]
) -> None:
    text, keys = JOURNEYS[journey]
    app = library_app(library)
    async with app.run_test(size=size) as pilot:
        screen = await (searched(pilot, app, text) if text else opened(pilot, app))
        screen.box.cursor_blink = False
        for key in keys:
            await pilot.press(key)
            await settled(pilot, app)
        await settled(pilot, app)
        assert frame(app) == snapshot


async def test_an_empty_library_sign_by_sign(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    with open_store(tmp_path / "sample.db", write=True, create=True):
        pass
    app = library_app(tmp_path / "sample.db")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot, app)
        screen.box.cursor_blink = False
        await settled(pilot, app)
        assert frame(app) == snapshot


async def test_in_plain_ascii_no_other_letter_is_drawn(library: Path) -> None:
    app = library_app(library, ascii_only=True)
    async with app.run_test(size=(200, 50)) as pilot:
        await searched(pilot, app, "crane logs")
        await pilot.press("down", "t", "t")
        await settled(pilot, app)
        assert [sign for sign in frame(app) if ord(sign) > 126] == []
