"""What kind of failure a message reports. Two messages that name different kinds are different errors.

A model cannot see it: "does not exist" and "already exists" lie next to each other for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from core.base.lazy_pattern import lazy_pattern

_KINDS: Final = {
    "something is missing": lazy_pattern(
        r"not found|no such|(?:cannot|can't|could not|couldn't|unable to|failed to) (?:find|locate|resolve|open)"
        r"|missing|(?:does not|doesn't|did not|not) exist|undefined|undeclared|unresolved|unknown|unrecognized"
        r"|not (?:been )?(?:defined|declared|recognized|installed|registered|in)\b"
        r"|\bno (?:module|matching|rule|package|default|available)|찾을 수 없|존재하지|누락"
    ),
    "something is there already": lazy_pattern(
        r"already (?:exist|in use|used|defined|declared|allocated|running|registered|initialized|been)|duplicate"
        r"|redeclare|redefin|multiple definition|unique|\bconflicts?\b|중복|이미"
    ),
    "something is not allowed": lazy_pattern(
        r"denied|forbidden|not (?:permitted|allowed|authorized)|unauthorized|authenticat|permission|password"
        r"|credential|not in the sudoers|거부|권한"
    ),
    "nobody answers": lazy_pattern(r"connect\w{0,16} refused|unreachable|no route to host|연결이 거부"),
    "it took too long": lazy_pattern(r"timed? ?out|timeout|deadline|시간.{0,4}초과"),
    "it was cut off": lazy_pattern(
        r"reset by peer|hung up|broken pipe|closed|gone away|lost connection|disconnect|prematurely"
    ),
    "there is no room": lazy_pattern(
        r"no space|out of memory|too (?:large|long|big|many)|exceed|quota|limit|exhausted|insufficient|부족|초과"
    ),
    "it has expired": lazy_pattern(r"expired|만료"),
    "it cannot be read": lazy_pattern(
        r"syntax|unexpected|\bpars(?:e|ing)\b|expected|unterminated|malformed|invalid (?:syntax|character|token)|구문"
    ),
    "it is locked": lazy_pattern(r"\block(?:ed)?\b|busy|deadlock|잠겨|잠금"),
    "the name is not known": lazy_pattern(r"resolv\w{0,16} host|resolution|hostname|name or service"),
    "the types do not fit": lazy_pattern(
        r"assignable|incompatible|mismatch|cannot be cast|invalid type|cannot (?:use|convert)|unsupported operand"
    ),
    "it does not run": lazy_pattern(
        r"not (?:currently )?(?:running|started|active)|isn['’]t running|(?:is|are|was) stopped|실행 중이 아"
    ),
    "it cannot be changed": lazy_pattern(r"read ?only|immutable|cannot be (?:changed|modified|updated|reassigned)"),
    "it is damaged": lazy_pattern(r"corrupt|damaged|checksum|\bcrc\b|malformed (?:image|archive)|truncated|손상"),
    "it is not supported": lazy_pattern(r"not supported|unsupported|not implemented|deprecated|지원하지 않"),
    "it is used too early": lazy_pattern(
        r"before (?:initiali[sz]ation|assignment|being)|not (?:been )?(?:initiali[sz]ed|assigned)|uninitiali[sz]ed"
    ),
    "it lies outside": lazy_pattern(r"out of (?:range|bounds)|overflow"),
}


_PER_THOUSAND: Final = {
    "something is missing": 183, "it cannot be read": 59, "something is there already": 47, "there is no room": 36,
    "the types do not fit": 26, "something is not allowed": 25, "it is not supported": 25, "it lies outside": 15,
    "it was cut off": 12, "it is locked": 8, "it cannot be changed": 8, "it took too long": 7,
    "it is used too early": 6, "it is damaged": 3, "nobody answers": 2, "it has expired": 2,
}  # fmt: skip


def weight_of_kinds(several: Iterable[str]) -> float:
    """What it says that two errors are of these kinds: little where many are (idf over a thousand shipped errors)."""
    return math.fsum(math.log(1 + 1000 / _PER_THOUSAND.get(kind, 1)) for kind in several)


def failure_kinds(text: str) -> frozenset[str]:
    """The kinds of failure that a text from `embed_text` names, in plain words; often none, sometimes several."""
    return frozenset(kind for kind, pattern in _KINDS.items() if pattern.search(text))


def kinds_differ(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether both name kinds and share none."""
    return bool(ours) and bool(theirs) and not ours & theirs
