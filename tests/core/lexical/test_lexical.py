"""FTS5 queries that no text can break, and bigrams that find Korean inside a word."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lexical import any_of, bigrams, match_query, terms


@pytest.fixture(scope="module")
def index() -> apsw.Connection:
    con = apsw.Connection(":memory:")
    con.execute("CREATE VIRTUAL TABLE doc USING fts5(body, bigrams, tokenize = 'unicode61 remove_diacritics 2')")
    for body in (
        "ModuleNotFoundError: No module named 'pandas'",
        "오류: 데이터베이스연결에 실패했습니다",
        "AND OR NOT NEAR are words",
        "Café crème brûlée",
    ):
        con.execute("INSERT INTO doc VALUES (?, ?)", (body, bigrams(body)))
    return con


def found(index: apsw.Connection, text: str, *, half: bool = True) -> list[str]:
    asked = match_query(text, prefix_last=half)
    if asked is None:
        return []
    return [str(row[0]) for row in index.execute("SELECT body FROM doc WHERE doc MATCH ?", (asked,)).fetchall()]


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("pand", 1),
        ("pandas module", 1),
        ("pandas zebra", 0),
        ("데이터", 1),
        ("베이스연결", 1),  # inside a word
        ("연결에 실패", 1),
        ("연결이", 1),  # another particle
        ("접속이", 0),
        ("AND", 1),
        ("NOT NEAR", 1),
        ("cafe creme", 1),
        ('"', 0),
    ],
)
def test_every_word_is_only_a_word(index: apsw.Connection, text: str, hits: int) -> None:
    assert len(found(index, text)) == hits


def test_a_finished_word_is_not_half_typed(index: apsw.Connection) -> None:
    assert found(index, "pand ") == []
    assert len(found(index, "pandas ")) == 1


@given(text=st.text(max_size=400))
def test_no_text_is_a_syntax_error(index: apsw.Connection, text: str) -> None:
    found(index, text)
    anyone = any_of(terms(text))
    if anyone is not None:
        index.execute("SELECT count(*) FROM doc WHERE doc MATCH ?", (anyone,)).fetchall()


def test_a_thousand_equal_syllables_ask_for_few_bigrams() -> None:
    asked = match_query("가" * 1000, prefix_last=True)
    assert asked is not None
    assert len(asked) < 3_000


@given(text=st.text(alphabet="가나다라 abc", max_size=60))
def test_bigrams_are_pairs_of_neighbours(text: str) -> None:
    for piece in bigrams(text).split():
        assert piece in text
        assert 1 <= len(piece) <= 2
