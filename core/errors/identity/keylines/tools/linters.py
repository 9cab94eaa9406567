"""Linters, type checkers and formatters: eslint, mypy, pyright, ruff, flake8, pylint, biome, shellcheck and kin."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.entry import CAUSE, DETAIL, read_tools
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


TOOLS = read_tools("linters", _rows, _analyzed, _arrows, _biome, _tabled, _shellcheck)
