"""Everyday English words and names, so that a word of a quote that is one of them is taken for itself and not for a
slip of the keys. Three to eight letters, since longer words have hardly any neighbour; inflected forms are derived."""

from __future__ import annotations

from typing import Final

from core.align.guard.lexicon.resources import word_list

WORDS: Final = word_list("english")
NAMES: Final = word_list("names")
TECHNICAL: Final = word_list("technical")
"""Languages, tools, commands, formats: many are a letter apart (`jsonb` and `jsonl`, `mkdir` and `rmdir`)."""

_VOWELS: Final = "aeiou"


def is_english(word: str) -> bool:
    """Whether a word (lower case) is an everyday one, or a regular form of one."""
    return word in WORDS or word in NAMES or any(stem in WORDS for stem in _stems(word))


def _stems(word: str) -> list[str]:
    """What a word may be a regular form of."""
    found: list[str] = []
    if word.endswith("s") and not word.endswith("ss"):
        found.append(word[:-1])
    if word.endswith("es") and word[:-2].endswith(("s", "x", "z", "ch", "sh", "o")):
        found.append(word[:-2])
    if word.endswith(("ies", "ied", "ier")):
        found.append(f"{word[:-3]}y")
    for ending in ("ed", "ing", "er", "est", "ers", "ings"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            if stem[-1] == stem[-2] and stem[-1] not in "sl":
                found.append(stem[:-1])
            elif not _doubles(stem):
                found += [stem, f"{stem}e"]
            else:
                found.append(f"{stem}e")
    if word.endswith("ly"):
        found += [word[:-2], f"{word[:-1]}e"]
    return found


def _doubles(stem: str) -> bool:
    """Whether a verb doubles its last letter before an ending (`ship`, `shipped`): its one vowel between consonants."""
    if len(stem) not in (3, 4) or stem[-1] in "wxyaeiou" or any(letter in _VOWELS for letter in stem[:-2]):
        return False
    return stem[-2] in _VOWELS
