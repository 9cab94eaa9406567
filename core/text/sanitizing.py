"""Foreign text made safe to show, one code point for one."""

from __future__ import annotations

import re

from core.base.lazy_pattern import lazy_pattern
from core.text.patterns import SUSPECT, is_suspect

# Joined emoji are one picture; anywhere else the joiner is an invisible sign.
_JOINED = lazy_pattern("(?<=[\u2194-\u3299\ufe0f\U0001f000-\U0001faff])\u200d(?=[\u2194-\u3299\U0001f000-\U0001faff])")


def visible(text: str) -> str:
    """`text` with every control and every unseen sign turned into one that shows; the length stays, so spans do.

    C0 becomes its picture (U+2400..), DEL U+2421; C1, bidi, zero-width, surrogates, noncharacters, tags and the
    Unicode line separators become U+FFFD. Newline and tab stay, and so does the joiner inside an emoji.
    """
    if not is_suspect(text):
        return text
    return SUSPECT.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    sign = match[0]
    if sign < " ":
        return chr(0x2400 + ord(sign))
    if sign == "\x7f":
        return "\u2421"
    if sign == "\u200d" and _JOINED.match(match.string, match.start()):
        return sign
    return "\ufffd"
