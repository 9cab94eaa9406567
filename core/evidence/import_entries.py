"""Extracted entries as they are stored: secrets masked, named where the extractor gave no name, capped."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256

from core.align import ExtractedEntry
from core.align.input import as_index
from core.store.sql import storable
from core.text import redact

QUOTE_KEPT = 100_000
"""Code points of a quote; an entry with a longer one is left out."""
_TITLE_KEPT = 500
_LARGEST = 2**63 - 1
NO_INDEX = -1
"""What is stored for a message index that is none."""


@dataclass(frozen=True, slots=True)
class Left:
    """An entry that was not taken (`at` counts from 0), and why."""

    at: int
    entry_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Taken:
    """One claim ready to be stored; its quotes are (message index, text)."""

    entry_id: str
    type: str
    title: str
    quotes: tuple[tuple[int, str], ...]


def taken(entry: ExtractedEntry) -> Taken | str:
    """The entry as it is stored, or why it cannot be."""
    long = next((at for at, one in enumerate(entry.evidence, 1) if len(one.quote) > QUOTE_KEPT), None)
    if long is not None:
        return f"its quote {long} has more than {QUOTE_KEPT:,} characters"
    quotes = tuple((_index(one.message_index), _masked(one.quote)) for one in entry.evidence)
    kind = _masked(entry.type)[:80] or "fact"
    title = _masked(entry.title)[:_TITLE_KEPT] or (quotes[0][1][:80] if quotes else "")
    name = _masked(entry.entry_id)[:200] or f"ent_{digest(kind, title, quotes)}"
    return Taken(name, kind, title, quotes)


def digest(*content: object) -> str:
    """A name made of content: the same content, the same name."""
    return sha256(json.dumps(content).encode()).hexdigest()[:16]


def _masked(text: str) -> str:
    return storable(redact(text))


def _index(given: object) -> int:
    index = as_index(given)
    return NO_INDEX if index is None or not 0 <= index <= _LARGEST else index
