"""The rule that a finding of a checker names, from the outputs as the checkers print them."""

from __future__ import annotations

import pytest

from core.errors.identity.codes import Rule, rule_of
from core.errors.identity.fingerprint import identify

OUTPUTS = [
    ("a/b.go:12:3: error is not nil (line 9) but it returns nil (nilerr)", Rule("golangci-lint", "nilerr")),
    ("a/b.go:12:3: G104: Errors unhandled (gosec)", Rule("golangci-lint", "gosec G104")),
    ("a/b.go:12:3: ifElseChain: rewrite it (gocritic)", Rule("golangci-lint", "gocritic ifElseChain")),
    ("a/b.go:12:3: undefined: cwd (typecheck)", None),
    ("src/a.py:3:1: F401 [*] `os` imported but unused", Rule("ruff", "F401")),
    ('src/a.py:3: error: Incompatible types in assignment  [assignment]', Rule("mypy", "assignment")),
    ("a.py:3:0: W0611: Unused import os (unused-import)", Rule("pylint", "unused-import")),
    ("src/a.ts(3,5): error TS2304: Cannot find name 'foo'.", Rule("tsc", "TS2304")),
    ("error[E0382]: borrow of moved value: `x`\n --> src/main.rs:4:5", Rule("rustc", "E0382")),
    (
        "error: this returns a `Result<_, ()>`\n --> src/lib.rs:1:1\n  = note: `-D clippy::result-unit-err` implied",
        Rule("clippy", "result_unit_err"),
    ),
    ("/a/b.js\n  3:5  error  'x' is assigned a value but never used  no-unused-vars", Rule("eslint", "no-unused-vars")),
    ("/a/b.js\n  3:5  error  Missing semicolon.  semi", Rule("eslint", "semi")),
    ("main.c:3:5: error: unused variable 'x' [-Werror=unused-variable]", Rule("gcc", "unused-variable")),
    ("zsh: no matches found: *.go", None),
    ("ValueError: bad (value)", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rule"), OUTPUTS)
def test_the_rule_of_an_output(text: str, rule: Rule | None) -> None:
    line = identify(text).key_lines[0]
    assert rule_of(line.text, line.tool, text[line.end :]) == rule
