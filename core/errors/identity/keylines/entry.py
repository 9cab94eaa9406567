"""What an entry of the registry is: a tool, the signs it is known by, and the rules that find its key lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, NamedTuple

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.lines import KeyLineCandidate, Page

WRAPPER: Final = 10
"""Says only that something failed (`make: *** [x] Error 1`): a key line if there is no other."""
DETAIL: Final = 20
"""A detail of another line; primary only when alone."""
REPORT: Final = 40
"""A tool's own report (`npm error …`, `cp: …`): the cause unless a compiler, a runtime or a test says more."""
CAUSE: Final = 60
"""A diagnosis: a compiler's error, an uncaught exception."""
TEST: Final = 80
"""What a test runner says of a failed test."""


class Rule(NamedTuple):
    """A line that contains one of `needles` and whose message matches `pattern` from its start.

    The message begins after indentation and location. The group `key`, if there is one, is the key; else the message
    to its end. `located`: only lines with a location that holds one of these (an extension; "" for any location).
    """

    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    weight: int
    located: tuple[str, ...] = ()


Finder = Callable[[Page], Iterable[KeyLineCandidate]]


class Tool(NamedTuple):
    """One entry: `rules` for lines that speak for themselves; `find` for blocks, asked if a sign is in the text."""

    name: str
    rules: tuple[Rule, ...]
    signs: tuple[str, ...]
    find: Finder | None


def tool(name: str, *rules: Rule, signs: tuple[str, ...] = (), find: Finder | None = None) -> Tool:
    """An entry from its parts."""
    return Tool(name, rules, signs, find)


def rule(
    needles: str | tuple[str, ...], pattern: str, weight: int = CAUSE, *, located: str | tuple[str, ...] = ()
) -> Rule:
    """A rule from its parts; `pattern` is compiled when a needle first calls for it, digits and words are ASCII."""
    places = (located,) if isinstance(located, str) else located
    return Rule((needles,) if isinstance(needles, str) else needles, lazy_pattern(pattern, re.ASCII), weight, places)


_TABLES: Final = Path(__file__).with_name("tools") / "tables"
_WEIGHTS: Final = {"wrapper": WRAPPER, "detail": DETAIL, "report": REPORT, "cause": CAUSE, "test": TEST}
_QUOTED: Final = '"[^"]*"(?: "[^"]*")*'
_TOOL: Final = re.compile(f"(\\S+)(?: ({_QUOTED}))?")
_RULE: Final = re.compile(f"  ([a-z]+)([+-]\\d+)? ({_QUOTED})(?: in ({_QUOTED}))? (.+)")


def read_tools(table: str, *find: Finder, **parts: str) -> tuple[Tool, ...]:
    """The entries of `tools/tables/TABLE.txt`. `find`: the finders in order; `parts`: what `{NAME}` in a pattern means.

    A line without indent is a tool, with the signs for which its finder is asked. The lines below it are its rules:
    weight, needles, `in` and where located, pattern. Six blanks continue a pattern, `  #` begins a comment.
    """
    tools, finders = list[Tool](), iter(find)
    text = (_TABLES / f"{table}.txt").read_text("utf-8").replace("\n      ", "")
    for name, value in parts.items():
        text = text.replace(f"{{{name}}}", value)
    for line in text.splitlines():
        if found := _RULE.fullmatch(line):
            weight, more, needles, located, pattern = found.groups()
            made = rule(_texts(needles), pattern, _WEIGHTS[weight] + int(more or 0), located=_texts(located))
            tools[-1] = tools[-1]._replace(rules=(*tools[-1].rules, made))
        elif found := _TOOL.fullmatch(line):
            tools.append(Tool(found[1], (), _texts(found[2]), next(finders) if found[2] else None))
    return tuple(tools)


def _texts(quoted: str | None) -> tuple[str, ...]:
    return tuple(quoted[1:-1].replace("\\n", "\n").replace("\\t", "\t").split('" "')) if quoted else ()
