"""What the cure of a rule tells not to do (`never memcpy …`, `Double 금지`): code of the mistake, not of the cure."""

from __future__ import annotations

import re
from itertools import pairwise

_TICKED = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)")
_BEFORE = re.compile(
    r"(?:\b(?:no|not|never|avoid|don[’']t|instead of|rather than)\b(?:[ \t]+[^\W\d]{1,12}){0,4}[ \t]*"
    r"|(?:不要|不用|不是|禁止|别|勿)[^\W\d_]{0,4}[ \t]*)$",
    re.IGNORECASE,
)
"""What comes right before code that is not to be used."""
_KEPT = re.compile(
    r"\b(?:without|forget|omit|skip|drop|leave|lose|miss|only|just|longer|before|until|unless|if|but|enough|when|from)\b",
    re.IGNORECASE,
)
"""Words that turn it round: `never push without …`, `not only …`."""
_AFTER = re.compile(
    r"[을를은는이가로으도]{0,2}[ \t]*(?:대신|말고|금지|지양|피하|피한다|쓰지|사용하지|"
    r"では?なく|の代わり|を使わ|は使わ|は?禁止)"
)
"""What comes right after it."""
_AND = re.compile(r"[ \t]*(?:[/,、·]|or|and|nor|和|或|와|과|이?나|또는|혹은|및)[ \t]*(?:일반[ \t]*)?")
"""What stands between pieces of code of which the same is told."""
_NEAR = 60
"""Letters before it that are looked at."""


def divided(text: str) -> tuple[str, tuple[str, ...]]:
    """A solution or prevention without the code it tells not to use, and that code, in its order."""
    ticked = list(_TICKED.finditer(text))
    joined = [bool(_AND.fullmatch(text, one.end(), two.start())) for one, two in pairwise(ticked)]
    banned = [_before(text, one, ticked[at - 1].end() if at else 0) for at, one in enumerate(ticked)]
    for at, same in enumerate(joined):
        banned[at + 1] |= same and banned[at]
    after = [bool(_AFTER.match(text, one.end())) for one in ticked]
    for at in range(len(joined) - 1, -1, -1):
        after[at] |= joined[at] and after[at + 1]
    wrong = [one for at, one in enumerate(ticked) if banned[at] or after[at]]
    ends = (0, *(one.end() for one in wrong))
    starts = (*(one.start() for one in wrong), len(text))
    kept = "".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    return kept, tuple(one.group(1) for one in wrong)


def _before(text: str, code: re.Match[str], last: int) -> bool:
    found = _BEFORE.search(text, max(last, code.start() - _NEAR), code.start())
    return found is not None and not _KEPT.search(found.group())
