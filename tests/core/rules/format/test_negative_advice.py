"""What a solution tells not to do is the mistake's code, not the cure's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rules.format.book import book_of
from core.rules.format.rule import Rule
from core.rules.format.snippets import code_text, cured, divided, likest, rule_code
from core.rules.matching.api import match
from core.rules.matching.call import ToolCall


@pytest.mark.parametrize(
    ("said", "banned"),
    [
        ("read fields with `le32toh`; never `memcpy` a packet into a struct", ("memcpy",)),
        ("Never use `git add .` / `-A` or `--all`. Look at `git status`.", ("git add .", "-A", "--all")),
        ("fix the path, do not hide it with `set_false_path`", ("set_false_path",)),
        ("`run([x])`, don’t put a bare `shell=True`", ("shell=True",)),
        ("use `yaml.safe_load` instead of `yaml.load`", ("yaml.load",)),
        ("가격에는 `Double`과 `Float` 금지", ("Double", "Float")),
        ("`sleep`을 쓰지 않고 `wait_for`를 쓴다", ("sleep",)),
        ("`pickle` 대신 `json`", ("pickle",)),
        ("代码里禁止 `Executors` 工厂方法", ("Executors",)),
        ("`eval` を使わない", ("eval",)),
        (
            "- Never assign to what a filter gave (`df[...]`, `.query()`), unless you called `.copy()`",
            ("df[...]", ".query()"),
        ),
        ("No wall-clock time in DAG files, including `days_ago()`; use `{{ ds }}`", ("days_ago()",)),
        ("No value ever gets into SQL through f-string, `%` or `.format`. Use `execute(sql, args)`", ("%", ".format")),
        ("`.env`를 이미지에 복사하지 않는다", (".env",)),
        ("`await`를 빼먹지 말 것", ()),
        ("`strict`가 켜져 있지 않으면 켠다", ()),
        ("never push without `--force-with-lease`", ()),
        ("do not forget `await`", ()),
        ("not only `a`, also `b`", ()),
        ("if it is not there, run `make deps`", ()),
        ("no rebuild is needed: `docker compose restart`", ()),
        ("`tar`로 묶고 `sha256sum`으로 확인", ()),
    ],
)
def test_code_that_is_advised_against_is_told_from_what_is_advised(said: str, banned: tuple[str, ...]) -> None:
    assert divided(said)[1] == banned


@given(st.text(alphabet=st.sampled_from("`no never 대신 git add /,.\n와`"), max_size=200))
def test_nothing_of_a_solution_is_lost_by_dividing_it(text: str) -> None:
    kept, banned = divided(text)
    assert len(kept) + sum(len(one) + 2 for one in banned) == len(text)


def test_a_call_with_the_forbidden_code_has_the_mistake_and_not_the_cure() -> None:
    rule = Rule("ERR-001", "Notebook output committed", problem="200 MB", solution="clear it. Never `git add --all`")
    call = code_text("git add --all && git commit -m wip")
    assert cured(rule_code(rule), call) is None
    assert likest(rule_code(rule), call) is not None
    found = match(book_of([rule]), ToolCall("Bash", {"command": "git add --all"}), cutoff=0.0)
    assert "code" in {hit.source for hit in found.rules[0].hits}
