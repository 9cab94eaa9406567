"""Markdown drawn: inline marks, answers with their checked sentences, fixes. Nothing in it acts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.cells import cell_len
from textual.content import Content

from core.text import visible
from tui.render.common.code import Run, fence_lines, hunk_lines, language_of
from tui.render.common.glyphs import Mark, Signs

LONGEST = 4_000
"""Code points of one line that are shown."""
_MARKS = re.compile(
    r"``(?!`)[ ]?(?P<twice>[^\n]{1,400}?)[ ]?(?<!`)``(?!`)|`(?P<code>[^`]{1,400})`"
    r"|\*\*(?P<bold>[^*]{1,400})\*\*|__(?P<bold2>[^_]{1,400})__"
    r"|(?<![\w*])\*(?P<slant>[^*\s][^*]{0,400})\*(?![\w*])|(?<![\w_])_(?P<slant2>[^_\s][^_]{0,400})_(?![\w_])"
    r"|~~(?P<struck>[^~]{1,400})~~"
    r"|!\[(?P<alt>[^\]]{0,300})\]\((?P<src>[^()\s]{1,600})[^()]{0,200}\)"
    r"|\[(?P<link>[^\[\]]{1,400})\]\((?P<url>[^()\s]{0,600})[^()]{0,200}\)"
    r"|<!--(?P<comment>.{0,2000}?)-->"
    r"|</?(?P<tag>a|abbr|b|bdi|br|center|cite|code|del|details|dfn|div|em|i|ins|kbd|mark|p|q|s|samp|small|span|strong|sub"
    r"|summary|sup|u|var)\b(?:\s[^<>]{0,400})?/?>"
    r"|<(?P<auto>https?://[^<>\s]{1,600})>"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
)
CODE_GROUND = "on $cb-sunk"
_TONES = {
    "code": f"$cb-text {CODE_GROUND}", "twice": f"$cb-text {CODE_GROUND}",
    "bold": "bold $cb-text", "bold2": "bold $cb-text", "slant": "italic $cb-text",
    "slant2": "italic $cb-text", "struck": "strike $cb-dim", "link": "underline $cb-text", "auto": "underline $cb-dim",
}  # fmt: skip


def runs(text: str, tone: str) -> list[Run]:
    """Inert `text` in runs, its marks drawn; those not closed stay as they are, and no word but a comment's is lost.

    Tags of HTML's text elements (`<kbd>`) are not drawn; what they hold is."""
    found: list[Run] = []
    at = 0
    for mark in _MARKS.finditer(text):
        if mark.start() > at:
            found.append(Run(at, text[at : mark.start()], tone))
        found += _drawn(mark, tone)
        at = mark.end()
    if at < len(text):
        found.append(Run(at, text[at:], tone))
    return found


def _drawn(mark: re.Match[str], tone: str) -> list[Run]:
    kind = mark.lastgroup or ""
    if kind == "comment":
        return []
    if kind == "tag":  # of HTML's text elements; a placeholder such as `<name>` is none
        return [Run(mark.start(), " ", tone)] if mark["tag"] == "br" else []
    if kind == "src":
        return [Run(mark.start(), f"[{mark['alt'] or 'picture'}]", "italic $cb-dim"),
                Run(mark.start("src"), f" {mark['src']}", "$cb-faint")]  # fmt: skip
    if kind == "url":
        label, url, at = mark["link"], mark["url"], mark.start("url")
        label_runs = [Run(mark.start("link"), label, _TONES["link"])]
        if not url or url.startswith("#") or url.removeprefix("./") == label.strip("`"):
            return label_runs
        return [
            *label_runs,
            Run(at - 2, " (", "$cb-faint"),
            Run(at, url, "$cb-faint"),
            Run(at + len(url), ")", "$cb-faint"),
        ]
    return [Run(mark.start(kind), mark[kind], _TONES.get(kind, tone))]


def visible_line(raw: str) -> str:
    """As much of a line as is shown, inert."""
    return visible(raw[:LONGEST]).expandtabs(4)


TEXT = "$cb-text"
CODE = f"$cb-soft {CODE_GROUND}"
HEADING = re.compile(r"\s{0,3}(#{1,6})\s+")
BULLET = re.compile(r"(?P<indent>\s*)(?P<sign>[-*+]|\d{1,9}[.)])\s+")
QUOTE = re.compile(r"\s{0,3}>\s?")
FENCE = re.compile(r"\s*(?:```+|~~~+)(?P<info>[^`\n]{0,200})$")
DELIMITER = re.compile(r" *\|?(?: *:?-+:? *\|)* *:?-+:? *\|? *$")
"""The line below the head of a table."""
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Marked:
    """A part of the answer, `start` to `end`, that is emphasized and has the sign."""

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
        if len(part) > LONGEST or "<!--" in part:  # no comment is left out: what was said is shown
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
        if FENCE.match(line.text) and (fenced or any(FENCE.match(line.text) for line in all_lines[at + 1 :])):
            fenced = not fenced
        elif fenced:
            yield [Run(line.at, "  ", ""), Run(line.at, line.text, CODE)]
        elif rows := _table(all_lines[at:]):
            yield from _columns(rows, signs, cells, starts)
            at += len(rows)
            continue
        else:
            yield _line(line, signs)
        at += 1


def _split(text: str) -> Iterator[_Line]:
    at = 0
    for one in text.split("\n"):
        yield _Line(at, one)
        at += len(one) + 1


def _line(line: _Line, signs: Signs) -> list[Run]:
    """A line of no table and no code."""
    if found := HEADING.match(line.text):
        return line.inline(found.end(), "bold $cb-accent")
    if found := BULLET.match(line.text):
        lead = found[0] if found["sign"][0].isdigit() else f"{found['indent']}{bullet_sign(signs)} "
        return [Run(line.at, lead, "$cb-accent"), *line.inline(found.end(), TEXT)]
    if found := QUOTE.match(line.text):
        return [Run(line.at, quote_bar(signs), "$cb-accent"), *line.inline(found.end(), "$cb-soft")]
    return line.inline(0, TEXT)


def bullet_sign(signs: Signs) -> str:
    """The sign before an item of a list."""
    return "*" if signs.plain else "•"


def quote_bar(signs: Signs) -> str:
    """The bar before a line of a quotation, or between two columns."""
    return "| " if signs.plain else "│ "


def _table(lines: Sequence[_Line]) -> Sequence[_Line]:
    """The rows of the table that begins here, its head and the line below that first; none where none does."""
    if len(lines) < 2 or "|" not in lines[0].text or "|" not in lines[1].text:
        return ()
    if not DELIMITER.match(lines[1].text[:LONGEST]):
        return ()
    end = next((at for at, line in enumerate(lines) if "|" not in line.text), len(lines))
    return lines[:end]


def _columns(rows: Sequence[_Line], signs: Signs, cells: int, starts: Sequence[int]) -> Iterator[list[Run]]:
    """Yield columns side by side if they fit, else the raw rows. If signs precede rows, the others leave room for
    one."""
    visible = [(line, "bold $cb-text" if at == 0 else TEXT) for at, line in enumerate(rows) if at != 1]
    drawn = [[line.inline(start, tone, end) for start, end in cells_of(line.text)] for line, tone in visible]
    aligned = set_in_columns(drawn, cells - 2, signs, [line.at for line, _ in visible])
    if aligned is None:
        yield from (line.inline(0, tone) for line, tone in visible)
        return
    signed = [any(line.at <= one <= line.at + _first(line) for one in starts) for line, _ in visible]
    for (line, _), row, has_sign in zip(visible, aligned, signed, strict=True):
        yield [Run(line.at, "  ", ""), *row] if any(signed) and not has_sign else row


def set_in_columns(
    rows: Sequence[Sequence[Sequence[Run]]], room: int, signs: Signs, starts: Sequence[int]
) -> list[list[Run]] | None:
    """Each row of cells as one line, in columns of one width; None where that takes more than `room` cells.

    `starts`: where in the source each row begins.
    """
    count = max(map(len, rows))
    widths = [max((_width(row[at]) for row in rows if at < len(row)), default=0) for at in range(count)]
    if sum(widths) + 3 * (count - 1) > room:
        return None
    found: list[list[Run]] = []
    for start, row in zip(starts, rows, strict=True):
        parts: list[Run] = []
        for column, cell in enumerate(row):
            if column:
                parts.append(Run(parts[-1].at, f" {quote_bar(signs)}", "$cb-faint"))
            parts += cell or [Run(start, "", "")]
            blanks = widths[column] - _width(cell)
            parts.append(Run(parts[-1].at, " " * blanks if column < count - 1 else "", ""))
        found.append(parts)
    return found


def _first(line: _Line) -> int:
    """Where in a row its first cell begins."""
    return next((start for start, _ in cells_of(line.text)), 0)


def _width(cell: Sequence[Run]) -> int:
    return sum(cell_len(run.text) for run in cell)


def cells_of(row: str) -> Iterator[tuple[int, int]]:
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
    """Yield each line as parts; the sign of a mark precedes the first drawn part of it."""
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
    styles = " ".join(word for word in ("bold", "italic", "strike", "underline") if word in tone.split())
    return f"{styles} {mark}".strip()


_NARROW = 12
"""Cells below which a quotation is not broken by its bar."""
_FIX_MARKS = re.compile(
    r"``(?!`)[ ]?(?P<twice>[^\n]{1,300}?)[ ]?(?<!`)``(?!`)|`(?P<code>[^`\n]{1,300})`|\*\*(?P<bold>[^*\n]{1,300})\*\*"
)
r"""Commands in a fix: `*.py`, `__init__` and `\|` are literal."""


def draw_fix_markdown(text: str, width: int = 0, bar: str = "") -> Content:
    """A fix, inert, with its Markdown drawn. Marks that are not closed stay as they are; no word is lost.

    Lines of a diff, of a list and of a quotation are broken at `width` cells; 0: not known. `bar`: the prefix of
    each line of a quotation in the place of `>`."""
    lines: list[Content] = []
    code: list[str] = []
    info: str | None = None
    language = ""  # of the file that was named last
    for line in [*text.split("\n"), None]:
        fence = None if line is None else FENCE.match(line)
        if info is not None and (fence is not None or line is None):
            lines += _fenced(code, info, language, width)
            code, info = [], None
        elif fence is not None:
            info = fence["info"].strip()
        elif info is not None and line is not None:
            code.append(line)
        elif line is not None:
            codes = (one["code"] or one["twice"] or "" for one in _FIX_MARKS.finditer(line))
            if named := [found for code in codes if (found := language_of(code))]:
                language = named[0]
            quoted = bar and QUOTE.match(line)
            lines.append(_quoted(line, width, bar) if quoted else _hanging_item(line, width))
    return Content("\n").join(lines).rstrip()


def draw_marks(line: str, tone: str) -> Content:
    """An inert line of prose with its Markdown marks drawn."""
    return Content.assemble(*_fix_line(line, tone))


def _hanging_item(line: str, width: int) -> Content:
    """Return a line of no code; an item of a list that does not fit continues below its own text."""
    drawn = Content.assemble(*_fix_line(line))
    bullet = BULLET.match(line)
    room = width - bullet.end() if bullet else 0
    if bullet is None or room < _NARROW or drawn.cell_length <= width:
        return drawn
    lead = drawn[: bullet.end()]
    pieces = drawn[bullet.end() :].wrap(room)
    return Content("\n").join(
        Content.assemble(lead if not at else " " * bullet.end(), piece) for at, piece in enumerate(pieces)
    )


def _fenced(code: Sequence[str], info: str, language: str, width: int) -> list[Content]:
    """The content of a fence; `language`: that of a diff in it."""
    if info == "diff":
        return hunk_lines(code, width, language, "  ")
    return [Content.assemble("  ", line) for line in fence_lines(code, info)]


def _quoted(line: str, width: int, bar: str) -> Content:
    """Return a line of a quotation: the bar precedes each wrapped row, once for each level."""
    lead = ""
    while found := QUOTE.match(line):
        lead, line = lead + bar, line[found.end() :]
    text = Content.assemble(*_fix_line(line, "$cb-soft"))
    room = width - cell_len(lead)
    rows = text.wrap(room) if text.plain and room >= _NARROW else [text]
    return Content("\n").join(Content.assemble((lead, "$cb-accent"), row) for row in rows)


def _fix_line(line: str, tone: str = TEXT) -> Iterator[tuple[str, str]]:
    """A line of no code; its indent stays as written."""
    if heading := HEADING.match(line):
        yield line[heading.end() :], "bold $cb-text"
        return
    bullet = BULLET.match(line)
    tone, at = "$cb-soft" if QUOTE.match(line) else tone, bullet.end() if bullet else 0
    yield line[:at], "$cb-accent"
    for mark in _FIX_MARKS.finditer(line, at):
        yield line[at : mark.start()], tone
        code = mark["code"] or mark["twice"]
        yield (code, "$cb-accent") if code is not None else (mark["bold"], f"bold {tone}")
        at = mark.end()
    yield line[at:], tone
