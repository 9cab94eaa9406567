"""Quotes aligned to the messages they were taken from: pure, without a database, usable as a library.

Each name is loaded when it is first asked for: an import that only takes entries needs no aligner.
"""

# pyright: reportUnusedImport=false

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base.lazy import lazy_names

if TYPE_CHECKING:
    from core.align.aligner import Session, align_quote, settle
    from core.align.alignment import AlignedEntry, AlignResult, Evidence, align, align_anywhere, align_claims
    from core.align.input import (
        EXTRACTION_PROMPT,
        Extracted,
        ExtractedEntry,
        ExtractedQuote,
        extraction_prompt,
        read_extracted,
        read_messages,
    )
    from core.align.normalized_view import ViewCache
    from core.align.result import Aligned, Concern, Difference, NearMiss, Span
    from core.align.settings import AlignSettings

_LATER = {
    "aligner": "Session align_quote settle",
    "alignment": "AlignResult AlignedEntry Evidence align align_anywhere align_claims",
    "input": (
        "EXTRACTION_PROMPT Extracted ExtractedEntry ExtractedQuote extraction_prompt read_extracted read_messages"
    ),
    "normalized_view": "ViewCache",
    "result": "Aligned Concern Difference NearMiss Span",
    "settings": "AlignSettings",
}
__getattr__, __all__ = lazy_names(__name__, _LATER)
