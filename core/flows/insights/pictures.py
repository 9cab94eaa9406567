"""Pictures of the insights, for people to share: bars of block characters and SVG.

No absolute path, user name or secret leaves casebook in one."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, get_args

from core.base.lazy import lazy_pattern
from core.flows.insights.report import PAUSES, Insights, SessionStrip, Side, StripCell, StripMark, Worked, WorkedItem
from core.text import clean, redact

if TYPE_CHECKING:
    from core.errors.practice import Practice

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
"""Accounts of machines and containers: not personal, and words of error messages."""
_LEAST: Final = 3


def owners_in(texts: Iterable[str]) -> frozenset[str]:
    """The user names that home folders in these texts show, and that of this computer's user."""
    found = {match[1] for text in texts for match in _OWNER.finditer(text)}
    found |= {os.environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME")}
    with contextlib.suppress(RuntimeError):  # a user without a home folder
        found.add(Path.home().name)
    return frozenset(name for name in found if len(name) >= _LEAST and name.lower() not in _EVERYBODY)


def shareable(text: str, owners: frozenset[str] = frozenset()) -> str:
    """Return one line of `text`, redacted, with `<path>`, `<user>` and `<email>` for personal data."""
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

    def display(text: str) -> str:
        return shareable(text, owners)

    return Picture(
        display(picture.title),
        display(picture.scope),
        tuple(replace(row, name=display(row.name), count=display(row.count)) for row in picture.rows),
        tuple(map(display, picture.notes)),
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


_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"


def bar(value: float, most: float, cells: int, *, ascii_only: bool = False) -> str:
    """A bar of at most `cells` cells for `value`, where `most` fills them all; what is more than nothing shows."""
    if value <= 0 or most <= 0 or cells <= 0:
        return ""
    if ascii_only:
        return "#" * max(1, round(cells * min(value / most, 1)))
    eighths = max(1, round(8 * cells * min(value / most, 1)))
    full, part = divmod(eighths, 8)
    return _EIGHTHS[8] * full + (_EIGHTHS[part] if part else "")


_SIGNS: Final[dict[StripMark, tuple[str, str]]] = {"failed": ("█", "#"), "passed": ("▄", "+"), "other": ("·", ".")}


def marks_in(cells: Sequence[StripCell], width: int) -> tuple[tuple[int, int, StripMark], ...]:
    """The cells in at most `width` buckets: where each begins and ends, and its gravest mark."""
    size = max(1, -(-len(cells) // max(1, width)))
    return tuple((at, min(at + size, len(cells)), _gravest(cells[at : at + size])) for at in range(0, len(cells), size))


def sign_of(mark: StripMark, *, ascii_only: bool = False) -> str:
    """The sign of a mark, which differs without colour too."""
    return _SIGNS[mark][ascii_only]


def _gravest(cells: Iterable[StripCell]) -> StripMark:
    marks = {cell.mark for cell in cells}
    return "failed" if "failed" in marks else "passed" if "passed" in marks else "other"


View = Literal["worst", "came_back", "answers", "practice", "time", "worked"]
VIEWS: Final[tuple[View, ...]] = get_args(View)
TITLES: Final[dict[View, str]] = {
    "worst": "Worst",
    "came_back": "Recurring",
    "answers": "Answers",
    "practice": "Practice",
    "time": "Time spent",
    "worked": "Effects",
}
_ROWS: Final = 20
_MARKS: Final = 984
"""Marks of a strip in a picture; in a longer session several results share one."""
_HEIGHTS: Final[dict[StripMark, tuple[float, Tone]]] = {
    "failed": (1.0, "red"), "passed": (0.55, "green"), "other": (0.12, "dim"),
}  # fmt: skip
_LEGEND: Final = "Red: failed. Green: a check passed. Gray: other results."
_LEVELS: Final = "▁▂▃▄▅▆▇█"


def picture_of(found: Insights, view: View, scope: str) -> Picture:
    """A view of the sums; `worked` and `practice` have pictures of their own."""
    notes = (PAUSES,) if view != "answers" else ()
    if view == "answers":
        first = found.told[:_ROWS]
        rows = tuple(Row(one.told, f"{one.told:,}", f"{one.helped:,} helped", one.key_line) for one in first)
    elif view == "time":
        rows = tuple(_bar(one.minutes, one.incidents, one.tool or "other") for one in found.by_tool[:_ROWS])
    else:
        cases = found.worst if view == "worst" else found.came_back
        rows = tuple(_bar(one.minutes, one.times, one.key_line) for one in cases[:_ROWS])
    return Picture(TITLES[view], scope, rows, notes)


def picture_of_worked(found: Worked, scope: str) -> Picture:
    """Decisions with what came after them, and before."""
    rows = tuple(
        Row(one.after.times, _since(one.after), f"{one.before.times:,} before", one.name)
        if one.before is not None and one.after is not None
        else Row(0, "", "no weeks", one.name)
        for one in found.items[:_ROWS]
    )
    return Picture(TITLES["worked"], scope, rows, (found.note,))


def _since(side: Side) -> str:
    """What came after a decision; a decision without a session after it has had no chance to work."""
    return f"{side.times:,} after" if side.times or side.of_sessions else side_words(side, "")


def picture_of_practice(found: Sequence[Practice], scope: str) -> Picture:
    """What each project does about its rules and about what its environment lacks."""
    rows = tuple(Row(one.count, f"{one.count:,}", _counted(one.sessions, "session"), one.line) for one in found[:_ROWS])
    return Picture(TITLES["practice"], scope, rows)


def picture_of_session(found: SessionStrip) -> Picture:
    """A session as a strip, and the programs with their minutes in red."""
    rows = tuple(_bar(one.minutes, one.incidents, one.program) for one in found.red[:_ROWS])
    strip = tuple(Block(*_HEIGHTS[mark]) for _, _, mark in marks_in(found.cells, _MARKS))
    scope = f"{found.started[:10]} {found.project}: {session_words(found)}"
    return Picture("One session", scope, rows, (_LEGEND, PAUSES), strip)


def session_words(found: SessionStrip) -> str:
    return (
        f"{_counted(len(found.cells), 'result')}, {found.failed:,} failed, {_counted(found.passed, 'check')} passed;"
        f" {found.minutes_red:,.0f} of {found.minutes:,.0f} minutes with failures"
    )


def side_words(side: Side, what: str) -> str:
    """One side of a decision in words: `9 incidents in 7 of 40 sessions`."""
    if not side.of_sessions and not side.times:
        return "no session"
    where = f"{side.sessions:,} of {side.of_sessions:,}" if side.sessions <= side.of_sessions else f"{side.sessions:,}"
    return f"{_counted(side.times, what)} in {where} {'session' if where == '1' else 'sessions'}"


def event_of(item: WorkedItem) -> str:
    """What is counted of a decision."""
    return "incident" if item.kind == "lesson" else "correction"


def weeks_line(item: WorkedItem, *, ascii_only: bool = False) -> str:
    """A sign a week, oldest first, as high as its events; `|` is the decision, a dot a week without events."""
    most = max((max(one.before, one.after) for one in item.by_week), default=0)
    line = ""
    for one, following in zip(item.by_week, (*item.by_week[1:], None), strict=True):
        split = one.week <= item.decided[:10] and (following is None or item.decided[:10] < following.week)
        if split or item.decided[:10] >= one.week:
            line += _level(one.before, most, ascii_only=ascii_only)
        if split:
            line += "|"
        if split or item.decided[:10] < one.week:
            line += _level(one.after, most, ascii_only=ascii_only)
    return line


def _level(count: int, most: int, *, ascii_only: bool) -> str:
    if not count:
        return "." if ascii_only else "·"
    if ascii_only:
        return str(count) if count < 10 else "9"
    return _LEVELS[max(1, round(len(_LEVELS) * count / most)) - 1]


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _bar(minutes: float, times: int, name: str) -> Row:
    return Row(minutes, f"{minutes:,.0f} min", f"{times:,}×", name)
