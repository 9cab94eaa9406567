"""Lines that fit: foreign text measured in terminal cells, clipped and wrapped. Hangul and Han take two."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from core.text import visible

UNCUT = 1 << 20
"""The columns of an output that is no terminal: nothing is cut or wrapped for it."""
READABLE = 120
"""The longest line of running text on a wide terminal."""


def width(text: str) -> int:
    """The cells a text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(char: str) -> int:
    if unicodedata.east_asian_width(char) in ("W", "F"):
        return 2
    joins = "\u1160" <= char <= "\u11ff"  # vowels and finals of decomposed Hangul sit in the first sign's cells
    return 0 if joins or unicodedata.category(char) in ("Mn", "Me", "Cf") else 1


def one_line(text: str) -> str:
    """A foreign text on one line, made inert: line breaks show as `⏎`."""
    return visible(text).replace("\n", "⏎").replace("\t", " ")


def clip(text: str, cells: int) -> str:
    """A foreign text on one line of at most `cells` cells, with an ellipsis where it was cut."""
    line = one_line(text[: cells * 4 + 1])
    if width(line) <= cells and len(text) <= cells * 4 + 1:
        return line
    used, kept = 0, list[str]()
    for char in line:
        used += _cells(char)
        if used > cells - 1:
            break
        kept.append(char)
    return "".join(kept).rstrip() + "…"


def pad(text: str, cells: int) -> str:
    """`text`, clipped and filled with blanks to exactly `cells` cells."""
    line = clip(text, cells)
    return line + " " * (cells - width(line))


def counted(count: int, what: str) -> str:
    """So many of a thing: its plural unless there is one."""
    return f"{count:,} {what if count == 1 else 'fixes' if what == 'fix' else what + 's'}"


def wrap(text: str, cells: int, indent: str = "") -> Iterator[str]:
    """A foreign text made inert, its own line breaks kept, broken between words to fit `cells`, each line indented.

    Lines are at most 120 cells long on a wide terminal. Off a terminal no line is broken.
    """
    fits = cells if cells > UNCUT // 2 else min(cells, READABLE)
    room = max(10, fits - width(indent))
    for line in visible(text).split("\n"):
        yield from (indent + part for part in _broken(line.replace("\t", "    "), room))


def _broken(line: str, room: int) -> Iterator[str]:
    """Pieces of one line. Blanks stay where they are, except the one a break stands for."""
    if width(line) <= room:
        yield line
        return
    lead = line[: min(len(line) - len(line.lstrip(" ")), room // 2)]
    current, used, started = lead, len(lead), False
    for word in line[len(lead) :].split(" "):
        cells = width(word)
        if started and used + 1 + cells <= room:
            current, used = f"{current} {word}", used + 1 + cells
            continue
        if started:
            yield current
            current, used = lead, len(lead)
        *full, last = _pieces(word, room - len(lead))
        yield from (lead + piece for piece in full)
        current, used, started = lead + last, len(lead) + width(last), True
    yield current


def _pieces(word: str, room: int) -> list[str]:
    """A word too long for a line, in parts that fit."""
    parts, current, used = list[str](), list[str](), 0
    for char in word:
        cells = _cells(char)
        if current and used + cells > room:
            parts.append("".join(current))
            current, used = [], 0
        current.append(char)
        used += cells
    return [*parts, "".join(current)]
