"""What a quote that passes for a whole sentence leaves out at its ends: “only …”, “… unless …”, “…다고 주장했다”."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.align.answer import Concern
from core.align.guard.kinds import HARMLESS, KIND_OF, PHRASE_STARTS

_LIMITING = frozenset(("logic", "quantity", "hedge", "modality", "negation", "scope"))
_HEAD = 2
"""Words before the quote that are too few for a clause of their own: they belong to what is quoted."""
_SENTENCE = re.compile(r"[.!?。]\s|\n\s*\n|\n\s*[-*#>|]")
_LAST_WORD = re.compile(r"((?<![A-Za-z'])[A-Za-z']++|(?<![가-힣])[가-힣]++)[\s,'\"`*_(]*+$")
_GOES_ON = re.compile(
    r"[\s,;(*_`'\"]*(?:if|unless|provided|providing|only|except|when|whenever|until|till|but|because|once|while|though|"
    r"although|given|assuming|without|after|before|as long as|as far as|in case|depending|subject to|or|nor|that|"
    r"which|who|whose|"
    r"[a-z]+er than|more than|less than|than)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z']+|[가-힣]+")
_CLAIMED = re.compile(r"(?:고|는|던|면|거나|지만|더라도|기)(?![가-힣]*\.?\s*$)")
_QUESTION = re.compile(r"[\s'\")*_`]*\?")
_NEW_CLAUSE = re.compile(r"[;:—–]|\s-\s|,\s(?:and|but|so|or|yet)\b")
_GROUNDS = "and but so or yet as since because although though however therefore thus hence whereas"
_REASONS = frozenset(_GROUNDS.split())
"""Words before a clause that leave it as true as it is."""
_CONDITION = re.compile(
    r"(?:[가-힣](?:면|때|때만|때에만|경우|경우에|경우에는|경우에만|동안|동안에는|동안만)|중에는|중에만|말로는|따르면|의하면|한해|외에는)"
    r"\s*,?\s*$"
)
_SHORT = 8
"""Words of a condition at most that a quote may have been cut from."""
_SHOWN = 60
_BEFORE = 160


def cut_off(text: str, start: int, end: int, quote: str) -> Iterator[Concern]:
    """The concerns about the sentence around `text[start:end]`, of which the quote makes a whole one."""
    said = quote.strip().rstrip("\"'”’*_`)").rstrip()
    closed = said[-1:] in ".!。"
    first = next((letter for letter in said if letter.isalpha()), "")
    there = next((letter for letter in text[start : start + 20] if letter.isalpha()), "")
    before = _SENTENCE.split(text[max(0, start - _BEFORE) : start])[-1]
    if first.isupper() and there.islower() and not _in_capitals(said):
        yield from _beheaded(before)
    elif closed and "가" <= first <= "힣" and len(before.split()) <= _SHORT and _CONDITION.search(before):
        yield Concern("cut off", "", _end_of(before))
    after = text[end : end + 60]
    if closed and text[end - 1 : end] not in (".", "!", "。"):
        if found := _GOES_ON.match(after):
            yield Concern("cut off", "", after[: found.end()].strip())
        elif found := _QUESTION.match(after):
            yield Concern("question", said[-1:], "?")
    if "가" <= after[:1] <= "힣" and text[end - 1] == "다" and (found := _CLAIMED.match(after)):
        yield Concern("cut off", "", f"{text[end - 1]}{after.split()[0]}")


def _in_capitals(said: str) -> bool:
    """Whether capitals say nothing of where a sentence begins: most of the words have one."""
    words = _WORD.findall(said)[1:]
    return said.isupper() or 2 * sum(word[0].isupper() for word in words) > len(words) > 0


def _beheaded(before: str) -> Iterator[Concern]:
    """The concern about what stands before words that a quote begins a sentence with, though they go on with one."""
    word = found[1] if (found := _LAST_WORD.search(before)) else ""
    if word.lower() in PHRASE_STARTS:
        yield Concern("cut off", "", _end_of(before))
        return
    limits = KIND_OF.get(word.lower()) in _LIMITING or len(before.split()) <= _HEAD
    if word and word.lower() not in HARMLESS and limits:
        yield Concern("cut off", "", word)
        return
    clause = _NEW_CLAUSE.split(before)[-1]
    words = [one.lower() for one in _WORD.findall(clause)]
    if any(KIND_OF.get(one) in _LIMITING and one not in HARMLESS | _REASONS for one in words):
        yield Concern("cut off", "", _end_of(clause))


def _end_of(text: str) -> str:
    """The last words of a text, no more than are shown."""
    said = " ".join(text.split())
    return said if len(said) <= _SHOWN else said[-_SHOWN:].partition(" ")[2]
