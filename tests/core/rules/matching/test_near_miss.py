"""The command of a mistake without what makes it one, a part of a cure, and one number in two files."""

from __future__ import annotations

import pytest

from core.rules.format.book import book_of
from core.rules.format.rule import Rule
from core.rules.format.snippets import code_text, cured, rule_code
from core.rules.matching.api import match, near_miss
from core.rules.matching.call import CallText, ToolCall, call_text
from core.rules.matching.tables import ErrorPattern, load_tables


def matching(call: CallText) -> tuple[ErrorPattern, ...]:
    return tuple(one for one in load_tables().error_patterns if one.match.search(call.pattern_text))


EVERYTHING = 0.0
FORCE = Rule(
    "ERR-004", "Force push", problem="`git push --force` to main lost commits", solution="`--force-with-lease`"
)
ALL = Rule("ERR-005", "Everything staged", problem="`git add -A` took the dump along", solution="name the files")


@pytest.mark.parametrize(
    ("rule", "command", "missed"),
    [
        (FORCE, "git push", True),
        (FORCE, "git push -u origin feature/box", True),
        (FORCE, "git push --force origin main", False),
        (FORCE, "git push -f", False),
        (FORCE, "git push origin +main", False),
        (FORCE, "git pull", False),
        (ALL, "git add src/a.py && git commit -m 'x'", True),
        (ALL, "git add .", False),
        (ALL, "git add --all", False),
        (Rule("ERR-6", "t", problem="`sed -i` differs on macOS"), "sed -n '1,20p' a.txt", True),
        (Rule("ERR-7", "t", problem="`kubectl delete ns` took it all"), "kubectl delete pod x", False),
    ],
)
def test_a_command_without_the_option_that_makes_it_a_mistake(rule: Rule, command: str, missed: bool) -> None:
    call = call_text(ToolCall("Bash", {"command": command}))
    assert bool(near_miss(rule_code(rule).mistakes, call, matching(call))) == missed


def test_a_near_miss_scores_less_and_says_why() -> None:
    book = book_of([FORCE])
    plain, forced = (
        match(book, ToolCall("Bash", {"command": command}), cutoff=EVERYTHING).rules[0]
        for command in ("git push origin x", "git push --force origin x")
    )
    assert forced.relevance_score > 2 * plain.relevance_score
    assert "the call runs the command of git push --force without its options: x 0.55" in plain.why


def test_a_small_part_of_a_cure_is_no_cure() -> None:
    rule = Rule("ERR-009", "CSV for Excel", problem="no BOM", solution="`open(path, 'w', encoding='utf-8-sig')`")
    assert cured(rule_code(rule), code_text("open('sales.csv', 'w', encoding='cp949')")) is None
    assert cured(rule_code(rule), code_text("open(path, 'w', encoding='utf-8-sig')")) is not None


def test_one_number_in_two_files_is_two_rules() -> None:
    other = Rule("ERR-004", "Push of a tag by force", problem="`git push --force --tags`", path="/p/.claude/memory.md")
    call = ToolCall("Bash", {"command": "git push --force --tags"})
    assert len(match(book_of([FORCE, other]), call, cutoff=EVERYTHING).rules) == 2
    same = Rule("ERR-004", "force push", problem="`git push --force` to main", path="/p/.claude/memory.md")
    assert len(match(book_of([FORCE, same]), call, cutoff=EVERYTHING).rules) == 1


def test_a_rule_about_sql_is_met_in_any_language() -> None:
    rule = Rule("ERR-025", "SQL glued together", problem="a name with an apostrophe broke the query")
    call = ToolCall(
        "Edit", {"file_path": "store.py", "new_string": "con.execute('SELECT name FROM t WHERE name = ' + n)"}
    )
    found = match(book_of([rule]), call, cutoff=EVERYTHING).rules[0]
    assert not any("the rule is not" in why for why in found.why)


def test_a_command_without_the_sign_for_all_there_is() -> None:
    rule = Rule("ERR-004", "Secrets committed", problem="`git add .` took the settings with it")
    shown = rule_code(rule).mistakes
    assert near_miss(shown, call_text(ToolCall("Bash", {"command": "git add api.py tests/test_api.py"})), ())
    assert not near_miss(shown, call_text(ToolCall("Bash", {"command": "git add . && git commit"})), ())
    tables = load_tables().error_patterns
    assert not near_miss(shown, call_text(ToolCall("Bash", {"command": "git add -A"})), tables), (
        "the same in other words"
    )


def test_where_a_file_lies_is_nothing_that_is_written() -> None:
    """A pattern for paths of a home folder looks at what a call writes, not at the file's own path."""
    inside = ToolCall("Edit", {"file_path": "/home/dev/shop/a.py", "old_string": "a", "new_string": "total = sum(x)"})
    written = ToolCall("Edit", {"file_path": "/srv/a.py", "old_string": "a", "new_string": "open('/home/dev/x.csv')"})
    book = book_of([Rule("ERR-001", "Hardcoded home path", problem="an absolute path of one home folder")])
    assert match(book, inside).rules == ()
    assert [one.id for one in match(book, written).rules] == ["ERR-001"]
