"""Rules that share an id: labels, and comparisons on them, tell which one is meant."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.flows.rules.labels import label_call
from core.rules.evaluation.compare import case_results, compare
from core.rules.evaluation.labels import (
    Label,
    LabelledCall,
    display_name,
    expected_elsewhere,
    label_file,
    label_of,
    named_in,
    put_label,
    read_labelled,
    rule_names,
    with_title,
)
from core.rules.format.book import Book, book_of
from core.rules.format.parse import parse_text
from core.rules.format.store import usage
from core.rules.matching.api import match
from core.rules.matching.call import ToolCall
from core.store import open_store

PUSH = ToolCall("Bash", {"command": "git push --force origin main"})
TEXT = """\
### ERR-002: Force push
**Problem**: `git push --force` removed the commits of colleagues
**Solution**: revert

### ERR-002: Retry without a pause
**Problem**: a failing request is repeated at once
**Solution**: wait longer after each attempt

### ERR-003: Branch names
**Problem**: branch names with a colon
**Solution**: `git branch -m`
"""
FORCE, RETRY = "ERR-002: Force push", "ERR-002: Retry without a pause"


@pytest.fixture
def book() -> Book:
    return book_of(parse_text(TEXT, "memory.md").rules)


def judged(book: Book, *calls: LabelledCall) -> list[str]:
    return [case_results((one,), lambda call: match(book, call))[0].result for one in calls]


def test_a_label_with_a_title_is_of_that_rule_alone(book: Book) -> None:
    asked = tuple(LabelledCall(PUSH, (one,)) for one in (FORCE, RETRY, "ERR-002"))
    assert judged(book, *asked) == ["right", "wrong", "right"], "an id alone, of earlier days, is any of them"
    rates = [compare(book, (one,), None).systems[1].hit_at_1.value for one in asked]
    assert rates == [1.0, 0.0, 1.0]
    (case,) = case_results(asked[1:2], lambda call: match(book, call))
    assert case.shown_rules[0] == FORCE and case.missed == (RETRY,), "both are told with their titles"


def test_of_two_rules_one_may_be_wrong_and_the_other_right(book: Book) -> None:
    wrong = LabelledCall(PUSH, (), unwanted=(RETRY,))
    assert judged(book, wrong, replace(wrong, unwanted=(FORCE,))) == ["gone", "unwanted"]
    other = LabelledCall(PUSH, ("ERR-002",), unwanted=(RETRY,))
    assert judged(book, other, replace(other, unwanted=(FORCE,))) == ["right", "wrong"], "the id is the one not named"


def test_names_are_read_as_people_write_them(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    said = ["err-2:  Force\tpush", "err-3", "ERR-004: "]
    path.write_text(json.dumps({"tool_name": "X", "tool_input": {}, "expected": said}) + "\n", encoding="utf-8")
    assert read_labelled(path)[0].expected == (FORCE, "ERR-003", "ERR-004")


def test_what_is_said_of_one_of_two_takes_the_place_of_what_was_said_of_any(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    put_label(path, PUSH, "ERR-002", "right")
    assert put_label(path, PUSH, FORCE, "right") == Label((FORCE,)) == label_of(path, PUSH)
    assert put_label(path, PUSH, RETRY, "wrong") == Label((FORCE,), (RETRY,))
    assert put_label(path, PUSH, FORCE, "right") == Label((), (RETRY,)), "saying it again takes it back"
    assert put_label(path, PUSH, RETRY, "missing") == Label((RETRY,))


def test_only_a_doubled_id_is_told_with_a_title_and_no_secret_is_kept(book: Book) -> None:
    force, _, branch = book.rules
    assert [display_name((), one, doubled=one is force) for one in (force, branch)] == [FORCE, "ERR-003"]
    assert display_name((FORCE,), force, doubled=False) == FORCE, "it is called so already"
    secret = "ghp_" + "a1B2" * 9
    assert secret not in with_title(replace(force, title=f"Token {secret} in a  log"))
    assert with_title(replace(force, title=" ")) == "ERR-002"


def test_a_rule_that_is_gone_or_was_renamed_is_told_by_its_name(book: Book) -> None:
    calls = (LabelledCall(PUSH, (FORCE, "ERR-002", "ERR-003")), LabelledCall(PUSH, ("ERR-002: Another", "ERR-009")))
    known = rule_names(book.rules, named_in(calls))
    assert expected_elsewhere(calls, known) == {"ERR-002: Another": 1, "ERR-009": 1}


def test_the_counts_are_those_of_the_id(tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    with open_store(database, write=True, create=True):
        pass
    said = label_call(database, PUSH, FORCE, "right", shown_from="memory.md")
    assert said.label == Label((FORCE,)) == label_of(label_file(database), PUSH)
    with open_store(database) as store:
        assert [(key, one.helped) for key, one in usage(store).items()] == [(("memory.md", "ERR-002"), 1)]
