"""Go's tests: the messages of those that failed, by test, and what a message only wraps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from core.base.lazy_pattern import lazy_pattern
from core.errors.identity.keylines.entry import DETAIL, TEST, WRAPPER, Found, Part, Tool, message, rule, whole
from core.errors.identity.keylines.generic import sounds_like_error
from core.errors.identity.keylines.lines import Page

_RUNNING = lazy_pattern(r"\s*=== (?:RUN|CONT|NAME|PAUSE|FAIL:)\s+(?:\S+ (?=Test|Example|Fuzz|Benchmark))?(?P<name>\S+)")
_ENDED = lazy_pattern(r".*?--- (?P<how>FAIL|PASS|SKIP): (?P<name>\S+)")
_PACKAGE = lazy_pattern(r"(?:FAIL|ok|PASS|\?)(?:\s|\Z)")
# A message may follow, on one line, what the program under test printed without a line break.
_SAID = lazy_pattern(r"(?:\s+|.{0,400}?\S {4,})[\w.-]+\.go:\d+: ?")
_OWN = lazy_pattern(r"\s+testing\.go:\d+: ")
"""What the package `testing` adds once a test has ended: of a cleanup, of a process that still runs."""
_ASSERTS = lazy_pattern(
    r"(?!(?i:warning|note|info|debug|hint|phase|step|log|===)\b).*\b(?:want(?:ed)?|got|expect(?:ed|s)?|should|must|"
    r"unexpected(?:ly)?|mismatch|missing|differs?|fail(?:ed|ure|s)?|error|invalid|cannot|could not|not found)\b",
)
_LABEL = lazy_pattern(r"\s*(?P<label>Error Trace|Error|Test|Messages):\s*(?P<said>.*)")
_HOLLOW_ASSERT = lazy_pattern(r"(?:Should (?:be|not be)(?: |:)? ?(?:true|false|zero|empty|nil)\b|Condition )")
_EXITED = lazy_pattern(r".*\b(?:exit status \d+|signal: \w+)\W*\Z")
_PRINTED = lazy_pattern(r"\s*(?:(?i:(?:combined )?output|stderr|stdout)(?: was)?: ?)?(?P<said>\S.*)")
_PANIC = lazy_pattern(r"panic: .*")


class _Said(NamedTuple):
    """A message: its line, where its text begins, and the test that was running."""

    number: int
    start: int
    test: str


def _go_tests(page: Page) -> Iterator[Found]:
    """The messages of each failed test, the last one first: `t.Fatal` ends a test, what stands before may be a log.

    Messages of tests that passed are none. Where the output was cut, messages of tests without an end count if no
    failed test has any.
    """
    ends, said = _read(page)
    failed = [one for one in said if ends.get(one.test) == "FAIL"]
    if not failed and "PASS" in ends.values() and "FAIL" not in page.whole:
        return
    groups: dict[str, list[_Said]] = {}
    told = failed or [one for one in said if one.test not in ends]
    for one in [one for one in told if not _OWN.match(page.text(one.number))] or told:
        groups.setdefault(one.test, []).append(one)
    weight = TEST
    for group in groups.values():
        for one in reversed(group):
            found = tuple(_parts(page, one))
            if not found:
                continue
            last = one is group[-1]
            peer = last or _ASSERTS.match(page.text(one.number), one.start)
            yield Found(weight if last else TEST - 1 if peer else DETAIL, found)
            weight = TEST - 1 if last else weight
    for number in page.having(("--- FAIL: ",)):
        yield whole(page, number, WRAPPER)


def _panics(page: Page) -> Iterator[Found]:
    """The panic that ended a test; what the test said before is older."""
    for number in page.having(("panic: ",)):
        if _PANIC.match(page.text(number)):
            yield whole(page, number, TEST + 1)
            return


def _read(page: Page) -> tuple[dict[str, str], list[_Said]]:
    """How each test ended, and every message with the test it belongs to."""
    ends: dict[str, str] = {}
    said: list[_Said] = []
    test = ""
    for number, line in enumerate(page.lines):
        text = line.text
        if "=== " in text and (match := _RUNNING.match(text)):
            test = match["name"]
        elif "--- " in text and (match := _ENDED.match(text)):
            test = match["name"]
            ends[test] = match["how"]
        elif ".go:" in text:
            if match := _SAID.match(text):
                said.append(_Said(number, match.end(), test))
        elif _PACKAGE.match(text):
            test = ""
    return ends, said


def _parts(page: Page, one: _Said) -> Iterable[Part]:
    """What a message says: of an assertion its error, of a command that failed what the command printed."""
    text = page.text(one.number)
    if not text[one.start :].strip():
        return _testify(page, one.number)
    if _EXITED.match(text, one.start):
        for at in _below(page, one.number, 6):
            match = _PRINTED.match(page.text(at))
            if match and sounds_like_error(match["said"]):
                return (Part(at, *match.span("said")),)
    return (Part(one.number, one.start, len(text)),)


def _below(page: Page, number: int, most: int) -> Iterator[int]:
    """The continuation lines of a message: those indented deeper."""
    depth = page.lines[number].indent
    for at in range(number + 1, min(number + 1 + most, len(page.lines))):
        if not page.text(at).strip():
            continue
        if page.lines[at].indent <= depth or _SAID.match(page.text(at)):
            return
        yield at


def _testify(page: Page, number: int) -> tuple[Part, ...]:
    """The `Error:` of an assertion with its next lines; the message beside it where the error alone says nothing."""
    parts: dict[str, list[Part]] = {}
    label = ""
    for at in _below(page, number, 40):
        if match := _LABEL.match(page.text(at)):
            label = match["label"]
            if match["said"]:
                parts.setdefault(label, []).append(Part(at, *match.span("said")))
        elif label and len(parts.get(label, ())) < 3:
            parts.setdefault(label, []).append(message(page, at))
    error = parts.get("Error", [])
    if not label:
        return tuple(message(page, at) for at in _below(page, number, 1))
    if error and _HOLLOW_ASSERT.match(page.text(error[0].number), error[0].start):
        error = [*error, *parts.get("Messages", [])[:1]]
    return tuple(error)


TOOLS = (
    Tool("go-test", signs=("_test.go:", "--- FAIL: ", "=== FAIL: "), find=_go_tests),
    Tool("go", signs=("--- FAIL: ", "FAIL\t"), find=_panics),
    Tool(
        "go-test",
        rules=(
            rule("FAIL\t", r"FAIL\t.*", WRAPPER),
            rule("race detected", r"race detected during execution of test", DETAIL),
        ),
    ),
)
