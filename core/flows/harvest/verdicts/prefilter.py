"""Patterns that are searched for only where a word is that every match of them has.

Most outputs have none of these words, and to look for a word is a hundred times faster than for a pattern of thirty
branches. What is found stays the same: a test takes each pattern apart and asks for a word in every branch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Prefiltered(NamedTuple):
    """`pattern`, and the words one of which every match holds; `rare` matches within every match that has none."""

    pattern: re.Pattern[str]
    words: tuple[str, ...]
    rare: re.Pattern[str] | None = None

    def may_match(self, text: str) -> bool:
        """Whether a match is possible."""
        return any(word in text for word in self.words) or (self.rare is not None and bool(self.rare.search(text)))

    def search(self, text: str) -> re.Match[str] | None:
        """As the pattern's own."""
        return self.pattern.search(text) if self.may_match(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As the pattern's own."""
        none: Iterable[re.Match[str]] = ()
        return self.pattern.finditer(text) if self.may_match(text) else iter(none)
