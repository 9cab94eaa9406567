"""The one door for foreign text: cleaned, shown, redacted, split into words (DESIGN 5)."""

from core.text.cleaning import Cleaned, OffsetMap, clean, clean_with_offsets, visible
from core.text.redaction import MASK, is_masked, redact
from core.text.tokenizing import estimate_tokens, hangul_share, tokens, words

__all__ = [
    "MASK",
    "Cleaned",
    "OffsetMap",
    "clean",
    "clean_with_offsets",
    "estimate_tokens",
    "hangul_share",
    "is_masked",
    "redact",
    "tokens",
    "visible",
    "words",
]
