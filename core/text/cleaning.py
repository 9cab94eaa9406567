"""Foreign text made safe: what a terminal must never see is removed (`clean`) or shown one for one (`visible`).

Offsets of an edited text lead back to the original through layers of edits. Unicode is normalized in linear time, also
where thousands of marks are piled on one letter."""

from __future__ import annotations

import codecs
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final, Literal, NamedTuple

from core.base.lazy import lazy_pattern

Edit = tuple[int, int, str]
"""Half-open range of the input in code points, and its replacement."""


class Layer(NamedTuple):
    """One pass of edits: for each, where its replacement lies in the output and what it replaced in the input."""

    out_starts: tuple[int, ...]
    out_ends: tuple[int, ...]
    in_starts: tuple[int, ...]
    in_ends: tuple[int, ...]

    def start(self, position: int) -> int:
        """Input position at which the output character `position` begins."""
        edit = bisect_right(self.out_starts, position) - 1
        if edit >= 0 and self.out_starts[edit] == self.out_ends[edit] == position:
            return self.in_ends[edit]
        if edit < 0:
            return position
        if position < self.out_ends[edit]:
            return self.in_starts[edit]
        return position - self.out_ends[edit] + self.in_ends[edit]

    def end(self, position: int) -> int:
        """Input position at which the output character before `position` ends; `position` > 0."""
        edit = bisect_right(self.out_starts, position - 1) - 1
        if edit < 0:
            return position
        if position <= self.out_ends[edit]:
            return self.in_ends[edit]
        return position - self.out_ends[edit] + self.in_ends[edit]


class OffsetMap(NamedTuple):
    """Code-point offsets of an edited text, read back to the original; `layers` in the order they were applied."""

    layers: tuple[Layer, ...] = ()

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the half-open span of the original that became `start`..`end`, without adjacent removed text.

        An empty span maps to an empty one. Characters that were composed or replaced together map to all of them.
        """
        if end <= start:
            for layer in reversed(self.layers):
                start = layer.start(start)
            return start, start
        for layer in reversed(self.layers):
            start, end = layer.start(start), layer.end(end)
        return start, end


def apply(text: str, edits: Iterable[Edit]) -> tuple[str, Layer]:
    """The text after `edits` (sorted, not overlapping), and the layer that leads back."""
    pieces: list[str] = []
    rows: list[tuple[int, int, int, int]] = []
    taken = length = 0
    for start, end, replacement in edits:
        pieces.append(text[taken:start])
        length += start - taken
        rows.append((length, length + len(replacement), start, end))
        pieces.append(replacement)
        length += len(replacement)
        taken = end
    pieces.append(text[taken:])
    columns = tuple(zip(*rows, strict=True)) or ((), (), (), ())
    return "".join(pieces), Layer(*columns)


Form = Literal["NFC", "NFD", "NFKC"]

_MANY: Final = 64
"""Code points without a plain letter among them: `unicodedata` sorts the marks of one letter in square time."""

# What holds no combining mark in long runs of real text (ASCII, Latin-1, CJK, kana, Hangul) ends a run.
_PILED = lazy_pattern(
    rf"[^\x00-\u02ff\u1100-\u11ff\u2000-\u20cf\u2100-\u2bff\u3030-\u3098\u309b-\ua66e\uac00-\ud7ff]{{{_MANY},}}+"
)


_BYTE_ORDER = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",  # first: one begins as UTF-16 does
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip


def encoding_of(data: bytes) -> str:
    """The encoding of a text file: UTF-16 or UTF-32 if its byte order mark says so, else UTF-8 with or without one."""
    return next((name for mark, name in _BYTE_ORDER.items() if data.startswith(mark)), "utf-8-sig")


def normalized(text: str, form: Form = "NFC") -> str:
    """`text` in a Unicode normalization form; the same as `unicodedata.normalize`, in linear time."""
    return unicodedata.normalize(form, _sorted_marks(text, form))


def is_normalized(text: str, form: Form = "NFC") -> bool:
    """Whether `text` is in that form already; the same as `unicodedata.is_normalized`, in linear time."""
    if text.isascii():
        return True
    ordered = _sorted_marks(text, form)
    return unicodedata.is_normalized(form, text) if ordered is text else unicodedata.normalize(form, ordered) == text


def _sorted_marks(text: str, form: Form) -> str:
    """`text` with long piles of marks in the order that normalization gives them."""
    if text.isascii() or not _PILED.search(text):
        return text
    return _PILED.sub(lambda match: _ordered(match[0], form), text)


def _ordered(run: str, form: Form) -> str:
    # Apart letter by letter, marks in a stable order by class: what is left of the square work is nothing.
    decomposed = "".join(unicodedata.normalize("NFKD" if form == "NFKC" else "NFD", sign) for sign in run)
    pieces = groupby(decomposed, key=lambda sign: unicodedata.combining(sign) > 0)
    return "".join("".join(sorted(piece, key=unicodedata.combining) if marks else piece) for marks, piece in pieces)


ZERO_WIDTH: Final = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u2060-\u2065\ufeff"
"""Zero-width signs and marks of direction, as the inside of a character class."""

BIDI: Final = "\u202a-\u202e\u2066-\u206f"
"""Bidi embeddings, overrides, isolates and the deprecated format controls."""

UNSEEN: Final = "\u17b4\u17b5\ufff9-\ufffb"
"""Vowels without a glyph and interlinear annotation."""

NONCHARACTERS: Final = "\ufdd0-\ufdef\ufffe\uffff"

ASTRAL: Final = "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
"""Format controls beyond the first plane, tags, the supplementary variation selectors."""

ASTRAL_NONCHARACTERS: Final = "".join(
    f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17)
)
SURROGATES: Final = "\ud800-\udfff"

# A C1 introducer after another Latin-1 letter is a wrongly decoded UTF-8 byte, not a sequence: only the sign itself
# goes. Every body excludes what could start or end a sequence, and is possessive: no input is read twice.
_C1 = r"(?<![\x80-\xff])"
_SEQUENCES = (
    rf"(?:\x1b\[|{_C1}\x9b)[0-?]*+[ -/]*+[@-~]?"  # CSI
    r"|\x1b\][^\x07\x1b\x9c\n]*+(?:\x07|\x1b\\|\x9c)?"  # OSC, unterminated: to the end of the line
    r"|\x1b[PX^_][^\x1b\x9c\n]*+(?:\x1b\\|\x9c)?"  # DCS, SOS, PM, APC
)
TERMINAL: Final = lazy_pattern(_SEQUENCES + r"|\x1b[ -/]*+[0-~]?")
"""The sequences that tell a terminal where and how to write; what it writes stays."""
ESCAPE: Final = lazy_pattern(
    _SEQUENCES + rf"|{_C1}\x9d[^\x07\x1b\x90\x98\x9c-\x9f\n]*+(?:\x07|\x1b\\|\x9c)"
    rf"|{_C1}[\x90\x98\x9e\x9f][^\x1b\x90\x98\x9c-\x9f\n]*+(?:\x1b\\|\x9c)"
    r"|\x1b[ -/]*+[0-~]?"  # ESC x
    rf"|[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f{ZERO_WIDTH}{BIDI}{UNSEEN}{ASTRAL}]++"
)
"""What `clean` takes out. Carriage returns and backspaces are not here: they say what else goes."""

REPLACED: Final = lazy_pattern(f"[{SURROGATES}{NONCHARACTERS}{ASTRAL_NONCHARACTERS}\u2028\u2029]")
"""What `clean` replaces one for one: U+2028 and U+2029 by a space, the others by U+FFFD."""

_SPELLED = lazy_pattern(r"(?:\^\[|\\(?:x1[bB]|033|u001[bB]|e))\[[0-9;:]*+m")
_SPELLINGS: Final = ("^[[", "\\x1b[", "\\x1B[", "\\033[", "\\u001b[", "\\u001B[", "\\e[")


def without_spelled_colours(text: str) -> str:
    """`text` without the colours that `spelled_colours` finds."""
    edits = spelled_colours(text)
    return apply(text, edits)[0] if edits else text


def spelled_colours(text: str) -> tuple[Edit, ...]:
    """Edits that take out colours written as text: as `cat -v` shows them (`^[[31m`), or as a string spells them.

    `clean` leaves them, since a terminal shows them as they are, and source code means them.
    """
    if not any(spelling in text for spelling in _SPELLINGS):
        return ()
    return tuple((match.start(), match.end(), "") for match in _SPELLED.finditer(text))


_CONTROLS = "\x00-\x08\x0b-\x1f\x7f"
_FIRST_PLANE = f"{_CONTROLS}\x80-\x9f{ZERO_WIDTH}{BIDI}{UNSEEN}{SURROGATES}{NONCHARACTERS}\u2028\u2029"

SUSPECT: Final = lazy_pattern(f"[{_FIRST_PLANE}{ASTRAL}{ASTRAL_NONCHARACTERS}]")
"""Any character that `clean` and `visible` do not let pass as it is."""

# The same in three parts: a class that reaches beyond the first plane is many times slower to search.
_SUSPECT_ASCII = lazy_pattern(f"[{_CONTROLS}]")
_SUSPECT_FIRST_PLANE = lazy_pattern(f"[{_FIRST_PLANE}]")
_BEYOND = lazy_pattern("[\U00010000-\U0010ffff]")


def is_suspect(text: str) -> bool:
    """Whether `text` holds any character of `SUSPECT`."""
    if text.isascii():
        return _SUSPECT_ASCII.search(text) is not None
    if _SUSPECT_FIRST_PLANE.search(text):
        return True
    beyond = _BEYOND.search(text)
    return beyond is not None and SUSPECT.search(text, beyond.start()) is not None


# Joined emoji are one picture; anywhere else the joiner is an invisible sign.
_JOINED = lazy_pattern("(?<=[\u2194-\u3299\ufe0f\U0001f000-\U0001faff])\u200d(?=[\u2194-\u3299\U0001f000-\U0001faff])")


def visible(text: str) -> str:
    """`text` with every control and every unseen sign turned into one that shows; the length stays, so spans do.

    C0 becomes its picture (U+2400..), DEL U+2421; C1, bidi, zero-width, surrogates, noncharacters, tags and the
    Unicode line separators become U+FFFD. Newline and tab stay, and so does the joiner inside an emoji.
    """
    if not is_suspect(text):
        return text
    return SUSPECT.sub(_make_visible, text)


def unbroken(text: str) -> str:
    """`visible`, with blanks for the line separators that are no newline."""
    return visible(text).replace("\u2028", " ").replace("\u2029", " ").replace("\x85", " ")


def inert_line(text: str, most: int) -> str:
    """A text on one line, at most so many code points of it."""
    plain = " ".join(unbroken(text).split())
    return plain if len(plain) <= most else plain[:most] + "…"


def _make_visible(match: re.Match[str]) -> str:
    sign = match[0]
    if sign < " ":
        return chr(0x2400 + ord(sign))
    if sign == "\x7f":
        return "\u2421"
    if sign == "\u200d" and _JOINED.match(match.string, match.start()):
        return sign
    return "\ufffd"


_LINE_END = lazy_pattern(r"(?<!\r)\r++(?=\n|\Z)")
_NON_ASCII = lazy_pattern(r"[\x00-\x7f]?[^\x00-\x7f]++")


class Cleaned(NamedTuple):
    """A cleaned text and the way back: `offsets.original_span(start, end)` in code points of the original."""

    text: str
    offsets: OffsetMap


def clean(text: str, limit: int | None = None) -> str:
    """Return the text as the screen would show it, as plain text in NFC; newlines and tabs stay.

    Escape sequences, controls, zero-width and bidi signs go; of an overwritten line (`\\r`) the last state stays;
    backspaces move back and overwrite; lone surrogates become U+FFFD. `limit` caps the code points read.
    Idempotent; linear in the length of the text.
    """
    if limit is not None:
        text = text[:limit]
    if is_suspect(text):
        text = REPLACED.sub(_stand_in, ESCAPE.sub("", text))
        if "\r" in text:
            text = "\n".join(line.rpartition("\r")[2] for line in _LINE_END.sub("", text).split("\n"))
        if "\b" in text:
            text = "\n".join(_overwritten(line) if "\b" in line else line for line in text.split("\n"))
    return text if text.isascii() else normalized(text)


def clean_with_offsets(text: str) -> Cleaned:
    """The same text as `clean`, with a map from its code points to those of the original."""
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
        normal = normalized(run)
        if normal == run:
            continue
        clusters = list(_clusters(run))
        if "".join(normalized(run[a:b]) for a, b in clusters) != normal:
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
