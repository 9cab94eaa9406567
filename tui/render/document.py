"""A document as lines: Markdown drawn or as it is written, code coloured, the searched words highlighted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.content import Content

from core.text import visible
from tui.render.common.code import LARGEST, Run, colour, fence_language, language_of
from tui.render.common.glyphs import Signs
from tui.render.common.markdown import (
    BULLET,
    DELIMITER,
    FENCE,
    HEADING,
    LONGEST,
    QUOTE,
    bullet_sign,
    cells_of,
    quote_bar,
    runs,
    set_in_columns,
    visible_line,
)
from tui.render.common.untrusted import wrap

if TYPE_CHECKING:
    from core.library.documents.opened import OpenBlock, OpenDocument
    from core.library.search.lexical import Term


_MOST: Final = 60_000  # code points that are coloured on each side of a place
_BEFORE: Final = 100_000  # code points before those that are read to find the enclosing comment or string
_CHECKED: Final = 64  # lines between two looks at whether anybody still waits


def around(opened: OpenDocument, line: int, most: int) -> tuple[int, int]:
    """The first and the last of the lines to colour around `line`: at most so many on each side."""
    if not opened.lines:
        return opened.first, opened.last
    at = min(max(0, line - opened.first), len(opened.lines) - 1)
    first, last = (_reach(opened.lines, at, by, most, _MOST) for by in (-1, 1))
    return opened.first + first, opened.first + last


def coloured_lines(
    opened: OpenDocument, first: int, last: int, check: Callable[[], None] = lambda: None
) -> dict[int, list[Run]]:
    """The lines `first` to `last` of a document in runs, by number; none where nothing is known of its language.

    `check` may end it.
    """
    language = language_of(opened.document.doc_path)
    if not language:
        return {}
    start = _beginning(opened, first - opened.first)
    texts = [visible_line(raw) for raw in opened.lines[start : last - opened.first + 1]]
    found = enumerate(colour(texts, language, check), opened.first + start)
    return {number: runs for number, runs in found if number >= first}


def _beginning(opened: OpenDocument, target: int) -> int:
    """Return the line to begin at: the first one, or if that is far, one that is neither indented nor a
    continuation."""
    lines = opened.lines
    least = _reach(lines, target, -1, len(lines), _BEFORE)
    if least == 0 and opened.first == 1:
        return 0
    likely = (at for at in range(target, least, -1) if lines[at][:1].isalpha() and not lines[at - 1].strip())
    return next(likely, least)


def _reach(lines: Sequence[str], at: int, by: int, most: int, left: int) -> int:
    """How far one gets from line `at`, up (-1) or down (1), within so many lines and code points."""
    for _ in range(most):
        left -= min(LONGEST, len(lines[at])) + 1
        if left < 0 or not 0 <= at + by < len(lines):
            break
        at += by
    return at


@dataclass(frozen=True, slots=True)
class DocLine:
    """One line of the screen: the line of the document it begins in, and whether it is the first one of that.

    `cited`: it belongs to what is cited. `is_match`: it contains a searched word. `page`: it begins that page.
    """

    number: int
    body: Content
    cited: bool = False
    is_match: bool = False
    head: bool = False
    page: int = 0


@dataclass(frozen=True, slots=True)
class Paper:
    """What lines are laid out on: so many cells for the text, the words to light, what is cited, the signs."""

    cells: int
    terms: Sequence[Term]
    cited: tuple[int, int] | None
    signs: Signs

    def is_cited(self, first: int, last: int) -> bool:
        """Whether any of these lines is."""
        return self.cited is not None and first <= self.cited[1] and last >= self.cited[0]

    def piece(
        self, text: str, runs: Sequence[Run], lines: Sequence[tuple[int, int]], lead: str = "", hang: int = 0
    ) -> Iterator[DocLine]:
        """A text in `runs` as lines of the screen; `lines`: from which offset of the source on which line it is.

        `lead` comes before the first of them, and as many blanks (and `hang` more) before the others.
        """
        from core.library.search.lexical import highlight_terms

        content = Content.assemble(*((run.text, run.tone) for run in runs))
        spans = highlight_terms(text, self.terms) if self.terms else ()
        for start, end in spans:
            content = content.stylize("bold underline $cb-accent", start, end)
        hang = min(hang, self.cells // 3)
        room = max(4, self.cells - len(lead) - (hang if cell_len(text) > self.cells - len(lead) else 0))
        for at, (start, end) in enumerate(wrap(text, room)):
            first, last = _line_at(runs, lines, start), _line_at(runs, lines, max(start, end - 1))
            before = lead if not at else " " * (len(lead) + hang)
            body = Content.styled(before, "$cb-accent") + content[start:end] if before else content[start:end]
            inside = any(one < end and other > start for one, other in spans)
            yield DocLine(first, body, self.is_cited(first, last), inside, not at)


def _line_at(runs: Sequence[Run], lines: Sequence[tuple[int, int]], at: int) -> int:
    """Return the line of the document that contains the character `at` of the drawn text."""
    if len(lines) == 1:
        return lines[0][1]
    seen, source = 0, 0
    for run in runs:
        if at < seen + len(run.text):
            source = run.at + at - seen
            break
        seen += len(run.text)
        source = run.at + len(run.text)
    return max((number for start, number in lines if start <= source), default=lines[0][1])


def verbatim(
    raw: str, number: int, paper: Paper, tone: str = "$cb-soft", lead: str = "", runs: Sequence[Run] = ()
) -> Iterator[DocLine]:
    """Yield one raw line, wrapped; `runs`: with its colours."""
    text = visible_line(raw)
    left = len(raw) - LONGEST
    more = [Run(0, f" {paper.signs.more} {left:,} more characters", "$cb-draft")] if left > 0 else []
    runs = [*(runs or [Run(0, text, tone)]), *more]
    hang = len(text) - len(text.lstrip(" ")) + 2
    yield from paper.piece("".join(run.text for run in runs), runs, [(0, number)], lead, hang)


def draw_doc_line(line: DocLine, digits: int, signs: Signs, *, at_match: bool = False) -> Content:
    """A line with its gutter: the mark of what is cited, and its number where lines are numbered (`digits`)."""
    if line.page:
        return Content.styled(f"  page {line.page:,} ".ljust(12, "-" if signs.plain else "─"), "$cb-faint")
    bar = (signs.bar if line.cited else " ", "$cb-accent")
    parts: list[tuple[str, str]] = [bar]
    if digits:
        number = f"{line.number:>{digits}} " if line.head else " " * (digits + 1)
        parts.append((number, "$cb-text" if line.cited else "$cb-faint"))
    arrow = (signs.closed if at_match else " ", "bold $cb-accent")
    return Content.assemble(*parts, arrow, line.body)


_CLOSING = re.compile(r"(?:\s+#+|\s*+\{:?\s*+[#.][^{}]*+\})\s*$")
"""What ends a heading and is none of its words: closing signs, or attributes (`{ #install }`)."""
_TASK = re.compile(r"(\[[ xX]\])\s+")
_RULE = re.compile(r"\s{0,3}([-*_])(\s*\1){2,}\s*$")
_UNDERLINE = re.compile(r"\s{0,3}(=+|-+)\s*$")
_DEEPEST = 24


def render_blocks(opened: OpenDocument, first: int, last: int, paper: Paper) -> Iterator[DocLine]:
    """The lines `first` to `last`, whole blocks."""
    at = max(first, opened.first)
    end = min(last, opened.last)
    for block in opened.blocks:
        if block.end < at or block.start > end:
            continue
        stop = min(block.end, opened.last)
        yield from _between(opened, at, block.start - 1, paper)
        start = max(block.start, opened.first)
        lines = [(number, _inert(opened.lines[number - opened.first])) for number in range(start, stop + 1)]
        yield from _block(block, lines, paper)
        at = max(at, stop + 1)
    yield from _between(opened, at, end, paper)


def _inert(raw: str) -> str:
    more = len(raw) - LONGEST
    text = visible(raw[:LONGEST]).expandtabs(4)
    return text if more <= 0 else f"{text} … {more:,} more characters"


def _between(opened: OpenDocument, first: int, last: int, paper: Paper) -> Iterator[DocLine]:
    """Yield lines of no block: frontmatter, rules, blank lines. Comments are not drawn."""
    if first == 1 and (end := _front_matter_end(opened, last)):
        yield from _front_matter(opened, end, paper)
        first = end + 1
    blank = inside = False
    for number in range(first, last + 1):
        raw, inside = _uncommented(opened.lines[number - opened.first], inside=inside)
        if not raw.strip():
            if not blank:
                yield DocLine(number, Content(""), paper.is_cited(number, number), head=True)
            blank = True
            continue
        blank = False
        if _RULE.match(raw):
            rule = ("-" if paper.signs.plain else "─") * max(1, min(40, paper.cells))
            yield DocLine(number, Content.styled(rule, "$cb-faint"), paper.is_cited(number, number), head=True)
        else:
            yield from verbatim(raw, number, paper, "$cb-dim")


_FACT = re.compile(r"(?P<name>[\w.-]{1,40}):(?:\s+(?P<value>\S.*))?$")
_LONGEST_MATTER = 60


def _front_matter_end(opened: OpenDocument, last: int) -> int:
    """The last line of the frontmatter; 0: the document does not begin with one."""
    lines = [raw.rstrip() for raw in opened.lines[: min(last, _LONGEST_MATTER)]]
    if len(lines) < 2 or lines[0] != "---" or not _FACT.match(lines[1]):
        return 0
    return next((number for number, raw in enumerate(lines[1:], 2) if raw in ("---", "...")), 0)


def _front_matter(opened: OpenDocument, end: int, paper: Paper) -> Iterator[DocLine]:
    """The frontmatter as facts: names in a column, lists without their brackets."""
    lines = [(number, visible_line(opened.lines[number - 1])) for number in range(2, end)]
    names = [found["name"] for _, text in lines if (found := _FACT.match(text))]
    column = min(16, max(map(len, names), default=0) + 2)
    for number, text in lines:
        if found := _FACT.match(text):
            value = found["value"] or ""
            value = value[1:-1] if value.startswith("[") and value.endswith("]") else value
            parts = [Run(0, f"{found['name']:<{column}}", "$cb-faint"), Run(found.start("value"), value, "$cb-dim")]
        else:
            parts = [Run(0, " " * column, ""), Run(0, text.strip(), "$cb-dim")]
        if text.strip():
            drawn = "".join(run.text for run in parts).rstrip()
            yield from paper.piece(drawn, parts, [(0, number)], hang=column)


def _uncommented(line: str, *, inside: bool) -> tuple[str, bool]:
    """Return the line without its comment, and whether a comment continues on the next line."""
    text_left = ""
    while line:
        here, mark, line = line.partition("-->" if inside else "<!--")
        text_left += "" if inside else here
        inside ^= bool(mark)
    return text_left, inside


def _all_uncommented(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    inside = False
    for number, text in lines:
        text_left, inside = _uncommented(text, inside=inside)
        yield number, text_left


def _block(block: OpenBlock, lines: Sequence[tuple[int, str]], paper: Paper) -> Iterator[DocLine]:
    match block.kind:
        case "heading":
            yield from _heading(lines, paper)
        case "code":
            yield from _code(lines, paper)
        case "list":
            yield from _list(lines, paper)
        case "quote":
            stripped = [(number, QUOTE.sub("", text)) for number, text in lines]
            yield from _paragraphs(stripped, paper, "$cb-soft", quote_bar(paper.signs))
        case "table":
            yield from _table(lines, paper)
        case _:
            if lines[0][1].lstrip().startswith("<!--"):
                lines = [(number, text) for number, text in _all_uncommented(lines) if text.strip()]
            yield from _paragraphs(lines, paper, "$cb-soft")


def _heading(lines: Sequence[tuple[int, str]], paper: Paper) -> Iterator[DocLine]:
    number, text = lines[0]
    mark = HEADING.match(text)
    level = len(mark[1]) if mark else 1 if any("=" in line for _, line in lines[1:]) else 2
    parts = [(number, _CLOSING.sub("", text[mark.end() :] if mark else text))]
    parts += [line for line in lines[1:] if not _UNDERLINE.match(line[1])]
    yield from _joined(
        parts, paper, "bold $cb-accent" if level == 1 else "bold $cb-text" if level == 2 else "bold $cb-soft"
    )


def _paragraphs(lines: Sequence[tuple[int, str]], paper: Paper, tone: str, lead: str = "") -> Iterator[DocLine]:
    """Lines that belong together become one text; a blank one parts them."""
    held: list[tuple[int, str]] = []
    for number, text in lines:
        if text.strip():
            held.append((number, text.strip()))
            if text.endswith(("  ", "\\")):
                yield from _joined(held, paper, tone, lead)
                held = []
            continue
        if held:
            yield from _joined(held, paper, tone, lead)
        held = []
        yield DocLine(number, Content.styled(lead, "$cb-accent"), paper.is_cited(number, number), head=True)
    if held:
        yield from _joined(held, paper, tone, lead)


def _joined(lines: Sequence[tuple[int, str]], paper: Paper, tone: str, lead: str = "") -> Iterator[DocLine]:
    source, starts = "", list[tuple[int, int]]()
    for number, text in lines:
        if source:
            source += " "
        starts.append((len(source), number))
        source += text
    drawn: list[Run] = runs(source, tone)
    yield from paper.piece("".join(run.text for run in drawn), drawn, starts, lead)


def _code(lines: Sequence[tuple[int, str]], paper: Paper, lead: str = "  ") -> Iterator[DocLine]:
    """Code in the colours of the language that its fence names; the fences themselves are not drawn."""
    fence = FENCE.match(lines[0][1])
    if fence is not None:
        lines = lines[1:-1] if len(lines) > 1 and FENCE.match(lines[-1][1]) else lines[1:]
    language = fence_language(fence["info"]) if fence is not None else ""
    texts = [visible_line(text) for _, text in lines]
    few = sum(map(len, texts)) <= LARGEST
    coloured = colour(texts, language) if language and few else [()] * len(texts)
    for (number, text), own in zip(lines, coloured, strict=True):
        yield from verbatim(text, number, paper, "$cb-soft", lead, own)


def _list(lines: Sequence[tuple[int, str]], paper: Paper) -> Iterator[DocLine]:
    held: list[tuple[int, str]] = []
    code: list[tuple[int, str]] = []  # what a fence holds so far, and the fence
    lead = ""
    for number, text in lines:
        fence = bool(FENCE.match(text))
        bullet = None if code else BULLET.match(text)
        if (fence or bullet or code or not text.strip()) and held:
            yield from _joined(held, paper, "$cb-soft", lead)
            held, lead = [], " " * len(lead)
        if fence or code:
            code.append((number, text))
            if fence and len(code) > 1:
                yield from _code(code, paper, "")
                code = []
        elif bullet is not None:
            task = _TASK.match(text, bullet.end())
            lead = _lead(bullet, paper) + (f"{task[1]} " if task else "")
            held = [(number, text[(task or bullet).end() :])]
        elif text.strip():
            held.append((number, text.strip()))
    if held:
        yield from _joined(held, paper, "$cb-soft", lead)
    if code:
        yield from _code(code, paper, "")


def _lead(bullet: re.Match[str], paper: Paper) -> str:
    sign = bullet["sign"]
    mark = sign if sign[0].isdigit() else bullet_sign(paper.signs)
    return f"{' ' * min(_DEEPEST, len(bullet['indent']))}{mark} "


def _table(lines: Sequence[tuple[int, str]], paper: Paper) -> Iterator[DocLine]:
    """Yield columns side by side; cells are wrapped where they do not fit, and raw lines where columns are too many."""
    rows = [(at, *line) for at, line in enumerate(lines) if at != 1 or not DELIMITER.match(line[1])]
    drawn = [
        [
            runs(text[start:end].replace("\\|", "|"), "$cb-soft" if at else "bold $cb-text")
            for start, end in cells_of(text)
        ]
        for at, _, text in rows
    ]
    aligned = set_in_columns(drawn, paper.cells, paper.signs, [0] * len(rows))
    widths = () if aligned is not None else _column_widths(drawn, paper.cells - 3 * (max(map(len, drawn)) - 1))
    for at, (_, number, text) in enumerate(rows):
        if aligned is not None:
            yield from paper.piece("".join(run.text for run in aligned[at]), aligned[at], [(0, number)])
        elif widths:
            yield from _wrapped_row(drawn[at], widths, number, paper)
        else:
            yield from verbatim(text, number, paper)


_NARROWEST: Final = 12
"""Cells below which a column is not made narrower."""


def _column_widths(rows: Sequence[Sequence[Sequence[Run]]], room: int) -> tuple[int, ...]:
    """The cells of each column within `room`: a narrow one whole, the others an equal share; none if that is small."""
    count = max(map(len, rows))
    needed = [max((cell_len(_text(row[at])) for row in rows if at < len(row)), default=0) for at in range(count)]
    widths = [0] * count
    left = list(range(count))
    while left:
        share = room // len(left)
        narrow = [at for at in left if needed[at] <= share]
        if not narrow and share < _NARROWEST:
            return ()
        for at in narrow or left:
            widths[at] = needed[at] if narrow else share
            room -= widths[at]
        left = [at for at in left if narrow and at not in narrow]
    return tuple(widths)


def _wrapped_row(cells: Sequence[Sequence[Run]], widths: Sequence[int], number: int, paper: Paper) -> Iterator[DocLine]:
    """One row of a table; each cell is wrapped in its column."""
    from core.library.search.lexical import highlight_terms

    columns: list[list[tuple[Content, bool]]] = []
    for cell, width in zip(cells, widths, strict=False):
        text = _text(cell)
        spans = highlight_terms(text, paper.terms) if paper.terms else ()
        drawn = Content.assemble(*((run.text, run.tone) for run in cell))
        for start, end in spans:
            drawn = drawn.stylize("bold underline $cb-accent", start, end)
        pieces = wrap(text, max(1, width)) if text else []
        columns.append([
            (drawn[start:end], any(one < end and other > start for one, other in spans)) for start, end in pieces
        ])  # fmt: skip
    for at in range(max(1, *map(len, columns))):
        parts: list[Content | tuple[str, str]] = []
        for column, (pieces, width) in enumerate(zip(columns, widths, strict=False)):
            piece = pieces[at][0] if at < len(pieces) else Content("")
            parts += [(f" {quote_bar(paper.signs)}", "$cb-faint")] if column else []
            parts += [piece, " " * max(0, width - piece.cell_length)]
        is_match = any(at < len(pieces) and pieces[at][1] for pieces in columns)
        yield DocLine(number, Content.assemble(*parts).rstrip(), paper.is_cited(number, number), is_match, not at)


def _text(cell: Sequence[Run]) -> str:
    return "".join(run.text for run in cell)


NO_COLOURS: Mapping[int, Sequence[Run]] = {}


def lay_out(
    opened: OpenDocument,
    first: int,
    last: int,
    paper: Paper,
    *,
    rendered: bool,
    colours: Mapping[int, Sequence[Run]] = NO_COLOURS,
    check: Callable[[], None] = lambda: None,
) -> tuple[DocLine, ...]:
    """The lines `first` to `last` of an opened document; `colours`: lines of code in runs, by number.

    Made off the interface's thread; `check` may end it.
    """
    found: list[DocLine] = []
    if rendered and opened.blocks:
        for count, line in enumerate(render_blocks(opened, first, last, paper)):
            if count % _CHECKED == 0:
                check()
            found.append(line)
        return tuple(found)
    pages = {start: page for page, start in opened.pages}
    for number in range(max(first, opened.first), min(last, opened.last, opened.length) + 1):
        if number % _CHECKED == 0:
            check()
        if number in pages:
            found.append(DocLine(number, Content(""), page=pages[number]))
        found += verbatim(opened.lines[number - opened.first], number, paper, runs=colours.get(number, ()))
    return tuple(found)
