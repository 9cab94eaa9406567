"""A Korean text in English words, one by one: for a model that reads English, and documents in the other language.

No translation: the words in their order, as far as the lists know them (`korean.tsv`, and the rules' glossary). A
verb is known by its stem, letter by letter, because its endings melt into the last syllable (`보내`, `보낸`, `보낼`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Final

from core.base.lazy import lazy_pattern
from core.library.search.lexical import STOP
from core.text import hangul_share
from core.text.tokenizing import without_particle

_TOKEN = lazy_pattern("[가-힣]+|[^가-힣]+")
_PARTICLE = lazy_pattern(
    "(?:은|는|이|가|을|를|의|에|로|와|과|도|만|나|요|인|이나|으로|에서|에게|까지|부터|마다|보다|처럼|씩|당|째|쯤|밖에|에는|에도|로는|이라도|"
    "하고|이며|인가|인가요|이|된|한|할|해|적|용|별|들)*$"
)
_ENDING = lazy_pattern("(?<=.)(?:이?인가요?|이?였나요|이었나요|인지|이란|입니까|입니다|일까요?)$")
_VERBAL = lazy_pattern(
    "(?:은|는|을|던|고|며|면|지|게|다|니|나|네|냐|자|려|러|도|거나|기|음|습|으|아|어|았|었|야|여|였|요|죠|데|걸|까|렵|잖|건|길)"
)
"""What may follow the stem of a verb: `작은` is small, `작품` is not."""
_LONGEST: Final = 8
_READ: Final = 2_000  # code points of a text
_ASKED: Final = {
    "왜": "why", "어떻게": "how", "언제": "when", "누가": "who", "누구": "who", "어디": "where", "얼마": "how much",
    "얼마나": "how", "몇": "how many", "며칠": "how many days", "무엇": "what", "어떤": "which", "어느": "which",
    "못": "not", "않": "not", "없": "no", "안": "not",
}  # fmt: skip


KOREAN_SHARE: Final = 0.05
"""Of a text's letters: from there on a model that reads English is given its English words."""


@dataclass(frozen=True, slots=True)
class Lists:
    """Words by syllables, stems by letters, and the longest of these."""

    words: Mapping[str, str] = field(default_factory=dict[str, str])
    stems: Mapping[str, str] = field(default_factory=dict[str, str])
    longest: int = 0


@lru_cache(maxsize=1)
def lists() -> Lists:
    """The shipped words of everyday."""
    words: dict[str, str] = {}
    stems: dict[str, str] = {}
    for line in files("core.library.ask").joinpath("korean.tsv").read_text("utf-8").splitlines():
        english, found, korean = line.partition("\t")
        if not found or line.startswith("#"):
            continue
        for one in korean.split():
            if one.endswith("-"):
                stems.setdefault(unicodedata.normalize("NFD", one[:-1]), english)
            else:
                words.setdefault(one, english)
    return Lists(words, stems, max(map(len, stems)))


def for_english(text: str, *, keep: bool = True) -> str:
    """The words of a text that a model of English compares: of Korean the English ones, where the list knows any."""
    return (in_english(text, {}, keep=keep) if hangul_share(text) > KOREAN_SHARE else "").strip() or text


def in_english(text: str, glossary: Mapping[str, str], *, keep: bool = False) -> str:
    """`text` with every Korean word by an English one, as far as it is known; what is not Korean stays.

    `keep`: so does a Korean word that nobody knows, without its particle; for a text that is held against another.
    """
    out: list[str] = []
    for found in _TOKEN.finditer(text[:_READ]):
        token = found[0]
        if not "가" <= token[0] <= "힣":
            out += token.split()
        elif known := glossed(token, glossary):
            out += known
        elif keep and token not in STOP and not _PARTICLE.fullmatch(token):
            out.append(without_particle(token))
    return " ".join(out)


def glossed(token: str, glossary: Mapping[str, str]) -> list[str]:
    """Return the English words of one Korean token; none if it is unknown or insignificant."""
    if (token in STOP and token not in _ASKED) or _PARTICLE.fullmatch(token):
        return []
    token = _ENDING.sub("", token)
    out: list[str] = []
    at = 0
    while at < len(token):
        size, english = _longest(token, at, glossary)
        if size:
            out.append(english)
            at += size
        elif not out and at == 0 and (one := _single(token)):
            return [one]
        else:
            at += 1
    return out


def _longest(token: str, at: int, glossary: Mapping[str, str]) -> tuple[int, str]:
    own = lists()
    for size in range(min(_LONGEST, len(token) - at), 1, -1):
        part = token[at : at + size]
        if (known := own.words.get(part)) or (known := _ASKED.get(part)):
            return size, known
        if known := own.stems.get(unicodedata.normalize("NFD", part)):
            return size, known
        letters = unicodedata.normalize("NFD", part)
        if len(letters) > 3 and letters[-1] >= "\u11a8" and (known := own.stems.get(letters[:-1])):
            return size, known
        if known := glossary.get(part):
            return size, known.split()[0]
    return 0, ""


def _single(token: str) -> str:
    own = lists()
    if (known := own.words.get(token[0]) or _ASKED.get(token[0])) and _PARTICLE.fullmatch(token[1:]):
        return known
    if token[1:] and not _VERBAL.match(token[1:]):
        return ""
    letters = unicodedata.normalize("NFD", token[0])
    for form in (letters, letters[:-1] if len(letters) > 2 else ""):
        if form and (known := own.stems.get(form)):
            return known
    return ""
