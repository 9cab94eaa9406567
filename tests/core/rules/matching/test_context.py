"""A part of a cure, one number in two files, SQL in other code, and the place of a file."""

from __future__ import annotations

import re

from core.rules.format.book import book_of
from core.rules.format.rule import Rule
from core.rules.format.snippets import code_text, cured, rule_code
from core.rules.matching.api import match
from core.rules.matching.call import ToolCall
from core.rules.matching.tables import ErrorPattern, Tables

EVERYTHING = 0.0
FORCE = Rule(
    "ERR-004", "Force push", problem="`git push --force` to main lost commits", solution="`--force-with-lease`"
)


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


def test_where_a_file_lies_is_nothing_that_is_written() -> None:
    """A pattern for paths of a home folder looks at what a call writes, not at the file's own path."""
    inside = ToolCall("Edit", {"file_path": "/home/dev/shop/a.py", "old_string": "a", "new_string": "total = sum(x)"})
    written = ToolCall("Edit", {"file_path": "/srv/a.py", "old_string": "a", "new_string": "open('/home/dev/x.csv')"})
    pattern = ErrorPattern("home-path", re.compile("/home/"), ("hardcode", "absolute", "path", "home", "folder"))
    rule = Rule("ERR-001", "Hardcoded home path", problem="an absolute path of one home folder")
    book = book_of([rule], Tables((pattern,)))
    assert match(book, inside).rules == ()
    assert [one.id for one in match(book, written).rules] == ["ERR-001"]
