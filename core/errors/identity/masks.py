"""What was masked: the parts of a key line that the normalized key replaced, each with the mark in its place."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARK = re.compile(r"<(?:STR|PATH|N|SECRET)>")


@dataclass(frozen=True, slots=True)
class Masked:
    """The half-open code-point span of a key line that `mark` stands for in its normalized key."""

    start: int
    end: int
    mark: str


def masked_parts(key_line: str, normalized: str) -> tuple[Masked, ...]:
    """Which parts of `key_line` the marks of `normalized` stand for, found by walking the text between them.

    Stops at the first stretch that is not there (a key that was cut, a line of another case): no part is guessed.
    """
    found: list[Masked] = []
    at = key_line.find(_MARK.split(normalized, maxsplit=1)[0].rstrip()) if normalized else -1
    if at < 0:
        return ()
    marks = list(_MARK.finditer(normalized))
    at += marks[0].start() if marks else 0
    for number, mark in enumerate(marks):
        last = number + 1 == len(marks)
        between = normalized[mark.end() :] if last else normalized[mark.end() : marks[number + 1].start()]
        end = len(key_line) if last and not between else key_line.find(between, at + 1)
        if end < 0 or at >= len(key_line):
            return tuple(found)
        found.append(Masked(at, end, mark[0]))
        at = end + len(between)
    return tuple(found)
