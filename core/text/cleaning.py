"""The text a terminal would have shown: no escapes, no controls, no overwritten parts, NFC."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from core.base.lazy_pattern import lazy_pattern
from core.text.offsets import Edit, OffsetMap, apply
from core.text.patterns import ESCAPE, REPLACED, is_suspect
from core.text.unicode_form import is_normalized, normalized

_LINE_END = lazy_pattern(r"(?<!\r)\r++(?=\n|\Z)")
_NON_ASCII = lazy_pattern(r"[\x00-\x7f]?[^\x00-\x7f]++")


class Cleaned(NamedTuple):
    """A cleaned text and the way back: `offsets.original_span(start, end)` in code points of the original."""

    text: str
    offsets: OffsetMap


def clean(text: str, limit: int | None = None) -> str:
    """What would stand on the screen, as plain text in NFC; newlines and tabs stay.

    Escape sequences, controls, zero-width and bidi signs go; of an overwritten line (`\\r`) the last state stays;
    backspaces move back and overwrite; lone surrogates become U+FFFD. `limit` caps the code points read.
    Idempotent; linear in the length of the text.
    """
    if limit is not None:
        text = text[:limit]
    if is_suspect(text):
        text = REPLACED.sub(_stand_in, ESCAPE.sub("", text))
        if "\r" in text:
            text = "\n".join(_last_state(line) for line in _LINE_END.sub("", text).split("\n"))
        if "\b" in text:
            text = "\n".join(_overwritten(line) if "\b" in line else line for line in text.split("\n"))
    return text if text.isascii() else normalized(text)


def clean_with_offsets(text: str, limit: int | None = None) -> Cleaned:
    """The same text as `clean`, with a map from its code points to those of the original."""
    if limit is not None:
        text = text[:limit]
    layers = ()
    if is_suspect(text):
        for edits in (_escape_edits, _return_edits, _backspace_edits):
            text, layer = apply(text, edits(text))
            layers = (*layers, layer) if layer.out_starts else layers
    if not is_normalized(text):
        text, layer = apply(text, _nfc_edits(text))
        layers = (*layers, layer)
    return Cleaned(text, OffsetMap(layers))


def _stand_in(match: re.Match[str]) -> str:
    return " " if match[0] in "\u2028\u2029" else "\ufffd"


def _last_state(line: str) -> str:
    return line.rpartition("\r")[2]


def _overwritten(line: str) -> str:
    """The line after its backspaces: each moves one back, the next sign overwrites."""
    shown: list[str] = []
    at = 0
    for sign in line:
        if sign == "\b":
            at = max(0, at - 1)
            continue
        shown[at : at + 1] = sign
        at += 1
    return "".join(shown)


def _escape_edits(text: str) -> Iterator[Edit]:
    taken = 0
    for match in ESCAPE.finditer(text):
        yield from _replaced_edits(text, taken, match.start())
        yield match.start(), match.end(), ""
        taken = match.end()
    yield from _replaced_edits(text, taken, len(text))


def _replaced_edits(text: str, start: int, end: int) -> Iterator[Edit]:
    for match in REPLACED.finditer(text, start, end):
        yield match.start(), match.end(), _stand_in(match)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield start, end
        start = end + 1
    yield start, len(text)


def _return_edits(text: str) -> Iterator[Edit]:
    if "\r" not in text:
        return
    for start, end in _lines(text):
        line = text[start:end]
        shown = line.rstrip("\r")
        if last := shown.rfind("\r") + 1:
            yield start, start + last, ""
        if len(shown) < len(line):
            yield start + len(shown), end, ""


def _backspace_edits(text: str) -> Iterator[Edit]:
    if "\b" not in text:
        return
    for start, end in _lines(text):
        line = text[start:end]
        if "\b" in line:
            yield start, end, _overwritten(line)


def _nfc_edits(text: str) -> Iterator[Edit]:
    """One edit for each cluster that normalization changes."""
    for match in _NON_ASCII.finditer(text):
        run = match[0]
        wanted = normalized(run)
        if wanted == run:
            continue
        clusters = list(_clusters(run))
        if "".join(normalized(run[a:b]) for a, b in clusters) != wanted:
            clusters = [(0, len(run))]  # signs that compose across what looked like a boundary
        for a, b in clusters:
            composed = normalized(run[a:b])
            if composed != run[a:b]:
                yield match.start() + a, match.start() + b, composed


def _clusters(run: str) -> Iterator[tuple[int, int]]:
    start = 0
    for at, sign in enumerate(run):
        if at and not unicodedata.combining(sign) and not "\u1160" <= sign <= "\u11ff":
            yield start, at
            start = at
    yield start, len(run)
