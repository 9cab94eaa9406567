"""The JSON in columns of a case: what is none gives nothing."""

from __future__ import annotations

import json
from typing import cast


def parse_names(text: str | None) -> tuple[str, ...]:
    """The names in a `tool_sequence` or `tags` column; one that is no JSON array of names gives none."""
    if not text:
        return ()
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return tuple(str(item) for item in cast("list[object]", value)) if isinstance(value, list) else ()


def message_numbers(text: str) -> tuple[int, ...]:
    """The message indexes in a `message_ids` column."""
    try:
        value: object = json.loads(text)
    except ValueError:
        return ()
    items = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(item for item in items if isinstance(item, int))
