"""Keys that come in one piece, as a slow line delivers them: what follows a key that opens a box is typed into it."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import copy

import pytest
from textual import events
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea

from tests.tui.panes.evidence.support import one_of_each
from tests.tui.panes.library.support import put_notes, read_notes
from tests.tui.panes.rules.support import CALLS, RULES, put_calls
from tests.tui.support import NOW, frame, make_casebook, settled, until
from tui.actions.registry import ACTIONS, NO_KEY, action_here
from tui.panes.errors.fix_editor import WritingScreen
from tui.panes.rules.screen import RulesScreen
from tui.render.case_list import Row
from tui.runtime.state import State
from tui.services.environment import Surroundings
from tui.shell.app import CasebookApp

WIDE = (160, 45)
TYPED = "qxer"
"""Each letter does something on a list: it leaves, rejects, labels, opens the editor."""
LEAVES = ("app.quit", "app.suspend", "app.interrupt")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A casebook with errors, quotes, calls and documents, and a rule file."""
    folder = tmp_path_factory.mktemp("made")
    path = make_casebook(folder / "all.db")
    one_of_each(path)
    put_calls(path, *CALLS)
    read_notes(path, put_notes(folder / "notes"))
    (folder / "memory.md").write_text(RULES, encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def app_of(made: Path, folder: Path, *, pane: str = "") -> CasebookApp:
    """The workbench on a copy of it, which was left in `pane`."""
    folder.mkdir(parents=True)
    around = Surroundings(rules=(Path(copy(made / "memory.md", folder)),), state=State(pane=pane))
    return CasebookApp(Path(copy(made / "all.db", folder)), around=around, clock=lambda: NOW)


def send(app: CasebookApp, *keys: str) -> None:
    """As a terminal sends what was typed ahead: none waits for what the one before does."""
    signs = {"slash": "/", "enter": "\r", "colon": ":", "question_mark": "?"}
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else signs.get(key)))


def box_of(app: CasebookApp) -> Input | TextArea | None:
    """The box that has the focus."""
    return app.focused if isinstance(app.focused, Input | TextArea) else None


def text_of(box: Input | TextArea | None) -> str:
    return "" if box is None else box.value if isinstance(box, Input) else box.text


def keys_here(app: CasebookApp) -> dict[str, str]:
    """The actions of the registry that are possible at this place, and a key of each."""
    found: dict[str, str] = {}
    now = app.situation()
    for key, active in app.active_bindings.items():
        of = re.fullmatch(r"(?:app\.)?perform\('([\w.]+)'\)", active.binding.action)
        if of and key != NO_KEY and of[1] not in LEAVES and not action_here(of[1], now).enabled(now):
            found.setdefault(of[1], key)
    return found


async def to(pilot: Pilot[None], app: CasebookApp, way: tuple[str, ...]) -> None:
    for key in way:
        await pilot.press(key)
        await settled(pilot, app)


PLACES = [("alt+1",), ("alt+2",), ("alt+3",), ("alt+4", "escape")]


async def openers(made: Path, folder: Path, way: tuple[str, ...]) -> dict[str, str]:
    """The keys at this place, pressed alone, after which one types into a box.

    A key is pressed in the app of the one before if Escape led back; what is impossible there is tried in a new app."""
    found: dict[str, str] = {}
    tried = set() if way == PLACES[0] else {one.id for one in ACTIONS if one.scope == "app"}
    while True:
        app, before = app_of(made, folder / str(len(tried))), len(tried)
        async with app.run_test(size=WIDE) as pilot:
            await to(pilot, app, way)
            here, typing = (app.screen, app.focused), box_of(app)
            while (app.screen, app.focused) == here:
                key = next(((name, key) for name, key in keys_here(app).items() if name not in tried), None)
                if key is None:
                    break
                tried.add(key[0])
                await to(pilot, app, key[1:])
                if box_of(app) not in (None, typing):
                    found.update([key])
                if (app.screen, app.focused) != here:
                    await to(pilot, app, ("escape",))
            if len(tried) == before:
                return found


@pytest.mark.parametrize("way", PLACES)
async def test_what_follows_a_key_that_opens_a_box_is_typed_into_it(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: tuple[str, ...]
) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    found = await openers(made, tmp_path / "alone", way)
    lost: dict[str, str] = {}
    left = list(found.items())
    while left:
        app = app_of(made, tmp_path / left[-1][0])
        async with app.run_test(size=WIDE) as pilot:
            await to(pilot, app, way)
            start = place_of(app)
            while left and place_of(app) == start:
                action, key = left.pop()
                send(app, key, *TYPED)
                await settled(pilot, app)
                if TYPED not in (text := text_of(box_of(app))):
                    lost[action] = text
                for _ in range(3 if left else 0):
                    if place_of(app) != start:
                        await to(pilot, app, ("escape",))
    assert not lost
    assert found


def place_of(app: CasebookApp) -> tuple[object, ...]:
    """All that tells one place from another; where it is the same as before, what was typed has left nothing."""
    return app.screen, app.focused, frame(app), keys_here(app)


async def test_a_pane_that_is_not_there_yet_gets_what_was_typed_for_it(made: Path, tmp_path: Path) -> None:
    app = app_of(made, tmp_path / "work")
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: app.errors.case.read)  # before its first list is there, Escape leaves no box
        assert not any(isinstance(screen, RulesScreen) for screen in app.screen_stack)
        send(app, "escape", "3", "slash", *TYPED)
        await settled(pilot, app)
        assert text_of(box_of(app)) == TYPED
        send(app, "escape", "escape")
        await settled(pilot, app)  # the list without the search is read, and its first call is asked about
        send(app, "w", *"retry", "enter")
        await settled(pilot, app)
        assert isinstance(app.screen, RulesScreen)
        assert app.screen.rank.chosen is not None and app.screen.rank.chosen.id == "ERR-003"


@pytest.mark.parametrize("pane", ["2", "3", "4"])
async def test_nothing_hidden_has_the_focus_while_a_pane_opens(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pane: str
) -> None:
    """What takes it even for a moment keeps it where the list is told empty in that moment, and eats what is typed."""
    hidden: list[Widget] = []
    real = Screen.set_focus

    def noting(screen: Screen[None], widget: Widget | None, **how: bool) -> None:
        if widget is not None and not all(one.display for one in widget.ancestors_with_self):
            hidden.append(widget)
        real(screen, widget, **how)

    app = app_of(made, tmp_path / "work")
    async with app.run_test(size=WIDE) as pilot:
        await to(pilot, app, ("escape",))
        monkeypatch.setattr(Screen, "set_focus", noting)
        await to(pilot, app, (pane,))
    assert not hidden


OPENED = {
    "alt+1": ("borrow", "case"),
    "alt+2": ("port", "evidence-rows"),
    "alt+3": ("push", "rules-rank-rows"),
    "alt+4": ("ledger", "library-document"),
}
"""What is searched in a pane, and where Enter leads to."""


async def to_search(pilot: Pilot[None], app: CasebookApp, pane: str) -> None:
    """Into the box of that pane, which stands open in some."""
    await to(pilot, app, (pane,))
    if box_of(app) is None:
        await to(pilot, app, ("slash",))


@pytest.mark.parametrize("found", [False, True])
@pytest.mark.parametrize(("pane", "words", "there"), [(pane, *rest) for pane, rest in OPENED.items()])
async def test_what_follows_enter_goes_where_enter_leads(
    made: Path, tmp_path: Path, pane: str, words: str, there: str, *, found: bool
) -> None:
    app = app_of(made, tmp_path / "work")
    async with app.run_test(size=WIDE) as pilot:
        await to_search(pilot, app, pane)
        box = box_of(app)
        send(app, *words)
        if found:
            await settled(pilot, app)
        send(app, "enter", "j", "j")
        await settled(pilot, app)
        assert text_of(box) == words
        assert app.focused is not None and app.focused.id == there


@pytest.mark.parametrize("pane", [pane for pane in OPENED if pane != "alt+2"])
async def test_what_follows_enter_goes_to_the_box_where_nothing_is_found(made: Path, tmp_path: Path, pane: str) -> None:
    app = app_of(made, tmp_path / "work")
    async with app.run_test(size=WIDE) as pilot:
        await to_search(pilot, app, pane)
        send(app, *"qqqqq", "enter", "x")
        await settled(pilot, app)
        assert text_of(box_of(app)) == "qqqqqx"


@pytest.mark.parametrize("key", ["escape", "ctrl+c", "ctrl+q"])
async def test_what_gives_up_waits_for_no_search(casebook: Path, key: str) -> None:
    app = CasebookApp(casebook, clock=lambda: NOW)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot, app)
        app.hold_keys()
        send(app, "x")
        await pilot.pause()
        assert text_of(box_of(app)) == ""
        send(app, key)
        await settled(pilot, app)
        if key == "escape":
            assert app.focused is app.errors.results.rows
        assert app.errors.box.query_text == ""
        assert app.return_code == (0 if key == "ctrl+q" else None)


async def test_keys_wait_for_a_search_only_so_long(casebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.terminal.keyboard._PATIENCE", 0.05)
    app = CasebookApp(casebook, clock=lambda: NOW)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot, app)
        app.hold_keys()
        send(app, "x")
        await until(pilot, lambda: text_of(box_of(app)) == "x")


@pytest.mark.parametrize("key", ["w", "y"])
async def test_what_is_done_right_behind_a_move_is_about_where_it_led(made: Path, tmp_path: Path, key: str) -> None:
    app = app_of(made, tmp_path / "work")
    async with app.run_test(size=WIDE) as pilot:
        await to(pilot, app, ("escape",))
        rows = app.errors.results.rows
        first, second = rows.rows.get(0), next(at for at in range(1, rows.rows.total) if fix_at(app, at))
        send(app, *["j"] * second, key)
        await settled(pilot, app)
        case = app.errors.case.read
        assert case is not None and isinstance(first, Row) and case.case.id != first.id
        wanted = case.case.resolution
        if key == "w":
            assert isinstance(app.screen, WritingScreen)
            assert app.screen.area.text == wanted
        else:
            assert app.clipboard == wanted


def fix_at(app: CasebookApp, at: int) -> bool:
    row = app.errors.results.rows.rows.get(at)
    return isinstance(row, Row) and row.status in ("draft", "verified")
