"""Classes of words that carry the sense of a sentence: to lose, gain or change one changes what is said.

Closed classes of English and Korean. A word outside of them counts too where it is replaced or added; these count even
where they are only left out. Some small words change another one (`a few` and `few`, `for now`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from core.align.guard.tokens import Token
from core.align.result import Concern
from core.base.lazy import text_tables

_TEXTS: Final = text_tables(__file__)
_TABLES: Final = {name: text.split() for name, text in _TEXTS.items()}
_CLASSES: Final = ("negation", "sign", "logic", "hedge", "scope", "quantity", "modality", "time")
KIND_OF: Final = {word: kind for kind in _CLASSES for word in _TABLES[kind]}

HARMLESS: Final = frozenset(_TABLES["light"])
"""Words that a quote may gain or lose without saying anything else."""

ROLE_OF: Final = {word: role for role, words in enumerate(_TEXTS["roles"].splitlines()) for word in words.split()}
"""Small words for roles and places: one may be omitted, but not replaced by one of another group."""
PHRASE_STARTS: Final = frozenset(_TABLES["starts"])
"""Words that begin a phrase which limits what is said."""

_QUALIFYING: Final = re.compile(
    r"[a-z]{2,}(?:ly|ous|ive|able|ible|less|ful|ary|ic|ed|ing)"
    r"|[가-힣]+(?:적|적인|적으로|중인|용|별|하게|없이|된|되는|한|하는|했던|있는)"
)
_CONNECTING: Final = re.compile(
    r"[가-힣]+(?:면|면서|므로|니까|더라도|지만|려고|도록|거나|든지|때|때만|경우|때문에|뒤에|후에|전에|동안|하여|아서|어서)"
)
_OBLIGING: Final = re.compile(
    r"[가-힣]*(?:해야|어야|아야|여야|되야|돼야|려야|켜야|워야|와야|가야|봐야|둬야|줘야)(?:만)?"
)
_NO_CONNECTING: Final = frozenset(_TABLES["surfaces"])


def qualifies(word: str) -> str:
    """What kind of limit a word is by its form alone: an adverb, adjective or participle, a clause's last word."""
    if word in HARMLESS:
        return ""
    if _OBLIGING.fullmatch(word):
        return "modality"
    if _QUALIFYING.fullmatch(word):
        return "scope"
    return "logic" if _CONNECTING.fullmatch(word) and word not in _NO_CONNECTING and len(word) > 1 else ""


OPPOSITES: Final = frozenset(frozenset(pair.split("-")) for pair in _TABLES["opposites"])

NEGATIVE_PREFIXES: Final = tuple(_TABLES["negative_prefixes"])
PREFIXES: Final = (*NEGATIVE_PREFIXES, *_TABLES["more_prefixes"])
"""Prefixes that make another word of the following one."""
SUFFIXES: Final = tuple(_TABLES["suffixes"])
HEADS: Final = frozenset(_TABLES["heads"])
"""Beginnings of English words before a shared root: `inclusive` and `exclusive`, `nobody` and `anybody`."""

_NEGATIONS: Final = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|nothing|nobody|nowhere|hardly|barely|unable)\b|n't\b"
    r"|않|없|(?<![가-힣])못|지\s?못|아니|아닌|아닙|말아야|지\s?마|지\s?말|말\s?것"
    r"|(?<![가-힣])안(?=\s|되|돼|됩|된|됨|한다|함|합)|금지|불가|불필요|비활성|미지원|미구현|미완|미적용|미사용|미설정|미정|미포함",
    re.IGNORECASE,
)


def negations(text: str) -> list[str]:
    """What negates in a text, in order."""
    return [match[0].lower() for match in _NEGATIONS.finditer(text)]


def opposed(one: str, other: str) -> bool:
    """Whether two words are opposites, by the list or by a negative prefix."""
    if frozenset((one, other)) in OPPOSITES:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= (2 if short[:1] >= "가" else 4) and any(long == prefix + short for prefix in NEGATIVE_PREFIXES)


_TURNED: Final = {
    "few": ("a", "quite a", "the"),
    "little": ("a", "quite a", "the"),
    "number": ("a", "the"),
    "majority": ("a", "the"),
    "most": ("the",),
    "bit": ("a", "quite a"),
    "lot": ("a", "quite a"),
    "now": ("for", "by"),
    "then": ("by",),
}
"""Words with what may go before them and makes another quantity or time of them."""
_AT_START: Final = re.compile(r"\W*((?:(?:quite\s+)?a|the)\s+)?(few|little|number|majority)\b", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"\b((?:quite\s+)?a|the|quite)\s+[\"'`*_(]*$", re.IGNORECASE)


def turned(ours: Sequence[Token], theirs: Sequence[Token], same: Mapping[int, int]) -> Iterator[Concern]:
    """The words that both sides have, where one side has another small word before it. `same`: which token of the
    quote is which of the source."""
    for at, there in same.items():
        word = ours[at].canon
        if word not in _TURNED or theirs[there].canon != word:
            continue
        mine, yours = _before(ours, at), _before(theirs, there)
        if mine != yours and not (word in ("number", "majority") and "" in (mine, yours)):
            yield Concern("quantity", f"{mine} {word}".strip(), f"{yours} {word}".strip())


def cut_article(text: str, start: int, end: int, quote: str) -> Iterator[Concern]:
    """The small word before a place that begins with one of those words, where the quote has another or none."""
    here, there = _AT_START.match(quote), _AT_START.match(text, start, end)
    if not here or not there:
        return
    ahead = _ARTICLE.search(text[max(0, start - 16) : start])
    mine = " ".join((here[1] or "").lower().split())
    yours = " ".join(f"{ahead[1] if ahead else ''} {there[1] or ''}".lower().split())
    word = here[2].lower()
    if mine != yours and (mine.removeprefix("the"), yours.removeprefix("the")) != ("", "") and there[2].lower() == word:
        yield Concern("quantity", f"{mine} {word}".strip(), f"{yours} {word}".strip())


def _before(tokens: Sequence[Token], at: int) -> str:
    """The words before a token that reverse its meaning."""
    known = _TURNED[tokens[at].canon]
    for count in (2, 1):
        phrase = " ".join(token.canon for token in tokens[max(0, at - count) : at])
        if phrase in known:
            return phrase
    return ""
