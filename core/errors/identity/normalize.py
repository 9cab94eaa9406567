"""The seed's key: quoted strings, paths and long numbers masked (error-kb REQ-RA-001, DESIGN 6.1), and the masks."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.select import key_text
from core.text import MASK

LIMIT: Final = 200
"""The most code points a normalized error has (REQ-RA-001, rule 4)."""

# An apostrophe inside a word opens nothing; "word" is ASCII, so that a Korean particle may follow a closing quote.
_QUOTED = lazy_pattern(
    r"(?<![A-Za-z0-9_])(?:'[^'\n]{0,100}'|\"[^\"\n]{0,100}\")(?![A-Za-z0-9_])|‘[^‘’\n]{0,100}’|“[^“”\n]{0,100}”"
)
# `input/output`, `</div>` and a lone slash are no paths; a path ends before quotes, brackets, colon and comma.
_PATH = lazy_pattern(
    r"(?<![\w<>/\\.)\]}~])(?:(?:\.{1,2}|~)?/|(?:[A-Za-z]:|"
    r"\\)\\)[/\\]*[^\s'\"‘’“”`()\[\]{}<>:,;/\\][^\s'\"‘’“”`()\[\]{}<>:,;]*"
)
_NUMBER = lazy_pattern(r"[0-9]{2,}")
_SECRET = lazy_pattern(f"{MASK}+")
_PLACEHOLDER = lazy_pattern(r"<(?:PATH|STR|N|SECRET)>")
_LONGEST_PLACEHOLDER = len("<SECRET>")
_LONGEST_CLUSTER = 32


def normalize_error(text: str) -> str:
    """The normalized error of any output: its key line with `<STR>`, `<PATH>` and `<N>` in place of what varies.

    Quoted strings of up to 100 characters, paths, and runs of two or more ASCII digits are replaced, in this order;
    the result has at most 200 code points and no blanks around it. Idempotent. Source: error-kb REQ-RA-001.
    """
    return normalize_line(key_text(text))


def normalize_line(line: str) -> str:
    """The normalized form of a key line that is already known (REQ-RA-001)."""
    while (masked := _clipped(_masked(line)).strip()) != line:
        line = masked
    return line


def _masked(line: str) -> str:
    if MASK in line:
        line = _SECRET.sub("<SECRET>", line)
    return _NUMBER.sub("<N>", _PATH.sub("<PATH>", _QUOTED.sub("<STR>", line)))


def _clipped(line: str) -> str:
    """The first 200 code points, less a placeholder or a character cluster that the cut would split."""
    if len(line) <= LIMIT:
        return line
    cut = LIMIT
    for match in _PLACEHOLDER.finditer(line, cut - _LONGEST_PLACEHOLDER, cut + _LONGEST_PLACEHOLDER):
        if match.start() < cut < match.end():
            return line[: match.start()]
    while cut > LIMIT - _LONGEST_CLUSTER and _joined(line, cut):
        cut -= 1
    return line[:cut]


def _joined(line: str, cut: int) -> bool:
    """Whether the code points on both sides of `cut` are one character to a reader."""
    before, after = line[cut - 1], line[cut]
    if after == "\u200d" or before == "\u200d" or unicodedata.category(after) in ("Mn", "Me", "Mc"):
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True
    return "\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff" and _odd_flags(line, cut)


def _odd_flags(line: str, cut: int) -> bool:
    """Return whether an odd number of regional indicators precedes `cut`: the flag's second half follows it."""
    count = 0
    while count < cut and "\U0001f1e6" <= line[cut - count - 1] <= "\U0001f1ff":
        count += 1
    return count % 2 == 1


_MARK = re.compile(r"<(?:STR|PATH|N|SECRET)>")


class Masked(NamedTuple):
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
