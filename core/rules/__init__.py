"""Rules of memory files: read, matched with tool calls, compared. `find_relevant_rules_semantic` is the seed's API."""

# pyright: reportUnusedImport=false

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base.lazy import lazy_names

if TYPE_CHECKING:
    from core.rules.format.parse import parse
    from core.rules.matching.api import match
    from core.rules.matching.seed_api import find_relevant_rules_semantic

_LATER = {
    "format.parse": "parse",
    "matching.api": "match",
    "matching.seed_api": "find_relevant_rules_semantic",
}
__getattr__, __all__ = lazy_names(__name__, _LATER)
