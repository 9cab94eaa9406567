"""The guard: whether a quote that stands almost so still says the same (decision 11)."""

from __future__ import annotations

from collections.abc import Iterator

from core.align.answer import Concern
from core.align.guard.compare import Verdict, compare
from core.align.guard.cut import cut_off
from core.align.guard.frames import framed
from core.align.guard.outside import negated_outside
from core.align.guard.signs import cut_signs, is_diff
from core.align.guard.small_words import cut_article

__all__ = ["Verdict", "beside", "compare", "cut_article", "cut_off", "cut_signs", "is_diff"]


def beside(text: str, start: int, end: int) -> Iterator[Concern]:
    """The concerns about what stands around `text[start:end]` and takes it back: a negation or a frame."""
    if found := negated_outside(text, start, end):
        yield Concern("negation beside it", "", found)
    yield from framed(text, start, end)
