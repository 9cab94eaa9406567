"""Python's test runners: pytest, unittest, doctest."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from core.base.lazy_pattern import lazy_pattern
from core.errors.identity.keylines.entry import CAUSE, DETAIL, REPORT, TEST, WRAPPER, Found, Part, Tool, rule, whole
from core.errors.identity.keylines.lines import Page
from core.errors.identity.keylines.peel import peel
from core.errors.identity.keylines.tools.python import exceptions, invalid_fields, raised

_SECTION = lazy_pattern(r"={3,} (?P<name>[A-Za-z][\w ]*) ={3,}\Z")
_ITEM = lazy_pattern(r"_{3,} .+ _{3,}\Z")
_ERROR_LINE = lazy_pattern(r"E {2,}(?=\S)")
_SUMMARY = lazy_pattern(r"(?:\[gw\d+\] )?(?:\[ *\d+%\] )?(?:FAILED|ERROR|SUBFAIL) \S.*? - (?P<said>\S.*)")
_LINE_STYLE = lazy_pattern(r"[\w.]*(?:Error|Exception|Failed|Exit|Interrupt): |assert ")


def _pytest(page: Page) -> Iterator[Found]:
    """The first `E` line of each failure, failures before errors; the summary if that is all there is."""
    section = ""
    fresh = True
    seen: list[str] = []
    for number, line in enumerate(page.lines):
        text = line.text
        if match := _SECTION.match(text):
            section, fresh = match["name"], True
        elif _ITEM.match(text):
            fresh = True
        elif match := _ERROR_LINE.match(text):
            if fresh:
                yield Found(TEST if section == "FAILURES" else TEST - 1, (Part(number, match.end(), len(text)),))
                seen.append(text[match.end() :])
                yield from invalid_fields(page, number, TEST - 1)
            fresh = False
        elif (match := _SUMMARY.match(text)) and ("summary" in section or "::" in text):
            said = match["said"]
            if not any(known.startswith(said.rstrip(".")[:60]) for known in seen):
                yield Found(TEST - 10, (Part(number, *match.span("said")),))
        elif section in ("FAILURES", "ERRORS"):
            if not seen and (part := _one_line(text, number)):
                yield Found(TEST - 8, (part,))
        elif not section and not text:
            fresh = True


def _one_line(text: str, number: int) -> Part | None:
    """A failure as `--tb=line` prints it: `file:line: what`."""
    start, end = peel(text)
    return Part(number, start, end) if start and not text[0].isspace() and _LINE_STYLE.match(text, start, end) else None


def _unittest(page: Page) -> Iterator[Found]:
    """The exception of each `FAIL:` or `ERROR:` block, the first one first."""
    rulers = [number for number, line in enumerate(page.lines) if line.text.startswith("=" * 60)]
    weight = TEST
    for number, following in pairwise([*rulers, len(page.lines)]):
        if not page.text(number + 1).startswith(("FAIL: ", "ERROR: ")):
            continue
        items = exceptions(page, number + 1, following)
        top = [item for item in items if item.depth == min(other.depth for other in items)]
        if top:
            yield raised(page, top[-1], weight)
            weight = TEST - 1


def _doctest(page: Page) -> Iterator[Found]:
    """What was expected and what came; the example beside it."""
    for number, line in enumerate(page.lines):
        label = line.text.strip()
        if label == "Failed example:":
            yield Found(DETAIL, (*whole(page, number, 0).parts, *_indented(page, number, 1)))
            yield from _expected(page, number)
        elif label.startswith("***Test Failed***"):
            yield whole(page, number, DETAIL)


def _expected(page: Page, number: int) -> Iterator[Found]:
    for at in range(number + 1, min(number + 60, len(page.lines))):
        text = page.text(at).strip()
        if text.startswith("Failed example:"):
            return
        if text == "Exception raised:":
            for item in exceptions(page, at, at + 40)[:1]:
                yield raised(page, item, TEST)
            return
        if text == "Expected:":
            got = next((n for n in range(at, min(at + 40, len(page.lines))) if page.text(n).strip() == "Got:"), None)
            parts = (*whole(page, at, 0).parts, *_indented(page, at, 1))
            if got is not None:
                parts = (*parts, *whole(page, got, 0).parts, *_indented(page, got, 1))
            yield Found(TEST, parts)
            return
        if text in ("Expected nothing", "Got nothing"):
            yield Found(TEST, whole(page, at, 0).parts)
            return


def _indented(page: Page, number: int, most: int) -> tuple[Part, ...]:
    """The first lines of the block below `number`."""
    depth = page.lines[number].indent
    parts: list[Part] = []
    for at in range(number + 1, min(number + 1 + most, len(page.lines))):
        if page.lines[at].indent <= depth:
            break
        parts.append(*whole(page, at, 0).parts)
    return tuple(parts)


TOOLS = (
    Tool("pytest", signs=("E  ", "FAILED ", "ERROR ", "= FAILURES =", "= ERRORS ="), find=_pytest),
    Tool(
        "pytest",
        rules=(
            rule(
                "ERROR: ",
                r"ERROR: (?:file or directory not found|not found|found no collectors|"
                r"Wrong expression|Coverage failure|no tests? ran).*",
                CAUSE,
            ),
            rule("::", r"(?:FAILED|ERROR) \S+\.py::\S+\Z", WRAPPER),
            rule("FAIL Required test coverage", r"FAIL Required test coverage.*", REPORT),
            rule("pytest: error: ", r"pytest: error: .*", CAUSE),
            rule("Error: ", r"(?:pluggy|_pytest\.config)\S*(?:Error): .*", CAUSE),
        ),
    ),
    Tool("unittest", signs=("FAIL: ", "ERROR: "), find=_unittest),
    Tool("doctest", signs=("Failed example:",), find=_doctest),
)
