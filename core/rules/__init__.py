"""Rules of memory files: read, matched with tool calls, compared. `find_relevant_rules_semantic` is the seed's API."""

from core.rules.format.parse import parse
from core.rules.matching.api import match
from core.rules.matching.seed_api import find_relevant_rules_semantic

__all__ = ["find_relevant_rules_semantic", "match", "parse"]
