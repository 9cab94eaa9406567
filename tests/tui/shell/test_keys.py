"""Keys of one's own: read from the settings, checked, and shown wherever keys are shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.binding import Binding

from core.base.config.settings_sources import load_config
from core.base.fault import Fault
from tests.tui.panes.evidence.support import one_of_each
from tests.tui.support import NOW, frame, until
from tui.actions.registry import (
    ACTIONS,
    BY_NAME,
    Keys,
    Wish,
    bindings,
    footer,
    key_from,
    key_name,
    key_table,
    keymap,
    keys_for,
    matching,
    types_text,
    with_key_table,
)
from tui.panes.errors.actions import ErrorsNow as Now
from tui.panes.evidence.screen import EvidenceScreen
from tui.screens.palette import keys_here
from tui.shell.app import CasebookApp
from tui.widgets.workbench import Running

ROOT = Path(__file__).parents[3]


def wish(action: str, *keys: str, line: int = 2) -> Wish:
    return Wish(action, keys, f"c.toml:{line}")


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("t", "t"), ("T", "T"), ("?", "question_mark"), ("^p", "ctrl+p"), ("ctrl+P", "ctrl+p"), ("esc", "escape"),
        ("PgDn", "pagedown"), ("F8", "f8"), ("↓", "down"), ("alt+1", "alt+1"), ("/", "slash"), (",", "comma"),
        ("Return", "enter"), ("shift+ctrl+up", "ctrl+shift+up"), ("+", "plus"), ("7", "7"), ("ctrl++", "ctrl+plus"),
    ],
)  # fmt: skip
def test_keys_may_be_written_as_people_write_them(written: str, key: str) -> None:
    assert key_from(written) == key


@pytest.mark.parametrize("written", ["", "hyper+x", "ctrl+ctrl+a", "f99", "nokey", "ctrl+", "\x1b", "^"])
def test_what_is_no_key_is_none(written: str) -> None:
    assert key_from(written) in (None, "circumflex_accent" if written == "^" else None)


def test_every_key_of_the_registry_can_be_written_as_it_is_shown() -> None:
    for key in {key for action in ACTIONS for key in action.keys}:
        assert key_from(key_name(key)) == key
        assert key_from(key_name(key, ascii_only=True)) == key


def test_a_letter_types_and_a_function_key_does_not() -> None:
    assert [key for key in ("t", "slash", "space", "f1", "ctrl+p", "down", "enter", "comma") if types_text(key)] == [
        "t", "slash", "space", "comma",
    ]  # fmt: skip


def test_a_granted_wish_is_shown_everywhere_the_action_is() -> None:
    keys, troubles = keys_for([wish("case.copy", "ctrl+y"), wish("view.theme", "F11")])
    assert troubles == ()
    assert BY_NAME["case.copy"] in matching("ctrl+y", keys)
    assert BY_NAME["view.theme"] in matching("f11", keys)
    now = Now(focus="list", cases=3, case_open=True, has_fix=True)
    assert ("case.copy", "ctrl+y") in [(action.name, key) for action, key in footer(now, keys)]


def test_a_taken_key_is_refused_with_both_names_and_the_line() -> None:
    keys, (trouble,) = keys_for([wish("case.copy", "t", line=7)])
    assert keys.chosen == {}
    assert "case.copy" in trouble
    assert "case.why" in trouble
    assert "c.toml:7" in trouble


def test_two_actions_may_swap_their_keys() -> None:
    keys, troubles = keys_for([wish("case.copy", "t"), wish("case.why", "y")])
    assert troubles == ()
    assert keys.chosen == {"case.copy": ("t",), "case.why": ("y",)}


def test_of_two_wishes_for_one_key_the_first_has_it() -> None:
    keys, (trouble,) = keys_for([wish("case.copy", "f8"), wish("case.why", "f8", line=3)])
    assert keys.chosen == {"case.copy": ("f8",)}
    assert trouble.startswith("case.why")


def test_the_same_key_may_mean_two_things_in_two_places() -> None:
    assert keys_for([wish("find.open", "f9"), wish("list.open", "f9")])[1] == ()


def test_unknown_actions_and_keys_are_named_with_what_was_meant() -> None:
    _, troubles = keys_for([wish("case.copi", "c"), wish("case.why", "hyper+t", line=4)])
    assert "Did you mean case.copy" in troubles[0]
    assert "hyper+t is not a key (c.toml:4)" in troubles[1]


ALIASES = [(action.alias, action.id) for action in ACTIONS if action.alias]


def test_panes_share_the_ids_of_what_they_all_do() -> None:
    shared = {action_id for _, action_id in ALIASES}
    assert shared == {
        "find.focus", "list.filter", "list.unfilter", "list.next", "list.previous", "list.why", "list.copy",
        "list.copy_as",
    }  # fmt: skip
    for action_id in shared:
        assert len({action.keys for action in ACTIONS if action.id == action_id}) == 1, "one key in every pane"


@pytest.mark.parametrize(("alias", "action_id"), ALIASES)
def test_the_old_id_of_a_shared_action_sets_its_key_in_that_pane(alias: str, action_id: str) -> None:
    keys, troubles = keys_for([wish(alias, "f9")])
    assert troubles == ()
    assert keys.chosen == {alias: ("f9",)}
    assert BY_NAME[alias].id == action_id
    bound = [one for one in bindings(BY_NAME[alias].scope) if isinstance(one, Binding) and one.id == alias]
    assert [one.action for one in bound] == [f"app.perform('{action_id}')"]
    assert keymap(keys)[alias] == "f9"


def test_a_shared_id_sets_the_key_in_every_pane_but_those_that_have_one_of_their_own() -> None:
    keys, troubles = keys_for([wish("list.why", "f9"), wish("rules.why", "f8")])
    assert troubles == ()
    assert keys.chosen == dict.fromkeys(("case.why", "evidence.why", "library.why"), ("f9",)) | {"rules.why": ("f8",)}


async def test_a_key_set_by_an_old_id_works_in_its_pane_and_nowhere_else(tmp_path: Path) -> None:
    app = CasebookApp(one_of_each(tmp_path / "e.db"), wishes=[wish("evidence.why", "f9")], clock=lambda: NOW)
    async with app.run_test(size=(160, 34)) as pilot:
        await until(pilot, lambda: app.errors.is_mounted)
        await pilot.press("alt+2")
        await until(pilot, lambda: isinstance(app.screen, EvidenceScreen) and app.screen.view.read)
        screen = app.screen
        assert isinstance(screen, EvidenceScreen)
        shown = screen.entry.region.area > 0
        await pilot.press("f9")
        await until(pilot, lambda: (screen.entry.region.area > 0) is not shown)
        await pilot.press("t", "alt+1")
        await until(pilot, lambda: app.screen is app.errors)
        assert (screen.why == "hidden") is shown, "t is no key of it there"
        app.errors.results.body.take_focus()
        await pilot.pause()
        assert keys_here(app.screen)["case.why"] == ["t"]


def test_the_settings_file_gives_keys_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text('[keys]\n"case.why" = ["W", "F8"]\ncase.copy = "c"\n\nlist.sort = []\n', encoding="utf-8")
    config = load_config(path, {})
    assert [(one.action, one.keys, one.where) for one in config.keys] == [
        ("case.why", ("W", "F8"), f"{path}:2"),
        ("case.copy", ("c",), f"{path}:3"),
        ("list.sort", (), f"{path}:5"),
    ]
    assert config.warnings == ()


@pytest.mark.parametrize("value", ["1", "[1]", "true", '"a\\u0000"'])
def test_a_key_that_is_no_text_is_told_with_its_line(tmp_path: Path, value: str) -> None:
    path = tmp_path / "c.toml"
    path.write_text(f"[keys]\n'case.why' = {value}\n", encoding="utf-8")
    with pytest.raises(Fault, match=r"keys\.case\.why must be a key in quotes.*c\.toml:2"):
        load_config(path, {})


def test_keys_and_priorities_reach_textual() -> None:
    mapped = keymap(Keys({"app.quit": ("x", "f10"), "list.sort": ()}))
    assert mapped["app.quit"] == "x"  # waits its turn: in the box it is a letter
    assert mapped["app.quit!"] == "f10"
    assert mapped["app.quit:ctrl+q"] == mapped["list.sort"] == mapped["list.sort:s"] == "unbound"


async def test_another_key_works_and_the_old_one_does_not(casebook: Path) -> None:
    wishes = [wish("app.help", "Q", "f7"), wish("list.down", "n"), wish("case.why", "f9")]
    app = CasebookApp(casebook, wishes=wishes, clock=lambda: NOW)
    async with app.run_test(size=(120, 34), notifications=True) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total == 5 and app.errors.case.read)
        await pilot.press("Q", "f1")  # a letter in the box, and no longer help
        assert app.errors.box.value == "Q"
        assert len(app.screen_stack) == 1
        await pilot.press("f9")  # a key of the pane that types nothing works in the box too
        await until(pilot, lambda: app.errors.why.region.area > 0)
        await pilot.press("ctrl+l", "escape", "n", "n", "j", "down")
        assert app.errors.results.rows.chosen == 2
        assert "f7" not in frame(app)
        assert " Q help" in frame(app)
        await pilot.press("Q")
        await until(pilot, lambda: len(app.screen_stack) == 2)
        await pilot.press(*"help")
        await until(pilot, lambda: "Q F7" in frame(app))


async def test_a_refused_wish_is_told_when_the_workbench_opens(casebook: Path) -> None:
    app = CasebookApp(casebook, wishes=[wish("case.copy", "t", line=9)], clock=lambda: NOW)
    async with app.run_test(size=(120, 34), notifications=True) as pilot:
        await until(pilot, lambda: "c.toml:9" in frame(app))
        assert "case.copy keeps its keys" in frame(app)


def test_the_documented_keys_are_those_of_today() -> None:
    text = (ROOT / "docs" / "reference" / "keys.md").read_text(encoding="utf-8")
    assert with_key_table(text) == text, "run: python -m tui.actions.registry --write"
    assert key_table() in text


async def test_whatever_names_a_key_names_the_one_in_force(tmp_path: Path) -> None:
    rebound = {"import.begin": "ctrl+y", "import.demo": "f7", "app.quit": "f10", "find.clear": "f11", "list.back": "f2"}
    app = CasebookApp(
        tmp_path / "none.db", wishes=[wish(name, key) for name, key in rebound.items()], clock=lambda: NOW
    )
    async with app.run_test(size=(120, 34), notifications=True) as pilot:
        await until(pilot, lambda: "choose a file or folder" in frame(app))
        told = " ".join(frame(app).split())  # the keys share a column
        assert "^y choose a file or folder" in told
        assert "F7 open the demo" in told
        assert "F10 quit" in told
        app.errors.incoming.running = Running()
        await until(pilot, lambda: "F2 twice cancels" in frame(app))


async def test_a_search_that_found_nothing_names_the_keys_in_force(casebook: Path) -> None:
    app = CasebookApp(casebook, wishes=[wish("find.clear", "f11"), wish("case.why", "f12")], clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        app.errors.box.ask("qqqqxyzzy")
        await until(pilot, lambda: "F11     show all cases" in frame(app))
        assert "esc, +  record this error and write its fix" in frame(app)
        assert "esc, F12  show the trace" in frame(app)


async def test_a_step_whose_key_was_taken_away_is_not_offered(tmp_path: Path) -> None:
    app = CasebookApp(tmp_path / "none.db", wishes=[wish("import.demo")], clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: "choose a file or folder" in frame(app))
        assert "open the demo" not in frame(app)
