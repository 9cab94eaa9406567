"""The best stretch of a text for a pattern, against trying every stretch."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from core.align.fuzzy import best_stretch


@given(st.text("ab가", min_size=1, max_size=9), st.text("ab가c", max_size=14))
def test_no_stretch_is_fewer_edits_away(pattern: str, text: str) -> None:
    start, end, edits = best_stretch(pattern, text)
    least = min(Levenshtein.distance(pattern, text[i:j]) for i in range(len(text) + 1) for j in range(i, len(text) + 1))
    assert edits == least
    assert Levenshtein.distance(pattern, text[start:end]) == edits
