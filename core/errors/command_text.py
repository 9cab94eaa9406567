"""Long commands in few words: those that differ from another command, without most of their quoted text."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from core.base.lazy import lazy_pattern
from core.text import clean

SHORT: Final = 160
"""Bytes of a failed command that are shown whole: two lines of a card in 80 columns."""
_LINES: Final = 3
_WORDS_COMPARED: Final = 400
_NOT_WORTH_A_MARK: Final = 2
"""Words between two others that are shown instead of a mark."""
_MOSTLY: Final = 0.5
"""The share of a command's words up to which they are what it differs in."""
_QUOTED = lazy_pattern(r"(?P<begin>(?P<quote>[\"'])[^\"']{24})[^\"']{8,}+(?P=quote)")
"""A long text in quotes, of which the beginning is shown."""
_FED = lazy_pattern(r"(?P<begin><<-?[ \t]*['\"]?(?P<mark>\w+)\b[^\n]{0,200})\n.*?(?:\n[ \t]*(?P=mark)\b|\Z)", re.DOTALL)
"""A here-document, of which nothing is shown."""


def short_command(text: str, other: str, size: int = SHORT) -> str:
    """Return a command in few bytes; one longer than `size`, or of many lines, without what matters least.

    Shown are the words that differ from the `other` command, else the command with its here-documents and quoted
    texts cut, else its beginning.
    """
    if len(text.encode("utf-8", "replace")) <= size and text.count("\n") < _LINES:
        return text
    differing = differing_words(text, other)
    if differing and len(differing.encode("utf-8", "replace")) <= size:
        return differing
    plain = " ".join(_FED.sub(r"\g<begin> …", clean(differing or text)).split())
    short = _QUOTED.sub(r"\g<begin>…\g<quote>", plain)
    data = short.encode("utf-8", "replace")
    return short if len(data) <= size else f"{data[: size - 3].decode('utf-8', 'ignore')}…"


def differing_words(text: str, other: str) -> str:
    """Return the words of a command that differ from the `other` one, with its first word and their neighbours.

    What is left out is marked. Empty where hardly anything is the same: then no words tell what was done otherwise.
    """
    from difflib import SequenceMatcher  # a search loads this module and compares nothing

    given, others = (clean(one).split()[:_WORDS_COMPARED] for one in (text, other))
    matcher = SequenceMatcher(None, others, given, autojunk=False)
    changed = [(start, end) for mark, _, _, start, end in matcher.get_opcodes() if mark != "equal"]
    if not others or not changed or sum(end - start for start, end in changed) > len(given) * _MOSTLY:
        return ""
    kept = sorted({0, *(at for start, end in changed for at in range(max(0, start - 1), min(end + 1, len(given))))})
    shown = given[:1]
    for last, at in pairwise([*kept, len(given)]):
        between = given[last + 1 : at]
        shown += between if len(between) <= _NOT_WORTH_A_MARK else ["…"]
        shown += given[at : at + 1]
    return " ".join(shown)
