"""Matching by the requirements (REQ-SEM) and by the defects of the original, with a semantic tier of known numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.trace import Step
from core.rules.format.book import Book, book_of
from core.rules.format.parse import parse_text
from core.rules.matching.api import Similarities, match
from core.rules.matching.call import READ, ToolCall, call_text, read_call
from core.rules.matching.keyword import query_terms
from core.rules.matching.score import ENOUGH, SEMANTIC_SCALE, TIE, companion_factor, relevance

OPEN = 0.0
RULES = """\
### ERR-001: Hash taken for a comment
**Problem**: `# text` in `.sv` files is a delay
**Solution**: write `//` in SystemVerilog
### ERR-002: Force push over a shared branch
**Problem**: `git push --force` removed commits of others
**Solution**: `--force-with-lease` on your own branch
### ERR-003: 한글 파일 인코딩
**Problem**: 윈도우에서 한글 텍스트 파일을 읽으면 글자가 깨진다
**Solution**: 인코딩을 항상 명시한다
### ERR-004: Slow report
**Problem**: the monthly report reads each invoice alone
**Solution**: read the invoices in one query
"""
PUSH = ToolCall("Bash", {"command": "git push --force origin main"})


class Known:
    """A semantic tier that says what the test says."""

    def __init__(self, scores: Mapping[int, float]) -> None:
        self.scores = scores
        self.asked: list[str] = []

    def similar(self, text: str, also: frozenset[int]) -> Similarities:
        self.asked.append(text)
        return Similarities(self.scores, Step("semantic", "hit" if self.scores else "failed", "as the test says"))


@pytest.fixture(scope="module")
def book() -> Book:
    return book_of(parse_text(RULES).rules)


def test_req_sem_002_scores_lie_between_0_and_1(book: Book) -> None:
    found = match(book, PUSH, Known({0: 0.2, 1: 1.0, 2: 0.0, 3: 0.4}))
    for one in (*found.rules, *found.below):
        assert 0 <= one.relevance_score <= 1
        assert 0 <= one.keyword_score <= 1


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 2))
def test_every_fusion_stays_on_the_scale(similarity: float, keyword: float, context: float) -> None:
    for regime in ("semantic", "hybrid", "keyword"):
        assert 0 <= relevance(regime, similarity, keyword, context) <= 1


def test_req_sem_003_and_006_and_011_keywords_answer_without_a_semantic_score(book: Book) -> None:
    for semantic in (None, Known({})):
        found = match(book, PUSH, semantic)
        assert [one.id for one in found.rules] == ["ERR-002"]
        assert found.fallback_used
        assert found.rules[0].match_type == "keyword"
    assert match(book, PUSH, Known({}), use_fallback=False).rules == ()


def test_fallback_is_told_only_where_there_was_no_semantic_score(book: Book) -> None:
    assert not match(book, PUSH, Known({0: 0.0})).fallback_used


def test_req_sem_004_the_whole_call_is_asked(book: Book) -> None:
    semantic = Known({0: 0.1})
    given_input = {
        "file_path": "/w/a.sv", "old_string": "going", "new_string": "coming", "description": "said",
        "prompt": "asked", "pattern": "sought", "url": "http://u.example/x", "todos": [{"content": "deep"}],
    }  # fmt: skip
    match(book, ToolCall("Edit", given_input), semantic)
    (query,) = semantic.asked
    for word in ("SystemVerilog", "a.sv", "coming", "said", "asked", "sought", "u.example", "deep"):
        assert word in query, word


@pytest.mark.parametrize(
    "given",
    [{"command": ["bash", "-lc", "git push --force"], "workdir": "/home/mina/shop"}, {"cmd": "git push --force"}],
)
def test_a_command_as_agents_write_it_is_one_text_and_its_folder_says_little(given: dict[str, object]) -> None:
    text = call_text(ToolCall("exec_command" if "cmd" in given else "shell", given))
    assert [(part.name, part.text) for part in text.parts if part.weight == 1] == [("command", "git push --force")]
    assert "shop" not in text.model_text and "mina" not in text.pattern_text
    assert text.programs == {"git push"}


def test_req_sem_008_below_one_half_both_are_fused_and_the_right_rule_is_not_buried(book: Book) -> None:
    found = match(book, PUSH, Known({0: 0.3, 1: 0.45, 2: 0.3, 3: 0.3}))
    assert found.rules[0].id == "ERR-002"
    assert found.rules[0].match_type == "hybrid"
    ranked = [one.relevance_score for one in (*found.rules, *found.below)]
    assert ranked == sorted(ranked, reverse=True)


def test_from_one_half_on_keywords_break_ties_between_what_is_about_as_near(book: Book) -> None:
    def order(other: float) -> list[str]:
        found = match(book, PUSH, Known({0: 0.2, 1: 0.6, 2: 0.2, 3: other}))
        return [one.id for one in (*found.rules, *found.below)][:2]

    assert order(0.62) == ["ERR-002", "ERR-004"], "about as near: words decide"
    assert order(0.9) == ["ERR-004", "ERR-002"], "much nearer: meaning does"
    assert relevance("semantic", ENOUGH, 1.0, 1.0) == pytest.approx((ENOUGH + TIE) * SEMANTIC_SCALE)


def test_req_sem_003_a_rule_that_has_no_vector_yet_is_found_by_its_words_as_without_a_model(book: Book) -> None:
    alone = match(book, PUSH, None)
    assert [one.id for one in alone.rules] == ["ERR-002"]
    for others in ({0: 0.2, 2: 0.1}, {0: 0.55, 2: 0.1}):  # where both are fused, and where similarity decides
        found = match(book, PUSH, Known(others))
        assert "ERR-002" in [one.id for one in found.rules]
        said = next(one for one in found.rules if one.id == "ERR-002")
        assert said.similarity is None
        assert "no vector yet" in said.why[-1]


def test_a_rule_that_another_one_leads_in_words_and_in_meaning_falls_behind_it_and_says_so(book: Book) -> None:
    alone = {one.id: one for one in match(book, PUSH, Known({1: 0.45}), limit=9, cutoff=OPEN).rules}["ERR-002"]
    behind = match(book, PUSH, Known({0: 0.3, 1: 0.45, 2: 0.49, 3: 0.3}), limit=9, cutoff=OPEN)
    by_id = {one.id: one for one in behind.rules}
    assert by_id["ERR-002"].relevance_score < alone.relevance_score, "another one is nearer in meaning"
    assert any("another rule shares more words" in why for why in by_id["ERR-003"].why)
    assert not any("another rule" in why for why in alone.why)


def test_the_trace_counts_what_reaches_the_line_however_few_are_shown(book: Book) -> None:
    all_of_them = match(book, PUSH, Known({0: 0.45, 1: 0.45, 2: 0.45, 3: 0.45}), limit=9, cutoff=OPEN)
    first = match(book, PUSH, Known({0: 0.45, 1: 0.45, 2: 0.45, 3: 0.45}), limit=1, cutoff=OPEN)
    assert all_of_them.trace[-1].reason == f"4 of 4 rules reach {OPEN:.2f}"
    assert first.trace[-1].reason == f"4 of 4 rules reach {OPEN:.2f}, 1 shown"
    assert first.below[0].why[-1] == "above the cut-off, but only 1 rule is shown"


def test_one_cutoff_is_told_whichever_tiers_answer_and_whether_a_rule_is_shown(book: Book) -> None:
    looking = ToolCall("Bash", {"command": "wc -l notes"})
    near, far = Known({0: 0.51, 1: 0.2, 2: 0.2, 3: 0.2}), Known({0: 0.45, 1: 0.2, 2: 0.2, 3: 0.2})
    for semantic in (near, far, None):
        silent, shown = match(book, looking, semantic), match(book, PUSH, semantic and Known({1: 0.6}))
        assert (silent.rules, silent.cutoff) == ((), 0.3)
        assert shown.rules
        assert shown.cutoff == 0.3
        assert all(one.relevance_score >= 0.3 for one in shown.rules)


def test_a_companion_scores_by_its_distance_to_the_first_rule_and_by_its_title(book: Book) -> None:
    found = match(book, PUSH, Known({0: 0.6, 1: 0.9, 2: 0.7, 3: 0.65}))
    assert [one.id for one in found.rules] == ["ERR-002"]
    assert all(one.relevance_score < found.cutoff for one in found.below), "one number says what is shown"
    behind = next(one for one in found.below if one.similarity == 0.7)
    assert any(
        why.startswith("behind the first rule, the call contains 0% of its title words: x 0.") for why in behind.why
    )
    assert behind.why[-1].endswith("below the cut-off 0.30")
    alike = match(book, PUSH, Known({0: 0.9, 1: 0.6, 2: 0.1, 3: 0.1}))
    assert len(alike.rules) == 2, "as near as this it may apply as well"
    assert alike.rules[1].relevance_score <= alike.rules[0].relevance_score


def test_a_companion_is_never_raised_above_the_first_rule_and_an_empty_title_changes_nothing() -> None:
    assert companion_factor(0.5, 0.5, 1.0) == 1.0
    assert companion_factor(0.4, 0.5, 1.0) == 0.5 / 0.4
    assert companion_factor(0.25, 0.5, 0.3) == 0.5
    assert companion_factor(0.25, 0.5, None) == 0.5
    assert companion_factor(0.25, 0.5, 0.0) < 0.5 < companion_factor(0.25, 0.5, 0.9)
    assert companion_factor(0.0, 0.5, 1.0) == companion_factor(0.0, 0.0, 1.0) == 1.0


def test_req_sem_012_no_id_is_shown_twice() -> None:
    twice = book_of(parse_text(RULES + RULES.replace("removed commits", "took the commits")).rules)
    found = match(twice, PUSH, None)
    assert [one.id for one in found.rules] == ["ERR-002"]
    assert sum(one.id == "ERR-002" for one in found.below) == 1


def test_req_sem_013_korean_meets_korean_and_english(book: Book) -> None:
    korean = ToolCall("Task", {"prompt": "윈도우에서 한글 파일을 읽을 때 글자가 깨지지 않게 인코딩을 지정해줘"})
    assert [one.id for one in match(book, korean, None).rules] == ["ERR-003"]
    english = ToolCall("Task", {"prompt": "Read a text file on Windows, set the encoding"})
    assert match(book, english, None, cutoff=0.0).rules[0].id == "ERR-003"


def test_silence_is_an_answer(book: Book) -> None:
    found = match(book, ToolCall("Bash", {"command": "ls -la"}), None)
    assert found.rules == ()
    assert found.trace[-1].outcome == "miss"


def test_the_same_sign_means_another_thing_in_another_language(book: Book) -> None:
    content = "# text of a comment\n"
    verilog = match(book, ToolCall("Write", {"file_path": "a.sv", "content": content}), None, cutoff=0.0)
    shell = match(book, ToolCall("Write", {"file_path": "a.sh", "content": content}), None, cutoff=0.0)
    score = {one.id: one.relevance_score for one in verilog.rules}
    other = {one.id: one.relevance_score for one in shell.rules}
    assert score["ERR-001"] > 1.5 * other["ERR-001"]


def test_who_only_looks_for_a_word_does_not_do_it(book: Book) -> None:
    looking = ToolCall("Bash", {"command": "grep -rn 'git push --force' docs | wc -l"})
    assert call_text(looking).act == "look"
    assert match(book, looking, None).rules == ()


@pytest.mark.parametrize(
    ("command", "wrong"),
    [("curl https://a.example/x", "ERR-001"), ("git reset a.txt", "ERR-002"), ("tool --output x", "ERR-003")],
)
def test_a_single_sign_or_option_brings_no_rule(book: Book, command: str, wrong: str) -> None:
    found = match(book, ToolCall("Bash", {"command": command}), None)
    assert wrong not in [one.id for one in found.rules]


def test_patterns_see_capitals(book: Book) -> None:
    asked = [
        query_terms(call_text(ToolCall("Edit", {"new_string": text, "old_string": ""})), book.tables).patterns
        for text in ("FileHandler(x)", "filehandler(x)")
    ]
    assert ["growing-log" in one for one in asked] == [True, False]


def test_what_an_edit_takes_away_is_no_mistake(book: Book) -> None:
    fixing = ToolCall("Edit", {"old_string": "def f(a=[]):", "new_string": "def f(a=None):", "file_path": "a.py"})
    assert "mutable-default" not in query_terms(call_text(fixing), book.tables).patterns


def test_a_real_hook_payload_is_read() -> None:
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": "/w"}
    assert read_call(payload) == ToolCall("Bash", {"command": "ls"})


@given(
    st.text(),
    st.recursive(
        st.text() | st.none() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    ),
)
def test_no_call_breaks_matching(name: str, value: object) -> None:
    match(book_of(parse_text(RULES).rules), ToolCall(name, {"command": value, "content": value}), None)


def test_of_a_field_that_holds_a_whole_log_only_its_beginning_is_compared() -> None:
    log = "connection reset by peer\n" * 1_000 + "zanzibar"
    rules = parse_text(f"### ERR-001: One\n**Problem**: short\n**Notes**: x\n**Solution**: {log}\n").rules
    made = book_of(rules)
    assert "connection" in made.index.postings or "connect" in made.index.postings
    assert "zanzibar" not in made.index.postings
    assert made.rules == rules, "the rule itself is whole"


def test_shared_words_are_told_as_they_are_written() -> None:
    rules = parse_text("### ERR-001: Histories forced\n**Problem**: pushing `origin` rewrites the histories\n").rules
    found = match(book_of(rules), ToolCall("Bash", {"command": "git push --force-rewrite origin history"}))
    (told,) = [why for one in (*found.rules, *found.below) for why in one.why if why.startswith("shares ")]
    assert set(told.removeprefix("shares ").split(", ")) >= {"force", "history", "push", "origin"}


def test_what_is_not_looked_at_of_a_long_text_is_told(book: Book) -> None:
    long = match(book, ToolCall("Write", {"file_path": "a.sh", "content": "x" * (READ + 250)}), None)
    assert "250 characters ignored (only the first 20,000" in long.trace[0].reason
    assert long.trace[0].fact("unread") == 250
    assert "characters ignored" not in match(book, PUSH, None).trace[0].reason


def test_every_factor_is_told_and_the_sum_adds_up(book: Book) -> None:
    semantic, other = Known({0: 0.40, 1: 0.45, 2: 0.1, 3: 0.42}), ToolCall("Bash", {"command": "zzz"})
    hardly = 0
    both = (match(book, PUSH, semantic), match(book, other, semantic))
    for one in (rule for found in both for rule in (*found.rules, *found.below)):
        total = next(why for why in one.why if " = " in why)
        said, _, score = total.partition(" = ")
        factors = [float(part) for part in said.partition(") x ")[2].split(" x ") if part]
        assert [float(why.rpartition(": x ")[2]) for why in one.why if ": x " in why] == factors, "each has its reason"
        base = 0.55 * (one.similarity or 0.0) + 0.45 * one.keyword_score
        assert abs(base * math.prod(factors) - float(score)) < 0.01
        hardly += any(0.9 < factor < 1 for factor in factors)
    assert hardly, "a rule that is hardly behind another one is told too"


def test_the_scale_is_named_in_the_sum(book: Book) -> None:
    for semantic, scale in ((None, 0.92), (Known({0: 0.9, 1: 0.5, 2: 0.5, 3: 0.5}), 0.83)):
        found = match(book, PUSH, semantic)
        sums = [why for one in (*found.rules, *found.below) for why in one.why if " = " in why]
        assert sums
        assert all(f" x scale {scale:.2f}" in why for why in sums)
