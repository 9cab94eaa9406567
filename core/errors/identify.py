"""What names an error: its key lines, the normalized key and the fingerprint (DESIGN 6.1)."""

from __future__ import annotations

from core.errors.fingerprint import fingerprint_line
from core.errors.identity import Identity
from core.errors.keylines.select import find_key_lines, key_text
from core.errors.normalize import normalize_line


def identify(text: str) -> Identity:
    """The names of any output: redacted, cleaned, unwrapped, its key lines found, normalized and fingerprinted.

    Spans are half-open code-point ranges of `text`. Blank text has an empty key line and no key lines; it never raises.
    """
    lines = find_key_lines(text)
    if not lines:
        return Identity("", (), "unknown", "", "")
    primary = lines[0]
    return Identity(primary.text, lines, primary.tool, normalize_line(primary.text), fingerprint_line(primary.text))


def key_line(text: str) -> str:
    """The text of the primary key line alone, empty for blank text; the same as `identify(text).key_line`."""
    return key_text(text)
