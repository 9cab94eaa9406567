"""What a quote that ends like a sentence leaves out at its ends: the head of its subject, “… because …”."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.align.guard.lexicon.word_classes import HARMLESS, PHRASE_STARTS
from core.align.result import Concern

_HEAD = 2
"""Words before the quote that are too few for a clause of their own: they belong to what is quoted."""
_SENTENCE = re.compile(r"[.!?。]\s|\n\s*\n|\n\s*[-*#>|]")
_GOES_ON = re.compile(
    r"[\s,;(*_`'\"]*(?:if|unless|provided|providing|only|except|when|whenever|until|till|but|because|once|while|though|"
    r"although|given|assuming|without|after|before|as long as|as far as|in case|depending|subject to|or|nor|that|"
    r"which|who|whose|"
    r"[a-z]+er than|more than|less than|than)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z']+|[가-힣]+")
_QUESTION = re.compile(r"[\s'\")*_`]*\?")
_OPENING = (
    "a an the this that these those my your our his her its their i we you he she it they there who which what and but "
    "so or yet then now also because since although though while whereas yes no not please"
)
_NEW_PHRASE = frozenset(_OPENING.split())
"""Words that begin a phrase or a clause of their own."""
_SHOWN = 60
_BEFORE = 160


def cut_off(text: str, start: int, end: int, quote: str) -> Iterator[Concern]:
    """The concerns about the sentence around `text[start:end]`, of which the quote makes a whole one."""
    said = quote.strip().rstrip("\"'”’*_`)").rstrip()
    if said[-1:] not in (".", "!", "。"):
        return
    before = _SENTENCE.split(text[max(0, start - _BEFORE) : start])[-1]
    if _beheaded(before, text[start:end]):
        yield Concern("cut off", "", _end_of(before))
    if text[end - 1 : end] in (".", "!", "。"):
        return
    after = text[end : end + 60]
    if found := _GOES_ON.match(after):
        yield Concern("cut off", "", after[: found.end()].strip())
    elif found := _QUESTION.match(after):
        yield Concern("question", said[-1:], "?")


def _beheaded(before: str, inside: str) -> bool:
    """Whether words of the phrase that a place begins with go before it: a preposition, or the head of a subject."""
    words = [word.lower() for word in _WORD.findall(before)]
    if not words or before.rstrip()[-1:] in ",;:)—–" or before.rstrip().endswith(" -"):
        return False
    if words[-1] in PHRASE_STARTS:
        return True
    first = found[0].lower() if (found := _WORD.search(inside)) else ""
    if len(words) > _HEAD or words[-1] in HARMLESS or first in _NEW_PHRASE:
        return False
    return not first >= "가" and not any(word in _NEW_PHRASE for word in words)


def _end_of(text: str) -> str:
    """The last words of a text, no more than are shown."""
    said = " ".join(text.split())
    return said if len(said) <= _SHOWN else said[-_SHOWN:].partition(" ")[2]
