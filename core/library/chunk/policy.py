"""How passages are cut: the settings that shape them, and their hash, which goes into every passage's id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import orjson

from core.base.fault import Fault

MD_V1: Final = "md-heading-v1"
MD_V2: Final = "md-heading-v2"
TEXT_V1: Final = "code-text-paragraph-v1"
BYTES_PER_TOKEN: Final = 3
"""A token is taken to be three bytes of UTF-8: more tokens than a model counts, in Korean and in English."""


@dataclass(frozen=True, slots=True)
class ChunkPolicy:
    """Sizes in tokens (see `tokens`). Raises Fault config_invalid for sizes that cannot be met.

    `max_chunk_tokens` is kept by every chunker but md-heading-v1, which never splits a block.
    """

    target_tokens: int = 500
    overlap_tokens: int = 80
    respect_markdown_headings: bool = True
    chunker_version: str = MD_V2
    max_chunk_tokens: int = 4000

    def __post_init__(self) -> None:
        wrong = ""
        if self.target_tokens < 16:
            wrong = f"target_tokens must be at least 16, not {self.target_tokens}"
        elif not 0 <= self.overlap_tokens < self.target_tokens:
            wrong = f"overlap_tokens must be less than target_tokens ({self.target_tokens}), not {self.overlap_tokens}"
        elif self.max_chunk_tokens < self.target_tokens:
            wrong = f"max_chunk_tokens must be at least target_tokens ({self.target_tokens})"
        elif self.chunker_version not in (MD_V1, MD_V2):
            wrong = f"chunker_version must be {MD_V1} or {MD_V2}, not {self.chunker_version[:40]}"
        if wrong:
            raise Fault("config_invalid", wrong, "correct the section [chunking]")


def policy_hash(policy: ChunkPolicy, chunker: str) -> str:
    """The hash of what shapes the passages of `chunker`: 16 hexadecimal digits (frozen design 4.2)."""
    from blake3 import blake3

    shape = {
        "target_tokens": policy.target_tokens,
        "overlap_tokens": policy.overlap_tokens,
        "respect_markdown_headings": policy.respect_markdown_headings,
        "chunker_version": chunker,
    }
    data = orjson.dumps(shape, option=orjson.OPT_SORT_KEYS)
    if chunker != MD_V1:
        data += policy.max_chunk_tokens.to_bytes(8, "little")
    return blake3(data).hexdigest()[:16]


def tokens(text: str) -> int:
    """About how many tokens a text has, never too few."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // BYTES_PER_TOKEN)
