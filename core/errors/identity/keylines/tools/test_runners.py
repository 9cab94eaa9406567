"""Test runners: pytest, unittest, doctest; Go's tests; jest, vitest, mocha, playwright, rspec, phpunit and kin."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise, takewhile
from typing import NamedTuple

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.entry import DETAIL, REPORT, TEST, WRAPPER, read_tools
from core.errors.identity.keylines.generic import sounds_like_error
from core.errors.identity.keylines.lines import KeyLineCandidate, Page, Part, joined, message, peel, whole
from core.errors.identity.keylines.tools.python import exceptions, invalid_fields, raised

_SECTION = lazy_pattern(r"={3,} (?P<name>[A-Za-z][\w ]*) ={3,}\Z")
_ITEM = lazy_pattern(r"_{3,} .+ _{3,}\Z")
_ERROR_LINE = lazy_pattern(r"E {2,}(?=\S)")
_SUMMARY = lazy_pattern(r"(?:\[gw\d+\] )?(?:\[ *\d+%\] )?(?P<test>(?:FAILED|ERROR|SUBFAIL) \S.*?) - (?P<said>\S.*)")
_CUT_WORD = lazy_pattern(r"[\w.]{0,40}\.\.\.\Z")
"""What is left of a message in a summary that was cut to the width of the terminal: a part of its first word."""
_FRAME = lazy_pattern(r"File \"|\+ ")
"""The place of a syntax error, above its message; the rest of an explained assertion whose beginning was cut off."""
_RAISED = lazy_pattern(r"[\w.]*(?:Error|Exception|Exit|Interrupt)\b")
_LINE_STYLE = lazy_pattern(r"[\w.]*(?:Error|Exception|Failed|Exit|Interrupt): |assert ")


def _pytest(page: Page) -> Iterator[KeyLineCandidate]:
    """The first `E` line of each failure, failures before errors; the summary if that is all there is. Output that
    begins within a failure may show only the rest of its message: then the summary says more."""
    section = ""
    fresh = True
    is_cut = True
    rest: KeyLineCandidate | None = None
    framed = False
    seen: list[str] = []
    for number, line in enumerate(page.lines):
        text = line.text
        if match := _SECTION.match(text):
            section, fresh, is_cut = match["name"], True, False
        elif _ITEM.match(text):
            fresh, is_cut = True, False
        elif match := _ERROR_LINE.match(text):
            framed = (framed or _FRAME.match(text, match.end()) is not None) and fresh
            if framed and not _RAISED.match(text, match.end()):
                continue
            if fresh:
                weight = TEST if section == "FAILURES" else TEST - 1
                candidate = KeyLineCandidate(weight, (Part(number, match.end(), len(text)),))
                if is_cut and not _LINE_STYLE.match(text, match.end()) and not _RAISED.match(text, match.end()):
                    rest = candidate
                else:
                    yield candidate
                    seen.append(text[match.end() :])
                yield from invalid_fields(page, number, TEST - 1)
            fresh = False
        elif (match := _SUMMARY.match(text)) and ("summary" in section or "::" in text):
            reason = match["said"]
            rest = None
            if _CUT_WORD.match(reason):
                yield KeyLineCandidate(TEST - 10, (Part(number, match.start("test"), match.end("test")),))
            elif not any(known.startswith(reason.rstrip(".")[:60]) for known in seen):
                yield KeyLineCandidate(TEST - 10, (Part(number, *match.span("said")),))
        elif section in ("FAILURES", "ERRORS"):
            if not seen and (part := _one_line(text, number)):
                yield KeyLineCandidate(TEST - 8, (part,))
        elif not section and not text:
            fresh = True
    if rest is not None:
        yield rest


def _one_line(text: str, number: int) -> Part | None:
    """A failure as `--tb=line` prints it: `file:line: what`."""
    start, end = peel(text)
    return Part(number, start, end) if start and not text[0].isspace() and _LINE_STYLE.match(text, start, end) else None


def _unittest(page: Page) -> Iterator[KeyLineCandidate]:
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


def _doctest(page: Page) -> Iterator[KeyLineCandidate]:
    """Yield expected and actual output, with the example."""
    for number, line in enumerate(page.lines):
        label = line.text.strip()
        if label == "Failed example:":
            yield KeyLineCandidate(DETAIL, (*whole(page, number, 0).parts, *_indented(page, number, 1)))
            yield from _expected(page, number)
        elif label.startswith("***Test Failed***"):
            yield whole(page, number, DETAIL)


def _expected(page: Page, number: int) -> Iterator[KeyLineCandidate]:
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
            yield KeyLineCandidate(TEST, parts)
            return
        if text in ("Expected nothing", "Got nothing"):
            yield KeyLineCandidate(TEST, whole(page, at, 0).parts)
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


PYTHON_TESTS = read_tools("python_tests", _pytest, _unittest, _doctest)


_RUNNING = lazy_pattern(r"\s*=== (?:RUN|CONT|NAME|PAUSE|FAIL:)\s+(?:\S+ (?=Test|Example|Fuzz|Benchmark))?(?P<name>\S+)")
_ENDED = lazy_pattern(r".*?--- (?P<how>FAIL|PASS|SKIP): (?P<name>\S+)")
_PACKAGE = lazy_pattern(r"(?:FAIL|ok|PASS|\?)(?:\s|\Z)")
# A message may follow, on one line, what the program under test printed without a line break.
_LOG_PREFIX = lazy_pattern(r"(?:\s+|.{0,400}?\S {4,})[\w.-]+\.go:\d+: ?")
_OWN = lazy_pattern(r"\s+testing\.go:\d+: ")
"""What the package `testing` adds once a test has ended: of a cleanup, of a process that still runs."""
_ASSERTS = lazy_pattern(
    r"(?!(?i:warning|note|info|debug|hint|phase|step|log|===)\b).*\b(?:want(?:ed)?|got|expect(?:ed|s)?|should|must|"
    r"unexpected(?:ly)?|mismatch|missing|differs?|fail(?:ed|ure|s)?|error|invalid|cannot|could not|not found)\b",
)
_LABEL = lazy_pattern(r"\s*(?P<label>Error Trace|Error|Test|Messages):\s*(?P<said>.*)")
_HOLLOW_ASSERT = lazy_pattern(r"(?:Should (?:be|not be)(?: |:)? ?(?:true|false|zero|empty|nil)\b|Condition )")
_EXITED = lazy_pattern(r".*\b(?:exit status \d+|signal: \w+)\W*\Z")
_PRINTED = lazy_pattern(r"\s*(?P<label>(?i:(?:combined )?output|stderr|stdout)(?: was)?: ?)?(?P<said>\S.*)")
_CAPTURED = lazy_pattern(r"(?:[\w./'\"-]+ ){0,4}(?i:output|stdout|stderr): (?P<said>.*)")
"""A test that logs what a program of its own printed (`Hook stop output: …`)."""
_PANIC = lazy_pattern(r"panic:(?: |\Z)")


class _Message(NamedTuple):
    """A message: its line, where its text begins, and the test that was running."""

    number: int
    start: int
    test: str


def _go_tests(page: Page) -> Iterator[KeyLineCandidate]:
    """Yield the messages of each failed test: the one that leads, then the others, last first.

    `t.Fatal` ends a test, so the last message leads. Where it asserts nothing and an earlier one does, it is a log, and
    the first assertion leads (`t.Error`). Messages of tests that passed are none. Where the output was cut, messages of
    tests without an end count if no failed test has any.
    """
    ends, messages = _read(page)
    failed = [one for one in messages if ends.get(one.test) == "FAIL"]
    if not failed and "PASS" in ends.values() and "FAIL" not in page.whole:
        return
    groups: dict[str, list[_Message]] = {}
    reported = failed or [one for one in messages if one.test not in ends]
    for one in [one for one in reported if not _OWN.match(page.text(one.number))] or reported:
        groups.setdefault(one.test, []).append(one)
    captured = {one for one in reported if _is_captured(page, one)}
    weight = TEST
    for group in groups.values():
        leader = _leader(page, group)
        for one in [leader, *[other for other in reversed(group) if other is not leader]]:
            found = tuple(_parts(page, one))
            if not found or one in captured:
                continue
            if group[-1] in captured and not _asserts(page, one):
                continue  # the message that ended the test is cut off
            is_leader = one is leader
            peer = is_leader or _asserts(page, one)
            yield KeyLineCandidate(weight if is_leader else TEST - 1 if peer else DETAIL, found)
            weight = TEST - 1 if is_leader else weight
    for number in page.having(("--- FAIL: ",)):
        yield whole(page, number, WRAPPER)


def _leader(page: Page, group: list[_Message]) -> _Message:
    if _asserts(page, group[-1]):
        return group[-1]
    return next((one for one in group if _asserts(page, one)), group[-1])


def _asserts(page: Page, one: _Message) -> bool:
    """Whether a message says what was expected. An empty one has the lines of an assertion below it."""
    text = page.text(one.number)
    return not text[one.start :].strip() or _ASSERTS.match(text, one.start) is not None


def _is_captured(page: Page, one: _Message) -> bool:
    """Whether a message only repeats what a program printed, and that is no error."""
    text = page.text(one.number)
    found = _CAPTURED.match(text, one.start)
    return found is not None and not _asserts(page, one) and not sounds_like_error(found["said"])


def _panics(page: Page) -> Iterator[KeyLineCandidate]:
    """The panic that ended a test; earlier messages of the test are ignored."""
    for number in page.having(("panic:",)):
        if _PANIC.match(page.text(number)):
            message_number = page.next_filled(number + 1, 2) if page.text(number).strip() == "panic:" else None
            yield whole(page, number if message_number is None else message_number, TEST + 1)
            return


def _read(page: Page) -> tuple[dict[str, str], list[_Message]]:
    """How each test ended, and every message with the test it belongs to."""
    ends: dict[str, str] = {}
    messages: list[_Message] = []
    test = ""
    for number, line in enumerate(page.lines):
        text = line.text
        if "=== " in text and (match := _RUNNING.match(text)):
            test = match["name"]
        elif "--- " in text and (match := _ENDED.match(text)):
            test = match["name"]
            ends[test] = match["how"]
        elif ".go:" in text:
            if match := _LOG_PREFIX.match(text):
                messages.append(_Message(number, match.end(), test))
        elif _PACKAGE.match(text):
            test = ""
    return ends, messages


def _parts(page: Page, one: _Message) -> Iterable[Part]:
    """What a message says: of an assertion its error, of a command that failed what the command printed."""
    text = page.text(one.number)
    if not text[one.start :].strip():
        return _testify(page, one.number)
    if _EXITED.match(text, one.start):
        printed = [(at, match) for at in _continued(page, one.number, 6) if (match := _PRINTED.match(page.text(at)))]
        loud = next((line for line in printed if sounds_like_error(line[1]["said"])), None)
        labelled = next((line for line in printed[:1] if line[1]["label"]), None)
        if chosen := loud or labelled:
            return (Part(chosen[0], *chosen[1].span("said")),)
    return (Part(one.number, one.start, len(text)),)


def _continued(page: Page, number: int, most: int) -> Iterator[int]:
    """The continuation lines of a message: those indented deeper."""
    depth = page.lines[number].indent
    for at in range(number + 1, min(number + 1 + most, len(page.lines))):
        if not page.text(at).strip():
            continue
        if page.lines[at].indent <= depth or _LOG_PREFIX.match(page.text(at)):
            return
        yield at


_DUMP = 200
"""Code points of a line that shows a whole value: it names no failure, and no second one has the same."""
_REASON_BEHIND_VALUE = lazy_pattern(r"[\"\])}] (?P<said>(?:does not|should|is not|must) .{1,200}\Z)")


def _testify(page: Page, number: int) -> tuple[Part, ...]:
    """Return the `Error:` of an assertion with its next lines, and the message if the error alone is not specific."""
    parts: dict[str, list[Part]] = {}
    label = ""
    for at in _continued(page, number, 40):
        if match := _LABEL.match(page.text(at)):
            label = match["label"]
            if match["said"]:
                parts.setdefault(label, []).append(Part(at, *match.span("said")))
        elif label and len(parts.get(label, ())) < 3:
            parts.setdefault(label, []).append(message(page, at))
    error = parts.get("Error", [])
    if not label:
        return tuple(message(page, at) for at in _continued(page, number, 1))
    if error and _HOLLOW_ASSERT.match(page.text(error[0].number), error[0].start):
        error = [*error, *parts.get("Messages", [])[:1]]
    if not any(part.end - part.start > _DUMP for part in error):
        return tuple(error)
    return tuple(_without_dumps(page, error, (parts.get("Messages") or parts.get("Test") or [])[:1]))


def _without_dumps(page: Page, error: list[Part], name: list[Part]) -> list[Part]:
    """The lines of an assertion without whole values that it shows; with its message or its test where one goes."""
    short: list[Part] = []
    for part in error:
        if part.end - part.start <= _DUMP:
            short.append(part)
        elif reason := _REASON_BEHIND_VALUE.search(page.text(part.number), part.start + _DUMP // 2, part.end):
            short.append(Part(part.number, *reason.span("said")))
    return [*short, *name]


GO_TESTS = read_tools("go_tests", _go_tests, _panics)


_BULLET = lazy_pattern(r"\s*● (?!Console)\S.*")
_NUMBERED = lazy_pattern(r"\s*\d+\) \S.*")
_REMARK = lazy_pattern(r" {0,40}# {0,40}(?!Subtest)(?P<said>[^ ].*)")
_INDENTED = lazy_pattern(r" {1,40}(?![✓✗-] )(?P<said>[^ ].*)")
_PLACE = lazy_pattern(r"\s*(?:\((?:from|in)|from) (?:function `|test file |file ).*|\s*in test file .*line \d+\)\Z")
_CROSSED = lazy_pattern(r"\s*✗ +\S")
_COMMAND = lazy_pattern(r"`.+' failed(?: with status \d+)?\Z")
_THROWN = lazy_pattern(r"\s*(?:[A-Za-z_$][\w$.]*)?(?:Error|Exception|Failure)\b(?: \[\w+\])?(?:: |:?\Z)")


def _jest(page: Page) -> Iterator[KeyLineCandidate]:
    """The first line below each bullet; the bullet names the test."""
    weight = TEST
    for number in page.having(("● ",)):
        if not _BULLET.match(page.text(number)):
            continue
        message_number = page.next_filled(number + 1, 4)
        if message_number == number + 1 and not page.lines[number].indent:
            continue  # jest leaves a line free; others list things of their own behind a bullet
        if message_number is not None and page.lines[message_number].indent > page.lines[number].indent:
            yield whole(page, message_number, weight)
            yield whole(page, number, DETAIL)
            weight = TEST - 1


def _vitest(page: Page) -> Iterator[KeyLineCandidate]:
    """The error below each ` FAIL  file > test`; `→` lines when that is all there is."""
    weight = TEST
    for number in page.having((" FAIL ", "FAIL ")):
        text = page.text(number)
        if not re.match(r"\s*FAIL +\S+\.[cm]?[jt]sx?\b", text):
            continue
        message_number = page.next_filled(number + 1, 3)
        while message_number is not None and re.match(r"\s*FAIL +\S", page.text(message_number)):
            message_number = page.next_filled(message_number + 1, 3)
        if (
            message_number is not None
            and not _BULLET.match(page.text(message_number))
            and not page.lines[message_number].indent
        ):
            yield whole(page, message_number, weight)
            weight = TEST - 1
    for number in page.having(("→ ",)):
        if match := re.match(r"\s+→ (?P<said>\S.*)", page.text(number)):
            yield KeyLineCandidate(TEST - 20, (Part(number, *match.span("said")),))


def _numbered(page: Page) -> Iterator[KeyLineCandidate]:
    """mocha, cypress, playwright, rspec, minitest, phpunit, ExUnit: `1) …`, and the error some lines below."""
    weight = TEST
    for number in page.having((") ",)):
        if not _NUMBERED.match(page.text(number)):
            continue
        if parts := _reason(page, number):
            yield KeyLineCandidate(weight, parts)
            weight = TEST - 1


def _reason(page: Page, number: int) -> tuple[Part, ...]:
    """The reason of a numbered failure: the first known form below its heading."""
    for at in range(number + 1, min(number + 14, len(page.lines))):
        text = page.text(at)
        stripped = text.strip()
        if _NUMBERED.match(text) and at > number + 1:
            return ()
        if stripped.startswith("Failure/Error: "):
            return _rspec(page, at)
        if re.match(r"(?:Expected:? |expected:? )", stripped) and re.match(
            r"\s*(?:Actual|got|to be|  Actual): ", page.text(at + 1)
        ):
            return (message(page, at), message(page, at + 1))
        if stripped.startswith("Message:"):
            return (message(page, at + 1),)
        if _THROWN.match(text) and not stripped.startswith("at "):
            return (message(page, at),)
        if re.match(
            r"(?:Failed asserting |Assertion with |Assertion failed|match \(|Expected |assert )", stripped
        ) and not stripped.endswith("Error:"):
            return (message(page, at),)
        if re.match(r"\*\* \([\w.]+\) ", stripped) or re.match(r"\s+(?:Uncaught |Timeout of |expected )", text):
            return (message(page, at),)
    return ()


def _rspec(page: Page, at: int) -> tuple[Part, ...]:
    message_number = page.next_filled(at + 1, 3)
    if message_number is None:
        return (message(page, at),)
    text = page.text(message_number).strip()
    following = message_number + 1
    if re.match(r"(?:[A-Z]\w*::)*[A-Z]\w*:\Z", text) and page.text(following).strip():
        return (message(page, message_number), message(page, following))
    if text.startswith("expected") and re.match(r"\s*(?:got|to): ", page.text(following)):
        return (message(page, message_number), message(page, following))
    return (message(page, message_number),) if text and not text.startswith("#") else (message(page, at),)


def _tap(page: Page) -> Iterator[KeyLineCandidate]:
    """`not ok`, and the `error:` of its YAML block."""
    weight = TEST - 2
    for number in page.having(("not ok ",)):
        if not re.match(r"\s*not ok \d+", page.text(number)):
            continue
        if remarks := _remarks(page, number + 1, _REMARK):
            yield KeyLineCandidate(weight, _reason_of_bats(page, number, remarks))
            yield whole(page, number, DETAIL)
            weight = TEST - 3
            continue
        for at in range(number + 1, min(number + 14, len(page.lines))):
            text = page.text(at)
            if match := re.match(r"\s+(?:error|message): (?P<said>\S.*)", text):
                block = match["said"] in ("|-", "|", ">-", ">")
                message_number = at + 1 if block else at
                part = message(page, message_number) if block else Part(at, *_unquoted(match))
                yield KeyLineCandidate(weight, (part,))
                weight = TEST - 3
                break
        yield whole(page, number, DETAIL)


def _bats(page: Page) -> Iterator[KeyLineCandidate]:
    """bats for a terminal: `✗ test`, its place in brackets, and what it printed."""
    weight = TEST - 2
    for number in page.having(("✗ ",)):
        if _CROSSED.match(page.text(number)) and _PLACE.match(page.text(number + 1)):
            yield KeyLineCandidate(weight, _reason_of_bats(page, number, _remarks(page, number + 1, _INDENTED)))
            yield whole(page, number, DETAIL)
            weight = TEST - 3


def _remarks(page: Page, first: int, form: re.Pattern[str]) -> list[Part]:
    """What bats says below a failed test, at most thirty lines, without its places."""
    found: list[Part] = []
    for at in range(first, min(first + 30, len(page.lines))):
        match = form.match(page.text(at))
        if match is None:
            break
        if not _PLACE.match(match["said"]):
            found.append(Part(at, *match.span("said")))
    return found


def _reason_of_bats(page: Page, number: int, remarks: list[Part]) -> tuple[Part, ...]:
    """The first remark that looks like an error; otherwise the test's name and the failed command."""
    texts = [(part, page.text(part.number)[part.start : part.end]) for part in remarks]
    for part, text in texts:
        if not _COMMAND.match(text) and not text.startswith("-- ") and sounds_like_error(text):
            return (part,)
    return (message(page, number), *(part for part, text in texts if _COMMAND.match(text)))


def _unquoted(match: re.Match[str]) -> tuple[int, int]:
    start, end = match.span("said")
    value = match["said"]
    return (start + 1, end - 1) if len(value) > 2 and value[0] == value[-1] and value[0] in "'\"" else (start, end)


def _below(page: Page) -> Iterator[KeyLineCandidate]:
    """Runners that announce the message on a line of its own: xunit, googletest, Catch2."""
    weight = TEST
    for number in page.having(("Error Message:", ": Failure", "FAILED:", "with expansion:")):
        text = page.text(number)
        message_number = page.next_filled(number + 1, 2)
        if message_number is None:
            continue
        if text.strip() == "Error Message:" or re.search(r"[:)] FAILED:\Z", text):
            yield whole(page, message_number, weight)
        elif re.search(r":\d+: Failure\Z", text):
            yield joined(page, _block(page, message_number), weight)
        elif text.strip() == "with expansion:":
            yield whole(page, message_number, DETAIL)
        else:
            continue
        weight = TEST - 1


def _block(page: Page, number: int) -> range:
    """The lines of a googletest message, at most five."""
    end = number
    while end < number + 5 and page.text(end).strip() and not page.text(end).startswith("["):
        end += 1
    return range(number, end)


_EXPECTED = lazy_pattern(r"\s*(?:[Ee]xpected|EXPECTED|[Ww]ant(?:ed)?)\b ?(?:value)?:? *\S.*")
_ACTUAL = lazy_pattern(r"\s*(?:[Aa]ctual|ACTUAL|[Rr]eceived|[Gg]ot|[Bb]ut was|[Ff]ound)\b ?(?:value)?\s*: *\S")


def _pairs(page: Page) -> Iterator[KeyLineCandidate]:
    """The expected value and the actual value below it, for any runner."""
    for number in page.having(("xpected", "XPECTED", "ant")):
        text, below = page.text(number), page.text(number + 1)
        if (_EXPECTED.match(text) and _ACTUAL.match(below)) or (text.endswith(" expected but was") and below):
            yield joined(page, (number, number + 1), REPORT - 5)


_SPEC_SAYS = lazy_pattern(r"\s+\[(?:FAILED|PANICKED|TIMEDOUT)\] (?!in \[|\[)(?P<said>\S.*)")
_SPEC = lazy_pattern(r"\s*\[\w+!?\] .* \[It\] \S")


def _ginkgo(page: Page) -> Iterator[KeyLineCandidate]:
    """What a failed spec says, at most five lines; otherwise its line in the summary (`[Fail] … [It] …`)."""
    weight = TEST
    for number in page.having(("[FAILED] ", "[PANICKED] ", "[TIMEDOUT] ")):
        if match := _SPEC_SAYS.match(page.text(number)):
            rest = takewhile(lambda at: not page.text(at).lstrip().startswith("In ["), _block(page, number + 1))
            yield KeyLineCandidate(weight, (Part(number, *match.span("said")), *(message(page, at) for at in rest)))
            weight = TEST - 1
    for number in page.having((" [It] ",)):
        if _SPEC.match(page.text(number)):
            yield whole(page, number, TEST - 20)


_OF_SEVERAL = lazy_pattern(
    r"(?:(?:Parent suite |Suite )?(?:setup|teardown) failed|Several failures occurred):", re.IGNORECASE
)
_COUNTED = lazy_pattern(r"\d+ tests?, |[-=]{9}")


def _message_below(heading: str, needle: str, page: Page) -> Iterator[KeyLineCandidate]:
    """The message below each heading with `needle`; below a suite's of Robot Framework there are only counts."""
    weight = TEST
    for number in page.having((needle,)):
        below = page.next_filled(number + 1, 2) if re.match(heading, page.text(number)) else None
        if below is not None and _OF_SEVERAL.fullmatch(page.text(below).strip()):
            below = page.next_filled(below + 1, 2)
        if below is not None and not _COUNTED.match(page.text(below)):
            yield whole(page, below, weight)
            weight = TEST - 1


_robot = partial(_message_below, ".", "| FAIL |")
_pest = partial(_message_below, r"\s*FAILED  \S+ > ", "FAILED  ")
TEST_RUNNERS = read_tools(
    "test_runners", _jest, _vitest, _numbered, _tap, _bats, _ginkgo, _robot, _pest, _below, _pairs
)
