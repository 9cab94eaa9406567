"""What both ways of speaking share: reading one object, and what may be wrong with it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast


@dataclass(frozen=True, slots=True)
class Said:
    """The text that a line brought; empty where it brought none."""

    text: str


class Unreadable(Exception):
    """A line that is not what such a server sends."""

    def __init__(self, line: bytes) -> None:
        super().__init__()
        self.line = line[:400].decode("utf-8", "replace")


class Complaint(Exception):
    """The server says, instead of going on, what is wrong."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        super().__init__()
        self.value = dict(value)


class Broken(Exception):
    """The connection ended before the answer did."""


def as_object(line: bytes) -> dict[str, Any]:
    """A line as a JSON object. Raises Unreadable."""
    try:
        value: object = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise Unreadable(line) from None
    if not isinstance(value, dict):
        raise Unreadable(line)
    return cast("dict[str, Any]", value)


def count(value: object) -> int | None:
    """A number of tokens as the server counted them."""
    return value if type(value) is int and 0 <= value < 1 << 40 else None
