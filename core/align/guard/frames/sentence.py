"""The sentence of a place, the sentences around it, and a negation next to the place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from core.align.normalized_view import View

_REACH: Final = 360
"""Code points before and behind a place that are read."""
_ABBREVIATED: Final = r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)(?<!\bcf\.)(?<!\b[DM]r\.)(?<!\bMs\.)"
SENTENCE_END: Final = re.compile(
    rf"(?:\.{_ABBREVIATED}\.*|[!?。])[\"'”’)\]*_`]*(?=\s|$)"
    r"|\n[ \t]*(?:\n|(?=(?:[-*+#>|]|\d{1,3}[.)])[ \t]))|\s\|\s"
)
_INDENTED: Final = re.compile(r"(?: {4}|\t)[ \t]*(?![-*+>|]|\d{1,3}[.)])\S")
_LIST_LINE: Final = re.compile(r"^[ \t]*(?:[-*+>|]|\d{1,3}[.)])[ \t]")
_MARKS: Final = " \t\n\"'`*_()[]“”‘’>#|-"


@dataclass(frozen=True, slots=True)
class Context:
    """The context of a place, in `View.lines` on one line each.

    `before`, `behind`: of its own sentence; `ended`: the sign that ends it; `following`: the next sentence;
    `heading`: the line that introduces the list or section it stands in, if it ends with a colon or begins with #;
    `is_prose`: false inside a block of code.
    """

    before: str
    behind: str
    ended: str
    following: str
    heading: str
    is_prose: bool = True


def context_of(text: str, start: int, end: int) -> Context:
    """The context of `text[start:end]`; empty inside a block of code, fenced or indented, which is no prose."""
    if text.count("```", 0, start) % 2 or _INDENTED.match(text, text.rfind("\n", 0, start) + 1):
        return Context("", "", "", "", "", is_prose=False)
    left, right = ahead_of(text, start), beyond(text, end)
    head = _few(text[start : min(end, start + 8)])
    ends = [one.end() for one in SENTENCE_END.finditer(left + head) if one.start() < len(left)]
    before = left[ends[-1] :] if ends else left
    inside = _few(text[max(start, end - 3) : end]).rstrip("\"'”’)]*_`")
    if inside[-1:] in (".", "!", "?", "。") and not right[:1].isalnum():
        behind, ended, rest = "", inside[-1:], right
    elif found := SENTENCE_END.search(right):
        behind, ended, rest = right[: found.start()], found[0].strip()[:1], right[found.end() :]
    else:
        behind, ended, rest = right, "", ""
    after = SENTENCE_END.search(rest.lstrip(_MARKS))
    following = rest.lstrip(_MARKS)[: after.end() if after else None]
    return Context(_line(before), _line(behind), ended, _line(following), _heading(left))


def ahead_of(text: str, start: int) -> str:
    """What goes before a place, as far as it is read, as `View.lines`."""
    return lines_of(text[max(0, start - _REACH) : start])


def beyond(text: str, end: int) -> str:
    """What goes behind a place, as far as it is read, as `View.lines`."""
    return lines_of(text[end : end + _REACH])


@lru_cache(maxsize=32)
def lines_of(text: str) -> str:
    """`View.lines` of a text that is looked at more than once in a row."""
    return View(text).lines


def _few(text: str) -> str:
    """`View.lines` of a few code points; printable ones end a sentence just as they are."""
    return text if text.isprintable() else View(text).lines


def _line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _heading(left: str) -> str:
    """The line that introduces what follows it: through the lines of a list, and blank ones, upwards."""
    for line in reversed(left.split("\n")[:-1]):
        stripped = line.strip()
        if stripped.startswith("#") or stripped.rstrip("*_").endswith(":"):
            return stripped
        if stripped and not _LIST_LINE.match(line):
            return ""
    return ""


_BEFORE = re.compile(
    r"(?:\b(?:not|never|cannot|no longer|without|neither|nor|unable to|fails? to|failed to)|n't)"
    r"\s*['\"`*_(]*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^['\"`*_)]*\s*(?:는|은|를|을|가|이|도)?\s*(?:지(?:는|도|를)?\s*)?"
    r"(?:않|못하|못한|못했|말아|아니|아닌|아닙|없[다는음이었]|안 된|안 됩|안된)"
)
_PREFIX = re.compile(r"(?:^|[^\w])(?:un|in|im|ir|il|dis|non|비|불|미|무|부)$", re.IGNORECASE)


def negated_outside(text: str, start: int, end: int) -> str:
    """Return adjacent words that negate `text[start:end]`, or nothing. Only touching words of its sentence count."""
    before, after = text[max(0, start - 48) : start], text[end : end + 24]
    if text[start : start + 1].isalnum() and before[-1:].isalnum() and (cut := _PREFIX.search(before)):
        return cut[0].strip()
    before = re.split(r"[.!?。]\s|\n\s*\n|\n\s*[-*#>|]", before)[-1]
    if found := _BEFORE.search(before):
        return found[0].strip()
    if found := _AFTER.search(after):
        return found[0].strip()
    return ""
