"""Words by which two messages that read alike are different errors: UNIQUE and NOT NULL, encode and decode.

A model puts them next to each other, and all their other words are shared. Each group lists what excludes each other;
what a message does not say speaks neither for nor against.
"""

from __future__ import annotations

import re
from typing import Final

from core.base.lazy_pattern import lazy_pattern

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
