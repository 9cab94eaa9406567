"""The shell: themes, what is remembered, status, jump, panes by number, reasons, plain ASCII."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input
from textual.widgets._toast import Toast

from core.base.config.settings_sources import load_config
from core.store import open_store
from core.store.jobs import begin, progress
from tests.tui.panes.evidence.support import one_of_each, opened
from tests.tui.support import NOW, app_on, frame, offered, put, settled, toasts, until
from tui.actions.action import Around, Situation
from tui.actions.registry import ACTIONS, BY_NAME
from tui.panes.errors.actions import ErrorsNow
from tui.panes.evidence.screen import EvidenceScreen
from tui.panes.library.screen import LibraryScreen
from tui.panes.rules.screen import RulesScreen
from tui.runtime.messages import PaneCounted
from tui.runtime.state import State, read_state, state_file, write_state
from tui.screens.help import HelpScreen
from tui.screens.palette import JumpScreen
from tui.services.environment import Surroundings
from tui.shell.app import CasebookApp
from tui.shell.appearance import DARK, LIGHT, read_theme, user_themes
from tui.terminal.crash import no_log

MINE = """
primary = "#ff8800"
background = "black"
dark = true

[variables]
"border-blurred" = "#333 50%"
"""


def theme_file(folder: Path, text: str, name: str = "mine.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_theme_of_one_s_own_is_read_from_toml(tmp_path: Path) -> None:
    theme = read_theme(theme_file(tmp_path, MINE))
    assert (theme.name, theme.primary, theme.dark) == ("mine", "#ff8800", True)
    assert theme.variables == {"border-blurred": "#333 50%"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("primary = ", "Invalid value"),
        ("dark = true", "primary is missing"),
        ('primary = "no colour"', "primary is not a color"),
        ("primary = 3", "primary is not a color"),
        ('primary = "red"\nprimry = "red"', "unknown color 'primry'"),
        ('primary = "red"\ndark = "yes"', "dark must be true or false"),
        ('primary = "red"\nname = "a b"', "letters, digits"),
        ('primary = "red"\nvariables = 1', "must be a table"),
        ('primary = "red"\n[variables]\nx = "red; }"', "not a color or style"),
        ('primary = "red"\n[variables]\n"a b" = "red"', "must be a name of a-z, 0-9 and -"),
    ],
)
def test_a_bad_theme_is_named_with_its_fault(tmp_path: Path, text: str, fault: str) -> None:
    theme_file(tmp_path, text)
    themes, (trouble,) = user_themes(tmp_path, ())
    assert themes == ()
    assert trouble.startswith("mine.toml is not a valid theme: ")
    assert fault in trouble


def test_a_theme_cannot_take_the_name_of_another(tmp_path: Path) -> None:
    theme_file(tmp_path, MINE, f"{DARK}.toml")
    assert user_themes(tmp_path, (DARK,))[0] == ()
    assert user_themes(tmp_path / "nowhere", ()) == ((), ())


async def test_every_theme_there_is_can_be_put_on(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        for name in app.theme_names():
            app.choose_theme(name)
            await pilot.pause()
            assert app.is_running, name


def around(tmp_path: Path, text: str = "", state: State | None = None) -> Surroundings:
    config = tmp_path / "config.toml"
    config.write_text(text, encoding="utf-8")
    return Surroundings(load_config(config, {}), no_log, tmp_path / "state" / "x.json", state or State())


async def test_the_user_s_theme_is_offered_chosen_and_remembered(casebook: Path, tmp_path: Path) -> None:
    theme_file(tmp_path / "themes", MINE)
    theme_file(tmp_path / "themes", "primary = 3", "bad.toml")
    app = CasebookApp(casebook, around=around(tmp_path), clock=lambda: NOW)
    async with app.run_test(size=(120, 34), notifications=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        app.action_perform("view.theme")
        await until(pilot, lambda: "bad.toml is not a valid theme" in frame(app))
        await pilot.press(*"mine")
        await until(pilot, lambda: offered(app).startswith("mine"))
        await pilot.press("enter")
        await until(pilot, lambda: app.theme == "mine")
        app.leave()
        await until(pilot, lambda: app.return_code == 0 and not app.jobs.busy("state-last"))
    assert read_state(tmp_path / "state" / "x.json")[0].theme == "mine"
    again = CasebookApp(casebook, theme="mine", around=around(tmp_path), clock=lambda: NOW)
    assert again.theme == "mine"
    assert CasebookApp(casebook, theme="gone", around=around(tmp_path), clock=lambda: NOW).theme == DARK


def test_a_setting_changed_since_wins_over_the_remembered_theme() -> None:
    state = State(theme="nord", setting="")
    assert state.theme_under("") == "nord"
    assert state.theme_under(LIGHT) == LIGHT


async def test_it_opens_as_it_was_left(casebook: Path, tmp_path: Path) -> None:
    place = tmp_path / "state" / "x.json"
    app = CasebookApp(casebook, around=around(tmp_path), clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total == 5 and app.errors.case.read)
        await pilot.press("down", "s")
        await until(pilot, lambda: not app.jobs.busy("rows") and "most seen" in frame(app))
        await pilot.press("t", "g", "j", "j")
        await until(pilot, lambda: app.errors.results.chosen and app.errors.results.rows.chosen == 2)
        case = app.errors.results.chosen
        await pilot.press("q")
        await until(pilot, lambda: app.return_code == 0 and not app.jobs.busy("state-last"))
    state, trouble = read_state(place)
    assert trouble == ""
    assert (place.stat().st_mode & 0o777, place.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    again = CasebookApp(casebook, around=around(tmp_path, state=state), clock=lambda: NOW)
    async with again.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: again.errors.results.chosen is not None)
        assert case is not None
        assert again.errors.results.chosen is not None
        assert again.errors.results.chosen.id == case.id
        assert again.errors.results.scope.sort == app.errors.results.scope.sort != "last_seen"
        assert again.errors.why.display


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"version": 2}', '{"version": 1, "theme": 3}', '{"version": 1, "panes": {"errors": 1}}']
)
def test_a_broken_state_counts_as_none_and_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    state, trouble = read_state(path)
    assert state == State()
    assert str(path) in trouble


def test_a_state_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    state = State("nord", "", {"errors": {"case": 3, "tool": "한글", "zoomed": True, "status": None}}, "rules")
    write_state(tmp_path / "new" / "x.json", state)
    assert read_state(tmp_path / "new" / "x.json") == (state, "")
    assert json.loads((tmp_path / "new" / "x.json").read_text())["version"] == 1


def test_each_casebook_has_a_state_of_its_own(tmp_path: Path) -> None:
    environ = {"XDG_STATE_HOME": str(tmp_path)}
    one, other = (state_file(Path(name), environ) for name in ("/a.db", "/b.db"))
    assert one != other
    assert one.is_relative_to(tmp_path)


async def test_a_memory_that_makes_no_sense_is_passed_over(casebook: Path, tmp_path: Path) -> None:
    memory = {"status": "mad", "sort": 3, "period": [], "tool": "", "case": 10**9, "why": 1}
    mad = State(panes={"errors": memory}, pane="mad")  # pyright: ignore[reportArgumentType]
    app = CasebookApp(casebook, around=around(tmp_path, state=mad), clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total == 5 and app.errors.case.read)


async def test_the_pane_and_its_row_are_there_again_even_after_kill_9(tmp_path: Path) -> None:
    path, kept = one_of_each(tmp_path / "review.db"), tmp_path / "state" / "x.json"

    def state() -> State:
        return read_state(kept)[0]

    app = CasebookApp(path, around=around(tmp_path), clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        await opened(pilot, app)
        await pilot.press("j", "j")
        await until(pilot, lambda: state().pane == "evidence" and state().panes["evidence"]["quote"] == 4)
    before = state()  # nobody has left the workbench: this is what kill -9 leaves, too
    app = CasebookApp(path, around=around(tmp_path, state=before), clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, EvidenceScreen) and app.screen.chosen_id == 4)
        await pilot.press("alt+1")
        await until(pilot, lambda: state().pane == "errors")
        await pilot.press("alt+3")
        await until(pilot, lambda: isinstance(app.screen, RulesScreen))
        app.leave()
        await until(pilot, lambda: app.return_code == 0 and not app.jobs.busy("state-last"))
    assert state().pane == "rules"


async def test_what_the_command_line_cites_goes_before_the_pane_one_was_in(casebook: Path, tmp_path: Path) -> None:
    left = replace(around(tmp_path, state=State(pane="rules")), cited="notes.md#L1")
    app = CasebookApp(casebook, around=left, clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, LibraryScreen))
        assert not any(isinstance(one, RulesScreen) for one in app.screen_stack)


async def test_the_status_says_where_what_and_how(casebook: Path, tmp_path: Path) -> None:
    app = CasebookApp(casebook, around=around(tmp_path), clock=lambda: NOW)
    async with app.run_test(size=(120, 60), notifications=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("down", "S")
        await until(pilot, lambda: "indexes" in frame(app) and "Versions" in frame(app))
        text = frame(app)
        for told in ("sample.db", "5 cases", "vector", "Jobs", "casebook.log", "Textual", "schema"):
            assert told in text, told
        with open_store(casebook, write=True) as store:
            put(store, "error: written by a run", "shell", None)
            job = begin(store, "import", total=100)
            assert job is not None and progress(store, job, 40)
            await until(pilot, lambda: "6 cases, " in frame(app) and "40 B of 100 B" in frame(app))
        await pilot.press("x")
        await until(pilot, lambda: toasts(app) == ["No import is running."])
        await pilot.press("escape")
        await until(pilot, lambda: len(app.screen_stack) == 1)


@pytest.mark.parametrize("action", ["app.status", "app.help"])
async def test_a_dialog_covers_all_of_a_small_screen_but_its_top(casebook: Path, action: str) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        app.action_perform(action)
        await until(pilot, lambda: len(app.screen_stack) == 2 and "esc closes" in frame(app))
        lines = frame(app).rstrip("\n").split("\n")
        assert lines[0].startswith(" casebook") and lines[1].startswith("╭─ ")
        assert "esc closes" in lines[-1], "no edge and no keys of the pane behind it"


async def test_why_a_key_did_nothing_is_gone_once_one_does_something(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        app.action_perform("list.unfilter")
        await until(pilot, lambda: toasts(app) == ["No filter is active."])
        app.action_perform("app.help")
        await until(pilot, lambda: len(app.screen_stack) == 2 and not toasts(app))


async def test_the_status_of_a_casebook_that_is_not_there(tmp_path: Path) -> None:
    app = CasebookApp(tmp_path / "none.db", around=around(tmp_path), clock=lambda: NOW)
    async with app.run_test(size=(120, 60)) as pilot:
        app.action_perform("app.status")
        await until(pilot, lambda: "no file yet" in frame(app) and "nothing to count" in frame(app))


async def test_a_letter_jumps_to_its_part(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(200, 50)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: len(app.screen_stack) == 2)
        assert isinstance(app.screen, JumpScreen)
        letters = {target.widget: letter for letter, target in app.screen._targets.items()}
        assert next(iter(letters)) is app.errors.box
        await pilot.press(letters[app.errors.case])
        await until(pilot, lambda: app.focused is app.errors.case)
        await pilot.press("ctrl+o", "escape")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        assert app.focused is app.errors.case


@pytest.mark.parametrize("size", [(80, 24), (120, 34), (200, 50), (60, 12), (40, 7)])
async def test_no_letter_covers_what_a_row_begins_with(casebook: Path, size: tuple[int, int]) -> None:
    app = app_on(casebook)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("down")
        await until(pilot, lambda: app.focused is app.errors.results.rows)
        before = [line[:6] for line in frame(app).split("\n") if "error TS2304" in line]
        await pilot.press("ctrl+o")
        await until(pilot, lambda: len(app.screen_stack) == 2)
        assert [line[:6] for line in frame(app).split("\n") if "error TS2304" in line] == before
        first = next(line for line in frame(app).split("\n") if "ModuleNotFound" in line)
        assert "●" in first
        assert isinstance(app.screen, JumpScreen)
        places = [target.at for target in app.screen._targets.values()]
        assert len(set(places)) == len(places)


async def test_a_letter_goes_to_another_pane_and_back(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: " casebook  v Errors  b Evidence  n Rules  m Library" in frame(app))
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, EvidenceScreen))
        await pilot.press("ctrl+o")
        await until(pilot, lambda: "v Errors" in frame(app))
        await pilot.press("v")
        await until(pilot, lambda: len(app.screen_stack) == 1)


async def test_every_pane_s_first_line_tells_what_is_counted_after_it_was_opened(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        for number, pane in ((2, EvidenceScreen), (3, RulesScreen), (4, LibraryScreen)):
            await pilot.press(f"alt+{number}")
            await until(pilot, lambda pane=pane: isinstance(app.screen, pane))
            app.errors.post_message(PaneCounted(70 + number, "its folder is read-only"))
            first = f"{70 + number} cases"
            await until(pilot, lambda first=first: first in frame(app).split("\n")[0])
            assert "read-only" in frame(app).split("\n")[0]


@pytest.mark.parametrize("key", ["alt+4", "4"])
async def test_a_digit_goes_to_its_pane_and_back(casebook: Path, key: str) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("down", key)
        await until(pilot, lambda: isinstance(app.screen, LibraryScreen))
        await pilot.press("alt+1")
        await until(pilot, lambda: len(app.screen_stack) == 1)


def test_every_reason_is_a_sentence() -> None:
    poor = Situation(around=Around(no_color=True))
    rich = ErrorsNow("case", 5, 5, "x", case_open=True, has_fix=True, raw_clipped=True, seen_older=True)
    for action in ACTIONS:
        for now in (poor, rich):
            reason = action.enabled(now)
            assert not reason or (reason[0].isupper() and reason.endswith(".")), action.id


async def test_an_impossible_action_says_why_in_a_toast_and_in_the_help(tmp_path: Path) -> None:
    impossible = [one.name for one in ACTIONS if one.enabled(Situation())]
    app = app_on(tmp_path / "none.db")
    async with app.run_test(size=(84, 50), notifications=True) as pilot:  # the help's own width: nothing beside it
        await until(pilot, lambda: "No cases yet" in frame(app))
        why = {action: _letters(app.signs.fill_keys(BY_NAME[action].enabled(app.situation()))) for action in impossible}
        assert len(impossible) > 20
        assert all(why.values())
        for at_once in _told_apart(why):
            for action in at_once:
                app.action_perform(action)
            await until(pilot, lambda at_once=at_once: len(app.screen.query(Toast)) == len(at_once))
            await until(pilot, lambda at_once=at_once: _are_in(_letters(frame(app)), (why[one] for one in at_once)))
            app.clear_notifications()
            await until(pilot, lambda: not app.screen.query(Toast))
        app.action_perform("app.help")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        for action in impossible:
            app.screen.query_one(Input).value = action.replace(".", " ").replace("_", " ")
            await until(pilot, lambda action=action: why[action] in _letters(frame(app)))


def _told_apart(why: dict[str, str], most: int = 8) -> list[list[str]]:
    """Actions that are tried one behind the other: as many as there is room for, no two for the same reason."""
    groups = list[list[str]]()
    for action, reason in why.items():
        fits = (one for one in groups if len(one) < most and reason not in {why[other] for other in one})
        if (group := next(fits, None)) is None:
            groups.append(group := [])
        group.append(action)
    return groups


def _are_in(text: str, parts: Iterable[str]) -> bool:
    return all(part in text for part in parts)


def _letters(text: str) -> str:
    """Without the blanks, frames and line ends that wrapping puts between words."""
    return "".join(sign for sign in text if sign.isalnum())


async def test_plain_ascii_holds_on_every_screen(tmp_path: Path) -> None:
    from core.store import open_store
    from tests.tui.support import put

    path = tmp_path / "ascii.db"
    with open_store(path, write=True, create=True) as store:
        for number in range(60):
            name = chr(97 + number % 26) + chr(97 + number // 26)
            put(store, f"error: unit {name} failed to load", "shell", "x " * 90)
    app = app_on(path, ascii_only=True)
    # Wide enough for every heading: Textual cuts a longer one with a sign of its own.
    async with app.run_test(size=(150, 24), notifications=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        app.say("a toast")
        for keys in (("down",), ("enter",), ("f1",), ("escape", "ctrl+p"), ("escape", "S"), ("escape", "ctrl+o")):
            await pilot.press(*keys)
            await settled(pilot, app)
            strange = {sign for sign in frame(app) if ord(sign) > 126}
            assert not strange, (keys, [line for line in frame(app).split("\n") if not line.isascii()])
        await pilot.press("escape", "/", *"zzqq")
        await until(pilot, lambda: "No matching case" in frame(app))
        assert {sign for sign in frame(app) if ord(sign) > 126} == set()


def test_a_situation_without_colours_offers_no_theme() -> None:
    assert "NO_COLOR" in BY_NAME["view.theme"].enabled(Situation(around=Around(no_color=True)))
