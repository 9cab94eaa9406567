"""The words by which tool calls are searched: read from a query, looked for in texts, shown where they stand.

A word counts wherever a word begins with it, so half of one finds; the parts of a name are words too (`fetch` in
`WebFetch`). Korean, Japanese and Chinese count anywhere in a text, Korean without the particle glued to its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from core.text.tokenizing import without_particle
from core.text.unicode_form import normalized

MOST_WORDS: Final = 32
_MOST_READ: Final = 8_192
_WORD = re.compile(r"[^\W_]+")
_GLUED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""Writing in which a word may stand inside of what no blank divides."""
_BEFORE, _AFTER = 24, 60
"""Code points that are shown around a word."""

Span = tuple[int, int]
"""A half-open range of code points."""


def words_of(query: str) -> tuple[str, ...]:
    """The words of what was typed, as they are looked for; none in one that has only signs."""
    found = _WORD.findall(folded(composed(query[:_MOST_READ])))
    return tuple(dict.fromkeys(without_particle(word) for word in found))[:MOST_WORDS]


def composed(text: str) -> str:
    """The text with every letter in one piece, as `places`, `lit` and `has` take it."""
    return text if text.isascii() else normalized(text)


def folded(text: str) -> str:
    """The text without capitals, code point for code point."""
    small = text.lower()
    if len(small) != len(text):
        small = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    return small if small.isascii() else small.replace("ς", "σ")


def places(text: str, small: str, word: str) -> Iterator[int]:
    """Where `word` counts in `text`; `small` is the same text folded."""
    anywhere = _GLUED.search(word) is not None
    at = small.find(word)
    while at >= 0:
        if anywhere or _begins(text, at):
            yield at
        at = small.find(word, at + 1)


def has(text: str, small: str, word: str) -> bool:
    """Whether the word counts somewhere in the text."""
    return next(places(text, small, word), None) is not None


def lit(text: str, words: Sequence[str]) -> tuple[Span, ...]:
    """Where the words stand, in order, none overlapping."""
    small = folded(text)
    out: list[Span] = []
    for start, end in sorted((at, at + len(word)) for word in words for at in places(text, small, word)):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return tuple(out)


def with_words(said: str, tool: str, others: Sequence[str], words: Sequence[str]) -> str:
    """What a call is about, in a line that shows every word of it: for each that neither `said` nor the tool's name
    has, the part of another text that has it."""
    parts = [composed(said)]
    for word in words:
        if any(has(part, folded(part), word) for part in (composed(tool), *parts)):
            continue
        texts = map(composed, others)
        around = next((part for text in texts if (part := _around(text, word))), "")
        parts += [around] if around else []
    return " … ".join(parts)


def _begins(text: str, at: int) -> bool:
    """Whether a word begins there: after a sign or a blank, or with the capital of a name's next part."""
    if at == 0 or not text[at - 1].isalnum():
        return True
    return text[at].isupper() and (not text[at - 1].isupper() or text[at + 1 : at + 2].islower())


def _around(text: str, word: str) -> str:
    """The word in its sentence, cut at blanks; empty where it is not there."""
    at = next(places(text, folded(text), word), None)
    if at is None:
        return ""
    before = text[max(0, at - _BEFORE) : at]
    if at > _BEFORE:
        before = before[next((i + 1 for i, sign in enumerate(before) if sign.isspace()), len(before)) :]
    return " ".join((before + text[at : at + len(word) + _AFTER]).split())
