"""Quotes aligned to the messages they were taken from: pure, without a database, usable as a library.

Each name is loaded when it is first asked for: an import that only takes entries needs no aligner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from core.align.aligner import align_quote
    from core.align.alignment import AlignedEntry, AlignResult, Evidence, align
    from core.align.input import Extracted, ExtractedEntry, ExtractedQuote, read_extracted, read_messages
    from core.align.legacy_v1 import align_claims
    from core.align.normalization.cache import ViewCache
    from core.align.prompt import EXTRACTION_PROMPT, extraction_prompt
    from core.align.result import Aligned, Concern, Difference, NearMiss
    from core.align.session import Session
    from core.align.settings import AlignSettings
    from core.align.spans import Span
    from core.align.verdict import settle

_LATER = {
    "alignment": (
        "AlignedEntry",
        "AlignResult",
        "Evidence",
        "align",
    ),
    "result": (
        "Aligned",
        "Concern",
        "Difference",
        "NearMiss",
    ),
    "input": (
        "Extracted",
        "ExtractedEntry",
        "ExtractedQuote",
        "read_extracted",
        "read_messages",
    ),
    "verdict": ("settle",),
    "aligner": ("align_quote",),
    "prompt": (
        "EXTRACTION_PROMPT",
        "extraction_prompt",
    ),
    "legacy_v1": ("align_claims",),
    "session": ("Session",),
    "settings": ("AlignSettings",),
    "spans": ("Span",),
    "normalization.cache": ("ViewCache",),
}
__getattr__ = lazy_names(__name__, _LATER)

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
