"""A rule whose author set no backticks shows its code all the same."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rules.format import snippets
from core.rules.format.book import book_of
from core.rules.format.rule import Rule
from core.rules.format.snippets import rule_code, ticked
from core.rules.matching.api import match
from core.rules.matching.call import ToolCall

EVERYTHING = 0.0


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("the agent ran git push --force on a shared branch", ["git push --force"]),
        ("브랜치에서 git push --force를 실행했다", ["git push --force"]),
        ("use yaml.safe_load, not yaml.load(text, Loader=None).", ["yaml.safe_load", "yaml.load(text, Loader=None)"]),
        ("datetime.now()나 utcnow()를 썼다", ["datetime.now()", "utcnow()"]),
        ("TIM->SR |= FLAG cleared the others", ["TIM->SR |= FLAG"]),
        ("the fields userName and user_id (see src/app/models.py)", ["userName", "user_id", "src/app/models.py"]),
        ("set NODE_ENV=production before", ["NODE_ENV=production"]),
        ("Plain prose - and/or nothing else, e.g. in TypeScript on macOS, 10.5 % more. Make it so.", []),
        ("make sure that go is installed and find out why", []),
        ("한 번에 하나씩, 천천히 한다", []),
        ("already `ticked`, so user_id stays", ["ticked"]),
    ],
)
def test_what_can_hardly_be_prose_is_code(said: str, code: list[str]) -> None:
    assert re.findall("`([^`]*)`", ticked(said)) == code


@given(st.text(alphabet=st.sampled_from("git --x_yB.(){}[]|=>/ ,\n\"'가를$@"), max_size=120) | st.text(max_size=120))
def test_only_backticks_are_added(text: str) -> None:
    if "`" not in text:
        assert ticked(text).replace("`", "") == text


@given(st.text(alphabet=st.sampled_from("git --x_yB.(){}[]|=>/ ,\"'가를$@:-~*"), max_size=80))
def test_a_line_that_is_passed_over_holds_no_code(line: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        quick = ticked(line)
        patch.setattr(snippets, "_SIGN", re.compile(""))
        assert ticked(line) == quick


def test_a_rule_without_backticks_shows_what_the_same_rule_with_them_does() -> None:
    said = Rule("ERR-001", "Old rows read", problem="fetch_row(id) per id", solution="one fetch_many(ids) for all")
    marked = Rule(
        "ERR-001", "Old rows read", problem="`fetch_row(id)` per id", solution="one `fetch_many(ids)` for all"
    )
    assert rule_code(said) == rule_code(marked)
    call = ToolCall("Write", {"content": "rows = fetch_many(ids)"})
    found = match(book_of([said]), call, cutoff=EVERYTHING)
    assert any("of the fix fetch_many(ids)" in reason for reason in found.rules[0].why)


def test_an_author_who_marks_code_is_believed() -> None:
    rule = Rule("ERR-001", "t", problem="`git stash` lost work of user_id", solution="commit first")
    assert [one.text for one in rule_code(rule).mistakes] == ["git stash"]
