"""The rows of cases, and the filters of their list."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import TYPE_CHECKING

from textual.content import Content

from tui.render.common.amounts import ago
from tui.render.common.empty_states import Notice
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import Spans, cut, inline, light, pad, tone_of

if TYPE_CHECKING:
    from core.errors import CaseRow, Hit, Query


_SIGNS_FROM = 8
_SEEN_FROM, _AGE_FROM, _TOOL_FROM = 24, 44, 64
_AGE, _TOOL_MOST = 4, 16
TOOL_CELLS = 9
"""The cells of the tool column, where nothing longer is known."""
_LEAD = re.compile(
    r"(?:fatal )?[Ee]rror: |ERROR: {1,4}|fatal: |Exception in thread \"[^\"\n]{1,60}\" |Uncaught "
    r"|npm (?:ERR!|error) (?:code )?|make(?:\[\d{1,3}\])?: \*\*\* "
)
"""How a key line begins that says nothing of its error: left out where the line does not fit."""
_LAST = "\U0010ffff"
_BLANKS = re.compile(r" {2,}")
_MATCH_LABELS = {"fix": "in its fix", "tag": "in its tags", "output": "in its output"}


@dataclass(frozen=True, slots=True)
class Row:
    """A case in the list. `tier` is None where nothing was searched; `hit` is the search's own word about it.

    `highlights` are the matched parts of the key line. The tier `similar` is none of the search's: such a case is only
    near in meaning, by its `similarity`, 0..1, and no answer. `team`: a fix of it came from the lessons of a team.
    `slip`: nobody can use its fix again, and nobody has decided about it.
    """

    id: int
    key_line: str
    status: str
    tool: str
    seen: int
    last_seen: str
    tier: str | None = None
    hit: Hit | None = None
    highlights: Spans = ()
    similarity: float = 0.0
    team: bool = False
    slip: bool = False

    @property
    def match_label(self) -> str:
        """Where else than in its line it has the words that were searched; blank where the line has them."""
        place = None if self.hit is None or self.tier != "text" else self.hit.place
        return "" if place is None else _MATCH_LABELS.get(place.part, "")

    @property
    def answers(self) -> bool:
        """Whether it is an answer to what was searched: nothing else may pass for one, or counts as a use."""
        return self.hit is not None and self.hit.accepted

    @property
    def has_words(self) -> bool:
        """Whether one of its errors has every word that was searched, or is the very error."""
        if self.hit is None or self.hit.place is None:
            return False
        from core.errors.retrieval.match_location import standing

        return standing(self.hit).error != "like"

    @property
    def rank(self) -> int:
        """Where it belongs in a list: an answer, this very error, every word, similar, some of the words."""
        from core.errors.retrieval.match_location import search_rank

        return search_rank(self.hit, is_similar=self.tier == "similar")

    @property
    def is_exact_answer(self) -> bool:
        """Whether an error of it is what was searched, word for word, and its fix is known."""
        if self.hit is None or self.hit.place is None:
            return False
        from core.errors.retrieval.match_location import is_exact_answer

        return is_exact_answer(self.hit)


def row_of(case: CaseRow, hit: Hit | None = None, query: Query | None = None) -> Row:
    """The row of a case; for a hit, with its tier, the key line that it matched by, and where."""
    key_line = case.key_line if hit is None or not hit.key_line else hit.key_line
    tier = None if hit is None else hit.tier
    highlights: Spans = ()
    if hit is not None and query is not None:
        from core.errors import matched_spans

        highlights = matched_spans(replace(hit, key_line=key_line), query)
    of_team = case.origin == "team"
    return Row(
        case.id, key_line, case.status, case.tool, case.seen, case.last_seen, tier, hit, highlights, team=of_team,
        slip=case.worth == "slip" and case.status in ("unresolved", "draft"),
    )  # fmt: skip


def near_row(case: CaseRow, similarity: float, miss: Hit | None, query: Query) -> Row:
    """The row of a case that is only similar; `miss`: what the vector tier said of it, if it looked closely."""
    return replace(row_of(case, miss, query), tier="similar", similarity=similarity)


def similar_row(row: Row, words: Row) -> Row:
    """The row of a case that is only alike, as one of its errors that has the words: its tier and what it says stay."""
    if words.hit is None or row.answers or row.has_words:
        return row
    from core.errors.retrieval.match_location import with_words

    hit = words.hit if row.hit is None else with_words(row.hit, words.hit)
    return replace(row, key_line=words.key_line, highlights=words.highlights, hit=hit)


def draw_row(
    row: Row,
    width: int,
    signs: Signs,
    now: datetime,
    *,
    chosen: bool = False,
    lines: Sequence[str] = (),
    numbered: bool = False,
    tool: int = TOOL_CELLS,
) -> Content:
    """The row in exactly `width` cells: what does not fit is left out, the least telling first.

    Tool and age are columns; how often it was seen takes room only if it is more than once. `lines`: those of
    the list (`list_lines`), so that rows with the same beginning differ; `numbered`: with the number of the case;
    `tool`: the cells of the tool column.
    """
    if width < _SIGNS_FROM:
        return Content(pad(inline(row.key_line, width), max(0, width)))
    parts: list[tuple[str, str]] = [(signs.bar if chosen else " ", "$cb-accent")]
    if row.tier is not None:
        tier = signs.tier(row.tier)
        parts.append((f"{tier.sign} ", f"bold {tier.tone}"))
    status = signs.status(row.status)
    parts.append((f"{status.sign} ", status.tone))
    tail: list[tuple[str, str]] = []
    if width >= _AGE_FROM and row.match_label:
        tail.append((f" {row.match_label}", "$cb-accent"))
    if width >= _SEEN_FROM and numbered:
        tail.append((f" #{row.id}", "$cb-accent"))
    if width >= _AGE_FROM and row.team:
        tail.append((" team", "$cb-soft"))
    if width >= _SEEN_FROM and row.seen > 1:
        tail.append((" " + _count_text(row.seen, signs), "$cb-dim"))
    if width >= _TOOL_FROM:
        tool_name = "" if row.tool == "unknown" else inline(row.tool, tool, more=signs.more)
        tail.append(("  " + pad(tool_name, tool), "$cb-faint"))
    if width >= _AGE_FROM:
        tail.append((ago(row.last_seen, now).rjust(_AGE + 1) + " ", "$cb-dim"))
    room = width - sum(_cells(text) for text, _ in (*parts, *tail))
    tone = "$cb-text bold" if chosen else "$cb-dim" if row.slip else "$cb-text"
    key_line, highlights = short_line(row.key_line, room, row.highlights)
    key_line, highlights = distinct_line(key_line, highlights, lines, room, signs.more)
    line = Content.styled(pad(inline(key_line, room, more=signs.more), room), tone)
    return Content.assemble(*parts, light(line, highlights, tone_of(row.tier, signs), len(key_line)), *tail)


def short_line(key_line: str, room: int, highlights: Spans = ()) -> tuple[str, Spans]:
    """Return a key line as a row shows it, and its matches: runs of blanks as one, and where it does not fit in `room`
    cells, without the beginning that says nothing of its error."""
    for run in reversed([*_BLANKS.finditer(key_line)]):
        key_line, highlights = (
            key_line[: run.start() + 1] + key_line[run.end() :],
            _moved(highlights, run.start() + 1, run.end()),
        )
    lead = _LEAD.match(key_line)
    if lead is None or _cells(key_line) <= room:
        return key_line, highlights
    return key_line[lead.end() :], _moved(highlights, 0, lead.end())


def _moved(spans: Spans, start: int, end: int) -> Spans:
    """The spans of a text from which the half-open part was taken; none is left of what lay in it."""
    by = end - start
    moved = ((at if at <= start else max(start, at - by) for at in span) for span in spans)
    return tuple((begin, stop) for begin, stop in moved if begin < stop)


def tool_cells(rows: Iterable[Row]) -> int:
    """The cells that the tool column needs for these rows, within bounds."""
    return max(TOOL_CELLS, min(_TOOL_MOST, max((_cells(row.tool) for row in rows), default=0)))


def draw_unread(width: int, signs: Signs) -> Content:
    """A row that is not read yet: a quiet sign, and no motion."""
    return Content.assemble((f"   {signs.unread}", "$cb-faint")) if width >= 4 else Content("")


def _count_text(count: int, signs: Signs) -> str:
    if count < 1_000:
        return f"{signs.times}{count}"
    return f"{signs.times}{count // 1000}k" if count < 1_000_000 else f"{signs.times}{count // 1_000_000}M"


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def list_lines(rows: Iterable[Row]) -> list[str]:
    """The short key lines of rows, sorted: lines with the same beginning are neighbours."""
    return sorted(short_line(row.key_line, 0)[0] for row in rows)


def distinct_line(line: str, highlights: Spans, lines: Sequence[str], room: int, more: str) -> tuple[str, Spans]:
    """Return the line and its matches. If others of the sorted `lines` look the same in `room` cells, the middle of
    what they share is left out: the beginning names the error, the rest differs."""
    drawn = inline(line, room, more=more)
    if not lines or not drawn.endswith(more):
        return line, highlights
    head = line[: len(drawn) - len(more)]
    alike = lines[bisect_left(lines, head) : bisect_right(lines, head + _LAST)]
    if all(one == line for one in alike):
        return line, highlights
    same = sum(1 for _ in takewhile(lambda chars: len({*chars}) == 1, zip(line, alike[0], alike[-1], strict=False)))
    start_cells = len(cut(head, room // 3))
    word = line.rfind(" ", 0, same) + 1
    at = word if same - word <= room // 2 else same - room // 4
    fits = len(
        cut(line[::-1], room - _cells(line[:start_cells] + more))
    )  # no room is left blank behind the end of the line
    at = min(at, len(line) - fits)
    if at <= start_cells + len(more):
        return line, highlights
    short = line[:start_cells] + more + line[at:]
    if highlights == ((0, len(line)),):
        return short, ((0, len(short)),)
    by = at - start_cells - len(more)
    before, behind = (
        (span for span in highlights if span[1] <= start_cells),
        (span for span in highlights if span[0] >= at),
    )
    return short, (*before, *((start - by, end - by) for start, end in behind))


_CHIP = 24
_KIND, _VALUE, _COUNT = 8, 30, 8
KIND_NAMES = {
    "status": "status", "worth": "reuse", "period": "seen", "tool": "tool", "project": "project", "tag": "tag",
}  # fmt: skip
WORTH_NAMES = {"general": "any project", "project": "its own project", "slip": "none"}
"""Who can use a fix again, as the filter says it."""


def draw_title(name: str, picked: Sequence[tuple[str, str]], signs: Signs) -> Content:
    """The list's title, and a chip for each filter that is on."""
    parts: list[tuple[str, str] | str] = [name]
    for kind, value in picked:
        parts += [" ", (f" {_chip(kind, value, signs)} ", "$cb-text on $cb-cursor")]
    return Content.assemble(*parts)


def _chip(kind: str, value: str, signs: Signs) -> str:
    if kind == "status":
        return f"{signs.status(value).sign} {value}"
    if kind == "period":
        return "today" if value == "today" else f"last {value}"
    return f"{KIND_NAMES[kind]} {display_value(kind, value, _CHIP, signs)}"


def display_value(kind: str, value: str, cells: int, signs: Signs) -> str:
    """Return a value for display; of a project's path the end."""
    if not value:
        return "(none)"
    flat = inline(WORTH_NAMES.get(value, value) if kind == "worth" else value)
    if kind == "project" and len(flat) > cells:
        from rich.cells import cell_len

        while cell_len(flat) > cells - len(signs.more):
            flat = flat[1:]
        return signs.more + flat
    return inline(flat, cells, more=signs.more)


def draw_choice(kind: str, value: str, cases: int | None, signs: Signs, *, on: bool, complete: bool) -> Content:
    """A line of the menu: whether it is on, the kind, the value, how many cases it would show."""
    count = "" if cases is None else f"{cases:,}{'' if complete else '+'}"
    mark = signs.outcomes["hit"]
    named = "$cb-text bold" if on else "$cb-dim" if cases == 0 else "$cb-text"
    return Content.assemble(
        (f"{mark.sign if on else ' '} ", mark.tone),
        (pad(KIND_NAMES[kind], _KIND), "$cb-dim"),
        (pad(display_value(kind, value, _VALUE, signs), _VALUE), named),
        (count.rjust(_COUNT), "$cb-dim" if cases else "$cb-faint"),
    )


def none_pass(picked: Sequence[tuple[str, str]], every: int, signs: Signs) -> Notice:
    """The filters let nothing pass."""
    named = ", ".join(_chip(kind, value, signs) for kind, value in picked)
    hidden = "The only case is hidden" if every == 1 else f"All {every:,} cases are hidden"
    return Notice(
        "No cases match the filter",
        f"{hidden} by {named}.",
        (("{list.unfilter}", "clear the filter"), ("{list.filter}", "change the filter")),
    )
