"""What leaves casebook to be shown to others: texts without absolute paths, user names and secrets."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Final, Literal

from core.base.lazy_pattern import lazy_pattern
from core.text import clean, redact

_PATH: Final = lazy_pattern(
    r"(?<![\w.~/\\<-])(?:(?:[A-Za-z]:|~\w{0,40}+)?[/\\](?=[\w.@~-])|[A-Za-z]:[/\\]{2}(?=\w)|\\\\(?=\w))"
    r"[^\s'\"`;|&()<>,:=]{0,1000}+"
)
"""A path from a root, a drive, a share or a home folder; a path below a project stays, and so does a URL."""
_FILE_URL: Final = lazy_pattern(r"\bfile:/{1,3}[^\s'\"`;|&()<>,]{0,1000}+")
_OWNER: Final = lazy_pattern(r"(?:/home/|/Users/|[/\\]Users[/\\]+|[-]home-|[-]Users-)([\w.]{2,40}+)")
"""The name in a home folder, also where an agent wrote the folder with hyphens."""
_ADDRESS: Final = lazy_pattern(r"(?<![\w.+-])[\w.+-]{1,64}+@[\w-]{1,63}+\.[A-Za-z][\w.-]{0,100}+")
_HOSTED: Final = "git@"
_EVERYBODY: Final = frozenset(("root", "user", "home", "runner", "ubuntu", "admin", "coder", "vscode", "node", "app"))
"""Accounts of machines and containers: names of nobody, and words of error messages."""
_LEAST: Final = 3


def owners_in(texts: Iterable[str]) -> frozenset[str]:
    """The user names that home folders in these texts show, and that of this computer's user."""
    found = {match[1] for text in texts for match in _OWNER.finditer(text)}
    found |= {os.environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME")}
    with contextlib.suppress(RuntimeError):  # a user without a home folder
        found.add(Path.home().name)
    return frozenset(name for name in found if len(name) >= _LEAST and name.lower() not in _EVERYBODY)


def shareable(text: str, owners: frozenset[str] = frozenset()) -> str:
    """One line of `text`, redacted, with `<path>`, `<user>` and `<email>` for what tells whose computer it is from."""
    line = " ".join(clean(redact(text)).split())
    line = _PATH.sub("<path>", _FILE_URL.sub("<path>", line))
    line = _ADDRESS.sub(lambda found: found[0] if found[0].startswith(_HOSTED) else "<email>", line)
    for name in sorted(owners, key=len, reverse=True):
        line = re.sub(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", "<user>", line, flags=re.IGNORECASE)
    return line


Tone = Literal["text", "dim", "red", "green", "accent"]
_COLOURS: Final[dict[Tone, str]] = {
    "text": "#dfe6e9", "dim": "#8fa3ad", "red": "#e08080", "green": "#9fc48a", "accent": "#6fb3c8",
}  # fmt: skip
_BACK: Final = "#10181c"
_SUNK: Final = "#1b2930"
_WIDTH: Final = 1040
_EDGE: Final = 28
_LINE: Final = 26
_CHARACTER: Final = 7.9
"""The width of a character of 13 pixels in a monospaced font."""
_BARS: Final = 220
_STRIP_ROW: Final = 123
"""Marks of a strip in one line."""
_STRIP_HEIGHT: Final = 34


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a view: its bar's value with the number in words, how often, and what it is of."""

    value: float
    number: str
    count: str
    name: str


@dataclass(frozen=True, slots=True)
class Block:
    """A mark in a strip or in a row of weeks: how high out of 1, and its colour."""

    height: float
    tone: Tone


@dataclass(frozen=True, slots=True)
class Picture:
    """A view: its title, the scope in words, a strip if it has one, its rows, and notes below them."""

    title: str
    scope: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    strip: tuple[Block, ...] = ()


def shared(picture: Picture) -> Picture:
    """The picture without paths, user names and secrets."""
    texts = [picture.title, picture.scope, *picture.notes, *(row.name for row in picture.rows)]
    owners = owners_in(texts)

    def told(text: str) -> str:
        return shareable(text, owners)

    return Picture(
        told(picture.title),
        told(picture.scope),
        tuple(replace(row, name=told(row.name), count=told(row.count)) for row in picture.rows),
        tuple(map(told, picture.notes)),
        picture.strip,
    )


def markdown_of(picture: Picture) -> str:
    """The view as a Markdown table, without paths and user names."""
    seen = shared(picture)
    lines = [f"## {_cell(seen.title)}", "", _cell(seen.scope), "", "| cost | times | what |", "| ---: | ---: | --- |"]
    lines += [f"| {_cell(row.number)} | {_cell(row.count)} | {_cell(row.name[:200])} |" for row in seen.rows]
    lines += ["", *map(_cell, seen.notes)] if seen.notes else []
    return "\n".join(lines) + "\n"


def svg_of(picture: Picture) -> str:
    """The view as an SVG, without paths and user names. It loads nothing: the font is the reader's own."""
    seen = shared(picture)
    parts = list[str]()
    y = _EDGE + 20
    parts.append(_text(_EDGE, y, seen.title, "accent", size=20, bold=True))
    y += _LINE
    parts.append(_text(_EDGE, y, seen.scope, "dim"))
    y += 14
    for at in range(0, len(seen.strip), _STRIP_ROW):
        parts += _strip(seen.strip[at : at + _STRIP_ROW], y + 4)
        y += _STRIP_HEIGHT + 10
    most = max((row.value for row in seen.rows), default=0.0)
    for row in seen.rows:
        y += _LINE
        parts += _row(row, most, y)
    y += 10
    for note in seen.notes:
        y += _LINE - 4
        parts.append(_text(_EDGE, y, note, "dim"))
    height = y + _EDGE
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
        ' font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">'
    )
    title = f"<title>{_inert(seen.title)}</title>"
    back = f'<rect width="{_WIDTH}" height="{height}" rx="10" fill="{_BACK}"/>'
    return "\n".join((head, title, back, *parts, "</svg>")) + "\n"


def _row(row: Row, most: float, y: int) -> Iterator[str]:
    """Number, bar, count, and the line that names it."""
    yield _text(_EDGE + 80, y, row.number, "text", anchor="end")
    left, room = _EDGE + 92, _BARS
    yield f'<rect x="{left}" y="{y - 11}" width="{room}" height="14" rx="2" fill="{_SUNK}"/>'
    if row.value > 0 and most > 0:
        long = max(2.0, room * min(row.value / most, 1))
        yield f'<rect x="{left}" y="{y - 11}" width="{long:.1f}" height="14" rx="2" fill="{_COLOURS["accent"]}"/>'
    yield _text(left + room + 92, y, row.count, "dim", anchor="end")
    yield _text(left + room + 106, y, row.name, "text")


def _strip(blocks: Sequence[Block], y: int) -> Iterator[str]:
    wide = (_WIDTH - 2 * _EDGE) / _STRIP_ROW
    for at, block in enumerate(blocks):
        high = max(3.0, _STRIP_HEIGHT * block.height)
        yield (
            f'<rect x="{_EDGE + at * wide:.1f}" y="{y + _STRIP_HEIGHT - high:.1f}" width="{wide - 1.5:.1f}"'
            f' height="{high:.1f}" fill="{_COLOURS[block.tone]}"/>'
        )


def _text(x: float, y: float, text: str, tone: Tone, *, anchor: str = "", size: int = 13, bold: bool = False) -> str:
    """A line of text, cut to the room that is left of it or right of it."""
    room = x - _EDGE if anchor == "end" else _WIDTH - _EDGE - x
    most = max(1, int(room / (_CHARACTER * size / 13)))
    shown = text if len(text) <= most else f"{text[: most - 1]}…"
    more = f' text-anchor="{anchor}"' if anchor else ""
    more += f' font-size="{size}"' if size != 13 else ""
    more += ' font-weight="bold"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" fill="{_COLOURS[tone]}"{more} xml:space="preserve">{_inert(shown)}</text>'


def _inert(text: str) -> str:
    """The text as XML: controls are gone (`clean`), what else no XML may hold is replaced."""
    return escape("".join("\ufffd" if _is_no_xml(char) else char for char in text), quote=False)


def _is_no_xml(char: str) -> bool:
    return "\ud800" <= char <= "\udfff" or char in "\ufffe\uffff"


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
