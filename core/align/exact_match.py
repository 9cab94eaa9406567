"""Search for a quote without errors: verbatim, or in a normalized form of quote and text."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from core.align.normalized_view import View
from core.align.result import Method
from core.text.cleaning import TERMINAL

Form = Literal["plain", "normal", "folded", "letters"]
CONFIDENCE: dict[Form, float] = {"plain": 1.0, "normal": 0.99, "folded": 0.98, "letters": 0.97}
MOST_PLACES = 10_000
"""Maximum number of places of one quote. A quote with more places is not located."""
_MOST_READ = 20_000_000
"""Characters of places that are read at most: long quotes have few places, unless they overlap."""
_MARKS_KEPT = 320
_ESCAPE_REACH = 300
LEAST_LETTERS = 4
"""A quote with fewer letters and digits must match verbatim."""

_ESCAPED = re.compile(r"\\([nrt\"'\\/_*`~#\[\]()<>|{}!.+-])")
_ESCAPES = {"n": "\n", "r": "\n", "t": "\t"}
_ROLE = re.compile(r"^\s*(?:user|assistant|human|system|ai|사용자|어시스턴트|유저)\s*[:：]\s*", re.IGNORECASE)
_OPENING = "\"'“”‘’「『«`"
_CLOSING = "\"'“”‘’」』»`"


@dataclass(frozen=True, slots=True)
class ExactMatches:
    """The places of a quote in one text, in the original's code points, and the form that showed them."""

    form: Form
    spans: tuple[tuple[int, int], ...]

    @property
    def method(self) -> Method:
        return "exact" if self.form == "plain" else "normalized"

    @property
    def confidence(self) -> float:
        return CONFIDENCE[self.form]


def find(view: View, quote: View, *, loose: bool = True) -> ExactMatches | None:
    """The places of `quote`, by the first form in which there are any; only word for word where not `loose`."""
    if spans := _all(view.plain, quote.plain):
        return ExactMatches("plain", tuple(spans))
    if not loose or len(quote.letters) < LEAST_LETTERS:
        return None
    normal = quote.normal.strip(" ")
    if spans := _all(view.normal, normal, view.original_of_normal):
        return ExactMatches("normal", tuple(spans))
    if spans := _all(view.folded, quote.folded.strip(" "), view.original_of_normal):
        return ExactMatches("folded", tuple(spans))
    if spans := _all(view.letters, quote.letters, view.original_of_letters):
        whole = [span for span in spans if _on_words(view.plain, *span)]
        return ExactMatches("letters", tuple(_with_marks(view.plain, span, quote) for span in whole or spans))
    return None


def variants(quote: str) -> Iterator[str]:
    """What a quote may have been before something escaped it, put it in quotation marks, or named its speaker."""
    seen = {quote}
    for make in _READINGS:
        made = make(quote)
        if made not in seen and made.strip():
            seen.add(made)
            yield made


def _all(
    text: str, needle: str, original: Callable[[int, int], tuple[int, int]] | None = None
) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = text.find(needle) if needle else -1
    most = max(2, min(MOST_PLACES, _MOST_READ // max(1, len(needle))))
    while at >= 0 and len(found) < most:
        span = (at, at + len(needle))
        found.append(span if original is None else original(*span))
        at = text.find(needle, at + 1)
    return found


def _on_words(text: str, start: int, end: int) -> bool:
    """Whether a range begins and ends where words do."""
    cut_left = start > 0 and text[start].isalnum() and text[start - 1].isalnum() and not _ends_escape(text, start)
    cut_right = end < len(text) and text[end - 1].isalnum() and text[end].isalnum()
    return not cut_left and not cut_right


def _ends_escape(text: str, at: int) -> bool:
    """Whether a terminal's escape sequence ends right before `at`."""
    begin = max(text.rfind("\x1b", max(0, at - _ESCAPE_REACH), at), text.rfind("\x9b", max(0, at - _ESCAPE_REACH), at))
    return begin >= 0 and (found := TERMINAL.match(text, begin)) is not None and found.end() == at


def _with_marks(text: str, span: tuple[int, int], quote: View) -> tuple[int, int]:
    """Extend a range of letters by adjacent marks that the quote has there too (`## `, `**`, a full stop, …)."""
    start, end = span
    first, last = quote.original_of_letters(0, len(quote.letters))
    lead, tail = quote.plain[:first].split(), quote.plain[last:].split()
    before = _reach(text[max(0, start - _MARKS_KEPT) : start][::-1], "".join(lead)[::-1])
    after = _reach(text[end : end + _MARKS_KEPT], "".join(tail))
    return start - before, end + after


def _reach(text: str, marks: str) -> int:
    """Return how far `text` continues with `marks`. Blanks between them and other marks before one are skipped."""
    reached = at = 0
    for mark in marks:
        next_ = at
        while next_ < len(text) and text[next_] != mark and not text[next_].isalnum():
            next_ += 1
        if next_ < len(text) and text[next_] == mark:
            at = reached = next_ + 1
    return reached


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: _ESCAPES.get(match[1], match[1]), text)


def _inner(text: str) -> str:
    """Return the text within quotation marks, with at most one punctuation mark behind them; else the text itself."""
    stripped = text.strip()
    shut = stripped[:-1] if stripped[-1:] in (".", ",", ";") else stripped
    if len(shut) < 2 or shut[0] not in _OPENING or shut[-1] not in _CLOSING:
        return text
    return shut.lstrip(_OPENING).rstrip(_CLOSING)


def _spoken(text: str) -> str:
    return _ROLE.sub("", text)


def _all_at_once(text: str) -> str:
    return _inner(_spoken(_unescaped(text)))


_READINGS: tuple[Callable[[str], str], ...] = (_unescaped, html.unescape, _inner, _spoken, _all_at_once)
