"""The blocks most of a document consists of, known by their first sign: they need not be offered to every rule."""

from __future__ import annotations

from typing import Final

from markdown_it.common.utils import mdTrim
from markdown_it.rules_block.heading import heading
from markdown_it.rules_block.state_block import StateBlock

_DELIMITER: Final = frozenset("|:-")
"""What the second line of a table may begin with."""


def quick_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A rule before all others: a heading, or a paragraph all of whose lines begin with a letter, outside of any block.

    It makes the tokens that the rules of CommonMark make, or leaves the line to them.
    """
    if silent or state.level or state.tShift[start_line]:
        return False
    sign = state.src[state.bMarks[start_line]]
    if sign == "#":
        after = _first(state, start_line + 1) if start_line + 1 < end_line else ""
        return after not in _DELIMITER and heading(state, start_line, end_line, silent)
    if not sign.isalpha():
        return False
    end = start_line + 1
    while end < end_line and (first := _first(state, end)):
        if not first.isalpha() or state.tShift[end]:
            return False
        end += 1
    content = mdTrim(state.src[state.bMarks[start_line] : state.eMarks[end - 1]])
    state.line = end
    state.push("paragraph_open", "p", 1).map = [start_line, end]
    token = state.push("inline", "", 0)
    token.content, token.map, token.children = content, [start_line, end], []
    state.push("paragraph_close", "p", -1)
    return True


def _first(state: StateBlock, line: int) -> str:
    """The first sign of a line that is not blank; empty where there is none."""
    at = state.bMarks[line] + state.tShift[line]
    return state.src[at] if at < state.eMarks[line] else ""
