"""What stands right beside a place and turns its sense: a quote cut out of "not …" or before "… 않는다"."""

from __future__ import annotations

import re

_BEFORE = re.compile(
    r"(?:\b(?:not|never|cannot|no longer|without|neither|nor|unable to|fails? to|failed to)|n't)"
    r"\s*['\"`*_(]*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^['\"`*_)]*\s*(?:는|은|를|을|가|이|도)?\s*(?:지(?:는|도|를)?\s*)?"
    r"(?:않|못하|못한|못했|말아|아니|아닌|아닙|없[다는음이었]|안 된|안 됩|안된)"
)
_PREFIX = re.compile(r"(?:^|[^\w])(?:un|in|im|ir|il|dis|non|비|불|미|무|부)$", re.IGNORECASE)


def negated_outside(text: str, start: int, end: int) -> str:
    """The words beside `text[start:end]` that negate it, or nothing. Only what touches it, in its own sentence."""
    before, after = text[max(0, start - 48) : start], text[end : end + 24]
    if text[start : start + 1].isalnum() and before[-1:].isalnum() and (cut := _PREFIX.search(before)):
        return cut[0].strip()
    before = re.split(r"[.!?。]\s|\n\s*\n|\n\s*[-*#>|]", before)[-1]
    if found := _BEFORE.search(before):
        return found[0].strip()
    if found := _AFTER.search(after):
        return found[0].strip()
    return ""
