"""Every match of a prefiltered pattern has one of its words: the pattern is taken apart, branch by branch."""

from __future__ import annotations

import re
from re import _constants as sre  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
from re import _parser as parser  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from core.flows.harvest import signatures
from core.flows.harvest.fixes import clues
from core.flows.harvest.signatures import Prefiltered

PATTERNS = {name: one for name, one in vars(signatures).items() if isinstance(one, Prefiltered)}
GAP = "\0"


def spelled(nodes: Any) -> list[str]:
    """What each way through a pattern spells, with a gap wherever that is not fixed."""
    ways = [""]
    for op, given in nodes:
        ways = [way + more for way in ways for more in _spelled(op, given)]
    return ways


def _spelled(op: Any, given: Any) -> list[str]:
    if op is sre.LITERAL:
        return [chr(given)]
    if op is sre.BRANCH:
        return [way for branch in given[1] for way in spelled(branch)]
    if op is sre.SUBPATTERN:
        return spelled(given[3])
    if op in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
        return [""]
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT) and given[0] == given[1] and given[0] < 9:
        return [way * given[0] for way in spelled(given[2])]
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT) and given[0]:
        return [f"{way * given[0]}{GAP}" for way in spelled(given[2])]
    if op is sre.MAX_REPEAT and given[1] == 1:
        return ["", *spelled(given[2])]
    if (
        op is sre.IN
        and not any(kind is sre.NEGATE for kind, _ in given)
        and all(kind is sre.LITERAL for kind, _ in given)
    ):
        return [chr(code) for _, code in given]
    return [GAP]


@pytest.mark.parametrize("name", PATTERNS)
def test_every_branch_has_a_word(name: str) -> None:
    one = PATTERNS[name]
    assert not one.pattern.flags & re.IGNORECASE
    ways = spelled(parser.parse(one.pattern.pattern, one.pattern.flags))
    without = {way for way in ways if not any(word in way for word in one.words)}
    rare = {":\0:\0: \0 "} if one.rare else set[str]()  # a place and a code: `a.py:3:1: E501 `
    assert {re.sub("\0+", GAP, way).lstrip(GAP) for way in without} <= rare
    assert one.rare is None or one.search("a.py:3:1: E501 too long")


OPENED = {name: one for name, one in PATTERNS.items() if one.halves is not None}


@pytest.mark.parametrize("name", OPENED)
def test_a_branch_begins_the_line_or_has_a_word_inside(name: str) -> None:
    one = OPENED[name]
    assert one.halves is not None
    opening, rest = one.halves
    assert {half.flags for half in one.halves} == {one.pattern.flags}
    assert one.pattern.pattern == f"{opening.pattern}|{rest.pattern}"
    first, *_ = parser.parse(opening.pattern, opening.flags)  # what all branches begin with is put before them
    assert first == (sre.AT, sre.AT_BEGINNING)
    within = spelled(parser.parse(rest.pattern, rest.flags))
    assert within and all(any(word in way for word in one.inside) for way in within)


@pytest.mark.parametrize("name", ["_SUBJECT", "_MISSING"])
def test_every_name_pattern_has_a_word(name: str) -> None:
    pattern, sought = vars(clues)[name], vars(clues)[f"{name}_WORDS"]
    assert not pattern.flags & re.IGNORECASE
    ways = spelled(parser.parse(pattern.pattern, pattern.flags))
    assert {way for way in ways if not any(word in way for word in sought)} == set()


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("x (no-unused-vars)  ", "no-unused-vars"),
        ("x [import/order]", "import/order"),
        ("x\tno-var", "no-var"),
        ("x @scope/no-var\n", "@scope/no-var"),
    ],
)
def test_a_rule_at_the_end_is_named(line: str, name: str) -> None:
    assert name in clues.names_in(line)


def newlines(nodes: Any) -> int:
    """The most newlines that a match of a pattern can hold, or look at; 99 for any number."""
    return min(99, sum(_newlines(op, given) for op, given in nodes))


def _newlines(op: Any, given: Any) -> int:
    if op is sre.BRANCH:
        return max(newlines(branch) for branch in given[1])
    if op is sre.SUBPATTERN:
        return newlines(given[3])
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        return newlines(given[1]) if given[0] > 0 else 0
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return min(99, int(given[1])) * newlines(given[2])
    if op in (sre.AT, sre.ANY, sre.GROUPREF):
        return 0
    if op is sre.IN:
        inside = any(_is_newline(kind, what) for kind, what in given)
        return int(inside != any(kind is sre.NEGATE for kind, _ in given))
    return int((given == ord("\n")) == (op is sre.LITERAL))


def _is_newline(kind: Any, what: Any) -> bool:
    if kind is sre.RANGE:
        return what[0] <= ord("\n") <= what[1]
    if kind is sre.CATEGORY:
        return what in (sre.CATEGORY_SPACE, sre.CATEGORY_NOT_DIGIT, sre.CATEGORY_NOT_WORD)
    return kind is sre.LITERAL and what == ord("\n")


@pytest.mark.parametrize("name", PATTERNS)
def test_a_match_spans_no_more_lines(name: str) -> None:
    one = PATTERNS[name]
    assert newlines(parser.parse(one.pattern.pattern, one.pattern.flags)) < one.lines


LINES = [
    "error[E0308]: x", "a.py:3:1: E501 line too long", "x.go:4: undefined: y", "fine", "", "10 passed", "Error:",
    "  0: x", "Error: ", " 0:", "3 tests failed, Failed: 2", "bash: x: command not found", "sh: x: not found",
    "zsh: command not found: y", "gh: no (HTTP 404)", "x (HTTP 502)", "error: x error: y", "rror", "FAIL",
    "ERROR task failed", "12 issues:", "\tFAIL", "test result: FAILED. 2 passed; 1 failed", "make: *** [x] Error 2",
    "1 problem", "\r", "--- FAIL: T", "jq: error (at 1)", "Found 3 errors (3 fixed, 0 remaining).",
    "thread panicked at x", "src/a.ts(3,1): error TS2304: x", "no error here", " out of memory", "x error[E0308]: y",
    "x 429 Too Many Requests 429 Too Many Requests", "오류: x", "  3:4  error  y",
]  # fmt: skip


@hypothesis.given(st.lists(st.sampled_from(LINES), max_size=8))
@hypothesis.example(["Error:", "  0: x"])
@hypothesis.example(["Error: ", "Error: ", " 0: x"])
def test_it_finds_what_the_pattern_finds(lines: list[str]) -> None:
    text = "\n".join(lines)
    for one in PATTERNS.values():
        found = [match.span() for match in one.pattern.finditer(text)]
        assert [match.span() for match in one.finditer(text)] == found
        first = one.search(text)
        assert (None if first is None else first.span()) == (found[0] if found else None)
