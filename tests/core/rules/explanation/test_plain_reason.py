"""One sentence says why a rule is shown, or is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.rules.matching import score
from core.rules.matching.api import MatchedRule, RuleMatch
from core.rules.matching.keyword import KeywordHit
from core.rules.plain_reason import FACTORS, plain_reason


def rule(id: str = "ERR-002", score: float = 0.2, *why: str, **more: object) -> MatchedRule:
    given = {"similarity": None, "keyword_score": 0.5, **more}
    return MatchedRule(id, "Title", score, "keyword", why=why, solution="", **given)  # type: ignore[arg-type]


def match(*shown: MatchedRule, below: tuple[MatchedRule, ...] = ()) -> RuleMatch:
    return RuleMatch(shown, below, (None,) * len(shown), True, 0.3, ())


def test_a_shown_rule_names_what_the_call_has_of_it() -> None:
    code = rule("ERR-001", 0.8, hits=(KeywordHit("git push --force", "code", 3.75),))
    assert plain_reason(code, match(code)).endswith("the rule's example `git push --force`.")
    words = rule("ERR-001", 0.8, "shares git, pull, histories, allow")
    assert plain_reason(words, match(words)) == ("The call and the rule share “git”, “pull”, “histories” and more.")
    near = rule("ERR-001", 0.8, "shares git", similarity=0.7)
    assert plain_reason(near, match(near)) == "The call and the rule are close in meaning."
    weak = rule("ERR-001", 0.31, "shares git, pull")
    assert plain_reason(weak, match(weak)) == "Weak match: the call and the rule share “git” and “pull”."


@pytest.mark.parametrize(
    ("why", "context", "sentence"),
    [
        (
            "the call already contains 75% of the fix CREATE INDEX: x 0.12",
            0.12,
            "already contains most of the rule's fix: `CREATE",
        ),
        ("the call is read-only: x 0.20", 0.2, "The call only reads, and"),
        ("another rule shares more words with the call: x 0.61", 0.61, "ERR-001 shares more words with the call."),
        (
            "behind the first rule, the call contains 0% of its title words: x 0.40",
            0.4,
            "ERR-001 matches the call much better.",
        ),
        ("the call is go, the rule is not: x 0.80", 0.5, "The call is go, the rule is not."),
        ("the call is read-only: x 0.20", 0.99, "share too little: only “git”."),
    ],
)
def test_a_rule_that_is_not_shown_names_what_held_it_back(why: str, context: float, sentence: str) -> None:
    first = rule("ERR-001", 0.9, keyword_score=0.9)
    one = rule("ERR-002", 0.2, "shares git", why, context=context)
    assert sentence in plain_reason(one, match(first, below=(one,)))


def test_a_rule_without_shared_words_or_without_room_says_so() -> None:
    apart, over = rule("ERR-002", 0.0), rule("ERR-003", 0.5)
    first = rule("ERR-001", 0.9)
    assert plain_reason(apart, match(first, below=(apart,))) == "The call and the rule have no words in common."
    assert plain_reason(over, match(first, below=(over,))) == "The rule applies, but at most 1 rule can be shown."


def test_every_sentence_belongs_to_a_reason_of_the_score() -> None:
    source = Path(score.__file__).read_text("utf-8")
    assert [start for start in FACTORS if start not in source] == []
