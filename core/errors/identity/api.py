"""What names an error: its key lines, the normalized key and the fingerprint (DESIGN 6.1)."""

from __future__ import annotations

from core.errors.identity.fingerprint import fingerprint_line, normalize_line
from core.errors.identity.identity import Identity
from core.errors.identity.keylines.select import find_key_lines, key_text


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


def names_failure(found: Identity) -> bool:
    """Whether an output has more than trailers and progress: its key line is primary, or would be by itself."""
    if not found.key_lines or found.key_lines[0].role == "primary":
        return bool(found.key_lines)
    alone = find_key_lines(found.key_line)
    return bool(alone) and alone[0].role == "primary"
