"""Whether a word that differs is the same word misspelt, or another word.

A slip of the keys gives a word that nobody uses: one that stands elsewhere in the session is another word, and so is
one that differs by an ending or a prefix that means something.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Final

from rapidfuzz.distance import OSA

from core.align.guard.common import COMMON
from core.align.guard.kinds import HARMLESS, KIND_OF, NEGATIVE_PREFIXES, OPPOSITES

_REAL: Final = frozenset(word for pair in OPPOSITES for word in pair) | frozenset(KIND_OF) | HARMLESS
_ENDINGS: Final = frozenset(
    "다요함임음됨라자고며면나니지서도던는은을를이가한할했된될됐인일였었았겠까네군죠게데듯만에의와과로랑뿐씩째"
)
_SUFFIXES: Final = (
    "s",
    "es",
    "d",
    "ed",
    "r",
    "er",
    "ing",
    "ly",
    "al",
    "able",
    "ible",
    "less",
    "ful",
    "or",
    "ee",
    "est",
)

Known = Callable[[str], bool]
"""Whether a word (lower case) stands somewhere in the session."""


def is_typo(written: str, meant: str, known: Known) -> bool:
    """Whether `written` (of the quote) is `meant` (of the source) misspelt; both in lower case."""
    if written in _REAL or written in COMMON or known(written) or _inflected(written, meant):
        return False
    if _hangul(written) and _hangul(meant):
        return _slipped_syllable(written, meant) or _slipped(written, meant, least=4)
    return _slipped(written, meant, least=3)


def is_slip(written: str, meant: str, known: Known) -> bool:
    """Whether a small word that says nothing by itself was misspelt."""
    if written in _REAL or written in COMMON or (len(written) > 2 and known(written)):
        return False
    return OSA.distance(_letters(written), _letters(meant), score_cutoff=1) <= 1


def _slipped(written: str, meant: str, *, least: int) -> bool:
    """Whether two words are as few letters apart as slips of the keys leave them."""
    one, other = _letters(written), _letters(meant)
    shorter = min(len(one), len(other))
    most = 0 if shorter < least else 1 if shorter < 6 else 2 if shorter < 12 else 3
    return OSA.distance(one, other, score_cutoff=most) <= most


def _slipped_syllable(written: str, meant: str) -> bool:
    """Whether two Korean words differ by one syllable lost, doubled or swapped with the next."""
    if len(written) == len(meant):
        return len(meant) > 1 and sorted(written) == sorted(meant) and OSA.distance(written, meant) == 1
    short, long = sorted((written, meant), key=len)
    if len(long) != len(short) + 1 or len(long) < 3:
        return False
    at = next((at for at, letter in enumerate(short) if letter != long[at]), len(short))
    doubled = at > 0 and long[at] == long[at - 1]
    return short == long[:at] + long[at + 1 :] and (doubled or (0 < at < len(short) and written == short))


def _hangul(word: str) -> bool:
    return word[:1] >= "가"


def is_plural(written: str, meant: str) -> bool:
    """Whether two English words differ by a final s alone."""
    short, long = sorted((written, meant), key=len)
    return len(short) > 2 and short.isascii() and long in (f"{short}s", f"{short}es")


def _inflected(written: str, meant: str) -> bool:
    """Whether two words differ by an ending or a prefix that exists."""
    short, long = sorted((written, meant), key=len)
    rest = long[len(short) :] if long.startswith(short) else ""
    if rest in _ENDINGS or (rest in _SUFFIXES and (rest not in ("d", "r") or short.endswith("e"))):
        return True
    if long.endswith(short) and long[: len(long) - len(short)] in NEGATIVE_PREFIXES:
        return True
    if written[-1] >= "가" and len(written) == len(meant) and written[:-1] == meant[:-1]:
        return written[-1] in _ENDINGS
    if len(written) == len(meant) > 2 and written[:-2] == meant[:-2] and written[-1] == meant[-1] == "다":
        return written[-2] in _ENDINGS
    stem = 0
    while stem < min(len(written), len(meant)) and written[stem] == meant[stem]:
        stem += 1
    return stem >= 3 and written.isascii() and written[stem:] in _SUFFIXES and meant[stem:] in (*_SUFFIXES, "")


def _letters(word: str) -> str:
    """A word by its letters: a Hangul syllable by its jamo, so that one wrong key counts once."""
    return word if word.isascii() else unicodedata.normalize("NFD", word)
