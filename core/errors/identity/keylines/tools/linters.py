"""Linters, type checkers and formatters: eslint, mypy, pyright, ruff, flake8, pylint, biome, shellcheck and kin."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.entry import CAUSE, DETAIL, REPORT, WRAPPER, rule, tool
from core.errors.identity.keylines.lines import KeyLineCandidate, Page, Part, whole

_ROW = lazy_pattern(r"\s+\d+:\d+\s+(?P<level>error|warning|✖|⚠|×)\s+(?P<said>\S.*)")
_RUFF = lazy_pattern(r"(?P<said>[A-Z]{1,6}\d{3,4} (?:\[\*\] )?\S.*|(?:invalid-syntax|SyntaxError)(?:\[\*\])?: .*)")
_RULER = lazy_pattern(r"\s*-{4}")
_DART = lazy_pattern(
    r"\s*(?P<level>error|warning|info) (?:- \S+\.dart:\d+:\d+ - (?P<placed>.+) - \w+\Z|"
    r"• (?P<said>.+) • \S+\.dart:\d+:\d+ • \w+\Z)",
    re.ASCII,
)
_BIOME = lazy_pattern(
    r"\S+(?::\d+:\d+)? (?:lint|parse|format|assist|suppressions|organizeImports|check|internalError)\S* .*━"
)


def _rows(page: Page) -> Iterator[KeyLineCandidate]:
    """eslint and stylelint: the file on its own line, `line:col level message rule` below it."""
    for number in page.having(("error", "warning", "✖", "⚠", "×")):
        if match := _ROW.match(page.text(number)):
            weight = DETAIL - 5 if match["level"] in ("warning", "⚠") else CAUSE
            yield KeyLineCandidate(weight, (Part(number, *match.span("said")),))


def _analyzed(page: Page) -> Iterator[KeyLineCandidate]:
    """Dart's analyzer: level, place, message and rule in one row; Flutter puts the place behind the message."""
    for number in page.having((".dart:",)):
        if match := _DART.match(page.text(number)):
            span = match.span("placed") if match["placed"] else match.span("said")
            yield KeyLineCandidate(CAUSE if match["level"] == "error" else DETAIL - 5, (Part(number, *span),))


def _arrows(page: Page) -> Iterator[KeyLineCandidate]:
    """ruff, ty and kin: the message, then ` --> file:line:col`."""
    for number in page.having((" --> ",)):
        above = page.text(number - 1)
        if match := _RUFF.match(above):
            yield KeyLineCandidate(CAUSE, (Part(number - 1, *match.span("said")),))
        elif re.match(r"error\[[\w-]+\]: ", above):
            yield whole(page, number - 1, CAUSE)


def _tabled(page: Page) -> Iterator[KeyLineCandidate]:
    """phpstan: a table for each file, its head `Line   src/File.php`, and a row of line number and message."""
    for head in page.having(("Line  ",)):
        if not re.match(r"\s*Line {2,}\S", page.text(head)) or not _RULER.match(page.text(head + 1)):
            continue
        for number in range(head + 2, len(page.lines)):
            text = page.text(number)
            if _RULER.match(text):
                break
            if match := re.match(r"\s*:?\d+ {2,}(?P<said>\S.*)", text):
                yield KeyLineCandidate(CAUSE, (Part(number, *match.span("said")),))


def _biome(page: Page) -> Iterator[KeyLineCandidate]:
    for number in page.having(("━━",)):
        message_number = page.next_filled(number + 1, 3)
        if message_number is not None and _BIOME.match(page.text(number)):
            text = page.text(message_number)
            start = len(text) - len(text.lstrip("× ✖!ℹ⚠"))
            yield KeyLineCandidate(
                CAUSE if "×" in text or "✖" in text else DETAIL, (Part(message_number, start, len(text)),)
            )


def _shellcheck(page: Page) -> Iterator[KeyLineCandidate]:
    for number in page.having(("SC",)):
        if match := re.match(
            r"\s*[\^-]+ +(?P<said>SC\d{4}(?: \((?:error|warning|info|style)\))?: .*)", page.text(number)
        ):
            yield KeyLineCandidate(CAUSE, (Part(number, *match.span("said")),))


TOOLS = (
    tool("eslint", signs=("error", "warning", "✖"), find=_rows),
    tool(
        "eslint",
        rule("ESLint couldn't", r"ESLint couldn't .*", CAUSE),
        rule("Oops! Something went wrong", r"Oops! Something went wrong.*", WRAPPER),
        rule("Parsing error: ", r"Parsing error: .*", CAUSE),
        rule("Error/", r".+ \[Error/[\w@/-]+\]\Z", CAUSE, located=""),
        rule("✖ ", r"✖ \d+ problems?.*", WRAPPER - 5),
    ),
    tool("dart-analyze", signs=(".dart:",), find=_analyzed),
    tool("ruff", signs=(" --> ",), find=_arrows),
    tool(
        "oxlint",
        rule("): ", r"[x×✖] (?P<key>[a-z@][\w/@-]*\([\w/@-]+\): .*)", CAUSE),
        rule("): ", r"[!⚠] (?P<key>[a-z@][\w/@-]*\([\w/@-]+\): .*)", DETAIL - 5),
    ),
    tool("biome", signs=("━━",), find=_biome),
    tool("phpstan", signs=("Line  ",), find=_tabled),
    tool("shellcheck", signs=("SC",), find=_shellcheck),
    tool("pyright", rule(" - error: ", r"error: .+", CAUSE, located=(".py", ".pyi"))),
    tool(
        "mypy",
        rule("error: ", r"error: .+ +\[[a-z-]+\]\Z", CAUSE, located=(".py", ".pyi")),
        rule("error: ", r"error: .+", CAUSE, located=(".py:", ".pyi:")),
    ),
    tool("pylint", rule("(", r"[CEWRF]\d{4}: .+ \([\w-]+\)\Z", CAUSE, located=".py")),
    tool(
        "ruff",
        rule(":", r"(?:[A-Z]{1,6}\d{3,4}|invalid-syntax):? (?:\[\*\] )?\S.*", CAUSE, located=(".py", ".ipynb")),
        rule("would reformat", r"[Ww]ould reformat:? .*", WRAPPER + 1),
        rule("error: Failed to parse", r"error: Failed to (?:parse|format|lint) .*", CAUSE),
        rule("] ", r"\d+\t(?P<key>[A-Z]{1,6}\d{3,4}[ \t]+\[[ *-]\] [a-z][\w-]*)\Z", REPORT),
    ),
    tool(
        "black",
        rule("error: cannot format", r"error: cannot format .*", CAUSE),
        rule("Cannot parse", r"Cannot parse.*", CAUSE, located=".py"),
    ),
    tool("isort", rule("Imports are incorrectly sorted", r"ERROR: \S+ Imports are incorrectly sorted.*", CAUSE)),
    tool("rubocop", rule(": ", r"[CEFWR]: (?:\[Correctable\] )?\w+/\w+: .*", CAUSE, located="")),
    tool(
        "prettier",
        rule("[error]", r"\[error\] (?!\s|>|\d* *\|)(?:\S+: )?\S*(?:Error|No |Invalid|Cannot).*", CAUSE),
        rule("[warn]", r"\[warn\] (?!Code style).*", DETAIL - 1),
        rule("Code style issues", r"(?:\[warn\] )?Code style issues.*", WRAPPER),
    ),
    tool("oxfmt", rule("Format issues found", r"Format issues found in .*", CAUSE)),
    tool("markdownlint", rule("MD0", r"(?:error )?MD\d{3}/.*", CAUSE)),
    tool("hadolint", rule(("DL", "SC"), r"(?:DL|SC)\d{4} (?:error|warning|info|style)?:? ?.*", CAUSE, located="")),
    tool("yamllint", rule("[error]", r"\[error\] .*", CAUSE, located="")),
    tool(
        "golangci-lint",
        rule(
            ".go:",
            r"(?!: # |too many errors |[A-Z]+\d+\(related information\)|other declaration of |could not import \S+"
            r" \(-: # )\S.* \([a-z][a-z0-9]{1,24}\)\Z",
            CAUSE + 1,
            located=".go",
        ),
    ),
    tool(
        "pre-commit",
        rule("hook id: ", r"- hook id: .*", WRAPPER),
        rule("...Failed", r".*\.\.\.Failed\Z", WRAPPER + 1),
    ),
)
