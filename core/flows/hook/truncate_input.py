"""A tool's input as hooks keep it: without secrets, and without what would only fill a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from core.text import redact

TEXT_KEPT = 8_192
"""Code points of one text."""
_MOST = 50


def short_input(tool_input: Mapping[str, Any]) -> dict[str, object]:
    """Each text redacted and cut, deep values left out."""
    kept: dict[str, object] = {}
    for key, value in list(tool_input.items())[:_MOST]:
        if isinstance(value, str):
            kept[redact(key)] = redact(value)[:TEXT_KEPT]
        elif value is None or isinstance(value, bool | int | float):
            kept[redact(key)] = value
        elif isinstance(value, list) and all(isinstance(part, str) for part in cast("list[object]", value)):
            kept[redact(key)] = [redact(part)[:TEXT_KEPT] for part in cast("list[str]", value)[:_MOST]]
    return kept
