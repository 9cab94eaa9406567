"""The one door for foreign text: cleaned, shown, redacted, split into words (DESIGN 5)."""

from core.text.clean import Cleaned, clean, clean_with_offsets
from core.text.mask import MASK, is_masked
from core.text.offsets import OffsetMap
from core.text.redact import redact
from core.text.visible import visible
from core.text.words import hangul_share, tokens, words

__all__ = [
    "MASK",
    "Cleaned",
    "OffsetMap",
    "clean",
    "clean_with_offsets",
    "hangul_share",
    "is_masked",
    "redact",
    "tokens",
    "visible",
    "words",
]
