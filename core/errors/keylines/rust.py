"""Rust: rustc, cargo, clippy, panics."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.errors.keylines.entry import CAUSE, REPORT, TEST, WRAPPER, Found, Part, Tool, rule, whole
from core.errors.keylines.lines import Page
from core.lazy_pattern import lazy_pattern

_PANICKED = lazy_pattern(r"(?:.*\bthread '[^']{0,200}'(?: \(\d+\))? )?panicked at (?P<at>.+)", re.ASCII)
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
            yield whole(page, said, weight)
        else:
            yield Found(weight, (Part(number, match.start("at"), len(text)),))
        weight = TEST - 2


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
