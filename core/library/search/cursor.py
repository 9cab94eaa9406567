"""Where the next page of a search goes on, and that it is a page of the same question to the same library."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import cast

from core.base.fault import Fault

_MOST = 100_000


def write_cursor(revision: int, offset: int, question: tuple[object, ...]) -> str:
    """A cursor for the hits from `offset` on; `question` is everything that decides their order."""
    said = json.dumps([revision, offset, _digest(question)], separators=(",", ":"))
    return base64.urlsafe_b64encode(said.encode()).decode().rstrip("=")


def read_cursor(cursor: str, revision: int, question: tuple[object, ...]) -> int:
    """The offset in it. Raises Fault invalid_input, with the `reason` stale_cursor where the library has changed."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        value: object = json.loads(base64.urlsafe_b64decode(padded))
    except (ValueError, RecursionError):
        value = None
    parts = cast("list[object]", value) if isinstance(value, list) else []
    if len(parts) != 3 or not isinstance(parts[1], int) or not 0 <= parts[1] <= _MOST:
        raise Fault("invalid_input", "the cursor is not one of ours", "use `next_cursor` of the page before")
    if parts[2] != _digest(question):
        raise Fault("invalid_input", "the cursor belongs to another query", "repeat the query and filters it came with")
    if parts[0] != revision:
        raise Fault(
            "invalid_input", "the library has changed since that page", "ask again without --cursor",
            reason="stale_cursor",
        )  # fmt: skip
    return parts[1]


def _digest(question: tuple[object, ...]) -> str:
    return hashlib.sha256(repr(question).encode("utf-8", "replace")).hexdigest()[:16]
