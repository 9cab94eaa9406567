"""Words, tokens and the share of Hangul."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import hangul_share, tokens, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TypeError: cannot read <STR> of undefined", ("typeerror", "read", "undefined")),
        ("No module named <STR> at <PATH>:<N>", ("module", "named")),
        ("the file was not found in 404 ms", ("file", "found")),
        ("모듈을 찾을 수 없습니다: 서버에서 연결이 끊김", ("모듈", "찾을", "서버", "연결", "끊김")),
        ("don't connect_to max_retries", ("don't", "connect", "max", "retries")),
        ("", ()),
    ],
)
def test_words_are_those_that_carry_meaning(text: str, expected: tuple[str, ...]) -> None:
    assert words(text) == expected


def test_tokens_are_casefolded_and_keep_order_and_repeats() -> None:
    assert tokens("Straße STRASSE a_b-c 12x, a") == ("strasse", "strasse", "a", "b", "c", "12x", "a")


@pytest.mark.parametrize(
    ("text", "share"), [("", 0.0), ("abc", 0.0), ("한글", 1.0), ("한a", 0.5), ("123 !", 0.0), ("한²½ 9٣_", 1 / 3)]
)
def test_hangul_share(text: str, share: float) -> None:
    assert hangul_share(text) == share


@given(st.text(st.characters(exclude_categories=())))
def test_words_are_tokens_of_any_text(text: str) -> None:
    assert all(len(word) >= 2 and word == word.casefold() for word in words(text))
    assert 0.0 <= hangul_share(text) <= 1.0
