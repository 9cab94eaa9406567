"""Common words, so that a word of the quote that is one of them is taken for itself and not for a slip of the keys."""

from __future__ import annotations

from typing import Final

COMMON: Final = frozenset[str]()
