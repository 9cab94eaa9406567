"""Quotes aligned to the messages they were taken from: pure, without a database, usable as a library.

Each name is loaded when it is first asked for: an import that only takes entries needs no aligner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.lazy_names import lazy_names

if TYPE_CHECKING:
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

_LATER = {
    "alignment": (
        "AlignedEntry",
        "AlignResult",
        "Evidence",
        "align",
    ),
    "answer": (
        "Aligned",
        "Concern",
        "Difference",
        "NearMiss",
    ),
    "extracted": (
        "Extracted",
        "ExtractedEntry",
        "ExtractedQuote",
        "read_extracted",
        "read_messages",
    ),
    "judge": ("settle",),
    "one": ("align_quote",),
    "prompt": (
        "EXTRACTION_PROMPT",
        "extraction_prompt",
    ),
    "seed": ("align_claims",),
    "session": ("Session",),
    "settings": ("AlignSettings",),
    "spans": ("Span",),
    "view_cache": ("ViewCache",),
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
