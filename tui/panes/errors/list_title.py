"""What stands in the frame of the list: above, what it shows; below, how many."""

from __future__ import annotations

from textual.content import Content

from tui.panes.errors.filters import SORTS, Scope
from tui.panes.errors.paged_rows import FoundRows
from tui.panes.errors.queries import CANDIDATES
from tui.render.common.empty_states import Notice, no_match
from tui.render.common.filters import draw_title, none_pass
from tui.render.common.glyphs import Signs
from tui.widgets.row_list import Rows


def caption(
    rows: Rows, chosen: int, scope: Scope, every: int, took: str, signs: Signs, *, known: bool, typed: bool
) -> tuple[Content, Content]:
    """The title and the line below. `every`: all cases of the casebook; `took`: how long a search did.

    `known`: a case answers what was searched; `typed`: it was typed, not pasted. If none answers the title says so.
    """
    dot = f" {signs.dot} "
    if isinstance(rows, FoundRows):
        more = "+" if rows.total >= CANDIDATES else ""
        hidden = f"{dot}{rows.hidden} hidden" if rows.hidden else ""
        told = f"{rows.total}{more} of {every:,}{hidden}{f'{dot}{took}' if took else ''}"
        name = "Found" if known else _unanswered(rows, dot, more, typed=typed)
        return draw_title(name, scope.picked, signs), Content(told)
    told = f"{chosen + 1:,} of {rows.total:,}{dot}{SORTS[scope.sort]}" if rows.total else ""
    return draw_title("Cases", scope.picked, signs), Content(told)


def _unanswered(rows: FoundRows, dot: str, more: str, *, typed: bool) -> str:
    """What the rows are where none of them answers: cases with every word, similar ones, or with some of the words."""
    if any(row.says_it for row in rows.rows):
        return "Found by its words"
    ranks = [row.rank for row in rows.rows]
    every = sum(rank <= 2 for rank in ranks)
    if every and typed:
        return f"{every}{more} case has these words" if every == 1 else f"{every}{more} cases have these words"
    counted = ((every, "has these words", "have these words"), (ranks.count(3), "similar", "similar"))
    counted = (*counted, (ranks.count(4), "shares some words", "share some words"))
    return dot.join(("No match", *(f"{n}{more} {one if n == 1 else many}" for n, one, many in counted if n)))


def none_found(rows: FoundRows, scope: Scope, query: str, every: int, signs: Signs) -> Notice:
    """A search left no row: the filter hides what it found, or nothing is known."""
    return none_pass(scope.picked, rows.hidden, signs) if rows.hidden else no_match(query, every)
