"""Whatever speaks for a rule is lit in both texts and told with what it adds, whatever tier of words it is from."""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rules.explanation import Explained, HighlightedText, explain
from core.rules.format.book import Book, book_of
from core.rules.format.parse import parse_text
from core.rules.matching.api import MatchedRule, match
from core.rules.matching.call import ToolCall
from core.rules.matching.keyword import FULL, format_scores, short_of
from core.rules.matching.tables import load_tables

RULES = """# Memory

### ERR-001: Force push over a shared branch
**Problem**: `git push --force` on main replaced commits of others, and the history is gone
**Root Cause**: the local branch was rebased
**Solution**: push to a branch of your own

### ERR-002: A hash sign is no comment in SystemVerilog
**Problem**: a line that begins with # is read as a delay
**Solution**: write // in every Verilog file

### ERR-003: 재고 수량이 음수가 된다
**Problem**: 두 주문이 같은 재고를 동시에 줄여 재고 수량이 음수가 되었다
**Solution**: 줄이기 전에 행을 잠근다

### ERR-004: Shell scripts without strict mode
**Problem**: a command of a script failed, the script went on, and Python was installed twice
**Solution**: begin every script with `set -euo pipefail`
"""


@pytest.fixture(scope="module")
def book() -> Book:
    return book_of(parse_text(RULES, "memory.md").rules)


def told(book: Book, call: ToolCall, rule: str) -> tuple[MatchedRule, Explained]:
    found = match(book, call)
    matched = next(one for one in (*found.rules, *found.below) if one.id == rule)
    explained = explain(book, call, matched)
    assert explained is not None
    return matched, explained


def lit_in(texts: tuple[HighlightedText, ...], name: str) -> set[str]:
    one = next(one for one in texts if one.name == name)
    return {one.text[start:end] for start, end in one.spans}


def matched_in(texts: tuple[HighlightedText, ...], name: str) -> set[str]:
    one = next(one for one in texts if one.name == name)
    return {one.text[start:end] for start, end in one.patterns}


def test_what_a_pattern_matched_is_lit_in_the_call(book: Book) -> None:
    _, found = told(book, ToolCall("Bash", {"command": "cd repo && git push -f origin topic"}), "ERR-001")
    assert matched_in(found.call, "command") == {"git push -f"}
    assert "history" in lit_in(found.texts, "problem")
    row = next(one for one in found.shared if "history" in one.words)
    assert (row.source, row.in_call) == ("pattern force-push", "git push -f")


def test_what_a_pattern_matched_in_the_lines_an_edit_leaves_is_lit_there(book: Book) -> None:
    old = "git fetch\ngit push -f origin main\n"
    call = ToolCall("Edit", {"file_path": "deploy.sh", "old_string": old, "new_string": f"set -e\n{old}"})
    _, found = told(book, call, "ERR-001")
    assert matched_in(found.call, "old_string") == {"git push -f"}


def test_the_words_of_quoted_code_are_lit_in_both(book: Book) -> None:
    _, found = told(book, ToolCall("Bash", {"command": "git push --force origin main"}), "ERR-001")
    assert lit_in(found.call, "command") >= {"git", "push", "--force", "main"}
    assert lit_in(found.texts, "problem") >= {"git", "push", "--force"}


def test_a_word_that_the_glossary_joined_is_told_as_both(book: Book) -> None:
    call = ToolCall("Task", {"prompt": "reduce the stock of both orders at the same time without a lock on the row"})
    _, found = told(book, call, "ERR-003")
    assert ("재고", "stock") in {(*one.words, one.in_call) for one in found.shared}
    assert "stock" in lit_in(found.call, "prompt")
    assert "재고" in lit_in(found.texts, "title"), "only the word, not the particle that is glued to it"


def test_the_pieces_of_one_korean_word_are_one(book: Book) -> None:
    _, found = told(book, ToolCall("Task", {"prompt": "재고 수량을 고친다"}), "ERR-003")
    words = [word for one in found.shared for word in one.words]
    assert {"재고", "수량"} <= set(words)
    assert len(words) == len(set(words))


def test_a_particle_behind_code_is_no_shared_word(book: Book) -> None:
    rules = parse_text(
        "### ERR-001: 예외\n**Problem**: `except`를 비운다\n**Solution**: `raise`를 쓴다\n", "m.md"
    ).rules
    call = ToolCall("Task", {"prompt": "`finally`를 바꿔"})
    found = match(book_of(rules), call)
    assert [hit.term for one in (*found.rules, *found.below) for hit in one.hits] == []


def test_a_pattern_of_ones_own_is_lit_where_it_matched(tmp_path: Path) -> None:
    """One that is tried in a process of its own, since it may go on for ever."""
    source = '[error_patterns.mine]\nmatch = "(?:de|re)ploy(?: now)+"\nterms = ["history"]\n'
    (tmp_path / "rules.toml").write_text(source, "utf-8")
    book = book_of(parse_text(RULES, "memory.md").rules, load_tables(tmp_path))
    _, found = told(book, ToolCall("Bash", {"command": "make redeploy now now please"}), "ERR-001")
    assert matched_in(found.call, "command") == {"deploy now now"}


WORDS = (
    "재고를",
    "stock",
    "수량이",
    "git",
    "push",
    "--force",
    "main",
    "hash",
    "#",
    "줄여서",
    "주문",
    "Shell",
    "é",
    "script",
)
CALLS = st.builds(
    lambda words, path: ToolCall("Write", {"file_path": path, "content": " ".join(words)}),
    st.lists(st.sampled_from(WORDS)),
    st.sampled_from(["a.sv", "deploy.sh", "notes.py"]),
)


@given(CALLS)
def test_the_words_add_up_to_the_keyword_score(call: ToolCall) -> None:
    book = book_of(parse_text(RULES, "memory.md").rules)
    found = match(book, call)
    for one in (*found.rules, *found.below):
        explained = explain(book, call, one)
        assert explained is not None
        assert sum(row.score for row in explained.shared) == pytest.approx(explained.bm25, abs=0.01)
        assert min(1.0, explained.bm25 / FULL) == pytest.approx(one.keyword_score, abs=0.001)
        for text in (*explained.call, *explained.texts):
            assert unicodedata.is_normalized("NFC", text.text)
            for spans in (text.spans, text.patterns):
                assert all(0 <= start < end <= len(text.text) for start, end in spans)
                assert all(before[1] <= after[0] for before, after in pairwise(spans))


@given(st.floats(0, 1), st.floats(0, 1))
def test_two_scores_that_differ_are_told_apart(one: float, other: float) -> None:
    one, other = round(one, 4), round(other, 4)
    first, second = format_scores(one, other)
    assert (first == second) == (one == other)
    if one < other:
        assert float(short_of(one, other)) == pytest.approx(float(second) - float(first))
