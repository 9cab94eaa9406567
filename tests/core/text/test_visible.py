"""`visible`: one code point for one, and nothing left that a terminal would obey or hide."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import visible

ANYTHING = st.text(
    st.characters(exclude_categories=()) | st.sampled_from("\x00\x1b\x9b\u202e\u200d\ud800\U0001f468\ufe0f")
)
UNSEEN = (
    {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))} - {"\n", "\t"}
    | {chr(code) for code in (*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070))} - {"\u200d"}
    | set("\xad\u061c\u180e\ufeff\ufff9\ufffa\ufffb\ufffe\uffff\U000e0001\U000e0041\U000e007f\U0010ffff")
    | {chr(code) for code in (*range(0xD800, 0xE000), *range(0xFDD0, 0xFDF0))}
)


@given(ANYTHING)
def test_length_stays_and_nothing_unseen_is_left(text: str) -> None:
    shown = visible(text)
    assert len(shown) == len(text)
    assert not UNSEEN & set(shown)
    assert visible(shown) == shown


@given(ANYTHING)
def test_what_is_seen_stays_as_it_is(text: str) -> None:
    for before, after in zip(text, visible(text), strict=True):
        if unicodedata.category(before)[0] in "LMNPS" and before not in UNSEEN and before < "\U000e0000":
            assert after == before or before in "\u034f\u17b4\u17b5"


def test_every_unseen_sign_is_replaced() -> None:
    assert not UNSEEN & set(visible("".join(sorted(UNSEEN))))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x00b\x1b[31m\x7f", "a\u2400b\u241b[31m\u2421"),
        ("tab\tand\nnewline\r", "tab\tand\nnewline\u240d"),
        ("\x9b31m \u202egnp", "\ufffd31m \ufffdgnp"),
        ("\ud800 \u2028", "\ufffd \ufffd"),
        ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),
        ("a\u200db", "a\ufffdb"),
        ("한글 ⚠️ é", "한글 ⚠️ é"),
    ],
)
def test_examples(text: str, expected: str) -> None:
    assert visible(text) == expected
