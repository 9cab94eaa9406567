"""A digest of a text, without `hashlib`, which takes 3 ms to load."""

from __future__ import annotations


def digest(text: str) -> bytes:
    """32 bytes of BLAKE2b of a text; lone surrogates are read as question marks."""
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    return blake2b(text.encode("utf-8", "replace"), digest_size=32).digest()
