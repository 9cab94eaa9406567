"""The panes are tabs: Esc with nothing left to leave stays; the queue and the history give way to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.support import NOW, settled, told
from tests.tui.terminal.test_typed_ahead import WIDE, app_of, made, send
from tui.panes.common.pane_screen import PaneScreen
from tui.panes.errors.history import HistoryScreen
from tui.panes.errors.triage import TriageScreen
from tui.panes.evidence.screen import EvidenceScreen
from tui.panes.library.screen import LibraryScreen
from tui.panes.rules.screen import RulesScreen
from tui.runtime.messages import PaneOpenCitation
from tui.shell.app import CasebookApp

__all__ = ["made"]  # the fixture


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


PANES = {"alt+2": EvidenceScreen, "alt+3": RulesScreen, "alt+4": LibraryScreen}


@pytest.mark.parametrize("key", list(PANES))
async def test_esc_at_the_top_of_a_pane_stays_there(made: Path, tmp_path: Path, key: str) -> None:
    app = app_of(made, tmp_path / "work")
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot, app)
        send(app, key, *["escape"] * 6)
        await settled(pilot, app)
        assert isinstance(app.screen, PANES[key])
        send(app, "alt+1")
        await settled(pilot, app)
        assert len(app.screen_stack) == 1


@pytest.mark.parametrize("size", [(200, 50), (80, 24)], ids=str)
async def test_the_first_frame_is_of_the_remembered_pane_and_each_has_the_layout_of_its_size(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    seen: list[tuple[str, int]] = []
    mount = PaneScreen.on_mount

    def mounted(screen: PaneScreen) -> None:
        def note(_screen: object) -> None:
            if screen is app.screen and not app._batch_count and not screen.has_class("-alone"):
                seen.append((screen.PANE, screen.query_one(f"#{screen.LIST}").region.width))

        screen.screen_layout_refresh_signal.subscribe(screen, note)
        mount(screen)

    monkeypatch.setattr(PaneScreen, "on_mount", mounted)
    app = app_of(made, tmp_path / "work", pane="library")
    panes = ("library", "evidence", "rules", "insights", "errors")
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app)
        for at in (2, 3, 5, 1):
            send(app, f"alt+{at}")
            await settled(pilot, app)
    assert tuple(dict.fromkeys(name for name, _ in seen)) == panes
    assert len(set(seen)) == len(panes), "no list changes its width"


async def test_esc_leads_back_out_of_a_library_that_was_opened_from_elsewhere(made: Path, tmp_path: Path) -> None:
    app = app_of(made, tmp_path / "work")
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot, app)
        send(app, "alt+3")
        await settled(pilot, app)
        app.post_message(PaneOpenCitation("no.md#L1"))
        await settled(pilot, app)
        assert isinstance(app.screen, LibraryScreen)
        send(app, "escape", "escape", "escape", "escape")
        await settled(pilot, app)
        assert isinstance(app.screen, RulesScreen)
        app.post_message(PaneOpenCitation("no.md#L1"))
        await settled(pilot, app)
        send(app, "alt+1")
        await settled(pilot, app)
        assert len(app.screen_stack) == 1, "not to what one came from"


@pytest.mark.parametrize(("key", "over"), [("T", TriageScreen), ("C", HistoryScreen)])
async def test_the_queue_and_the_history_give_way_to_a_pane(
    casebook: Path, key: str, over: type[TriageScreen | HistoryScreen]
) -> None:
    app = CasebookApp(casebook, clock=lambda: NOW)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot, app)
        for pane, wanted in PANES.items():
            send(app, "alt+1", "escape", key)
            await settled(pilot, app)
            assert isinstance(app.screen, over)
            send(app, pane)
            await settled(pilot, app)
            assert isinstance(app.screen, wanted)
            assert len(app.screen_stack) == 2
        send(app, "alt+1", "escape", key)
        await settled(pilot, app)
        assert isinstance(app.screen, over)
        send(app, "alt+1")
        await settled(pilot, app)
        assert len(app.screen_stack) == 1
        assert not told(app, "Close the open dialog first")


async def test_what_may_be_unsaved_does_not_give_way_and_it_is_told(casebook: Path) -> None:
    app = CasebookApp(casebook, clock=lambda: NOW)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot, app)
        send(app, "escape", "T")
        await settled(pilot, app)
        send(app, "w", *"typed", "alt+3")
        await settled(pilot, app)
        assert len(app.screen_stack) == 3
        assert told(app, "Close the open dialog first")
