"""Quotes aligned to the messages they were taken from: pure, without a database, usable as a library."""

from __future__ import annotations

from core.align.alignment import AlignedEntry, AlignResult, Evidence, align
from core.align.answer import Aligned, Concern, Difference, NearMiss
from core.align.extracted import Extracted, ExtractedEntry, ExtractedQuote, read_extracted, read_messages
from core.align.judge import settle
from core.align.one import align_quote
from core.align.prompt import EXTRACTION_PROMPT, extraction_prompt
from core.align.seed import align_claims
from core.align.session import Session
from core.align.settings import AlignSettings
from core.align.spans import Span
from core.align.view_cache import ViewCache

__all__ = [
    "EXTRACTION_PROMPT",
    "AlignResult",
    "AlignSettings",
    "Aligned",
    "AlignedEntry",
    "Concern",
    "Difference",
    "Evidence",
    "Extracted",
    "ExtractedEntry",
    "ExtractedQuote",
    "NearMiss",
    "Session",
    "Span",
    "ViewCache",
    "align",
    "align_claims",
    "align_quote",
    "extraction_prompt",
    "read_extracted",
    "read_messages",
    "settle",
]
