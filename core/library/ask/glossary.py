"""The English words of Korean text, as far as the glossary of the rules knows them. It does not translate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from core.base.lazy import lazy_pattern

_KOREAN = lazy_pattern("[가-힣]+")
_LONGEST: Final = 8  # syllables of an entry
_READ: Final = 2_000  # code points of a text


def english_of(word: str, glossary: Mapping[str, str]) -> list[str]:
    """Return the English words of one Korean word, in order. The longest entry wins, and one syllable is no entry."""
    out: list[str] = []
    at = 0
    while at < len(word):
        for size in range(min(_LONGEST, len(word) - at), 1, -1):
            if known := glossary.get(word[at : at + size]):
                out += known.split()
                at += size
                break
        else:
            at += 1
    return out


def in_english(text: str, glossary: Mapping[str, str]) -> str:
    """Return the English words of the Korean words in the first 2,000 code points of a text."""
    return " ".join(one for found in _KOREAN.finditer(text[:_READ]) for one in english_of(found[0], glossary))
