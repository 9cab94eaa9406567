"""The words of a text: all of them, those that carry meaning, and how much of it is Hangul."""

from __future__ import annotations

from typing import Final

from core.base.lazy import lazy_pattern

_TOKEN = lazy_pattern(r"[^\W_]+(?:['’][^\W\d_]+)?")
_PLACEHOLDER = lazy_pattern(r"<[A-Z][A-Z0-9_]{0,30}>")
_SYLLABLES = lazy_pattern("[\uac00-\ud7a3]+")
_REST = lazy_pattern("[^\x00-\x7f\uac00-\ud7a3]+")
_NO_LETTERS: Final = bytes(sign for sign in range(256) if not (sign < 128 and chr(sign).isalpha()))
_HANGUL = lazy_pattern("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]+")

_STOP_WORDS = (
    "the and for that this with from was were are not but has have had its you your can cannot will would could "
    "should into than then they their there here when where which while what who why how all any some one two been "
    "being does did done doing just only also more most other such very too "
    "그리고 그러나 하지만 그래서 때문에 있습니다 없습니다 합니다 입니다 됩니다 "
    "했습니다 하는 있는 없는 되는 에서 으로 에게 "
)
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())
"""Words that say nothing about what a text is about; particles of Korean are cut by `words`."""

_PARTICLES = lazy_pattern(
    "(?<=[가-힣]{2})(?:에서는|으로는|에서|에게|으로|까지|부터|처럼|보다|은|는|이|가|을|를|의|에|로|와|과|도|만)$"
)


def tokens(text: str) -> tuple[str, ...]:
    """Every run of letters or digits, casefolded, in order; `_` and punctuation separate."""
    return tuple(_TOKEN.findall(text.casefold()))


def estimate_tokens(text: str) -> int:
    """About how many tokens a language model reads in a text: three bytes of UTF-8 each, rounded up."""
    return len(text.encode("utf-8", "replace")) // 3 + 1


def words(text: str) -> tuple[str, ...]:
    """The words that carry meaning, casefolded, in order, with repeats.

    At least three characters (two for Hangul, after its particle is cut); placeholders such as `<STR>`, bare numbers
    and stop words are left out.
    """
    found = tokens(_PLACEHOLDER.sub(" ", text))
    if text.isascii():  # the common case: the search compares hundreds of these a query
        return tuple([word for word in found if len(word) > 2 and word not in STOP_WORDS and not word.isdigit()])
    return tuple([word for word in map(without_particle, found) if _counts(word)])


def without_particle(word: str) -> str:
    """A Korean word without the particle glued to its end, where two syllables remain; any other word as it is."""
    return _PARTICLES.sub("", word)


def hangul_share(text: str) -> float:
    """The share of Hangul among the letters of `text`, 0.0 to 1.0; 0.0 without letters."""
    if text.isascii():
        return 0.0
    letters, _, hangul = count_letters(text)
    return hangul / letters if letters else 0.0


def count_letters(text: str) -> tuple[int, int, int]:
    """How many letters a text has, how many of them are of ASCII, and how many signs are Hangul."""
    ascii_letters = len(text.encode("ascii", "ignore").translate(None, _NO_LETTERS))
    if text.isascii():
        return ascii_letters, ascii_letters, 0
    syllables = sum(map(len, _SYLLABLES.findall(text)))
    rest = "".join(_REST.findall(text))  # few signs: to ask each for its kind takes longest
    others = sum(map(str.isalnum, rest)) - sum(map(str.isdecimal, rest))
    return ascii_letters + syllables + others, ascii_letters, syllables + sum(map(len, _HANGUL.findall(rest)))


def _counts(word: str) -> bool:
    if word in STOP_WORDS or word.isdigit():
        return False
    return len(word) >= (2 if "가" <= word[0] <= "힣" else 3)
