"""An answer's Markdown, drawn: bold, code, lists, headings, tables. The places that were checked are marked in it.

Each stretch knows where in the answer it begins, so that a mark stands where it belongs, whatever is drawn around it.
Nothing that is said is left out but the signs of Markdown themselves, and nothing of it acts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.cells import cell_len
from textual.content import Content

from tui.render.common.glyphs import Mark, Signs
from tui.render.library.inline import Run, runs

TEXT = "$cb-text"
CODE = "$cb-soft on $cb-sunk"
_HEADING = re.compile(r" {0,3}#{1,6} +(?=\S)")
_BULLET = re.compile(r"( *)([-*+]) +(?=\S)")
_NUMBER = re.compile(r" *\d{1,9}[.)] +(?=\S)")
_QUOTE = re.compile(r" {0,3}> ?")
_FENCE = re.compile(r" {0,8}(?:```+|~~~+)[\w+#.-]{0,40} *$")
_DELIMITER = re.compile(r" *\|?(?: *:?-{1,40}:? *\|)* *:?-{1,40}:? *\|? *$")
_BAR = re.compile(r"(?<!\\)\|")
_LONGEST = 4_000
"""Code points of a line that is looked through for marks; a longer one is drawn as it stands."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A stretch of the answer, `start` to `end`, that stands out, and bears the sign."""

    start: int
    end: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class _Line:
    """One line, and where it begins."""

    at: int
    text: str

    def inline(self, start: int, tone: str, end: int | None = None) -> list[Run]:
        """A part of it with the marks inside drawn."""
        part = self.text[start:end]
        if len(part) > _LONGEST or "<!--" in part:  # no comment is left out: what was said is shown
            return [Run(self.at + start, part, tone)]
        return [_moved(_named(one, part, tone), self.at + start) for one in runs(part, tone)]


def _named(one: Run, part: str, tone: str) -> Run:
    """`__init__` is a name, and nothing bold."""
    end = one.at + len(one.text)
    if one.at < 2 or part[one.at - 2 : one.at] != "__" or part[end : end + 2] != "__":
        return one
    return Run(one.at - 2, f"__{one.text}__", tone)


def _moved(one: Run, by: int) -> Run:
    return Run(one.at + by, one.text, one.tone)


def draw_markdown(text: str, signs: Signs, marked: Sequence[Marked] = (), cells: int = 76) -> Content:
    """Inert `text` with these stretches marked, which do not overlap; a table is set in columns where it fits."""
    in_order = sorted(marked, key=lambda one: one.start)
    drawn = _lines(text, signs, cells, [one.start for one in in_order])
    lines = _with_marks(drawn, in_order) if marked else ([(one.text, one.tone) for one in line] for line in drawn)
    return Content("\n").join([Content.assemble(*parts) for parts in lines])


def _lines(text: str, signs: Signs, cells: int, starts: Sequence[int]) -> Iterator[list[Run]]:
    """The lines that are drawn, as runs; the fences around code are not. `starts`: where marks begin."""
    all_lines = list(_split(text))
    at, fenced = 0, False
    while at < len(all_lines):
        line = all_lines[at]
        if _FENCE.match(line.text) and (fenced or _closes(all_lines[at + 1 :])):
            fenced = not fenced
        elif fenced:
            yield [Run(line.at, "  ", ""), Run(line.at, line.text, CODE)]
        elif rows := _table(all_lines[at:]):
            yield from _columns(rows, signs, cells, starts)
            at += len(rows)
            continue
        else:
            yield _plain(line, signs)
        at += 1


def _split(text: str) -> Iterator[_Line]:
    at = 0
    for one in text.split("\n"):
        yield _Line(at, one)
        at += len(one) + 1


def _closes(rest: Iterable[_Line]) -> bool:
    return any(_FENCE.match(line.text) for line in rest)


def _plain(line: _Line, signs: Signs) -> list[Run]:
    """A line of no table and no code."""
    if found := _HEADING.match(line.text):
        return line.inline(found.end(), "bold $cb-accent")
    if found := _BULLET.match(line.text):
        sign = "*" if signs.plain else "•"
        return [Run(line.at, f"{found[1]}{sign} ", "$cb-accent"), *line.inline(found.end(), TEXT)]
    if found := _NUMBER.match(line.text):
        return [Run(line.at, found[0], "$cb-accent"), *line.inline(found.end(), TEXT)]
    if found := _QUOTE.match(line.text):
        return [Run(line.at, "| " if signs.plain else "│ ", "$cb-accent"), *line.inline(found.end(), "$cb-soft")]
    return line.inline(0, TEXT)


def _table(lines: Sequence[_Line]) -> Sequence[_Line]:
    """The rows of the table that begins here, its head and the line below that first; none where none does."""
    if len(lines) < 2 or "|" not in lines[0].text or "|" not in lines[1].text:
        return ()
    if not _DELIMITER.match(lines[1].text[:_LONGEST]):
        return ()
    end = next((at for at, line in enumerate(lines) if "|" not in line.text), len(lines))
    return lines[:end]


def _columns(rows: Sequence[_Line], signs: Signs, cells: int, starts: Sequence[int]) -> Iterator[list[Run]]:
    """Columns side by side where they fit, else the rows as they stand. Where signs stand before rows, the others
    leave room for one."""
    drawn = [[line.inline(start, _tone(at), end) for start, end in _cells(line.text)] for at, line in enumerate(rows)]
    shown = [(line, row) for at, (line, row) in enumerate(zip(rows, drawn, strict=True)) if at != 1]
    count = max(len(row) for _, row in shown)
    widths = [max((_width(row[at]) for _, row in shown if at < len(row)), default=0) for at in range(count)]
    signed = [any(line.at <= one <= line.at + _first(line) for one in starts) for line, _ in shown]
    fits = sum(widths) + 3 * (count - 1) <= cells - 2
    for at, (line, row) in enumerate(shown):
        if not fits:
            yield line.inline(0, _tone(at))
            continue
        parts = [Run(line.at, "  ", "")] if any(signed) and not signed[at] else []
        for column, cell in enumerate(row):
            if column:
                parts.append(Run(parts[-1].at, " | " if signs.plain else " │ ", "$cb-faint"))
            parts += cell or [Run(line.at, "", "")]
            blanks = widths[column] - _width(cell)
            parts.append(Run(parts[-1].at, " " * blanks if column < count - 1 else "", ""))
        yield parts


def _first(line: _Line) -> int:
    """Where in a row its first cell begins."""
    return next((start for start, _ in _cells(line.text)), 0)


def _tone(row: int) -> str:
    return "bold $cb-text" if row == 0 else TEXT


def _width(cell: Sequence[Run]) -> int:
    return sum(cell_len(run.text) for run in cell)


def _cells(row: str) -> Iterator[tuple[int, int]]:
    """Where each cell of a row begins and ends, without the blanks around it."""
    bars = [found.start() for found in _BAR.finditer(row)]
    first = len(row) - len(row.lstrip())
    edges = [*([-1] if not bars or bars[0] != first else []), *bars]
    if row[edges[-1] + 1 :].strip():
        edges.append(len(row))
    for before, after in pairwise(edges):
        inside = row[before + 1 : after]
        start = before + 1 + len(inside) - len(inside.lstrip())
        yield start, max(start, before + 1 + len(inside.rstrip()))


def _with_marks(lines: Iterable[list[Run]], marked: Sequence[Marked]) -> Iterator[list[tuple[str, str]]]:
    """Each line as parts; the sign of a mark stands before the first of its stretch that is drawn."""
    waiting = list(marked)
    now: Marked | None = None
    for line in lines:
        parts: list[tuple[str, str]] = []
        for run in line:
            for at, text in _pieces(run, marked):
                while waiting and waiting[0].start <= at and text:
                    now = waiting.pop(0)
                    parts.append((f"{now.mark.sign} ", now.mark.tone))
                inside = now is not None and now.start <= at < now.end
                parts.append((text, _over(run.tone, now.mark.tone) if inside and now is not None else run.tone))
        yield parts
    if waiting:
        yield [(f"{one.mark.sign} ", one.mark.tone) for one in waiting]


def _pieces(run: Run, marked: Sequence[Marked]) -> Iterator[tuple[int, str]]:
    """A run, cut where a mark begins or ends in it."""
    end = run.at + len(run.text)
    cuts = sorted({one for mark in marked for one in (mark.start, mark.end) if run.at < one < end})
    for start, stop in zip([run.at, *cuts], [*cuts, end], strict=True):
        yield start, run.text[start - run.at : stop - run.at]


def _over(tone: str, mark: str) -> str:
    """The tone of a mark, with the weight and the slant of what it marks."""
    kept = " ".join(word for word in ("bold", "italic", "strike", "underline") if word in tone.split())
    return f"{kept} {mark}".strip()
