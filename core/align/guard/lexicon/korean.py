"""Everyday Korean words, so that a word of a quote that is one of them is taken for itself and not for a slip of the
keys; verbs are known by their stems, whatever ending they have."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from core.align.guard.lexicon.resources import word_list
from core.text.tokenizing import without_particle

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
