"""Quotes aligned to the messages they were taken from: pure, without a database, usable as a library."""

from __future__ import annotations

from core.align.answer import Aligned, Concern, Difference, NearMiss
from core.align.one import align_quote
from core.align.session import Session
from core.align.settings import AlignSettings
from core.align.spans import Span
from core.align.view_cache import ViewCache

__all__ = [
    "AlignSettings",
    "Aligned",
    "Concern",
    "Difference",
    "NearMiss",
    "Session",
    "Span",
    "ViewCache",
    "align_quote",
]
