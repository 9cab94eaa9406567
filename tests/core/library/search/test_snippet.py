"""Queries and snippets: no text breaks them, words are found in all their forms, spans point at them."""

from __future__ import annotations

import re

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.lexical import bigrams
from core.library.search.lexical import CHARS, highlight_terms, lexical_query, snippet
from core.library.search.subword import pieces, stem, word_pieces


@pytest.fixture(scope="module")
def index() -> apsw.Connection:
    con = apsw.Connection(":memory:")
    con.execute(
        "CREATE VIRTUAL TABLE doc USING fts5(heading, text, bigrams, tokenize = 'unicode61 remove_diacritics 2')"
    )
    for body in (
        "The chunker cuts at headings; chunks keep their order.",
        "데이터베이스연결에 실패하면 다시 시도한다",
        "def parseConfigFile(path): reads match_query settings",
        "Café crème brûlée",
        "AND OR NOT NEAR are words too",
    ):
        con.execute("INSERT INTO doc VALUES ('', ?, ?)", (body, pieces(body)))
    return con


def found(index: apsw.Connection, text: str, *, half: bool = False) -> list[str]:
    asked = lexical_query(text, prefix_last=half).match
    if asked is None:
        return []
    rows = index.execute("SELECT text FROM doc WHERE doc MATCH ? ORDER BY bm25(doc)", (asked,)).fetchall()
    return [str(row[0]) for row in rows]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("how does chunking work?", "The chunker"),
        ("heading", "The chunker"),
        ("연결", "데이터베이스연결에"),
        ("베이스가 실패", "데이터베이스연결에"),
        ("config file", "def parse"),
        ("match_query", "def parse"),
        ("cafe", "Café"),
        ("NOT NEAR", "AND OR"),
        ('NEAR("a" b) AND text:* OR ^', "AND OR"),
    ],
)
def test_a_word_is_found_in_its_other_forms(index: apsw.Connection, text: str, first: str) -> None:
    assert found(index, text)[0].startswith(first)


def test_a_half_typed_word_is_found_only_while_it_is_typed(index: apsw.Connection) -> None:
    assert found(index, "brûl", half=True)
    assert not found(index, "brûl ", half=True)
    assert not found(index, "brûl")


def test_stop_words_are_left_out_unless_there_is_nothing_else() -> None:
    asked = lexical_query("what is the cut-off? 그리고 어떻게")
    assert [term.word for term in asked.terms] == ["cut"]
    assert "the" in asked.dropped
    assert lexical_query("how to").match is not None
    assert lexical_query(" \n?! ").match is None


@settings(max_examples=200)
@given(text=st.text(max_size=300))
def test_no_query_is_a_syntax_error(index: apsw.Connection, text: str) -> None:
    found(index, text.replace("\ud800", ""), half=True)


def test_forms_of_a_word_meet_in_their_stem() -> None:
    for group in (
        "chunk chunks chunking chunked",
        "match matches matching matched",
        "query queries",
        "map maps mapped mapping",
        "merge merges merging merged",
        "normalize normalizes normalization",
        "index indexes indexing",
    ):
        assert len({stem(word) for word in group.split()}) == 1, group
    for one, other in (("custom", "customer"), ("head", "header"), ("numb", "number"), ("point", "pointers")):
        assert stem(one) != stem(other)
    assert stem("class") == "class"
    assert stem("status") == "status"
    assert word_pieces("parseHTTPHeaders") == ("parse", "http", "headers", "pars", "header")
    assert word_pieces("x" * 500) == ()


@given(st.text(st.sampled_from("aAbBsSdgnI01_- \n가é"), max_size=30))
def test_pieces_are_those_of_each_word_in_order(text: str) -> None:
    found = [one for word in re.findall("[A-Za-z][A-Za-z0-9]*", text) for one in word_pieces(word)]
    assert pieces(text) == " ".join((*found, *bigrams(text).split()))


def test_the_snippet_holds_the_words_and_says_where() -> None:
    text = "filler words here. " * 40 + "It chunks at a heading, never in code. " + "more filler. " * 40
    asked = lexical_query("chunking headings absent")
    shown = snippet(text, asked.terms)
    assert [shown.text[a:b] for a, b in shown.matched] == ["chunks", "heading"]
    assert shown.words == ("chunking", "headings")
    assert shown.text.startswith("…")
    assert shown.text.endswith("…")
    assert shown.text.strip("…") == text[shown.start : shown.start + len(shown.text.strip("…"))]
    assert not shown.full


def test_korean_is_lit_inside_a_longer_word() -> None:
    text = "데이터베이스연결에 실패하면 다시 시도한다"
    shown = snippet(text, lexical_query("연결이 실패").terms)
    assert [shown.text[a:b] for a, b in shown.matched] == ["연결", "실패"]
    assert shown.full


@pytest.mark.parametrize(
    ("typed", "text", "shown"),
    [
        ("kept connec", "Connections are kept, Connect, a disconnect.", ["Connections", "kept", "Connect"]),
        ("kept connec ", "Connections are kept, Connect, a disconnect.", ["kept"]),
        ("brul", "Café crème brûlée", ["brûlée"]),
        ("brûl", "Café crème brulee", ["brulee"]),
        ("conf", "def parseConfigFile(path, reconfigure)", ["parseConfigFile"]),
        ("queue_le", "the queue_length of a queue", ["queue", "length", "queue"]),
        ("데", "데이터가 간다, 한데", ["데"]),
        ("데이", "데이터가 빅데이터로", ["데이", "데이"]),
        ("the", "the theme", ["the"]),
        ("the a", "an axle or a theme", ["a"]),
    ],
)
def test_what_a_half_typed_word_finds_is_lit(typed: str, text: str, shown: list[str]) -> None:
    terms = lexical_query(typed, prefix_last=True).terms
    assert [text[a:b] for a, b in highlight_terms(text, terms)] == shown


def test_the_snippet_is_cut_where_a_half_typed_word_stands() -> None:
    text = "filler words here. " * 40 + "Each connection is closed. " + "more filler. " * 40
    found = snippet(text, lexical_query("connec", prefix_last=True).terms)
    assert [found.text[a:b] for a, b in found.matched] == ["connection"]
    assert found.words == ("connec",)
    assert not snippet(text, lexical_query("connec").terms).matched


@settings(max_examples=150)
@given(text=st.text(max_size=600), asked=st.text(max_size=60), chars=st.integers(40, 300))
def test_spans_lie_in_the_snippet_and_do_not_overlap(text: str, asked: str, chars: int) -> None:
    terms = lexical_query(asked, prefix_last=True).terms
    shown = snippet(text, terms, chars)
    assert len(shown.text) <= chars + 2
    ends = [0]
    for start, end in shown.matched:
        assert ends[-1] <= start < end <= len(shown.text)
        ends.append(end)
    assert all(0 <= start < end <= len(text) for start, end in highlight_terms(text, terms))
    assert shown.full == (shown.text == text) or text.startswith("…")


def test_a_snippet_of_nothing_asked_is_its_beginning() -> None:
    shown = snippet("word " * 200, ())
    assert shown.start == 0
    assert len(shown.text) <= CHARS + 1
