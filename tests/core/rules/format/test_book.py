"""What is made ready of a list of rules: no more than a call asks of."""

from __future__ import annotations

import pickle
import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rules.format.book import LazyFeatures, book_of
from core.rules.format.parse import parse_text
from core.rules.format.rule import rule_text
from core.rules.format.snippets import rule_code
from core.rules.matching.api import CANDIDATES, match
from core.rules.matching.call import ToolCall
from core.rules.matching.tables import load_tables
from core.rules.matching.terms import in_english, spans, terms

RULES = parse_text(
    "".join(f"### ERR-{at:03d}: Push {at}\n**Problem**: `git push --force` to part {at}\n" for at in range(200))
).rules


def test_only_rules_that_a_call_may_meet_are_read_for_their_code_and_languages() -> None:
    book = book_of(RULES)
    before = match(pickle.loads(pickle.dumps(book)), ToolCall("Bash", {"command": "git push --force"}))
    assert match(book, ToolCall("Bash", {"command": "git push --force"})) == before
    for part in (book.shown, book.languages, book.titles):
        assert isinstance(part, LazyFeatures)
        assert 0 < len(part._known) <= CANDIDATES
    assert tuple(book.shown) == tuple(map(rule_code, book.rules))
    assert book.shown[-1] == book.shown[len(RULES) - 1:][0] == rule_code(book.rules[-1])  # fmt: skip


KOREAN = """\
### ERR-001: 강제 푸시 금지
**문제**: 공유 브랜치에 강제 푸시
**원인**: 서두름
**해결**: 쓰지 않는다
**예방**: 보호를 켠다
"""


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
def test_a_letter_that_is_written_in_two_ways_is_one(form: Literal["NFC", "NFD"], asked: Literal["NFC", "NFD"]) -> None:
    normal = unicodedata.normalize
    plain, found = parse_text(KOREAN), parse_text(normal(form, KOREAN))
    assert found.rules[0].title == normal(form, "강제 푸시 금지"), "it is shown as it was written"
    assert [flaw.message for flaw in found.flaws] == [flaw.message for flaw in plain.flaws]
    call, words = {"description": "공유 브랜치에 강제 푸시한다"}, load_tables().glossary
    written = {name: normal(asked, text) for name, text in call.items()}
    one = match(book_of(plain.rules), ToolCall("Bash", call))
    other = match(book_of(found.rules), ToolCall("Bash", written))
    assert [rule.relevance_score for rule in other.rules] == [rule.relevance_score for rule in one.rules] != []
    assert rule_text(found.rules[0]) == rule_text(plain.rules[0])
    assert in_english(normal(asked, "강제 푸시"), words) == in_english("강제 푸시", words)


@given(st.text(st.sampled_from("abzAZ_-09. \n가을파일に漢字\u1112\u1161\u11ab"), max_size=200), st.integers(1, 9))
def test_terms_alone_are_those_that_stand_somewhere(text: str, times: int) -> None:
    glossary, long = load_tables().glossary, unicodedata.normalize("NFC", text * 40 * times)
    assert terms(long, glossary) == [term for term, _, _ in spans(long, glossary)]
