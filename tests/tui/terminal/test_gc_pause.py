"""When garbage is looked for: never thoroughly while someone types, at the latest after a while, and at rest."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual._styles_cache import StylesCache
from textual.color import Color
from textual.css.styles import Styles
from textual.strip import Strip
from textual.widget import Widget

from tests.tui.support import app_on, make_casebook, until
from tui.terminal import display
from tui.terminal.display import CollectsAtRest, forget_closed, keep_colours_only


@pytest.fixture(autouse=True)
def _own_collector() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()
    gc.freeze()  # what pytest holds stays out of every later test's garbage
    gc.enable()


@pytest.fixture
def thorough() -> Iterator[list[int]]:
    """One item a thorough look."""
    seen: list[int] = []

    def noted(phase: str, info: dict[str, int]) -> None:
        if phase == "stop" and info["generation"] == 2:
            seen.append(1)

    gc.callbacks.append(noted)
    yield seen
    gc.callbacks.remove(noted)


async def test_nothing_is_looked_through_while_someone_types_and_all_of_it_once_nobody_does(
    thorough: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(display, "monotonic", lambda: now[0])
    monkeypatch.setattr(display, "_LOOK_S", 3600.0)
    app = CollectsAtRest()
    gc.disable()
    async with app.run_test() as pilot:
        app.collect_at_rest()
        assert gc.isenabled()
        del thorough[:]
        await pilot.press("a")
        for _ in range(display._SOON):
            gc.collect(1)
        app._look()
        assert not thorough
        now[0] += display._REST_S + 0.1
        app._look()
        assert len(thorough) == 1
        app._look()
        assert len(thorough) == 1  # nothing new to look through


async def test_whoever_types_without_a_pause_does_not_fill_the_memory(
    thorough: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(display, "monotonic", lambda: 100.0)
    monkeypatch.setattr(display, "_LOOK_S", 3600.0)
    app = CollectsAtRest()
    gc.disable()
    async with app.run_test() as pilot:
        app.collect_at_rest()
        await pilot.press("a")
        del thorough[:]
        for _ in range(display._AT_LAST + 1):
            gc.collect(1)
        app._look()
        assert len(thorough) == 1


async def test_who_never_put_collecting_off_keeps_it_as_it_is() -> None:
    before = gc.get_threshold()
    async with CollectsAtRest().run_test() as pilot:
        pilot.app.collect_at_rest()  # pyright: ignore[reportAttributeAccessIssue]
        assert gc.get_threshold() == before


async def test_panes_that_were_left_do_not_stay_in_memory(tmp_path: Path) -> None:
    """As many widgets and drawn lines as after two rounds through the panes, however many rounds there were."""
    app = app_on(make_casebook(tmp_path / "a.db"))
    kept: list[tuple[int, int]] = []
    async with app.run_test(size=(120, 34)) as pilot:
        for turn in range(8):
            for pane in ("evidence", "rules", "library", "errors"):
                app.action_perform(f"pane.{pane}")
                await pilot.pause()
            if turn in (1, 7):
                await pilot.pause(0.2)
                forget_closed(app)
                gc.collect()
                kept.append((in_memory(Widget), in_memory(Strip)))
    (widgets, strips), (widgets_later, strips_later) = kept
    assert widgets_later <= widgets + 5
    assert strips_later <= 1.5 * strips


def in_memory(kind: type) -> int:
    return sum(isinstance(one, kind) for one in gc.get_objects())


def test_styles_are_remembered_by_colours_alone_and_not_without_end() -> None:
    keep_colours_only()
    inner_outer = StylesCache.get_inner_outer
    keep_colours_only()
    assert StylesCache.get_inner_outer is inner_outer, "once"
    first, second = StylesCache(), StylesCache()
    black, red = Color(0, 0, 0), Color(255, 0, 0)
    assert first.get_inner_outer(black, red) is second.get_inner_outer(black, red)
    inner, outer = first.get_inner_outer(black, red)
    assert (inner.background, outer.background) == (red, black)


async def test_styles_that_are_set_already_are_not_set_again(casebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changes: list[str] = []
    app = app_on(casebook)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        screen = app.screen
        setter, before = Styles.set_rule, dict(screen.styles.base._rules)

        def noted(self: Styles, rule: str, value: object) -> bool:
            changes.extend([rule] if self is screen.styles.base else [])
            return setter(self, rule, value)

        monkeypatch.setattr(Styles, "set_rule", noted)
        screen.update_node_styles(animate=False)
        assert len(changes) < len(before) / 4, "only what is made anew each time, such as a border"
        changes.clear()
        screen.styles.base._rules["background"] = Color(1, 2, 3)
        screen.update_node_styles(animate=False)
        assert screen.styles.base._rules["background"] == before["background"]
        assert "background" in changes
