"""Blocks of Markdown that need no parser: headings, paragraphs, flat lists, tables and fenced code at the margin.

Half of the time for a Markdown document was spent on rules that say no to such a line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import Final, NamedTuple, cast

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.rules_block.state_block import StateBlock
from markdown_it.token import Token

HEADING: Final = "quick_heading"
"""A token of this type stands for a heading; its `tag` is `h1` to `h6`, its `content` the words with their marks."""
PARAGRAPH: Final = "quick_paragraph"
LIST: Final = "quick_list"
"""Its `tag` is `ol` or `ul`; `items_of` are its items."""
TABLE: Final = "quick_table"
"""`rows_of` are its rows, the headings first."""

_DELIMITER: Final = frozenset("|:-")
"""What the second line of a table may begin with."""
_ONLY_TEXT: Final = frozenset("/{}()!\"'“”‘’.,;?%@$…")
"""Signs at the margin that begin no block."""
_BULLET = re.compile(r"([-*+])( {1,4})(?=\S)")
_FENCE = re.compile(r"(`{3,}|~{3,})([^\n]*)")
_UNDER_HEADINGS = re.compile(r"\|(?: *:?-+:? *\|)+ *$")
"""The second line of a table; others are left to the parser."""
_MOST_CELLS: Final = 1 << 16
"""Of a table: the parser ends one that lacks more."""
_NUMBER = re.compile(r"[0-9]{1,9}([.)])( {1,4})(?=\S)")


class Item(NamedTuple):
    """An item of a list: its words with their marks, and its lines, counted from 0, the last one not included."""

    content: str
    first: int
    end: int


def enable(md: MarkdownIt) -> None:
    """Let the parser read such blocks without its own rules."""
    md.block.ruler.before("table", "quick_blocks", quick_blocks)


def items_of(token: Token) -> list[Item]:
    """The items of a quick list."""
    return cast("list[Item]", token.meta["items"])


def rows_of(token: Token) -> list[list[str]]:
    """The cells of a quick table, with their marks."""
    return cast("list[list[str]]", token.meta["rows"])


def quick_blocks(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A rule before all others, outside of any block: one token for each block that can only be a heading, a paragraph,
    a flat list, a table or fenced code. It ends at the first other line.

    The tokens have the lines and the contents that the rules of CommonMark find.
    """
    if silent or state.level:
        return False
    line = start_line
    while (line := state.skipEmptyLines(line)) < end_line and not state.tShift[line]:
        found = _block(state, line, end_line)
        if found is None:
            break
        state.tokens.append(found)
        state.line = line = (found.map or [line, line])[1]
    return state.line > start_line


def _block(state: StateBlock, line: int, end_line: int) -> Token | None:
    sign = state.src[state.bMarks[line]]
    if sign.isalpha():
        return _paragraph(state, line, end_line)
    if sign == "#":
        return _heading(state, line, end_line)
    if sign == "|":
        return _table(state, line, end_line)
    if fence := _FENCE.match(state.src, state.bMarks[line]):
        return _fenced(state, line, end_line, fence)
    if _begins_text(state, line, sign):
        return _paragraph(state, line, end_line)
    marker = _marker(state, line)
    return None if marker is None else _list(state, line, end_line, marker[1])


def _heading(state: StateBlock, line: int, end_line: int) -> Token | None:
    if line + 1 < end_line and _first(state, line + 1) in _DELIMITER:
        return None  # the headings of a table
    text = state.src[state.bMarks[line] : state.eMarks[line]]
    body = text.lstrip("#")
    level = len(text) - len(body)
    if level > 6 or (body and body[0] not in " \t"):
        return None
    body = body.rstrip(" \t")
    closed = body.rstrip("#")
    content = closed if closed[-1:] in (" ", "\t") else body
    return Token(HEADING, f"h{level}", 0, map=[line, line + 1], content=mdTrim(content))


def _paragraph(state: StateBlock, line: int, end_line: int) -> Token | None:
    end = line + 1
    while end < end_line and (sign := _first(state, end)):
        if state.tShift[end] or not (sign.isalpha() or sign == "[" or _begins_text(state, end, sign)):
            return None
        end += 1
    content = mdTrim(state.src[state.bMarks[line] : state.eMarks[end - 1]])
    return Token(PARAGRAPH, "p", 0, map=[line, end], content=content)


def _table(state: StateBlock, line: int, end_line: int) -> Token | None:
    """A table whose lines all begin with `|`; it ends with a blank line."""
    end = line
    while end < end_line and (sign := _first(state, end)):
        if sign != "|" or state.tShift[end]:
            return None
        end += 1
    if end < line + 2 or state.src.find("\\", state.bMarks[line], state.eMarks[end - 1]) >= 0:
        return None
    below = state.src[state.bMarks[line + 1] : state.eMarks[line + 1]]
    rows = [_cells(state, at) for at in range(line, end) if at != line + 1]
    count = len(rows[0])
    if not _UNDER_HEADINGS.match(below) or below.count("|") != count + 1 or count * len(rows) > _MOST_CELLS:
        return None
    token = Token(TABLE, "table", 0, map=[line, end])
    token.meta["rows"] = [[*row[:count], *[""] * (count - len(row))] for row in rows]
    return token


def _cells(state: StateBlock, line: int) -> list[str]:
    first, *cells = mdTrim(state.src[state.bMarks[line] : state.eMarks[line]]).split("|")
    if cells and not cells[-1]:
        cells.pop()
    return [mdTrim(cell) for cell in ((first, *cells) if first else cells)]


def _fenced(state: StateBlock, line: int, end_line: int, fence: re.Match[str]) -> Token | None:
    """Fenced code with its end."""
    if fence[1][0] == "`" and "`" in fence[2]:
        return None
    found = _closing(fence[1]).search(state.src, state.eMarks[line])
    if found is None:
        return None
    end = bisect_left(state.bMarks, found.start() + 1)
    if end >= end_line:
        return None
    content = state.src[state.bMarks[line + 1] : state.bMarks[end]]
    return Token("fence", "code", 0, map=[line, end + 1], content=content, info=fence[2])


@lru_cache(maxsize=64)
def _closing(fence: str) -> re.Pattern[str]:
    """The line behind code with this fence."""
    return re.compile(rf"\n {{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*(?=\n|\Z)")


def _list(state: StateBlock, line: int, end_line: int, sign: str) -> Token | None:
    """A list whose items are paragraphs, their lines either as far right as their first word or each an item."""
    items: list[Item] = []
    start = line
    while line < end_line:
        marker = None if state.tShift[line] else _marker(state, line)
        if marker is None or marker[1] != sign:
            break
        begin, first = marker[2], line
        indent = begin - state.bMarks[line]
        if not _begins_item(state, line, begin):
            return None
        parts = [state.src[begin : state.eMarks[line]]]
        line += 1
        while line < end_line and (first_sign := _first(state, line)) and state.tShift[line]:
            if state.tShift[line] != indent or state.sCount[line] != indent or not first_sign.isalpha():
                return None
            parts.append(state.src[state.bMarks[line] + indent : state.eMarks[line]])
            line += 1
        items.append(Item(mdTrim("\n".join(parts)), first, line))
        after = state.skipEmptyLines(line)
        if after < end_line:
            marker = _marker(state, after)
            if state.tShift[after] or (marker is None and _may_begin_item(state, after)):
                return None  # goes on in a block of its own, or in an item
            if after == line and (marker is None or marker[1] != sign):
                return None  # a lazy line, or another block
        line = after
    token = Token(LIST, "ul" if sign in "-*+" else "ol", 0, map=[start, items[-1].end])
    token.meta["items"] = items
    return token


def _marker(state: StateBlock, line: int) -> tuple[int, str, int] | None:
    """Where the marker of an item at the margin begins, its sign, and where the text behind it begins."""
    begin = state.bMarks[line]
    found = _BULLET.match(state.src, begin) or _NUMBER.match(state.src, begin)
    return None if found is None else (begin, found[1], found.end())


def _may_begin_item(state: StateBlock, line: int) -> bool:
    """Whether a line at the margin may begin an item, also one without text or one that begins with code."""
    sign = state.src[state.bMarks[line]]
    return sign in "-*+0123456789" and not _begins_text(state, line, sign)


def _begins_item(state: StateBlock, line: int, begin: int) -> bool:
    """Whether the text of an item can only be a paragraph."""
    sign = state.src[begin]
    if sign == "[":
        return state.src.find("]:", begin, state.eMarks[line]) < 0  # else perhaps the target of a link
    return sign.isalpha() or _is_text(state.src, begin, sign)


def _begins_text(state: StateBlock, line: int, sign: str) -> bool:
    """Whether a line at the margin, which begins with `sign`, can only be one of a paragraph. (`[` can only within.)"""
    return _is_text(state.src, state.bMarks[line], sign)


def _is_text(text: str, at: int, sign: str) -> bool:
    if sign.isalpha() or sign in _ONLY_TEXT:
        return True
    if sign not in "*`":
        return False
    after = text[at + 1 : at + 3]  # of a line that ends here: its end, no letter
    return after[:1].isalnum() or (after[:1] == sign and after[1:].isalnum())


def _first(state: StateBlock, line: int) -> str:
    """The first sign of a line that is not blank; empty where there is none."""
    at = state.bMarks[line] + state.tShift[line]
    return state.src[at] if at < state.eMarks[line] else ""
