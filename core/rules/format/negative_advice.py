"""What the cure of a rule tells not to do (`never memcpy …`, `Double 금지`): code of the mistake, not of the cure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

_TICKED = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)")
_BEFORE = re.compile(
    r"(?:\b(?:no|not|never|avoid|don[’']t|instead of|rather than)\b(?:[ \t]+[^\W\d]{1,12}){0,4}[ \t]*"
    r"|(?:不要|不用|不是|禁止|别|勿)[^\W\d_]{0,4}[ \t]*)$",
    re.IGNORECASE,
)
"""What comes right before code that is not to be used."""
_BAN = re.compile(
    r"(?:[.;:!?][ \t]+|\(|^[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?)(?:no|never|do not|don[’']t|avoid)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""A sentence that forbids, from its first word on: all code of it is forbidden."""
_ENDS = re.compile(r"[.;!?](?:\s|$)|\n|\S:\s|→|\b(?:use|instead|prefer|run)\b", re.IGNORECASE)
"""Where such a sentence ends."""
_KEPT = re.compile(
    r"\b(?:without|forget|omit|skip|drop|leave|lose|miss|only|just|longer|before|until|unless|except|if|but|enough|when|"
    r"from|other|outside)\b",
    re.IGNORECASE,
)
"""Words that turn it round: `never push without …`, `not only …`."""
_AFTER = re.compile(
    r"[을를은는이가로으도]{0,2}[ \t]*(?:대신|말고|금지|지양|피하|피한다|쓰지|사용하지|"
    r"では?なく|の代わり|を使わ|は使わ|は?禁止)"
    r"|[^`.,;:\n]{0,24}(?:지[ \t]?않는다|지[ \t]?않기|지[ \t]?않습니다|지[ \t]?말|지[ \t]?마[라세]|하면[ \t]안)"
)
"""What comes right after it, or ends its clause."""
_UNLOST = re.compile(r"빼|빠뜨|잊|생략|누락|놓치|없이|忘")
"""What must not be left out is advised."""
_AND = re.compile(r"[ \t]*(?:[/,、·]|or|and|nor|和|或|와|과|이?나|또는|혹은|및)[ \t]*(?:일반[ \t]*)?")
"""What stands between pieces of code of which the same is told."""
_LACK = re.compile(
    r"\b(?:without|omit(?:s|ted|ting)?|forg[eo]t(?:s|ten|ting)?|left out|miss(?:es|ed|ing)|lack(?:s|ed|ing)?)"
    r"(?:[ \t]+(?:a|an|the|any|to (?:add|pass|set|use)))?[ \t]+(?:`([^`\n]{1,200})`|([^\s`.,;:()]+))"
    r"|(?:`([^`\n]{1,200})`|(?<![^\s`.,;:()가-힣])([^\s`.,;:()가-힣]++))[을를은는이가 \t]{0,3}"
    r"(?:없이|없는|없었|빼먹|빼고|빠뜨|빠진|빠졌|잊|생략|누락|놓치)",
    re.IGNORECASE,
)
"""What a problem says was left out: `without CONCURRENTLY`, `CONCURRENTLY 없이`."""
_NEAR = 60
"""Letters before it that are looked at."""
_LONGEST = 400
"""Letters that such a sentence has at most."""


def divided(text: str) -> tuple[str, tuple[str, ...]]:
    """A solution or prevention without the code it tells not to use, and that code, in its order."""
    ticked = list(_TICKED.finditer(text))
    if not ticked:
        return text, ()
    joined = [bool(_AND.fullmatch(text, one.end(), two.start())) for one, two in pairwise(ticked)]
    bans = tuple(_bans(text))
    banned = [
        any(start <= one.start() < end for start, end in bans) or _before(text, one, ticked[at - 1].end() if at else 0)
        for at, one in enumerate(ticked)
    ]
    for at, same in enumerate(joined):
        banned[at + 1] |= same and banned[at]
    after = [_after(text, one) for one in ticked]
    for at in range(len(joined) - 1, -1, -1):
        after[at] |= joined[at] and after[at + 1]
    wrong = [one for at, one in enumerate(ticked) if banned[at] or after[at]]
    ends = (0, *(one.end() for one in wrong))
    starts = (*(one.start() for one in wrong), len(text))
    kept = "".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    return kept, tuple(one.group(1) for one in wrong)


def lacked(text: str) -> str:
    """What the problem of a rule says was left out, each on a line: of the cure, not of the mistake."""
    return "\n".join(filter(None, (part for found in _LACK.finditer(text) for part in found.groups())))


def _before(text: str, code: re.Match[str], last: int) -> bool:
    found = _BEFORE.search(text, max(last, code.start() - _NEAR), code.start())
    return found is not None and not _KEPT.search(found.group())


def _after(text: str, code: re.Match[str]) -> bool:
    found = _AFTER.match(text, code.end())
    return found is not None and not _UNLOST.search(found.group())


def _bans(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences that forbid begin, and where what they forbid ends."""
    at = 0
    while (found := _BAN.search(text, at)) is not None:
        most = min(len(text), found.end() + _LONGEST)
        ends = (pattern.search(text, found.end(), most) for pattern in (_ENDS, _KEPT))
        at = max(min((most, *(one.start() for one in ends if one))), found.end())
        yield found.end(), at
