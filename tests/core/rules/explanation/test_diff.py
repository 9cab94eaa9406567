"""What moved where a rule came, went, or shares its id with another."""

from __future__ import annotations

from dataclasses import replace

from core.rules.format.book import book_of
from core.rules.format.parse import parse_text
from core.rules.matching.api import MatchedRule, match
from core.rules.matching.call import ToolCall
from core.rules.ranking_diff import Move, in_words, moved

ONE = "### ERR-001: Force push\n**Problem**: `git push --force` removed commits\n**Solution**: revert\n\n"
TWO = "### ERR-001: Push to main\n**Problem**: `git push origin main` went past the review\n**Solution**: a branch\n\n"
OTHER = "### ERR-007: Letters\n**Problem**: letters fell off the sign\n**Solution**: screw them on\n"
PUSH = ToolCall("Bash", {"command": "git push --force origin main"})


def moves(before: str, after: str) -> tuple[tuple[Move, ...], tuple[str, ...]]:
    old, new = (book_of(parse_text(text, "memory.md").rules) for text in (before, after))
    names = [[(rule.path, rule.id) for rule in book.rules] for book in (old, new)]
    args = match(old, PUSH), match(new, PUSH), names[0], names[1]
    return moved(*args), in_words(*args)


def test_a_rule_that_is_gone_fell_below_nothing_and_is_new_when_it_is_back() -> None:
    assert "ERR-001 was removed" in moves(ONE + OTHER, OTHER)[1]
    assert "ERR-001 was removed" in moves(ONE, "")[1]
    (first, *_), words = moves(OTHER, ONE + OTHER)
    assert (first.kind, first.itself) == ("new", True)
    assert any(line.startswith("ERR-001 is new (") for line in words)
    assert not any("cut-off (" in line or "shown now" in line for line in words)


def test_a_rule_that_is_there_and_is_no_longer_listed_fell() -> None:
    said = ONE.replace("git push --force", "letters").replace("Force push", "Sign").replace("commits", "paint")
    assert "fell below the cut-off" in " ".join(moves(ONE + OTHER, said + OTHER)[1])


def test_of_two_rules_with_one_id_the_one_that_goes_is_the_one_that_moved() -> None:
    for left, line in ((ONE, 1), (TWO, 1)):
        found = moves(ONE + TWO, left)[0]
        assert sum(one.itself and one.kind == "gone" and one.line == 0 for one in found) == 1
        assert not any(one.line == line and abs(one.score - one.score_before) > 0.2 for one in found), left


def test_the_tail_of_the_list_with_no_score_is_not_told() -> None:
    """What stands at 0.00 and just came into a list that is cut, or left it, moved for nobody."""
    rule = MatchedRule("ERR-009", "Letters", 0.0, "semantic", 0.01, 0.0, (), "", path="memory.md", line=9)
    bare = match(book_of(parse_text(ONE, "memory.md").rules), PUSH)
    with_tail = replace(bare, below=(*bare.below, rule))
    names = [("memory.md", "ERR-001"), ("memory.md", "ERR-009")]
    assert moved(bare, with_tail, names, names) == ()
    assert moved(with_tail, bare, names, names) == ()
    risen = replace(bare, below=(*bare.below, replace(rule, relevance_score=0.1)))
    assert [one.kind for one in moved(bare, risen, names, names)] == ["new"]


def test_only_what_moved_itself_and_by_two_hundredths_is_told() -> None:
    bare = match(book_of(parse_text(ONE, "memory.md").rules), PUSH)
    (first,) = bare.rules
    names = [("memory.md", "ERR-001"), ("memory.md", "ERR-002")]
    second = MatchedRule("ERR-002", "Letters", 0.2, "keyword", None, 0.2, (), "", path="memory.md", line=9)
    before = replace(bare, below=(second,))

    def words(**changed: float) -> tuple[str, ...]:
        return in_words(before, replace(before, below=(replace(second, **changed),)), names, names)  # type: ignore[arg-type]

    assert words(relevance_score=0.19, keyword_score=0.23) == (), "by less than 0.02"
    assert words(relevance_score=0.12) == (), "no tier says anything else of it: another rule moved it"
    assert words(relevance_score=0.12, keyword_score=0.12) == ("ERR-002 0.20 to 0.12",)
    hidden = replace(before, rules=(), below=(replace(first, relevance_score=0.29), second))
    assert any("ERR-001 fell below the cut-off" in line for line in in_words(before, hidden, names, names))
