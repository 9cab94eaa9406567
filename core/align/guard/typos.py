"""Whether a word that differs is the same word misspelt, or another word.

A typo gives a word that nobody uses. Other words are: an everyday word of English or Korean (the shipped lists
`words/*.txt`), one that occurs elsewhere in the session, and one that differs by an ending or a prefix with a meaning.
The English list has words of three to eight letters, since longer words have hardly any neighbour; inflected forms are
derived. Korean verbs are known by their stems."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Final

from rapidfuzz.distance import OSA

from core.align.guard.tokens import Token
from core.align.guard.word_classes import HARMLESS, HEADS, KIND_OF, NEGATIVE_PREFIXES, OPPOSITES, PREFIXES, SUFFIXES
from core.align.guard.word_forms import ORDINALS
from core.text.tokenizing import without_particle


def word_list(name: str) -> frozenset[str]:
    text = files("core.align.guard").joinpath("words", f"{name}.txt").read_text("utf-8")
    return frozenset(word for line in text.split("\n") if not line.startswith("#") for word in line.split())


WORDS: Final = word_list("english")

_VOWELS: Final = "aeiou"


def is_english(word: str) -> bool:
    """Whether a word (lower case) is an everyday one, or a regular form of one."""
    return word in WORDS or any(stem in WORDS for stem in _stems(word))


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


NOUNS: Final = word_list("korean_nouns")
STEMS: Final = word_list("korean_verbs")

_ENDING: Final = re.compile(
    "(?:시)?(?:았|었|였|겠|ㅆ)*(?:ㄴ|ㄹ|ㅁ|ㅂ)?"
    "(?:다|는다|은다|니다|습니다|까|요|어요|아요|죠|지요|네|군|자|라|어라|아라|고|며|면|으면|으며|나|지만|는데|은데|데|어서|아서|서|니|으니|니까|"
    "려고|으려고|러|도록|게|지|기|음|는|은|을|던|듯|수록|어야|아야|야|어도|아도|도|어|아)?"
    "(?:고|는|만|서|도|면|며|지만|라고|라는)*"
)
_PAST: Final = "\u11bb"


def is_korean(word: str) -> bool:
    """Whether a Korean word is an everyday one: a noun with its particle or as a verb, or a form of a verb."""
    bare = without_particle(word)
    if word in NOUNS or bare in NOUNS:
        return True
    for cut in range(min(len(word) - 1, 5), 1, -1):
        if word[:cut] in NOUNS and (is_verb(word[cut:]) or word[cut:] in _GLUED):
            return True
    return is_verb(word)


def is_verb(word: str) -> bool:
    """Whether a Korean word is an everyday verb or adjective with endings."""
    for cut in range(min(len(word), 4), 0, -1):
        opened, final = _opened(word[cut - 1])
        rest = word[cut:]
        if word[:cut] in STEMS and rest and _ENDING.fullmatch(rest):
            return True
        if final and word[: cut - 1] + opened in STEMS and _ENDING.fullmatch(final + rest):
            return True
    return False


def tense_of(word: str) -> str:
    """What a Korean word says of time or will: its syllables with the sign of the past, and 겠; else nothing."""
    return "".join("겠" if one == "겠" else _PAST for one in word if one != "있" and _opened(one)[1] == "ㅆ")


def _opened(syllable: str) -> tuple[str, str]:
    """A syllable without its last consonant, and that consonant where an ending may have put it there."""
    parts = unicodedata.normalize("NFD", syllable)
    if len(parts) != 3 or parts[2] not in _FINALS:
        return syllable, ""
    return unicodedata.normalize("NFC", parts[:2]), _FINALS[parts[2]]


_FINALS: Final = {"\u11ab": "ㄴ", "\u11af": "ㄹ", "\u11b7": "ㅁ", "\u11b8": "ㅂ", _PAST: "ㅆ"}
_GLUES: Final = "들 별 적 적인 적으로 성 화 용 중 시 후 전 상 하 내 외 간 률 율 자 기 서 인 만 뿐 이다 입니다 임"
_GLUED: Final = frozenset(_GLUES.split())


_SMALL: Final = frozenset(word for pair in OPPOSITES for word in pair) | frozenset((*KIND_OF, *ORDINALS)) | HARMLESS
_ENDINGS: Final = frozenset(
    "다요함임음됨라자고며면나니지서도던는은을이가한할했된됐인일였었았겠까네군죠게데듯만에의와과로랑뿐씩째야"
)
_TAILS: Final = frozenset(SUFFIXES) - {"r", "d"}
_LONG_KOREAN: Final = 5
"""Syllables from which a word may have two neighbours swapped and another slip."""
_LONG: Final = 7
"""Letters from which even a part of an identifier that is no word may have one wrong."""
_LONG_NAME: Final = 6
"""Letters from which an unknown name may have one error, except at its end."""
_LONGER_NAME: Final = 10
"""Letters from which it may have one wrong anywhere."""
_DERIVED: Final = 7
"""Letters from which two regular forms of words are no longer a letter doubled apart (`planing`, `planning`)."""
_LONGEST: Final = 60
"""A word with more letters is code or data and must match letter by letter."""

_CARELESS: Final = 2
"""Slips in a quote from which it was typed without care."""
_PLAIN: Final = 5
"""Letters of an everyday word that identifies its misspellings alone."""
_FAR: Final = 0.5
"""Share of its letters that a word keeps which went further wrong than a slip does, in a quote with other slips."""
_FARTHER: Final = 0.35
"""The same in a quote with `_MANY` of them, if it begins as it should."""
_MANY: Final = 4
_ROOT: Final = 4
"""Letters of a root that two words with other beginnings share."""

_PART: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
"""A part of a name in camel case."""

_SOUNDS: Final = {"돼": "되", "됬": "됐", "됫": "됐"} | {
    chr(0xAC00 + 28 * at + 19): chr(0xAC00 + 28 * at + 20)
    for at in range(399)
    if chr(0xAC00 + 28 * at + 20) in "했왔렸졌쳤겼꼈꿨줬웠냈됐떴썼랐켰녔셨폈혔췄"
}
Known = Callable[[str], bool]
"""Whether a word (lower case) occurs in the session."""


def is_typo(written: Token, meant: Token, known: Known) -> bool:
    """Whether `written` (of the quote) is `meant` (of the source) misspelt."""
    one, other = written.canon, meant.canon
    if one != other and spelt(one) == spelt(other):
        return True
    shorter = min(len(one), len(other))
    if max(len(one), len(other)) > _LONGEST or known(one) or is_used(one):
        return False
    if is_doubled(one, other):
        return True
    if _other_part(written.text, meant.text):
        return False
    stumbled = _stumbled(one, other)
    if stumbled and shorter >= _DERIVED:
        return True
    if is_real(one) or _inflected(one, other):
        return False
    if stumbled:
        return True
    if written.proper and meant.proper and not is_real(other):
        # Names that are one letter apart mostly end differently: Helen and Helena, Johnson and Johnsen.
        ends = shorter >= _LONG_NAME and one[-2:] == other[-2:]
        return (ends or shorter >= _LONGER_NAME) and OSA.distance(one, other, score_cutoff=1) == 1
    if meant.coded and not _hangul(other) and shorter < _LONG and not is_real(other):
        return len(one) != len(other) and OSA.distance(one, other, score_cutoff=1) == 1
    if one.isascii() and not is_real(other) and shorter <= _LONG and one[0] != other[0]:
        # What nobody knows may be a name too, and such names often differ at the first letter (`tsbuild`, `esbuild`).
        return False
    return is_near(one, other)


def spelt(word: str) -> str:
    """Return a Korean word with similar sounds unified: 돼 and 되, 했 and 햇. They are never two words."""
    return "".join(_SOUNDS.get(one, one) for one in word)


def _other_part(one: str, other: str) -> bool:
    """Whether two names in camel case differ by parts that are words each (`useCartStore`, `useCardStore`)."""
    mine, yours = _PART.findall(one), _PART.findall(other)
    if len(mine) != len(yours) or len(mine) < 2:
        return False
    return any(a != b and is_real(a.lower()) and is_real(b.lower()) for a, b in zip(mine, yours, strict=True))


def is_doubled(one: str, other: str) -> bool:
    """Whether a Korean word is another with one of its syllables twice (`설명명`), which no ending does."""
    return _hangul(other) and len(other) > 1 and len(one) == len(other) + 1 and _stumbled(one, other)


def is_lost_letter(one: str, other: str) -> bool:
    """Whether two words differ by one letter lost or gained, or by two neighbours swapped; none put for another."""
    swapped = len(one) == len(other) and _stumbled(one, other)
    letters = _letters(one), _letters(other)
    return swapped or (abs(len(letters[0]) - len(letters[1])) == 1 and OSA.distance(*letters, score_cutoff=1) == 1)


def is_far_slip(written: Token, meant: Token, known: Known, slips: int) -> bool:
    """Whether `written` is no word at all and still much like `meant`, in a quote that has so many other slips.

    One other is enough where an everyday word is meant: what is near one and no word is no name either.
    """
    one, other = written.canon, meant.canon
    if written.kind != "word" or meant.kind != "word" or len(one) < 2 or max(len(one), len(other)) > _LONGEST:
        return False
    if known(one) or is_real(one) or other in KIND_OF or _inflected(one, other):
        return False
    everyday = not meant.proper and not meant.coded and min(len(one), len(other)) >= _PLAIN and is_real(other)
    if slips < (1 if everyday else _CARELESS):
        return False
    like = OSA.normalized_similarity(_letters(one), _letters(other))
    return like >= _FAR or (slips >= _MANY and one[0] == other[0] and like >= _FARTHER)


def is_near(one: str, other: str) -> bool:
    """Whether two words are as few letters apart as slips of the keys leave them."""
    if _hangul(one) and _hangul(other):
        if tense_of(one) != tense_of(other):
            return False
        return _slipped_syllable(one, other) or any(
            _slipped(tried, other, least=4) and not _other_syllable(tried, other) for tried in _unswapped(one, other)
        )
    return _slipped(one, other, least=3)


def is_slip(written: str, known: Known, meant: str) -> bool:
    """Whether a small word that says nothing by itself was misspelt."""
    if is_real(written) or (len(written) > 2 and known(written)):
        return False
    if _hangul(written) and (_stumbled(written, meant) or (len(meant) > 1 and written == meant[:-1])):
        return True
    if meant.isascii() and len(meant) < 3:
        return len(written) == len(meant) and written == meant[::-1]
    return OSA.distance(_letters(written), _letters(meant), score_cutoff=1) <= 1


def is_used(word: str) -> bool:
    """Return whether a word (lower case) is an everyday word in this form."""
    return word in _SMALL or word in WORDS or word in NOUNS


@lru_cache(maxsize=4096)
def is_real(word: str) -> bool:
    """Whether a word (lower case) is an everyday one, or a form of one."""
    return is_used(word) or (is_korean(word) if _hangul(word) else is_english(word))


def _stumbled(one: str, other: str) -> bool:
    """Whether two words differ by two neighbours swapped, or by one letter doubled or not: no other word does."""
    if len(one) == len(other) > 2:
        return sorted(one) == sorted(other) and OSA.distance(one, other, score_cutoff=1) == 1
    short, long = sorted((one, other), key=len)
    if len(long) != len(short) + 1 or len(short) < (1 if _hangul(long) else 2):
        return False
    at = next((at for at, letter in enumerate(short) if letter != long[at]), len(short))
    return short == long[:at] + long[at + 1 :] and at > 0 and long[at] == long[at - 1]


def _slipped(written: str, meant: str, *, least: int) -> bool:
    one, other = _letters(written), _letters(meant)
    shorter, longer = sorted((len(one), len(other)))
    if one.isascii():
        most = 0 if shorter < least else 1 if shorter < 4 or longer < 5 else 2 if shorter < 12 else 3
    else:
        most = 0 if shorter < least else 1 if shorter < 7 else 2 if shorter < 12 else 3
    return OSA.distance(one, other, score_cutoff=most) <= most


def _other_syllable(one: str, other: str) -> bool:
    """Whether, syllable by syllable, one has two or more letters that are not the other's: no slip of one key does."""
    if len(one) != len(other) or sorted(one) == sorted(other):
        return False
    return any(OSA.distance(_letters(mine), _letters(yours)) > 1 for mine, yours in zip(one, other, strict=True))


def _unswapped(written: str, meant: str) -> Iterator[str]:
    """Yield a Korean word, and, if it is long, each form with two adjacent syllables swapped back."""
    yield written
    if len(written) == len(meant) >= _LONG_KOREAN:
        for at, (one, other) in enumerate(pairwise(written)):
            if (one, other) == (meant[at + 1], meant[at]):
                yield f"{written[:at]}{other}{one}{written[at + 2 :]}"


def _slipped_syllable(written: str, meant: str) -> bool:
    """Whether two Korean words differ by one syllable lost, doubled or swapped with the next."""
    if len(written) == len(meant):
        return len(meant) > 1 and sorted(written) == sorted(meant) and OSA.distance(written, meant) == 1
    short, long = sorted((written, meant), key=len)
    if len(long) != len(short) + 1 or len(long) < 3:
        return False
    at = next((at for at, letter in enumerate(short) if letter != long[at]), len(short))
    doubled = at > 0 and long[at] == long[at - 1]
    lost = written == short and (at > 0 or long[0] not in NEGATIVE_PREFIXES)
    return short == long[:at] + long[at + 1 :] and (doubled or lost)


def _hangul(word: str) -> bool:
    return "가" <= word[:1] <= "힣"


def is_plural(written: str, meant: str) -> bool:
    """Whether two English words differ by a final s alone."""
    short, long = sorted((written, meant), key=len)
    return len(short) > 2 and short.isascii() and long in (f"{short}s", f"{short}es")


def _inflected(written: str, meant: str) -> bool:
    """Whether two words differ by an ending or a prefix that exists."""
    short, long = sorted((written, meant), key=len)
    rest = long[len(short) :] if long.startswith(short) else ""
    if rest in _ENDINGS or (rest in SUFFIXES and (rest not in ("d", "r") or short.endswith("e"))):
        return True
    if len(short) > 1 and long.endswith(short) and long[: len(long) - len(short)] in PREFIXES:
        return True
    if written.isascii() and _other_head(written, meant):
        return True
    if written[-1] >= "가" and len(written) == len(meant) and written[:-1] == meant[:-1]:
        return written[-1] in _ENDINGS
    if len(written) == len(meant) > 2 and written[:-2] == meant[:-2] and written[-1] == meant[-1] == "다":
        return written[-2] in _ENDINGS
    stem = 0
    while stem < min(len(written), len(meant)) and written[stem] == meant[stem]:
        stem += 1
    tails = {written[stem:], meant[stem:]}
    endings = _TAILS if written[stem - 1 : stem] != "e" else frozenset(SUFFIXES)
    return stem >= 3 and written.isascii() and tails <= endings and "" not in tails and not tails <= {"s", "es"}


def _other_head(one: str, other: str) -> bool:
    """Whether two words have one root after two different beginnings (`ascending`, `descending`)."""
    root = 0
    while root < min(len(one), len(other)) and one[-1 - root] == other[-1 - root]:
        root += 1
    for at in range(root, _ROOT - 1, -1):
        heads = one[: len(one) - at], other[: len(other) - at]
        if heads[0] in HEADS and heads[1] in HEADS and heads[0][:1] != heads[1][:1]:
            return True
    return False


def _letters(word: str) -> str:
    """A word by its letters: a Hangul syllable by its jamo, so that one wrong key counts once."""
    return word if word.isascii() else unicodedata.normalize("NFD", word)
