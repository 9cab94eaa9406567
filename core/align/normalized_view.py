"""Normalized views of a text, each with a way back to the original's code points, and a cache of views by content.

`plain` is the text itself; `normal` has a terminal's escape sequences taken out, and compatibility forms, format
characters, quotes, dashes and blanks folded;
`folded` is that in lower case; `letters` has letters and digits only, without what a viewer or an editor puts around
them (line numbers, list marks, link targets).

NFKC alone reads `10²` as 102, `1½` as 11/2 and `20①` as 201. Here a raised run gets a `^`, a lowered one behind a
figure a `_`, a fraction behind a figure a blank, and a figure in a circle brackets. The tables are those of Unicode."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate
from typing import Final

from core.text.cleaning import TERMINAL, Edit, Layer, OffsetMap, apply, is_normalized, normalized

_RAISED_SIGNS: Final = dict(zip("⁺⁻⁼⁽⁾", "+-=()", strict=True))
_LOWERED_SIGNS: Final = dict(zip("₊₋₌₍₎", "+-=()", strict=True))
_RAISED: Final = {
    **_RAISED_SIGNS,
    **{sign: str(unicodedata.digit(sign)) for sign in "⁰¹²³⁴⁵⁶⁷⁸⁹"},
    **dict(zip("ⁱⁿᵏᵐˣ", "inkmx", strict=True)),
}
"""The letters are those of exponents; others are ordinals (`4ᵗʰ`) or marks, and stay what NFKC makes of them."""
_LOWERED: Final = {**_LOWERED_SIGNS, **{sign: str(unicodedata.digit(sign)) for sign in "₀₁₂₃₄₅₆₇₈₉"}}
_CIRCLED: Final = frozenset(map(chr, (*range(0x2460, 0x2474), 0x24EA, *range(0x3251, 0x3260), *range(0x32B1, 0x32C0))))


def plain_script(text: str, at: int) -> str:
    """What `text[at]` says in plain figures and signs, or nothing where it is no such character."""
    sign, before = text[at], text[at - 1 : at]
    if sign in _RAISED:
        return _RAISED[sign] if before in _RAISED and before else f"^{_RAISED[sign]}"
    if sign in _LOWERED:
        return f"_{_LOWERED[sign]}" if before.isdecimal() else _LOWERED[sign]
    if sign in _CIRCLED:
        return f"({unicodedata.normalize('NFKC', sign)})"
    made = unicodedata.decomposition(sign)
    if made.startswith("<fraction>"):
        blank = " " if before.isdecimal() else ""
        return blank + unicodedata.normalize("NFKC", sign).replace("\u2044", "/")
    if made.startswith("<square>") and made.endswith(("00B2", "00B3")):
        return f"{unicodedata.normalize('NFKC', sign)[:-1]}^{'2' if made.endswith('2') else '3'}"
    return ""


_BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_ONE_TO_ONE = {
    **dict.fromkeys(_BLANKS, " "),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4\u0060\u300c\u300d\uff07", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300e\u300f\uff02", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63\uff0d", "-"),
    "\u2044": "/", "\u2215": "/",
    "\u00b7": "\u30fb", "\u2022": "\u30fb", "\u318d": "\u30fb", "\u2027": "\u30fb", "\uff65": "\u30fb",
}  # fmt: skip
_IN_ASCII = {letter: sign for letter, sign in _ONE_TO_ONE.items() if letter.isascii()}
_FORMAT = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0001-\U000e007f\U000e0100-\U000e01ef"
)
_IN_LINES = {letter: sign for letter, sign in _ONE_TO_ONE.items() if letter != "\n"}
_UNSEEN = re.compile(f"[{_FORMAT}]+")
_LOOSE = re.compile(f" [ {_FORMAT}]+|[{_FORMAT}][ {_FORMAT}]*")
_RUN = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
_JAMO_TAIL = re.compile("[\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f]")
_LETTERS = re.compile(r"[^\W_]+")
AROUND = re.compile(
    r"^[ \t]{0,12}\d{1,7}(?:\u2192|\t|[ \t]*\|[ \t]|: (?=\S))"  # the line numbers of a viewer
    r"|^[ \t]*(?:[>*+\-#|]+[ \t]+)*\d{1,3}[.)][ \t]"  # the ordinal of a list
    r"|\]\((?:<[^<>\n]{1,300}>|(?:[^()\s]|\([^()\s]{0,100}\)){1,300})(?:\s\"[^\"\n]{0,100}\")?\)"  # where a link leads
    r"|^[+\-](?=[^+\-\s\d])"  # the sign of a diff
    r"|^[ \t]*\$ (?=[A-Za-z./~])"  # the prompt of a shell
    r"|(?:(?<![\w:]):[a-z][\w.:+-]{1,30}:|\{[a-z][\w.:+-]{1,30}\})(?=[`'~])(?:[`']?~[\w.]{1,100}\.)?"  # a role
    r"|[ \n]<(?:https?:[^<>\s]{1,200}|[A-Za-z_]\w{0,60}(?:\.\w{1,60}){1,9})>(?=[`'])",  # what a role names
    re.MULTILINE,
)


class View:
    """One text in its four forms; each is made when it is first asked for."""

    def __init__(self, text: str) -> None:
        self.plain = text

    @cached_property
    def _composed(self) -> tuple[str, tuple[Layer, ...]]:
        text, layers = self.plain, ()
        if "\x1b" in text or "\x9b" in text:
            text, layer = apply(text, ((m.start(), m.end(), "") for m in TERMINAL.finditer(text)))
            layers = (layer,) if layer.out_starts else ()
        if text.isascii() or is_normalized(text, "NFKC"):
            return text, layers
        text, layer = apply(text, _composing(text))
        return text, (*layers, layer)

    @cached_property
    def _normal(self) -> tuple[str, OffsetMap]:
        composed, layers = self._composed
        blanked = _folded_signs(composed)
        text, loose = apply(blanked, _loose(blanked))
        return text, OffsetMap((*layers, loose))

    @property
    def normal(self) -> str:
        return self._normal[0]

    @cached_property
    def _lines(self) -> tuple[str, Layer]:
        text = _folded_signs(self._composed[0], _IN_LINES)
        return apply(text, ((match.start(), match.end(), "") for match in _UNSEEN.finditer(text)))

    @property
    def lines(self) -> str:
        """The text as it is read: folded like `normal`, but its lines and their indents are still there."""
        return self._lines[0]

    @cached_property
    def folded(self) -> str:
        """As long as `normal`: a letter whose lower case is longer stays as it is."""
        lower = self.normal.lower()
        if len(lower) == len(self.normal):
            return lower
        return "".join(low if len(low := letter.lower()) == 1 else letter for letter in self.normal)

    @cached_property
    def _bare(self) -> tuple[str, Layer]:
        """Return the composed text without the marks around its words."""
        composed = self._composed[0]
        return apply(composed, ((m.start(), m.end(), " ") for m in AROUND.finditer(composed)))

    @cached_property
    def letters(self) -> str:
        bare = self._bare[0].lower()
        if len(bare) != len(self._bare[0]):
            bare = "".join(low if len(low := letter.lower()) == 1 else letter for letter in self._bare[0])
        return "".join(filter(str.isalnum, bare))  # what `_LETTERS` finds, joined

    @cached_property
    def _letter_runs(self) -> tuple[list[int], list[int]]:
        """Where each run of letters begins among the letters, and in the bare text."""
        runs = [match.span() for match in _LETTERS.finditer(self._bare[0])]
        begins = [0, *accumulate(end - start for start, end in runs)]
        return begins, [start for start, _ in runs]

    def original_of_normal(self, start: int, end: int) -> tuple[int, int]:
        """The original range that became `normal[start:end]` (or the same of `folded`)."""
        return self._normal[1].original_span(start, end)

    def original_of_lines(self, start: int, end: int) -> tuple[int, int]:
        """The original range that became `lines[start:end]`."""
        return OffsetMap((*self._composed[1], self._lines[1])).original_span(start, end)

    def original_of_letters(self, start: int, end: int) -> tuple[int, int]:
        """The original range that became `letters[start:end]`, which is not empty."""
        begins, places = self._letter_runs
        first, last = bisect_right(begins, start) - 1, bisect_right(begins, end - 1) - 1
        return OffsetMap((*self._composed[1], self._bare[1])).original_span(
            places[first] + start - begins[first], places[last] + end - begins[last]
        )


def _folded_signs(text: str, table: dict[str, str] = _ONE_TO_ONE) -> str:
    """Blanks, quotation marks and dashes in one form each; sign by sign, which is ten times as fast as a table."""
    pairs = (_IN_ASCII if text.isascii() else table).items()
    for letter, sign in pairs:
        if letter in text and letter in table:
            text = text.replace(letter, sign)
    return text


def _composing(text: str) -> Iterator[Edit]:
    """NFKC by cluster: a base with its marks changes together, so that every other offset stays."""
    for run in _RUN.finditer(text):
        if is_normalized(run[0], "NFKC"):
            continue
        for start, end in _clusters(run[0]):
            cluster = run[0][start:end]
            folded = plain_script(text, run.start() + start) if end - start == 1 else ""
            folded = folded or normalized(cluster, "NFKC")
            if folded != cluster:
                yield run.start() + start, run.start() + end, folded


def _clusters(run: str) -> Iterator[tuple[int, int]]:
    start = 0
    for at in range(1, len(run)):
        if not unicodedata.combining(run[at]) and not _JAMO_TAIL.match(run[at]):
            yield start, at
            start = at
    yield start, len(run)


def _loose(text: str) -> Iterator[Edit]:
    """Runs of blanks to one, format characters to none."""
    for match in _LOOSE.finditer(text):
        yield match.start(), match.end(), " " if " " in match[0] else ""


DEFAULT_BYTES = 64 << 20
_PER_CHARACTER = 16
"""Bytes that the forms of one character take, with their offsets, as measured on mixed text."""


class ViewCache:
    """The views last used. Belongs to one thread."""

    def __init__(self, most_bytes: int = DEFAULT_BYTES) -> None:
        self._most = most_bytes
        self._held = 0
        self._views: OrderedDict[bytes, View] = OrderedDict()

    def view(self, text: str) -> View:
        """The view of `text`; a text that alone is larger than the cache is not kept."""
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        found = self._views.get(key)
        if found is not None:
            self._views.move_to_end(key)
            return found
        view, size = View(text), _PER_CHARACTER * len(text)
        if size <= self._most:
            self._views[key] = view
            self._held += size
            while self._held > self._most:
                _, oldest = self._views.popitem(last=False)
                self._held -= _PER_CHARACTER * len(oldest.plain)
        return view
