"""Foreign text on its way to the screen: made inert, cut to size, its matches highlighted. Nothing else may draw it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.cells import cell_len
from textual.content import Content

from core.base.fault import Fault
from core.base.lazy import lazy_pattern
from core.base.paths import home_name
from core.text import visible
from tui.render.common.glyphs import Signs

ROW_CELLS = 1_000
"""The most cells of one list row."""

BLOCK = 65_536
"""The most code points of one wrapped text; more is one key away."""

_TITLE = 200
_FAULT = 400


def inline(text: str, cells: int = ROW_CELLS, *, more: str = "…") -> str:
    """One line of at most `cells` cells, inert; line ends and tabs become blanks, a cut is marked by `more`."""
    cells = min(cells, ROW_CELLS)
    # A cell holds at most a few code points of honest text, so the rest need not be looked at.
    head = text[: cells * 4 + 8]
    flat = visible(head).replace("\n", " ").replace("\t", " ")
    if len(head) == len(text) and cell_len(flat) <= cells:
        return flat
    return cut(flat, max(0, cells - cell_len(more))) + more if cells > 0 else ""


def title(text: str) -> str:
    """A foreign name for a border, a toast or a header: short, one line, inert."""
    return inline(text, _TITLE)


def fault_text(fault: Fault) -> str:
    """The message and the hint of a fault as sentences, inert."""
    return " ".join(_sentence(inline(part, _FAULT)) for part in (fault.message, fault.hint) if part)


def _sentence(text: str) -> str:
    """With a capital and a period. A name, a path and a command keep their form."""
    first = text.partition(" ")[0].removesuffix(":")
    if first.isalpha() and first.islower() and first != "casebook":
        text = text[:1].upper() + text[1:]
    is_command = text.startswith("casebook ") or "run: " in text.lower()
    return text if is_command or text.endswith((".", "?", "…")) else f"{text}."


_COLOURS = lazy_pattern(r"\x1b\[(?:[0-9;:]*+m|\?25[hl])|\r++(?=\n|\Z)")
"""Sequences that only color a text or hide the cursor, and carriage returns at the end of a line."""


def without_colours(text: str, start: int | None, end: int | None) -> tuple[str, int | None, int | None]:
    """The output of a program without its color sequences, and the span `start` to `end` of it moved along."""
    if "\x1b" not in text and "\r" not in text:
        return text, start, end
    removed = [match.span() for match in _COLOURS.finditer(text)]

    def moved(at: int | None) -> int | None:
        return None if at is None else at - sum(min(at, stop) - begin for begin, stop in removed if begin < at)

    return _COLOURS.sub("", text), moved(start), moved(end)


def block(text: str, limit: int = BLOCK) -> tuple[str, int]:
    """Text of several lines, inert, at most `limit` code points, and how many were left out."""
    head = text[:limit]
    return visible(head).expandtabs(4), len(text) - len(head)


def cut(text: str, cells: int) -> str:
    """The longest beginning of inert one-line `text` that fits into `cells` cells."""
    if cell_len(text) <= cells:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if cell_len(text[:middle]) <= cells:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def wrap(line: str, cells: int) -> Iterator[tuple[int, int]]:
    """The half-open parts of a line that each fit into `cells` cells, broken behind a blank where there is one."""
    at = 0
    while True:
        rest = line[at : at + 2 * cells + 8]
        if len(rest) == len(line) - at and cell_len(rest) <= cells:
            yield at, len(line)
            return
        size = max(1, len(cut(rest, cells)))
        if (blank := rest.rfind(" ", size // 2, size)) > 0:
            size = blank + 1
        yield at, at + size
        at += size
        if at >= len(line):
            return


_SHORT = 8
"""Characters of a long id on the screen; copies and details have all of it."""
_LONG = 20


def short_id(session: str) -> str:
    """The beginning of a session's id and of its agent's, or a short id whole; inert."""
    if len(session) > _LONG:
        session = "/".join(part[:_SHORT] for part in session.split("/", 1))
    return inline(session, _LONG)


def pad(text: str, cells: int) -> str:
    """`text` filled with blanks to `cells` cells."""
    return text + " " * (cells - cell_len(text))


Spans = tuple[tuple[int, int], ...]
"""Half-open ranges of code points, ordered and disjoint, as `core.errors.matched_spans` gives them."""


def tone_of(tier: str | None, signs: Signs) -> str:
    """Return the colour of a tier's matches. Browsing matches have a quiet sign, but a visible colour."""
    return "$cb-accent" if tier == "text" else signs.tier(tier).tone


def light(content: Content, spans: Spans, tone: str, size: int) -> Content:
    """Highlight `spans` in `content`, the beginning of a line of `size` code points; parts beyond it are dropped.

    A line that matched as a whole is only toned: its sign says `same case`, and underlining all of it says nothing.
    """
    length = len(content.plain)
    style = f"bold {tone}" if spans == ((0, size),) else f"bold underline {tone}"
    for start, end in spans:
        if start < length:
            content = content.stylize(style, start, min(end, length))
    return content


def in_sight(text: str, highlights: Spans, room: int, more: str) -> tuple[str, Spans]:
    """Return the text, inert, and its highlights: text between them is shortened if one would be beyond `room` cells. A
    word with several highlights appears once."""
    text = inline(text, more=more)
    first = {text[start:end].casefold(): (start, end) for start, end in reversed(highlights) if end <= len(text)}
    seen = sorted(first.values())
    if not seen or cell_len(text[: seen[-1][1]]) < room:
        return text, highlights
    words = sum(cell_len(text[start:end]) for start, end in seen)
    share = max(0, (room - words - len(more)) // len(seen) - len(more))
    out, pieces, at = "", list[tuple[int, int, int]](), 0  # what is kept: from, to, how far it has moved
    for start, end in seen:
        between = text[at:start]
        head, tail = cut(between, share * 2 // 3), cut(between[::-1], share // 3)[::-1]
        if len(head) + len(tail) + len(more) < len(between):
            pieces.append((at, at + len(head), len(out) - at))
            out += head + more
            at = start - len(tail)
        pieces.append((at, end, len(out) - at))
        out += text[at:end]
        at = end
    pieces.append((at, len(text), len(out) - at))
    spans = ((start + by, end + by) for start, end in highlights for a, z, by in pieces if a <= start and end <= z)
    return out + text[at:], tuple(spans)


def short_path(path: Path) -> str:
    """A path as one inert line of at most 80 cells, with `~` for the home folder."""
    return inline(home_name(path), 80)
