"""The bytes of a command line as text: read as UTF-8 whatever the locale says, and never replaced."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from core.base.fault import Fault

_WRITTEN = ("error", "resolution", "reason", "resolved_by", "tag", "quote", "author", "tool_sequence")
"""The arguments that are stored as text."""


def read_as_utf8(argv: Sequence[str]) -> None:
    """Start this program again in Python's UTF-8 mode if the locale cannot read its arguments and UTF-8 can.

    Does not return then. Elsewhere, and where an argument is not UTF-8 either, nothing happens.
    """
    if sys.flags.utf8_mode or not _undecoded("".join(argv)) or not hasattr(os, "execv"):
        return
    try:
        for word in argv:
            os.fsencode(word).decode("utf-8")
    except UnicodeDecodeError:
        return
    os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def refuse_undecoded(given: Mapping[str, object]) -> None:
    """Raise Fault invalid_input where a text that would be stored has a byte that is not UTF-8."""
    for name in _WRITTEN:
        value = given.get(name)
        for text in value if isinstance(value, list) else (value,):
            if isinstance(text, str) and (at := _undecoded(text)):
                byte = ord(text[at - 1]) - 0xDC00
                what = f"the {name.replace('_', ' ')} is not UTF-8 (byte 0x{byte:02X} at character {at})"
                raise Fault("invalid_input", what, "convert it to UTF-8, for example with iconv -t UTF-8")


def _undecoded(text: str) -> int:
    """Where the first byte is that could not be decoded, counted from 1; 0 where there is none."""
    if text.isascii():
        return 0
    return next((at for at, letter in enumerate(text, 1) if "\udc80" <= letter <= "\udcff"), 0)
