"""The messages that quotes are looked for in, with what is kept of them between one quote and the next."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.align.normalization.cache import ViewCache
from core.align.normalization.normalized_view import View

_WORD = re.compile(r"[a-z\u00c0-\u024f]{3,}|[가-힣]{2,}")


class Session:
    """Messages by index, their views, and the words that stand in them. Belongs to one thread."""

    def __init__(self, messages: Sequence[str], cache: ViewCache | None = None) -> None:
        self.messages = messages
        self._cache = ViewCache() if cache is None else cache
        self._words: set[str] | None = None
        self._last: tuple[int, View] | None = None

    def view(self, index: int) -> View:
        """The view of a message."""
        if self._last is None or self._last[0] != index:
            self._last = index, self._cache.view(self.messages[index])
        return self._last[1]

    def others(self, index: int) -> Iterator[int]:
        """Every other message, the nearest first; of two as near, the earlier one."""
        for distance in range(1, len(self.messages)):
            for other in (index - distance, index + distance):
                if 0 <= other < len(self.messages):
                    yield other

    def knows(self, word: str) -> bool:
        """Whether a word (lower case) stands in any message."""
        if self._words is None:
            self._words = {word for text in self.messages for word in _WORD.findall(text.lower())}
        return word in self._words
