"""The rule or code by which a checker names a finding: `nilerr`, `gosec G104`, `no-unused-vars`, `TS2304`, `E0382`."""

from __future__ import annotations

from typing import Final, NamedTuple

from core.base.lazy_pattern import lazy_pattern


class Rule(NamedTuple):
    """A rule of a checker (`golangci-lint`, `eslint`, `tsc`, …)."""

    checker: str
    name: str


_CONTEXT: Final = 1_500
"""Code points behind a key line in which a compiler may name its lint."""
_KEY: Final = 1_000
"""Code points at the end of a key line that are looked at, where it is longer."""
_NO_RULE: Final = frozenset(("golangci-lint typecheck", "ruff invalid-syntax"))
"""Names under which a checker reports that the code does not compile."""
_SUB_RULES: Final = frozenset(("gocritic", "govet", "revive", "testifylint"))
"""Linters of golangci-lint that put the name of their own check before the message."""
_CLIPPY: Final = lazy_pattern(r"clippy::([a-z_-]{2,60})")
_WARNING: Final = lazy_pattern(r"\[-W(?:error[=,] ?-?W?)?(?P<rule>[a-z][a-z0-9+=-]{1,60})\]\Z")
_LINTER: Final = lazy_pattern(r"\((?P<rule>[a-z][a-z0-9]{1,24})\)\Z")
_OWN: Final = lazy_pattern(r"(?:(?P<code>[A-Z]{1,3}\d{3,4})|(?P<sub>[A-Za-z][\w-]{2,40})): ")
_NAMES: Final = {
    "biome": lazy_pattern(r"\A(?P<rule>lint/\w{1,60}/\w{1,60})"),
    "dotnet": lazy_pattern(r"\A(?:error |warning )?(?P<rule>(?:CS|CA|IDE|SA)\d{4})\b"),
    "eslint": lazy_pattern(
        r"\s(?P<rule>@[\w-]{1,40}/[\w/-]{1,60}|[a-z]{1,40}-[a-z-]{1,60}|[a-z][\w-]{0,40}/[\w/-]{1,60})\Z"
        r"|[.'\"`)\]] {1,40}(?P<plain>[a-z][\w-]{1,60})\Z|\[Error/(?P<unix>[\w@/-]{1,80})\]\Z"
    ),
    "hadolint": lazy_pattern(r"\A(?P<rule>(?:DL|SC)\d{4})\b"),
    "markdownlint": lazy_pattern(r"\A(?:error )?(?P<rule>MD\d{3})\b"),
    "mypy": lazy_pattern(r"\[(?P<rule>[a-z-]{2,40})\]\Z"),
    "oxlint": lazy_pattern(r"\A(?P<rule>[a-z@][\w/@-]{0,60}\([\w/@-]{1,60}\)): "),
    "pylint": lazy_pattern(r"(?<=[ .'])\((?P<rule>[\w-]{2,60})\)\Z"),
    "pyright": lazy_pattern(r"\((?P<rule>report\w{2,60})\)\Z"),
    "rubocop": lazy_pattern(r"\A[CEFWR]: (?:\[Correctable\] )?(?P<rule>\w{1,60}/\w{1,60}):"),
    "ruff": lazy_pattern(r"\A(?:(?P<rule>[A-Z]{1,6}\d{3,4})\b|error\[(?P<plain>[\w-]{1,60})\])"),
    "rustc": lazy_pattern(r"\Aerror\[(?P<rule>E\d{4})\]"),
    "shellcheck": lazy_pattern(r"\A(?P<rule>SC\d{4})\b"),
    "tsc": lazy_pattern(r"\A(?:error )?(?P<rule>TS\d{4,5})\b"),
}
"""By checker, where in its key line the rule is."""


def rule_of(line: str, tool: str, context: str = "") -> Rule | None:
    """The rule that a key line found by the entry `tool` names; None where it names none.

    `context`: the output behind the key line, where clippy names its lint.
    """
    name = _golangci(line) if tool == "golangci-lint" else _named(line, tool)
    if name is None and tool == "rustc":
        found = _CLIPPY.search(context[:_CONTEXT].partition("\n\n")[0])
        return None if found is None else Rule("clippy", found[1].replace("-", "_"))
    if name is None and (found := _WARNING.search(line)):
        name = found["rule"]
    return None if name is None or f"{tool} {name}" in _NO_RULE else Rule(tool, name)


def _golangci(line: str) -> str | None:
    found, own = _LINTER.search(line), _OWN.match(line)
    if found is None:
        return None
    sub = own is not None and (own["code"] or (found["rule"] in _SUB_RULES and own["sub"]))
    return f"{found['rule']} {sub}" if sub else found["rule"]


def _named(line: str, tool: str) -> str | None:
    found = _NAMES[tool].search(line[-_KEY:]) if tool in _NAMES else None
    return None if found is None else next(filter(None, found.groups()), None)
