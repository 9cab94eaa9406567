"""Every match of a prefiltered pattern has one of its words: the pattern is taken apart, branch by branch."""

from __future__ import annotations

import re
from re import _constants as sre  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
from re import _parser as parser  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
from typing import Any

import pytest

from core.flows.harvest import signatures
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
    assert one.rare is None or one.may_match("a.py:3:1: E501 too long")


@pytest.mark.parametrize(
    "line", ["error[E0308]: x", "a.py:3:1: E501 line too long", "x.go:4: undefined: y", "fine", "", "10 passed"]
)
def test_it_finds_what_the_pattern_finds(line: str) -> None:
    for one in PATTERNS.values():
        assert (one.search(line) is None) == (one.pattern.search(line) is None)
        assert [m.span() for m in one.finditer(line)] == [m.span() for m in one.pattern.finditer(line)]
