"""Comments that switch a rule off for a line or a file: which rules they name, and whether they give a reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from core.errors.identity.codes import Rule

_LIST: Final = r"[@\w:/-]{1,80}(?:[ \t]*,[ \t]*[@\w:/-]{1,80})*"
_DIRECTIVES: Final = (
    re.compile(rf"//[ \t]*nolint(?::[ \t]*(?P<rules>{_LIST}))?(?P<reason>[ \t]*//[ \t]*\w)?"),
    re.compile(rf"#[ \t]*noqa(?::[ \t]*(?P<rules>{_LIST}))?(?P<reason>[ \t]+[#(–—-]+[ \t]*\w)?", re.IGNORECASE),
    re.compile(
        rf"#[ \t]*(?:type|pyright|ty|mypy):[ \t]*ignore(?:\[(?P<rules>{_LIST})\])?(?P<reason>[ \t]+[#(–—-]+[ \t]*\w)?"
    ),
    re.compile(rf"#[ \t]*pylint:[ \t]*disable(?:-next)?=(?P<rules>{_LIST})(?P<reason>[ \t]+#+[ \t]*\w)?"),
    re.compile(
        rf"(?:es|ox)lint-disable(?:-next-line|-line)?(?:[ \t]+(?P<rules>{_LIST}))?(?P<reason>[ \t]+--[ \t]*\w)?"
    ),
    re.compile(rf"biome-ignore[ \t]+(?P<rules>{_LIST}?)(?P<reason>:[ \t]*\w)?(?![\w/])"),
    re.compile(r"@ts-(?:ignore|expect-error|nocheck)(?P<rules>)(?P<reason>[ \t:–—-]+\w)?"),
    re.compile(rf"#!?\[(?:allow|expect)\((?P<rules>{_LIST})(?P<reason>[ \t]*,[ \t]*reason[ \t]*=)?"),
    re.compile(rf"#[ \t]*nosec(?:[ \t]+(?P<rules>{_LIST}))?(?P<reason>[ \t]+[#(–—-]+[ \t]*\w)?"),
    re.compile(rf"@SuppressWarnings\((?:\{{[ \t]*)?\"(?P<rules>{_LIST})(?P<reason>(?!))?"),
    re.compile(rf"rubocop:(?:disable|todo)[ \t]+(?P<rules>{_LIST})(?P<reason>[ \t]+--[ \t]*\w)?"),
    re.compile(rf"shellcheck[ \t]+disable=(?P<rules>{_LIST})(?P<reason>[ \t]+#[ \t]*\w)?"),
)
_SHOWN: Final = 160
_LINE: Final = 600


class Suppression(NamedTuple):
    """A comment that switches rules off: those it names (none: all), whether it says why, and its text."""

    rules: frozenset[str]
    reasoned: bool
    shown: str


def suppressions(line: str) -> Iterator[Suppression]:
    """The suppressions in a line of code."""
    text = line[:_LINE]
    for pattern in _DIRECTIVES:
        if found := pattern.search(text):
            named = frozenset(one.strip().lower() for one in (found["rules"] or "").split(",") if one.strip())
            yield Suppression(named, bool(found["reason"]), text[found.start() :].strip()[:_SHOWN])


def silences(one: Suppression, rule: Rule) -> bool:
    """Whether the suppression is for this rule: it names the rule, its linter or its group, or names none."""
    names = {*rule.name.lower().split(), rule.name.lower().rpartition("/")[2], f"{rule.checker}::{rule.name}".lower()}
    return not one.rules or bool(names & one.rules) or bool({name.rpartition("/")[2] for name in one.rules} & names)
