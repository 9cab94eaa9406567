"""The guard: whether a similar quote has the same meaning (decision 11)."""

from __future__ import annotations

from collections.abc import Iterator

from core.align.guard.comparison import Verdict, compare
from core.align.guard.ellipsis import cut_off
from core.align.guard.frames.english import framed
from core.align.guard.frames.sentence import negated_outside
from core.align.guard.signs import cut_signs, is_diff
from core.align.guard.word_classes import cut_article
from core.align.result import Concern

__all__ = ["Verdict", "adjacent_concerns", "compare", "cut_article", "cut_off", "cut_signs", "is_diff"]


def adjacent_concerns(text: str, start: int, end: int) -> Iterator[Concern]:
    """Yield concerns about the context of `text[start:end]` that reverses it: a negation or a frame."""
    if found := negated_outside(text, start, end):
        yield Concern("negation beside it", "", found)
    yield from framed(text, start, end)
