"""What rules show as code: a mistake that stands in a call, a call that has the cure already, an edit that turns one
into the other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rules.format.book import book_of
from core.rules.format.parse import parse_text
from core.rules.format.rule import Rule
from core.rules.format.snippets import FULL, code_text, cured, likest, rule_code
from core.rules.matching.api import match
from core.rules.matching.call import ToolCall, call_text

RULES = """\
### ERR-001: Rows read one by one
**Problem**: `for id in ids: fetch_row(id)` asks the server for every row, and `eager_limit: off` makes it worse
**Solution**: one `fetch_many(ids)`, and `eager_limit: strict`
**Prevention**: run with `--count-queries`
### ERR-002: Hook that waits
**Problem**: a delay inside a function named `*_TickHandler` halts the board
**Solution**: set a flag in `*.c` and return
"""
RULE, HOOK = parse_text(RULES).rules


def test_the_mistake_is_found_whole_in_part_and_within_a_longer_name() -> None:
    shown = rule_code(RULE)
    whole = likest(shown, code_text("for id in ids:\n    fetch_row(id)"))
    part = likest(shown, code_text("for id in range(3): pass"))
    assert whole is not None
    assert part is not None
    assert FULL >= whole[1] > 2 * part[1] > 0
    assert likest(rule_code(HOOK), code_text("void TIM2_TickHandler(void)")) is not None
    assert likest(shown, code_text("nothing of it")) is None


@pytest.mark.parametrize(
    ("call", "cure"),
    [
        ("rows = fetch_many(ids)", "fetch_many(ids)"),
        ("report --count-queries", "--count-queries"),
        ("eager_limit: strict", "eager_limit: strict"),
        ("for id in ids: fetch_row(id)", None),
        ("eager_limit: off", None),
    ],
)
def test_code_that_only_the_cure_has_says_that_it_is_cured(call: str, cure: str | None) -> None:
    found = cured(rule_code(RULE), code_text(call))
    assert (found and found[0]) == cure
    assert cured(rule_code(HOOK), code_text("int main.c")) is None  # `*.c` names a kind of file


def test_code_with_a_particle_glued_to_it_is_the_code_alone() -> None:
    rule = Rule(
        "ERR-001", "CI에서 npm install 사용", problem="CI에서 `npm install`을 쓴다", solution="CI에서는 `npm ci`를 쓴다"
    )
    call = code_text(".github/workflows/ci.yml run: npm install")
    assert cured(rule_code(rule), call) is None, "the problem speaks of ci too"
    assert likest(rule_code(rule), call) is not None


def test_a_cure_says_more_the_more_of_it_is_there() -> None:
    rule = Rule("ERR-001", "t", problem="`KEYS *` blocks", solution="`SCAN`, or `UPDATE t SET n = n - 1 WHERE n > 0`")
    whole = cured(rule_code(rule), code_text("UPDATE t SET n = n - 1 WHERE n > 0"))
    part = cured(rule_code(rule), code_text("UPDATE t SET name = 'x'"))
    word = cured(rule_code(rule), code_text("for key in client.scan_iter(count=9)"))
    assert whole is not None
    assert part is not None
    assert word is not None
    assert whole[1] > 2 * part[1]
    assert word == ("SCAN", 0.5)


def test_a_call_with_the_cure_scores_less_and_says_why() -> None:
    book = book_of([RULE, HOOK])
    everything = 0.0
    wrong = match(book, ToolCall("Write", {"content": "for id in ids: fetch_row(id)"}), cutoff=everything)
    right = match(book, ToolCall("Write", {"content": "for row in fetch_many(ids): fetch_row"}), cutoff=everything)
    assert wrong.rules[0].relevance_score > 1.5 * right.rules[0].relevance_score
    assert any("of the fix fetch_many(ids)" in reason for reason in right.rules[0].why)
    assert wrong.rules[0].hits[0].source == "code"


def test_what_a_commit_says_of_itself_is_no_deed() -> None:
    said = call_text(ToolCall("Bash", {"command": "git commit -m 'stop the force push'"}))
    assert "force" not in said.model_text
    assert next(part.weight for part in said.parts if part.name == "message") < 1


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_has_its_words_and_snippets_bounded(problem: str, call: str) -> None:
    found = likest(rule_code(Rule("ERR-001", "t", problem=problem)), code_text(call))
    assert found is None or 0 < found[1] <= FULL
