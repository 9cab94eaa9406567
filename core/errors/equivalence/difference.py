"""Why two messages are two errors: their codes, what fails, what they are about, the one word in which they differ."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Final

from core.base.lazy_pattern import lazy_pattern
from core.errors.equivalence.message_templates import told_apart
from core.errors.identity.codes import differing_codes

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


_NOUNS: Final = {
    "table": "a table", "relation": "a table", "column": "a column", "database": "a database", "schema": "a database",
    "role": "a role", "user": "a role", "function": "a function", "procedure": "a function",
    "container": "a container", "image": "an image", "manifest": "an image", "network": "a network",
    "volume": "a volume", "branch": "a branch", "ref": "a branch", "remote": "a remote", "secret": "a secret",
    "configmap": "a config map", "namespace": "a namespace", "module": "a module", "package": "a module",
    "resource": "a resource", "command": "a command", "executable": "a command",
}  # fmt: skip
_NOUN: Final = "|".join(_NOUNS)
# `no such NOUN`, `NOUN … does not exist`; in `column seed of relation beds does not exist` it is the column.
_LACKING: Final = lazy_pattern(
    rf"\b(?:no such|no|unknown|undefined|undeclared|unresolved|missing) (?P<one>{_NOUN})\b"
    rf"|\b(?P<other>{_NOUN})\b(?: (?!of |in |on |for |from )[^\s]+){{0,2}}"
    r"(?: (?:of|in|on|for|from)(?: [^\s]+){1,3})?"
    r" (?:do(?:es)? not exist|doesn['’]?t exist|(?:was |is |could )?not (?:be )?found|already exists|unknown)"
)

_GROUPS: Final[tuple[dict[str, re.Pattern[str]], ...]] = (
    {
        "a unique value": lazy_pattern(r"\bunique\b|duplicate (?:key|entry)|고유|중복 ?키"),
        "a value that is null": lazy_pattern(r"\bnot null\b|null value|cannot be null"),
        "a foreign key": lazy_pattern(r"\bforeign key|외래 ?키"),
        "a check": lazy_pattern(r"\bcheck constraint"),
    },
    {
        "decoding": lazy_pattern(r"\bdecod(?:e|ing)\b"),
        "encoding": lazy_pattern(r"\bencode\b"),
    },
    {
        "a refused connection": lazy_pattern(r"connect\w{0,16} (?:was )?refused|refused (?:the )?connect"),
        "no route": lazy_pattern(r"no route to host|(?:network|host) (?:is )?unreachable"),
        "a connection that was cut": lazy_pattern(r"reset by peer|broken pipe|hung up|closed prematurely|prematurely"),
        "a name that does not resolve": lazy_pattern(
            r"resolve host|name or service not known|getaddrinfo|name resolution|no such host"
        ),
        "time that ran out": lazy_pattern(r"timed out|timeout"),
    },
    {
        "an expired certificate": lazy_pattern(r"certificate (?:has |is )?expired|certificate.{0,20}not yet valid"),
        "an issuer nobody knows": lazy_pattern(
            r"self signed|local issuer|unknown (?:authority|ca)\b|first certificate"
        ),
        "a certificate of another host": lazy_pattern(
            r"altname|host ?name mismatch|ip sans|certificate is (?:not )?valid for"
        ),
        "the version of TLS": lazy_pattern(r"wrong version number|unsupported protocol|protocol version"),
    },
    {
        "a missing argument": lazy_pattern(
            r"missing (?:\d+ )?required|missing (?:\d+ )?(?:positional |keyword )?argument"
        ),
        "an argument given twice": lazy_pattern(r"multiple values for"),
        "an argument nobody asked for": lazy_pattern(r"unexpected keyword"),
    },
    {
        "a name that is not defined": lazy_pattern(
            r"(?:is|was) not defined|cannot find name|undefined (?:name|variable)"
        ),
        "a name used too early": lazy_pattern(r"before (?:initiali[sz]ation|assignment|being)|uninitiali[sz]ed"),
        "a name never used": lazy_pattern(r"never used|(?:and|but) not used|unused"),
    },
    {
        "what only a browser has": lazy_pattern(
            r"\b(?:window|document|local storage|session storage|navigator) is not defined"
        ),
        "what was not loaded": lazy_pattern(
            r"\b(?:process|require|module|exports|dirname|global|buffer|j ?query) is not defined"
        ),
    },
    {
        "the heap": lazy_pattern(r"heap (?:space|out of|limit)|reached heap"),
        "a thread": lazy_pattern(r"native thread|new thread"),
        "classes": lazy_pattern(r"metaspace|permgen"),
        "the stack": lazy_pattern(r"call stack|stack overflow|recursion"),
        "the graphics card": lazy_pattern(r"\bcuda\b|\bgpu\b"),
    },
    {
        "a process that ended": lazy_pattern(r"code exited"),
        "a process that was killed": lazy_pattern(r"code (?:killed|dumped)"),
    },
    {
        "commits of others": lazy_pattern(r"fast forward|fetch first|tip of your current branch"),
        "a hook": lazy_pattern(r"hook declined|protected branch"),
    },
    {
        "changes": lazy_pattern(r"local changes|uncommitted changes"),
        "untracked files": lazy_pattern(r"untracked"),
    },
    {
        "compiling": lazy_pattern(r"\bcompil(?:e|ation|er)\b"),
        "tests": lazy_pattern(r"test failures|tests? failed|\bsurefire\b"),
        "linting": lazy_pattern(r"\blint"),
    },
)


def opposites(text: str) -> tuple[frozenset[str], ...]:
    """What a text from `embed_text` names in each group, the last of which is what it lacks; mostly nothing."""
    return (*(_named(group, text) for group in _GROUPS), _lacking(text))


def opposed(ours: tuple[frozenset[str], ...], theirs: str) -> tuple[str, str] | None:
    """What either is about where they exclude each other; None if nothing does.

    `ours` is what `opposites` says of the one, `theirs` the text of the other, of which only that much is looked at.
    """
    for at, mine in enumerate(ours):
        if mine:
            other = _named(_GROUPS[at], theirs) if at < len(_GROUPS) else _lacking(theirs)
            if other and not mine & other:
                return min(mine), min(other)
    return None


def agreed(ours: tuple[frozenset[str], ...], theirs: str) -> int:
    """In how many groups both are about the same; `ours` and `theirs` as `opposed` takes them."""
    count = 0
    for at, mine in enumerate(ours):
        if mine:
            count += bool(mine & (_named(_GROUPS[at], theirs) if at < len(_GROUPS) else _lacking(theirs)))
    return count


def _named(group: dict[str, re.Pattern[str]], text: str) -> frozenset[str]:
    return frozenset(name for name, found in group.items() if found.search(text))


def _lacking(text: str) -> frozenset[str]:
    return frozenset(_NOUNS[match["one"] or match["other"]] for match in _LACKING.finditer(text))


def other_code(ours: frozenset[tuple[str, str]], theirs: frozenset[tuple[str, str]]) -> str:
    """That they have other codes, and which, both as `codes` reads them; empty if not."""
    differing = differing_codes(ours, theirs)
    named = (
        f"{kind} {min(value for at, value in side if at == kind)}" for kind in differing for side in (ours, theirs)
    )
    return f"the codes differ ({', '.join(named)})" if differing else ""


def other_failure(ours: frozenset[str], theirs: frozenset[str]) -> str:
    """That they fail in other ways, both as `failure_kinds` reads them; empty if not."""
    return f"one says that {min(ours)}, the other that {min(theirs)}" if kinds_differ(ours, theirs) else ""


def other_subject(ours: tuple[frozenset[str], ...], theirs: str) -> str:
    """That they are about what excludes each other, both as `opposed` takes them; empty if not."""
    differing = opposed(ours, theirs)
    return f"one is about {differing[0]}, the other about {differing[1]}" if differing else ""


def other_word(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """That one word or the end of an equal sentence differs, both as `said` reads them; empty if not."""
    differing = told_apart(ours, theirs)
    return f"the same sentence, but one says “{differing[0]}”, the other “{differing[1]}”" if differing else ""
