"""The help: what is possible first, each reason once, lines that go on under their titles; and the legend."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from tests.tui.support import app_on, frame, until
from tui.actions.action import Situation
from tui.actions.registry import ACTIONS, BY_NAME, Keys, nearest_first
from tui.panes.errors.actions import CaseNow, ErrorsNow
from tui.panes.evidence.actions import EvidenceNow
from tui.render.common.glyphs import ASCII, UNICODE, Signs
from tui.screens.help import draw_help, draw_legend, entries, legend

LIST = ErrorsNow("list", 5, case_open=True)
REVIEW = [action for action in ACTIONS if action.group == "Evidence"]


def lines(now: Situation, width: int, signs: Signs = UNICODE) -> list[str]:
    return draw_help(nearest_first(ACTIONS, now), now, signs, width).plain.split("\n")


def test_a_reason_that_several_share_stands_once_above_them() -> None:
    shown = draw_help(REVIEW, LIST, UNICODE, 76).plain
    assert shown.count("Only available in the Evidence pane.") == 1
    assert shown.split("\n")[:2] == ["Evidence", "  Only available in the Evidence pane."]


def test_a_reason_of_one_action_stands_behind_it() -> None:
    shown = draw_help([BY_NAME["case.copy"]], LIST, UNICODE, 90).plain
    assert "Copy the fix  (This case has no fix yet.)" in shown


def test_of_a_group_what_is_possible_comes_first() -> None:
    case = [action for action in ACTIONS if action.group == "The case"]
    titles = [line.strip() for line in draw_help(case, LIST, UNICODE, 90).plain.split("\n")]
    possible = [at for at, line in enumerate(titles) if "Show or hide the trace" in line]
    impossible = [at for at, line in enumerate(titles) if "Show the full error" in line]
    assert case.index(BY_NAME["case.all"]) < case.index(BY_NAME["case.why"])
    assert possible < impossible


def test_a_key_of_the_pane_that_a_screen_over_it_lacks_says_where_it_holds() -> None:
    def elsewhere(now: Situation) -> set[str]:
        return {one.keys for one in entries(ACTIONS, now, UNICODE) if one.where == "in Errors"}

    assert {"/", "f", "J ]", "T"} <= elsewhere(CaseNow("triage"))
    assert elsewhere(CaseNow("triage")).isdisjoint({"w", "e", "u", "C", "o"})
    assert elsewhere(LIST) == elsewhere(Situation("box")) == set()


def test_an_import_key_that_another_pane_uses_says_where_it_holds() -> None:
    imports = [action for action in ACTIONS if action.group == "Import"]

    def elsewhere(now: Situation) -> list[str]:
        return [one.keys for one in entries(imports, now, UNICODE) if one.where == "in Errors"]

    assert elsewhere(LIST) == []
    assert elsewhere(EvidenceNow("evidence")) == []
    assert elsewhere(Situation("rules")) == ["d"]
    assert elsewhere(Situation("library")) == ["i", "I"]


def test_actions_that_differ_in_a_digit_are_one_line() -> None:
    choose = [action for action in ACTIONS if action.id.startswith("evidence.choose_")]
    found = entries(choose, EvidenceNow("evidence", quote=True, places=3), UNICODE)
    assert [(one.keys, one.title[-5:]) for one in found] == [("1 … 9", "1 … 9")]
    assert entries(choose, Situation("evidence"), ASCII)[0].keys == "1 .. 9"


def test_a_key_of_one_s_own_is_a_line_of_its_own() -> None:
    choose = [action for action in ACTIONS if action.id.startswith("evidence.choose_")]
    found = entries(choose, LIST, Signs(**{**_fields(UNICODE), "keys": Keys({"evidence.choose_5": ("u",)})}))
    assert [one.keys for one in found] == ["1 … 4", "u", "6 … 9"]


def _fields(signs: Signs) -> dict[str, object]:
    return {name: getattr(signs, name) for name in Signs.__dataclass_fields__}


def test_where_one_key_does_several_things_each_says_where_it_holds() -> None:
    reading = [action for action in ACTIONS if action.group == "Text view"]
    escapes = [one for one in entries(reading, LIST, UNICODE) if "esc" in one.keys.split()]
    assert [(one.title, one.where) for one in escapes] == [
        ("Close the full text", ""),
        ("Back to the list", "in the text next to a list"),
        ("Back to the case", "in the trace"),
    ]
    down = next(one for one in entries(reading, LIST, UNICODE) if one.title == "Scroll down")
    assert not down.where


@pytest.mark.parametrize("width", [80, 60, 48, 40, 24, 20])
@pytest.mark.parametrize("signs", [UNICODE, ASCII])
def test_a_line_fits_and_goes_on_under_its_title(width: int, signs: Signs) -> None:
    groups = {action.group for action in ACTIONS}
    shown = lines(LIST, width, signs)
    assert max(len(line.rstrip()) for line in shown) <= width
    if width > 30:
        assert {line for line in shown if line[:1].strip()} == groups
    if signs is ASCII:
        assert all(line.isascii() for line in shown)


def test_a_sign_is_found_by_itself_and_by_its_meaning() -> None:
    assert legend(UNICODE, "◐") == (("Fix", (UNICODE.statuses["draft"],)),)
    alike = dict(legend(UNICODE, "similar"))
    assert [mark.words for mark in alike["Case match"]] == ["similar meaning", "similar, not a match"]
    assert [heading for heading, _ in legend(UNICODE, "!")] == ["Quote", "Trace step"]
    assert not legend(UNICODE, "no such meaning")
    assert not draw_legend(()).plain


async def test_a_sign_is_explained_where_one_types_it(casebook: object) -> None:
    app = app_on(casebook)  # pyright: ignore[reportArgumentType]
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("f1")
        await until(pilot, lambda: "Go to the search box" in frame(app))
        app.screen.query_one(Input).value = "◐"
        await until(pilot, lambda: "◐  draft" in frame(app))
        assert "No matching action" not in frame(app)
        app.screen.query_one(Input).value = "zzqq"
        await until(pilot, lambda: "or symbol" in frame(app))
