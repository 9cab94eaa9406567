"""What a finding is worth keeping for: other projects, this one, or nothing but the history."""

from __future__ import annotations

import re
from typing import Final

from core.errors.identity.keylines.tools import compilers, go_tests, linters, node, pytest, python, runners, rust
from core.flows.harvest import programs
from core.flows.harvest.command import Command
from core.flows.harvest.report import Worth

_TYPECHECK: Final = re.compile(
    r"\bundefined\b|undeclared|not defined|redeclared|declared and not used|imported and not used"
    r"|unused (?:import|variable)|assignment mismatch"
    r"|(?:not enough|too many) (?:arguments|return values|values)|cannot use .* as "
    r"|missing return"
    r"|has no field or method|does not implement|unknown field|not assignable to|cannot find name|cannot find value"
    r"|has no (?:exported )?(?:member|attribute)|expected \d+ arguments?|takes \d+ (?:positional )?arguments?"
    r"|unexpected keyword argument|missing \d+ required|mismatched types|no (?:method|field|function) named|unresolved"
    r"|syntax error|SyntaxError|IndentationError|expected .{1,20}, (?:got|found)|NameError|AttributeError|ImportError"
    r"|property .* does not exist|is not a (?:function|type)|cannot infer|invalid operation|non-name|unexpected token"
    r"|ineffectual assignment|is unused|never (?:used|read)|shadows?\b|undefined name",
    re.IGNORECASE,
)
_TYPECHECK_RULES: Final = frozenset((
    "typecheck", "unused", "ineffassign", "no-unused-vars", "no-undef", "f401", "f811", "f821", "f841",
    "unused-import", "unused-variable", "gofmt", "gofumpt", "goimports", "gci", "whitespace", "unconvert",
))  # fmt: skip
_EXPECTS: Final = re.compile(
    r"\bwant(?:ed)?\b|\bexpected\b|\bgot\b|assert|to (?:be|equal|contain|match)\b|should (?:be|have|contain)",
    re.IGNORECASE,
)
_MERGE: Final = re.compile(
    r"^CONFLICT \(|merge conflict|could not apply [0-9a-f]{6,}|unmerged|automatic merge failed", re.I
)
_TRAILER: Final = re.compile(
    r"^(?:FAIL|PASS|ok|exit status|make|\*\*\*|ELIFECYCLE|npm (?:ERR!|error) code|command failed|task failed)\b"
    r"|^\[?\w*\]? ?ERROR task",
    re.I,
)
_LOOKS: Final = frozenset((
    "cd", "cat", "ls", "head", "tail", "sed", "find", "wc", "stat", "tree", "rg", "grep", "awk", "rm", "mv", "cp",
    "mkdir", "env",
))  # fmt: skip
_NO_FILE: Final = re.compile(r"no such file|not a directory|is a directory|does not exist", re.IGNORECASE)
_BUILDERS: Final = programs.CHECKS | programs.LINKERS
_MISSING_PACKAGE: Final = re.compile(
    r"no required module|cannot find (?:module|package)|no module named|could not resolve|missing go\.sum|ERESOLVE"
    r"|unresolved import|package .* is not in",
    re.IGNORECASE,
)
_ENVIRONMENT: Final = re.compile(
    r"permission denied|not permitted|command not found|no such host|connection refused|econnrefused|rate limit"
    r"|certificate|no space left|index\.lock|unbound variable|gpg|auto-sign|credential|not installed"
    r"|executable file not found|address already in use|out of memory|signal: killed|eacces|enospc|daemon|dial tcp"
    r"|compile schema|go mod tidy|invalid version|unknown revision",
    re.IGNORECASE,
)
CHECKERS: Final = frozenset(
    tool.name for table in (pytest, runners, python, rust, node, compilers, linters, go_tests) for tool in table.TOOLS
)
"""Recognisers of key lines that compilers, linters and test runners print."""


def worth_of(key: str, tool: str, names: frozenset[str], command: Command, steps: int, attempts: int) -> Worth:
    """The worth of a finding that was fixed by `steps` steps after `attempts` failing runs.

    A slip is what a compiler, type checker or test names in the agent's own code and the next edits remove.
    """
    if _TRAILER.search(key):
        return "none"
    if _MERGE.search(key):
        return "slip"
    if _program(command) in _LOOKS and _NO_FILE.search(key):
        return "none"
    if _MISSING_PACKAGE.search(key):
        return "project"
    if names & _TYPECHECK_RULES or _TYPECHECK.search(key):
        return "project" if attempts > _LONG else "slip"
    checks = tool in CHECKERS or any(part.named(_BUILDERS) for part in command.members)
    if _ENVIRONMENT.search(key) or not checks:
        return "general"
    if _EXPECTS.search(key):
        return "slip" if attempts <= _LONG else "project"
    return "project"


_LONG: Final = 6
"""Failing runs after which even a plain message was no slip."""


def _program(command: Command) -> str:
    return command.members[-1].program if command.members else ""
