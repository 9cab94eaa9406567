"""Rust: rustc, cargo, clippy, panics."""

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
    rule,
    whole,
)
from core.errors.identity.keylines.lines import Page

_PANICKED = lazy_pattern(r"(?:.*\bthread '[^']{0,200}'(?: \(\d+\))? )?panicked at (?P<at>.+)", re.ASCII)
_BARE = lazy_pattern(r"assertion `[^`]{1,200}` failed\Z")
_CRASH = lazy_pattern(r"\s*Message: +(?P<said>\S.*)")
_CAUSE = lazy_pattern(r"\s*(?P<number>\d{1,2}): (?=\S)", re.ASCII)
_OS_ERROR = lazy_pattern(r"[^():]{1,80} \(os error \d+\)\Z", re.ASCII)
_OLD = lazy_pattern(r"'(?P<said>.*)', \S+:\d+:\d+\Z", re.ASCII)


def _panics(page: Page) -> Iterator[Found]:
    """The message of a panic: on the next line since 1.73, between quotes before."""
    weight = TEST - 1
    for number in page.having(("panicked at ",)):
        text = page.text(number)
        if not (match := _PANICKED.match(text)):
            continue
        if old := _OLD.match(text, match.start("at")):
            yield Found(weight, (Part(number, *old.span("said")),))
        elif match["at"].endswith(":") and (said := page.next_filled(number + 1)) is not None:
            aftermath = "panic in a function that cannot unwind" in page.text(said)
            yield whole(page, said, DETAIL if aftermath else weight)
            if _BARE.match(page.text(said).strip()):
                # That two values differ says little; the line above says in which test, and where.
                yield Found(weight - 1, (Part(number, max(text.find("thread '"), 0), len(text.rstrip(":"))),))
        else:
            yield Found(weight, (Part(number, match.start("at"), len(text)),))
        weight = TEST - 2


def _crashes(page: Page) -> Iterator[Found]:
    """eyre's own report of a panic: `Message:` below its headline."""
    for number in page.having(("The application panicked (crashed).",)):
        said = page.next_filled(number + 1, 3)
        match = _CRASH.match(page.text(said)) if said is not None else None
        if said is not None and match:
            yield Found(TEST - 1, (Part(said, *match.span("said")),))


def _reports(page: Page) -> Iterator[Found]:
    """eyre numbers what an error came from below a bare `Error:`; the last one says why."""
    for number in page.having(("Error:\n",)):
        if page.text(number).strip() != "Error:":
            continue
        causes: list[int] = []
        for at in range(number + 1, min(number + 40, len(page.lines))):
            match = _CAUSE.match(page.text(at))
            if match and int(match["number"]) == len(causes):
                causes.append(at)
            elif not page.text(at).strip():
                break
        parts = [Part(at, match.end(), len(page.text(at))) for at in causes if (match := _CAUSE.match(page.text(at)))]
        for part in parts[:-1]:
            yield Found(REPORT + 1, (part,))
        if parts:
            # What the system says alone does not say of which file: that is what the cause above it is for.
            of_system = _OS_ERROR.match(page.text(parts[-1].number), parts[-1].start)
            yield Found(REPORT + 2, tuple(parts[-2:] if of_system else parts[-1:]))


def _diagnostics(page: Page) -> Iterator[Found]:
    """`error: …` with an arrow below is the compiler's; alone it is cargo's."""
    for number in page.having(("error: ",)):
        text = page.text(number)
        if text.startswith("error: ") and page.text(number + 1).lstrip().startswith("--> "):
            yield whole(page, number, CAUSE)


_HOLLOW = (
    r"error: (?:could not compile|aborting due to|test failed, to rerun|"
    r"\d+ targets? failed|build failed|doctest failed|"
    r"process didn't exit successfully|bench failed|some crates failed|failed to compile).*"
)

TOOLS = (
    Tool("cargo-test", rules=(rule("test result: FAILED", r"test result: FAILED.*", WRAPPER),)),
    Tool("rustfmt", rules=(rule("Diff in ", r"Diff in \S+?(?: at line \d+:?|:\d+:?)\Z", DETAIL + 2),)),
    Tool("eyre", signs=("The application panicked (crashed).",), find=_crashes),
    Tool("eyre", signs=("Error:\n",), find=_reports),
    Tool("rust-panic", signs=("panicked at ",), find=_panics),
    Tool(
        "rustc",
        rules=(rule("error[", r"error\[E\d{4}\]: .*"),),
        signs=(" --> ",),
        find=_diagnostics,
    ),
    Tool(
        "cargo",
        rules=(
            rule("error: ", _HOLLOW, WRAPPER),
            rule(
                "error: ",
                r"error: (?:no matching package|failed to (?:parse|select|load|get|run|resolve|read|"
                r"download|verify|determine)|package `|manifest|linking with|"
                r"the lock file|could not find `|no such (?:sub)?command|a bin target|"
                r"cannot find|toolchain|linker `|unable to|crate ).*",
                REPORT + 1,
            ),
            rule("has overflowed its stack", r"thread '.*' has overflowed its stack", CAUSE),
            rule("fatal runtime error: ", r"fatal runtime error: .*", REPORT),
            rule("memory allocation of ", r"memory allocation of \d+ bytes failed.*", CAUSE),
            rule("Error: ", r"Error: (?:\w+ ?\{|Os \{|ParseIntError|\w+\().*", REPORT + 1),
        ),
    ),
)
