"""What a problem says was left out belongs to the cure: a call without it has no cure."""

from __future__ import annotations

import pytest

from core.rules.format.book import book_of
from core.rules.format.parse import parse_text
from core.rules.format.snippets import lacked
from core.rules.matching.api import match
from core.rules.matching.call import ToolCall

RULES = (
    "### ERR-001: Locked table\n**Problem**: {}\n**Solution**: use `CREATE INDEX CONCURRENTLY`\n"
    "### ERR-002: Slow report\n**Problem**: each invoice is read alone\n**Solution**: read them at once\n"
)
WITHOUT = "CREATE INDEX orders_customer_idx ON orders (customer_id);"


@pytest.mark.parametrize(
    "problem",
    [
        "인덱스를 CONCURRENTLY 없이 만들었다",
        "인덱스를 만들 때 `CONCURRENTLY`를 빠뜨렸다",
        "an index was made without `CONCURRENTLY` and locked the table",
        "the index was missing CONCURRENTLY",
    ],
)
def test_a_cure_whose_missing_word_is_the_mistake_silences_nothing(problem: str) -> None:
    book = book_of(parse_text(RULES.format(problem)).rules)
    wrong = match(book, ToolCall("Write", {"file_path": "0091.up.sql", "content": WITHOUT}))
    right = match(
        book, ToolCall("Write", {"file_path": "0091.up.sql", "content": WITHOUT.replace("INDEX", "INDEX CONCURRENTLY")})
    )
    assert [one.id for one in wrong.rules] == ["ERR-001"]
    assert not any("of the fix" in why for why in wrong.rules[0].why)
    assert right.rules == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("built without CONCURRENTLY, and forgot to add `--locked`", "CONCURRENTLY\n--locked"),
        ("`--locked` 누락, CONCURRENTLY 없이", "--locked\nCONCURRENTLY"),
        ("`git push --force` removed commits", ""),
    ],
)
def test_what_was_left_out_is_read(text: str, words: str) -> None:
    assert lacked(text) == words
