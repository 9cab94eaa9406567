"""Test runners besides Python's: jest, vitest, mocha, playwright, rspec, phpunit, ExUnit, xunit, googletest and kin."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.base.lazy_pattern import lazy_pattern
from core.errors.identity.keylines.entry import (
    CAUSE,
    DETAIL,
    REPORT,
    TEST,
    WRAPPER,
    Found,
    Part,
    Tool,
    joined,
    message,
    rule,
    whole,
)
from core.errors.identity.keylines.generic import sounds_like_error
from core.errors.identity.keylines.lines import Page

_BULLET = lazy_pattern(r"\s*● (?!Console)\S.*")
_NUMBERED = lazy_pattern(r"\s*\d+\) \S.*")
_REMARK = lazy_pattern(r" {0,40}# {0,40}(?!Subtest)(?P<said>[^ ].*)")
_INDENTED = lazy_pattern(r" {1,40}(?![✓✗-] )(?P<said>[^ ].*)")
_PLACE = lazy_pattern(r"\s*(?:\((?:from|in)|from) (?:function `|test file |file ).*|\s*in test file .*line \d+\)\Z")
_CROSSED = lazy_pattern(r"\s*✗ \S")
_COMMAND = lazy_pattern(r"`.+' failed(?: with status \d+)?\Z")
_THROWN = lazy_pattern(r"\s*(?:[A-Za-z_$][\w$.]*)?(?:Error|Exception|Failure)\b(?: \[\w+\])?(?:: |:?\Z)")


def _jest(page: Page) -> Iterator[Found]:
    """The first line below each bullet; the bullet names the test."""
    weight = TEST
    for number in page.having(("● ",)):
        if not _BULLET.match(page.text(number)):
            continue
        said = page.next_filled(number + 1, 4)
        if said is not None and page.lines[said].indent > page.lines[number].indent:
            yield whole(page, said, weight)
            yield whole(page, number, DETAIL)
            weight = TEST - 1


def _vitest(page: Page) -> Iterator[Found]:
    """The error below each ` FAIL  file > test`; `→` lines when that is all there is."""
    weight = TEST
    for number in page.having((" FAIL ", "FAIL ")):
        text = page.text(number)
        if not re.match(r"\s*FAIL +\S+\.[cm]?[jt]sx?\b", text):
            continue
        said = page.next_filled(number + 1, 3)
        while said is not None and re.match(r"\s*FAIL +\S", page.text(said)):
            said = page.next_filled(said + 1, 3)
        if said is not None and not _BULLET.match(page.text(said)) and not page.lines[said].indent:
            yield whole(page, said, weight)
            weight = TEST - 1
    for number in page.having(("→ ",)):
        if match := re.match(r"\s+→ (?P<said>\S.*)", page.text(number)):
            yield Found(TEST - 20, (Part(number, *match.span("said")),))


def _numbered(page: Page) -> Iterator[Found]:
    """mocha, cypress, playwright, rspec, minitest, phpunit, ExUnit: `1) …`, and the error some lines below."""
    weight = TEST
    for number in page.having((") ",)):
        if not _NUMBERED.match(page.text(number)):
            continue
        if parts := _reason(page, number):
            yield Found(weight, parts)
            weight = TEST - 1


def _reason(page: Page, number: int) -> tuple[Part, ...]:
    """What a numbered failure says, by the first of the known forms found below its heading."""
    for at in range(number + 1, min(number + 14, len(page.lines))):
        text = page.text(at)
        said = text.strip()
        if _NUMBERED.match(text) and at > number + 1:
            return ()
        if said.startswith("Failure/Error: "):
            return _rspec(page, at)
        if re.match(r"(?:Expected:? |expected:? )", said) and re.match(
            r"\s*(?:Actual|got|to be|  Actual): ", page.text(at + 1)
        ):
            return (message(page, at), message(page, at + 1))
        if said.startswith("Message:"):
            return (message(page, at + 1),)
        if _THROWN.match(text) and not said.startswith("at "):
            return (message(page, at),)
        if re.match(
            r"(?:Failed asserting |Assertion with |Assertion failed|match \(|Expected |assert )", said
        ) and not said.endswith("Error:"):
            return (message(page, at),)
        if re.match(r"\*\* \([\w.]+\) ", said):
            return (message(page, at),)
        if re.match(r"\s+(?:Uncaught |Timeout of |expected )", text):
            return (message(page, at),)
    return ()


def _rspec(page: Page, at: int) -> tuple[Part, ...]:
    said = page.next_filled(at + 1, 3)
    if said is None:
        return (message(page, at),)
    text = page.text(said).strip()
    following = said + 1
    if re.match(r"(?:[A-Z]\w*::)*[A-Z]\w*:\Z", text) and page.text(following).strip():
        return (message(page, said), message(page, following))
    if text.startswith("expected") and re.match(r"\s*(?:got|to): ", page.text(following)):
        return (message(page, said), message(page, following))
    return (message(page, said),) if text and not text.startswith("#") else (message(page, at),)


def _tap(page: Page) -> Iterator[Found]:
    """`not ok`, and the `error:` of its YAML block."""
    weight = TEST - 2
    for number in page.having(("not ok ",)):
        if not re.match(r"\s*not ok \d+", page.text(number)):
            continue
        if remarks := _remarks(page, number + 1, _REMARK):
            yield Found(weight, _reason_of_bats(page, number, remarks))
            yield whole(page, number, DETAIL)
            weight = TEST - 3
            continue
        for at in range(number + 1, min(number + 14, len(page.lines))):
            text = page.text(at)
            if match := re.match(r"\s+(?:error|message): (?P<said>\S.*)", text):
                block = match["said"] in ("|-", "|", ">-", ">")
                said = at + 1 if block else at
                part = message(page, said) if block else Part(at, *_unquoted(match))
                yield Found(weight, (part,))
                weight = TEST - 3
                break
        yield whole(page, number, DETAIL)


def _bats(page: Page) -> Iterator[Found]:
    """bats for a terminal: `✗ test`, its place in brackets, and what it printed."""
    weight = TEST - 2
    for number in page.having(("✗ ",)):
        if _CROSSED.match(page.text(number)) and _PLACE.match(page.text(number + 1)):
            yield Found(weight, _reason_of_bats(page, number, _remarks(page, number + 1, _INDENTED)))
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
    """The first remark that sounds like an error; else the test's name and the command that failed."""
    said = [(part, page.text(part.number)[part.start : part.end]) for part in remarks]
    for part, text in said:
        if not _COMMAND.match(text) and not text.startswith("-- ") and sounds_like_error(text):
            return (part,)
    return (message(page, number), *(part for part, text in said if _COMMAND.match(text)))


def _unquoted(match: re.Match[str]) -> tuple[int, int]:
    start, end = match.span("said")
    said = match["said"]
    return (start + 1, end - 1) if len(said) > 2 and said[0] == said[-1] and said[0] in "'\"" else (start, end)


def _below(page: Page) -> Iterator[Found]:
    """Runners that announce the message on a line of its own: xunit, googletest, Catch2."""
    weight = TEST
    for number in page.having(("Error Message:", ": Failure", "FAILED:", "with expansion:")):
        text = page.text(number)
        said = page.next_filled(number + 1, 2)
        if said is None:
            continue
        if text.strip() == "Error Message:" or re.search(r"[:)] FAILED:\Z", text):
            yield whole(page, said, weight)
        elif re.search(r":\d+: Failure\Z", text):
            yield joined(page, _block(page, said), weight)
        elif text.strip() == "with expansion:":
            yield whole(page, said, DETAIL)
        else:
            continue
        weight = TEST - 1


def _block(page: Page, number: int) -> range:
    """The lines of a googletest message, at most five."""
    end = number
    while end < number + 5 and page.text(end).strip() and not page.text(end).startswith("["):
        end += 1
    return range(number, end)


_WANTED = lazy_pattern(r"\s*(?:[Ee]xpected|EXPECTED|[Ww]ant(?:ed)?)\b ?(?:value)?:? *\S.*")
_CAME = lazy_pattern(r"\s*(?:[Aa]ctual|ACTUAL|[Rr]eceived|[Gg]ot|[Bb]ut was|[Ff]ound)\b ?(?:value)?\s*: *\S")


def _pairs(page: Page) -> Iterator[Found]:
    """What was expected, and below it what came, whatever the runner."""
    for number in page.having(("xpected", "XPECTED", "ant")):
        text, below = page.text(number), page.text(number + 1)
        if (_WANTED.match(text) and _CAME.match(below)) or (text.endswith(" expected but was") and below):
            yield joined(page, (number, number + 1), REPORT - 5)


TOOLS = (
    Tool(
        "playwright",
        rules=(
            rule("config.webServer", r"(?:Error: )?Process from config\.webServer (?:was not able|exited).*", WRAPPER),
            rule("browserType.launch", r"(?:Error: )?browserType\.launch: .*", CAUSE),
        ),
    ),
    Tool("jest", signs=("● ",), find=_jest),
    Tool("vitest", signs=("FAIL ", "→ "), find=_vitest),
    Tool("mocha", signs=(") ",), find=_numbered),
    Tool("tap", signs=("not ok ",), find=_tap),
    Tool("bats", signs=("✗ ",), find=_bats),
    Tool("xunit", signs=("Error Message:", ": Failure", "FAILED:"), find=_below),
    Tool("expectation", signs=("xpected", "XPECTED", "ant"), find=_pairs),
    Tool(
        "jest",
        rules=(
            rule("thrown: ", r"thrown: .*", REPORT),
            rule("Jest: ", r"Jest: \".*", REPORT),
            rule("Test suite failed to run", r"● Test suite failed to run", WRAPPER),
        ),
    ),
)
