"""The characters and sequences that foreign text may hold and a terminal must never see."""

from __future__ import annotations

import re
from typing import Final

from core.text.late import Late

ZERO_WIDTH: Final = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u2060-\u2065\ufeff"
"""Zero-width signs and marks of direction, as the inside of a character class."""

BIDI: Final = "\u202a-\u202e\u2066-\u206f"
"""Bidi embeddings, overrides, isolates and the deprecated format controls."""

UNSEEN: Final = "\ufff9-\ufffb\U000e0000-\U000e0fff"
"""Interlinear annotation, tags and the supplementary variation selectors."""

NONCHARACTERS: Final = "\ufdd0-\ufdef\ufffe\uffff" + "".join(
    f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17)
)
SURROGATES: Final = "\ud800-\udfff"

# A C1 introducer after another Latin-1 letter is a wrongly decoded UTF-8 byte, not a sequence: only the sign itself
# goes. Every body excludes what could start or end a sequence, and is possessive: no input is read twice.
_C1 = r"(?<![\x80-\xff])"
ESCAPE: Final = Late(
    rf"(?:\x1b\[|{_C1}\x9b)[0-?]*+[ -/]*+[@-~]?"  # CSI
    r"|\x1b\][^\x07\x1b\x9c\n]*+(?:\x07|\x1b\\|\x9c)?"  # OSC, unterminated: to the end of the line
    r"|\x1b[PX^_][^\x1b\x9c\n]*+(?:\x1b\\|\x9c)?"  # DCS, SOS, PM, APC
    rf"|{_C1}\x9d[^\x07\x1b\x90\x98\x9c-\x9f\n]*+(?:\x07|\x1b\\|\x9c)"
    rf"|{_C1}[\x90\x98\x9e\x9f][^\x1b\x90\x98\x9c-\x9f\n]*+(?:\x1b\\|\x9c)"
    r"|\x1b[ -/]*+[0-~]?"  # ESC x
    rf"|[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f{ZERO_WIDTH}{BIDI}{UNSEEN}]++"
)
"""What `clean` takes out. Carriage returns and backspaces are not here: they say what else goes."""

REPLACED: Final = Late(f"[{SURROGATES}{NONCHARACTERS}\u2028\u2029]")
"""What `clean` replaces one for one: U+2028 and U+2029 by a space, the others by U+FFFD."""

SUSPECT: Final = re.compile(
    f"[\x00-\x08\x0b-\x1f\x7f-\x9f{ZERO_WIDTH}{BIDI}{UNSEEN}{SURROGATES}{NONCHARACTERS}\u2028\u2029]"
)
"""Any character that `clean` and `visible` do not let pass as it is."""
