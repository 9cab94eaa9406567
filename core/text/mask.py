"""The sign that stands for each code point of a secret."""

from __future__ import annotations

from typing import Final

MASK: Final = "\u25ae"
"""One visible, narrow, unlikely sign (black vertical rectangle), one for each code point taken."""


def is_masked(text: str) -> bool:
    """Whether something in `text` was masked."""
    return MASK in text
