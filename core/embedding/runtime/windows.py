"""A text longer than a model reads, as several that overlap: nothing of it is left unread."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Tokens = Callable[[str], Sequence[tuple[int, int]]]
"""Where each token of a text lies in it (code points), special tokens left out."""


def windows(text: str, room: int, tokens: Tokens) -> list[str]:
    """Parts of `text`, each of at most `room` tokens, that together hold all of it; the text itself if it fits.

    Neighbours share a quarter of their tokens, so that what is said across a border stands whole in one of them. A
    part is cut between words where there are any; one that reads as more tokens than it did inside its text is halved.
    """
    spans = tokens(text)
    if len(spans) <= room:
        return [text]
    step = max(1, room - room // 4)
    out: list[str] = []
    for first in range(0, len(spans), step):
        part = spans[first : first + room]
        out += _fitting(text[_word_start(text, first, room, spans) : part[-1][1]], room, tokens)
        if first + room >= len(spans):
            break
    return [part for part in out if part.strip()]


def _word_start(text: str, first: int, room: int, spans: Sequence[tuple[int, int]]) -> int:
    """Where the word begins in which a window would, if that is near: half a word is read as another one."""
    for index in range(first, max(0, first - room // 8), -1):
        start = spans[index][0]
        if spans[index - 1][1] < start or not text[start - 1 : start].isalnum():
            return start
    return spans[first][0]


def _fitting(part: str, room: int, tokens: Tokens) -> list[str]:
    if len(part) < 2 or len(tokens(part)) <= room:
        return [part]
    middle = len(part) // 2
    return [*_fitting(part[:middle], room, tokens), *_fitting(part[middle:], room, tokens)]
