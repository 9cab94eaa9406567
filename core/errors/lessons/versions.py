"""The version of a tool, as its own output names it (`pytest-8.3.2`, `python3.12`, `go1.22.3`)."""

from __future__ import annotations

from typing import Final

from core.base.lazy_pattern import lazy_pattern

READ: Final = 4_000
"""Code points of an output, from its beginning, in which a version is looked for."""
_MENTIONS: Final = 40
_NUMBER = lazy_pattern(r"(?:\.js)?[ /@-]?v?([0-9]{1,4}(?:\.[0-9]{1,6}){1,2})(?!\.?[\w-])")


def version_of(tool: str, output: str) -> str:
    """The version that stands behind the name of the tool; empty where none does."""
    text = output[:READ]
    lowered, name, at = text.lower(), tool.lower(), -1
    for _ in range(_MENTIONS if len(name) > 1 else 0):
        at = lowered.find(name, at + 1)
        if at < 0:
            break
        if at and (lowered[at - 1].isalnum() or lowered[at - 1] in "_-."):
            continue
        found = _NUMBER.match(text, at + len(name))
        if found is not None:
            return found[1]
    return ""
