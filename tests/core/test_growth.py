"""No reader of foreign text takes square time: steps are counted, of regular expressions and of Python, not seconds.

`bench growth` times the same readers on the same text, and longer ones.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator
from functools import cache
from types import FrameType
from typing import Final

import pytest

from tests.adversarial import ENDS, UNITS, mixed, text_of, units_of
from tests.core.patterns import Pattern, patterns
from tests.core.step_counter import StepCounter
from tests.foreign_readers import READERS, Reader

SHORT: Final = 24
LONG: Final = 72
"""Code points. Most is cleared by a short text and three times as much; only what is not is looked at for longer."""
MOST_OF_SHORT: Final = 4.5
TIMES: Final = 4
MOST_GROWTH: Final = 6.0
"""Four times the text may take so many times the steps: 4 is linear, 16 square."""
A_FEW: Final = 12
"""Steps for a code point that are nobody's loss, whatever they grow by from a short text to a longer one."""

CAPPED: Final = {
    **dict.fromkeys(
        (
            "core.align.guard.frames.korean._IF",
            "core.align.guard.frames.korean:(?:지만|는데|[,;])\\s*[^,]*(?:고|지만)",
        ),
        "360 code points before or behind a place (`sentence._REACH`)",
    ),
    **dict.fromkeys(
        (
            "core.align.guard.frames.sentence.SENTENCE_END",
            "core.align.guard.ellipsis._CLAUSE_END",
            "core.align.guard.ellipsis._KOREAN_IF",
            "core.align.guard.ellipsis._MARKED",
        ),
        "1,202 code points between two fragments of a quote (`elided._ends_of`)",
    ),
    **dict.fromkeys(
        (
            "core.errors.equivalence:(\\d+) (.+?): (.+)",
            "core.errors.equivalence:(\\w+) (\\d+)",
            "core.errors.identity.codes:(\\w+): (.+)",
        ),
        "the lines of a table that comes with casebook",
    ),
    "core.align.guard.frames.sentence._AFTER": "24 code points behind a place (`negated_outside`)",
    "core.align.guard.tokens._BEGINS": "4 code points before a word (`_token`)",
    "core.flows.ingest.case_citations._COINED": "the first 1,000 code points of a key line (`question_of`)",
    "core.library.parse.markdown._TAG": "a text up to its last `-->`: every comment in it is closed",
    "core.rules.matching.tables._ATOM": "patterns that compile: no class in them is left open",
    "core.text.secrets.scan._USER": "one option of a command (`option_spans`)",
    "core.text.secrets.prose:([A-Za-z]+)[ \\t]$": "16 code points before a name (`strength`)",
}
"""What takes square time of what it reads, and the little that it is ever given."""

READ: Final = tuple(UNITS[at] for at in range(0, len(UNITS), 11))
"""Units for the readers: a spread over all kinds."""


def test_the_counter_finds_what_the_engine_finds() -> None:
    """A counter that went other ways would count other steps."""
    rng = random.Random(26)
    for source in (
        "a+b", "(a|b)*c", "(?:a|ab)(?:c|bcd)(d*)", r"(['\"])(.*?)\1", "(?<=a)b+?(?!c)", r"\b\w+\b", "(?:x*)*c",
        "a{2,4}?b",
        "^a.*$", "(?>a+)b", "[^a]*+a", "(?i)AB+|c?", "(?m)^b?$", "(?:a(?:b|c)*){1,3}d", r"((a)|b)*\2", "(a)?b(?(1)c|d)",
    ):  # fmt: skip
        counter = StepCounter(source)
        for _ in range(300):
            text = "".join(rng.choices("abcdx'\" \n", k=rng.randint(0, 9)))
            found = re.match(source, text)
            assert counter.end_of_match(text) == (found.end() if found else None), (source, text)


def test_the_counter_sees_square_and_cubic_time() -> None:
    for source, growth in (("a+b", 16), (r"\s+\s+x", 64), ("a++b", 16), (r"(?<!a)a++b", 4), ("[ab]c", 4)):
        counter, unit = StepCounter(source), " " if "s" in source else "a"
        ratio = counter.scan(text_of(unit, 120, "", "!")) / counter.scan(text_of(unit, 30, "", "!"))
        assert 0.7 * growth < ratio < 1.3 * growth, source


def test_no_pattern_takes_square_time() -> None:
    several = mixed(24)
    slow = {one.name: worst for one in patterns() if one.name not in CAPPED and (worst := _worst(one, several))}
    assert slow == {}


def test_what_is_excused_is_there_and_needs_it() -> None:
    known = {one.name: one for one in patterns()}
    several = mixed(24)
    assert {name for name in CAPPED if name not in known or not _worst(known[name], several)} == set()


def _worst(pattern: Pattern, several: tuple[str, ...]) -> str:
    """The first unit on which the steps of a pattern grow faster than its text; empty: there is none."""
    counter = StepCounter(pattern.source, pattern.flags)
    if counter.is_short:
        return ""
    steps = counter.match if pattern.anchored else counter.scan
    kind_of = cache(counter.kind)
    seen: set[object] = set()
    for at, unit in enumerate((*UNITS, *units_of(pattern.source), *several)):
        end = ENDS[at % len(ENDS)]
        # What looks the same to the pattern takes the same steps.
        if not counter.may_begin(unit) or (kind := tuple(map(kind_of, unit + end))) in seen:
            continue
        seen.add(kind if not counter.refers else unit)
        times = 1 + SHORT // len(unit)
        if steps(unit * 3 * times + end) > MOST_OF_SHORT * steps(unit * times + end):
            times = 1 + LONG // len(unit)
            few, many = (steps(unit * count + end) for count in (times, times * TIMES))
            if many > MOST_GROWTH * few and many > A_FEW * len(unit) * times * TIMES:
                return f"{unit!r} before {end!r}: {few} steps of {times} units, {many} of {times * TIMES}"
    return ""


@pytest.fixture(autouse=True, scope="module")
def deep() -> Iterator[None]:
    """The counter goes as deep as a text is long."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.parametrize("reader", READERS, ids=lambda one: one.name)
def test_no_reader_takes_square_steps(reader: Reader) -> None:
    slow: list[str] = []
    reader.read(text_of("a b\n", 40))  # what is made once is made
    for at, unit in enumerate(READ):
        end = ENDS[at % len(ENDS)]
        for size in (80, 400):  # what begins to work at some length only looks as if it grew
            few, many = (_lines(reader, text_of(unit, length, "", end)) for length in (size, size * TIMES))
            if many <= MOST_GROWTH * few or many < A_FEW * size * TIMES:
                break
        else:
            slow.append(f"{unit!r}: {few} lines of {size} code points, {many} of {size * TIMES}")
    assert slow == []


def _lines(reader: Reader, text: str) -> int:
    """How many lines of Python run, in whatever library."""
    count = 0

    def trace(frame: FrameType, event: str, arg: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        reader.read(text)
    finally:
        sys.settrace(None)
    return count
