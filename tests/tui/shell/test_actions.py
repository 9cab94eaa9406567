"""The registry: one place that bindings, footer, palette, help and the key table agree on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from textual.binding import Binding

from tui.actions.action import Focus, Situation
from tui.actions.registry import ACTIONS, BY_NAME, bindings, footer, key_table, matching, nearest_first, types_text
from tui.panes.errors.actions import ErrorsNow

DOCS = Path(__file__).parents[3] / "docs" / "reference" / "keys.md"
SOLVED = ErrorsNow(focus="list", cases=5, query="x", case_open=True, has_fix=True, raw_clipped=True)


def test_ids_are_unique() -> None:
    assert len(BY_NAME) == len(ACTIONS)


def test_no_key_means_two_things_in_one_place() -> None:
    for place in (
        ("app", "pane", "list"),
        ("app", "pane", "case", "scroll"),
        ("app", "pane", "why", "scroll"),
        ("box",),
    ):
        keys = Counter(key for action in ACTIONS if action.scope in place for key in action.keys)
        assert not [key for key, times in keys.items() if times > 1], place


def test_every_binding_carries_the_id_of_its_action() -> None:
    for binding in bindings("app", "pane", "list", "box", "case", "why", "scroll", "whole"):
        assert isinstance(binding, Binding)
        assert binding.id is not None
        action = BY_NAME[binding.id.partition(":")[0].rstrip("!")]
        assert binding.action == f"app.perform('{action.id}')"


def test_no_printable_key_takes_priority_over_typing() -> None:
    for binding in bindings("app", "pane"):
        assert isinstance(binding, Binding)
        if binding.priority:
            assert not types_text(binding.key), binding.key


def test_the_footer_offers_only_what_is_possible() -> None:
    ids = [action.name for action, _ in footer(Situation(focus="list"))]
    assert "case.copy" not in ids
    assert "case.copy" in [action.name for action, _ in footer(SOLVED)]


def test_the_footer_of_the_box_shows_no_key_that_would_be_typed() -> None:
    for action, key in footer(Situation(focus="box", cases=5, query="x")):
        assert len(key) > 1, action.id


@pytest.mark.parametrize("focus", ["box", "typed", "naming", "asking", "write"])
def test_where_a_letter_is_typed_help_is_offered_by_a_key_that_types_nothing(focus: Focus) -> None:
    assert [key for action, key in footer(Situation(focus)) if action.id == "app.help"] == ["f1"]


def test_an_empty_list_offers_nothing_that_needs_one() -> None:
    offered = {action.name for action, _ in footer(Situation("list"))}
    assert not offered & {"list.filter", "list.sort", "view.zoom", "case.why"}
    assert {"list.filter", "list.sort", "view.zoom", "case.why"} <= {
        action.name for action, _ in footer(Situation("list", filtered=True))
    }


def test_help_is_always_offered() -> None:
    for focus in ("box", "list", "case", "why"):
        assert "app.help" in [action.name for action, _ in footer(Situation(focus=focus))]


def test_an_impossible_action_says_why() -> None:
    assert BY_NAME["case.copy"].enabled(Situation()) == "Select a case first."
    assert "no fix" in BY_NAME["case.copy"].enabled(ErrorsNow(case_open=True))
    assert BY_NAME["case.copy"].enabled(SOLVED) == ""


def test_actions_are_found_by_name_and_by_key() -> None:
    assert BY_NAME["case.copy"] in matching("copy fix")
    assert BY_NAME["case.why"] in matching("t")
    assert BY_NAME["app.palette"] in matching("^p")
    assert matching("no such thing at all") == ()


@pytest.mark.parametrize(
    ("focus", "group"),
    [
        ("list", "Find"),
        ("evidence", "Evidence"),
        ("asking", "Ask the library"),
        ("typed", "Typing a call"),
    ],
)
def test_help_begins_with_the_keys_of_the_place_where_one_is(focus: Focus, group: str) -> None:
    shown = nearest_first(matching(""), Situation(focus))
    assert (shown[0].group, sorted(one.name for one in shown)) == (group, sorted(BY_NAME))


def test_the_documented_key_table_is_the_registry_s() -> None:
    assert key_table() in DOCS.read_text(encoding="utf-8")
