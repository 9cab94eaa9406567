"""The one door for foreign text: cleaned, shown, redacted, split into words (DESIGN 5)."""

from core.text.cleaning import Cleaned, clean, clean_with_offsets
from core.text.mask import MASK, is_masked
from core.text.offsets import OffsetMap
from core.text.redaction import redact
from core.text.sanitizing import visible
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
