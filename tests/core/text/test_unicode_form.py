"""Normalization in linear time is the same normalization."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from core.text.cleaning import Form, is_normalized, normalized

MARKS = "\u0301\u0300\u0323\u0327\u0316\u0345\u0344\u0308\u0f73\u0f75\u0f81\u3099\u05b0\u0591\u09be\U0001d165"
PILES = st.text(alphabet=MARKS, min_size=60, max_size=200)


@given(st.tuples(st.text(max_size=9), PILES, st.text(max_size=9)).map("".join), st.sampled_from(("NFC", "NFD", "NFKC")))
def test_a_pile_of_marks_is_normalized_as_unicode_says(text: str, form: Form) -> None:
    assert normalized(text, form) == unicodedata.normalize(form, text)
    assert is_normalized(text, form) == unicodedata.is_normalized(form, text)
    assert is_normalized(normalized(text, form), form)


@given(st.text(max_size=80), st.sampled_from(("NFC", "NFD", "NFKC")))
def test_any_other_text_is_as_well(text: str, form: Form) -> None:
    assert (normalized(text, form), is_normalized(text, form)) == (
        unicodedata.normalize(form, text),
        unicodedata.is_normalized(form, text),
    )
