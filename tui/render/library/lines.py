"""One line of a document on the screen: the words that were searched lit, what is cited marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from core.text import visible
from tui.render.common.glyphs import Signs
from tui.render.common.session import wrap
from tui.render.library.inline import Run

if TYPE_CHECKING:
    from core.library.search.lexical import Term

LONGEST = 4_000
"""Code points of one line that are shown."""


@dataclass(frozen=True, slots=True)
class DocLine:
    """One line of the screen: the line of the document it begins in, and whether it is the first one of that.

    `cited`: it belongs to what is cited. `lit`: a word that was searched stands in it. `page`: it begins that page.
    """

    number: int
    body: Content
    cited: bool = False
    lit: bool = False
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

        `lead` stands before the first of them, and as many blanks (and `hang` more) before the others.
        """
        from core.library.search.snippet import lit

        content = Content.assemble(*((run.text, run.tone) for run in runs))
        spans = lit(text, self.terms) if self.terms else ()
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
    """The line of the document on which the sign `at` of the drawn text stands."""
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


def as_shown(raw: str) -> str:
    """As much of a line as is shown, inert."""
    return visible(raw[:LONGEST]).expandtabs(4)


def verbatim(
    raw: str, number: int, paper: Paper, tone: str = "$cb-soft", lead: str = "", runs: Sequence[Run] = ()
) -> Iterator[DocLine]:
    """One line as it stands, wrapped; `runs`: it in its colours."""
    text = as_shown(raw)
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
        shown = f"{line.number:>{digits}} " if line.head else " " * (digits + 1)
        parts.append((shown, "$cb-text" if line.cited else "$cb-faint"))
    arrow = (signs.closed if at_match else " ", "bold $cb-accent")
    return Content.assemble(*parts, arrow, line.body)
