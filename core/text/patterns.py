"""The characters and sequences that foreign text may hold and a terminal must never see."""

from __future__ import annotations

from typing import Final

from core.base.lazy_pattern import lazy_pattern

ZERO_WIDTH: Final = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u2060-\u2065\ufeff"
"""Zero-width signs and marks of direction, as the inside of a character class."""

BIDI: Final = "\u202a-\u202e\u2066-\u206f"
"""Bidi embeddings, overrides, isolates and the deprecated format controls."""

UNSEEN: Final = "\u17b4\u17b5\ufff9-\ufffb"
"""Vowels without a glyph and interlinear annotation."""

NONCHARACTERS: Final = "\ufdd0-\ufdef\ufffe\uffff"

ASTRAL: Final = "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
"""Format controls beyond the first plane, tags, the supplementary variation selectors."""

ASTRAL_NONCHARACTERS: Final = "".join(
    f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17)
)
SURROGATES: Final = "\ud800-\udfff"

# A C1 introducer after another Latin-1 letter is a wrongly decoded UTF-8 byte, not a sequence: only the sign itself
# goes. Every body excludes what could start or end a sequence, and is possessive: no input is read twice.
_C1 = r"(?<![\x80-\xff])"
_SEQUENCES = (
    rf"(?:\x1b\[|{_C1}\x9b)[0-?]*+[ -/]*+[@-~]?"  # CSI
    r"|\x1b\][^\x07\x1b\x9c\n]*+(?:\x07|\x1b\\|\x9c)?"  # OSC, unterminated: to the end of the line
    r"|\x1b[PX^_][^\x1b\x9c\n]*+(?:\x1b\\|\x9c)?"  # DCS, SOS, PM, APC
)
TERMINAL: Final = lazy_pattern(_SEQUENCES + r"|\x1b[ -/]*+[0-~]?")
"""The sequences that tell a terminal where and how to write; what it writes stays."""
ESCAPE: Final = lazy_pattern(
    _SEQUENCES + rf"|{_C1}\x9d[^\x07\x1b\x90\x98\x9c-\x9f\n]*+(?:\x07|\x1b\\|\x9c)"
    rf"|{_C1}[\x90\x98\x9e\x9f][^\x1b\x90\x98\x9c-\x9f\n]*+(?:\x1b\\|\x9c)"
    r"|\x1b[ -/]*+[0-~]?"  # ESC x
    rf"|[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f{ZERO_WIDTH}{BIDI}{UNSEEN}{ASTRAL}]++"
)
"""What `clean` takes out. Carriage returns and backspaces are not here: they say what else goes."""

REPLACED: Final = lazy_pattern(f"[{SURROGATES}{NONCHARACTERS}{ASTRAL_NONCHARACTERS}\u2028\u2029]")
"""What `clean` replaces one for one: U+2028 and U+2029 by a space, the others by U+FFFD."""

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f"
_FIRST_PLANE = f"{_CONTROLS}\x80-\x9f{ZERO_WIDTH}{BIDI}{UNSEEN}{SURROGATES}{NONCHARACTERS}\u2028\u2029"

SUSPECT: Final = lazy_pattern(f"[{_FIRST_PLANE}{ASTRAL}{ASTRAL_NONCHARACTERS}]")
"""Any character that `clean` and `visible` do not let pass as it is."""

# The same in three parts: a class that reaches beyond the first plane is many times slower to search.
_SUSPECT_ASCII = lazy_pattern(f"[{_CONTROLS}]")
_SUSPECT_FIRST_PLANE = lazy_pattern(f"[{_FIRST_PLANE}]")
_BEYOND = lazy_pattern("[\U00010000-\U0010ffff]")


def is_suspect(text: str) -> bool:
    """Whether `text` holds any character of `SUSPECT`."""
    if text.isascii():
        return _SUSPECT_ASCII.search(text) is not None
    if _SUSPECT_FIRST_PLANE.search(text):
        return True
    beyond = _BEYOND.search(text)
    return beyond is not None and SUSPECT.search(text, beyond.start()) is not None
