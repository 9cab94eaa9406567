"""What a quote that passes for a whole sentence leaves out at its ends: “only …”, “… unless …”, “…다고 주장했다”."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.align.answer import Concern
from core.align.guard.kinds import HARMLESS, KIND_OF

_LIMITING = frozenset(("logic", "quantity", "hedge", "modality", "negation", "scope"))
_HEAD = 2
"""Words before the quote that are too few for a clause of their own: they belong to what is quoted."""
_SENTENCE = re.compile(r"[.!?。]\s|\n\s*\n|\n\s*[-*#>|]")
_LAST_WORD = re.compile(r"([A-Za-z']+|[가-힣]+)[\s,'\"`*_(]*$")
_GOES_ON = re.compile(
    r"[\s,;(*_`'\"]*(?:if|unless|provided|providing|only|except|when|whenever|until|till|but|because|once|while|though|"
    r"although|given|assuming|without|after|before|as long as|as far as|in case|depending|subject to|or|nor|that|"
    r"which|who|whose|"
    r"[a-z]+er than|more than|less than|than)\b",
    re.IGNORECASE,
)
_CLAIMED = re.compile(r"(?:고|는|던|면|거나|지만|더라도|기)(?![가-힣]*\.?\s*$)")
_QUESTION = re.compile(r"[\s'\")*_`]*\?")


def cut_off(text: str, start: int, end: int, quote: str) -> Iterator[Concern]:
    """The concerns about the sentence around `text[start:end]`, of which the quote makes a whole one."""
    said = quote.strip().rstrip("\"'”’*_`)").rstrip()
    closed = said[-1:] in ".!。"
    first = next((letter for letter in said if letter.isalpha()), "")
    there = next((letter for letter in text[start : start + 20] if letter.isalpha()), "")
    if first.isupper() and there.islower() and not said.isupper():
        before = _SENTENCE.split(text[max(0, start - 80) : start])[-1]
        word = found[1] if (found := _LAST_WORD.search(before)) else ""
        limits = KIND_OF.get(word.lower()) in _LIMITING or len(before.split()) <= _HEAD
        if word and limits and word.lower() not in HARMLESS:
            yield Concern("cut off", "", word)
    after = text[end : end + 60]
    if closed and text[end - 1 : end] not in (".", "!", "。"):
        if found := _GOES_ON.match(after):
            yield Concern("cut off", "", after[: found.end()].strip())
        elif found := _QUESTION.match(after):
            yield Concern("question", said[-1:], "?")
    if "가" <= after[:1] <= "힣" and text[end - 1] == "다" and (found := _CLAIMED.match(after)):
        yield Concern("cut off", "", f"{text[end - 1]}{after.split()[0]}")
