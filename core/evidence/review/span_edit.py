"""Widening and narrowing a span by words, and what a quote says otherwise than the words at a place."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from core.align import Concern, Difference, Span
from core.align.diff.verbatim import verbatim
from core.align.guard import compare

Edge = Literal["start", "end"]
_WORD = re.compile(r"\S+")
_REACH = 4_000
"""Code points looked through on each side of an edge."""
COMPARED = 20_000
"""Code points of each side that are compared."""


def adjusted(text: str, span: Span, edge: Edge, words: int) -> Span:
    """`span` of the message `text` with one edge moved by so many words: positive widens it, negative narrows it.

    An edge inside a word first moves to that word's end (or start). At least a word stays; the message's ends hold.
    """
    for _ in range(min(abs(words), 1_000)):
        moved = _step(text, span, edge, widen=words > 0)
        if moved == span:
            break
        span = moved
    return span


def _step(text: str, span: Span, edge: Edge, *, widen: bool) -> Span:
    if edge == "end":
        found = _forward(text, span.end, min(len(text), span.end + _REACH)) if widen else _last(text, span)
        return span if found is None else replace(span, end=found)
    found = _backward(text, span.start) if widen else _first(text, span)
    return span if found is None else replace(span, start=found)


def _forward(text: str, at: int, limit: int) -> int | None:
    """The end of the word that goes on at `at`, or of the next one."""
    match = _WORD.search(text, at, limit)
    return None if match is None else match.end()


def _backward(text: str, at: int) -> int | None:
    low = max(0, at - _REACH)
    last = None
    for match in _WORD.finditer(text, low, at):
        last = match
    return None if last is None else last.start()


def _last(text: str, span: Span) -> int | None:
    """Where the span ends without its last word."""
    low = max(span.start, span.end - _REACH)
    ends = [match.end() for match in _WORD.finditer(text, low, span.end)]
    ends = [end for end in ends if end < span.end] if ends and ends[-1] < span.end else ends[:-1]
    return ends[-1] if ends else None


def _first(text: str, span: Span) -> int | None:
    starts = [match.start() for match in _WORD.finditer(text, span.start, min(span.end, span.start + _REACH))]
    starts = [start for start in starts if start > span.start]
    return starts[0] if starts else None


def differences(quote: str, source: str) -> tuple[tuple[Concern, ...], tuple[Difference, ...]]:
    """What the guard finds between a quote and the words at a place, and the verbatim diff of the two."""
    mine, yours = quote[:COMPARED], source[:COMPARED]
    return compare(mine, yours, lambda word: False).concerns, verbatim(mine, yours)
