"""What stands in the frame of the list: above, what it shows; below, how many."""

from __future__ import annotations

from textual.content import Content

from tui.panes.errors.filters import SORTS, Scope
from tui.panes.errors.paged import FoundRows
from tui.panes.errors.queries import CANDIDATES
from tui.render.filters import draw_title, none_pass
from tui.render.signs import Signs
from tui.render.states import Notice, no_match
from tui.widgets.row_list import Rows


def caption(
    rows: Rows, chosen: int, scope: Scope, every: int, took: str, signs: Signs, *, known: bool
) -> tuple[Content, Content]:
    """The title and the line below. `every`: all cases of the casebook; `took`: how long a search did.

    `known`: a case answers what was searched. Where none does the title says so, in the words of the command line.
    """
    dot = f" {signs.dot} "
    if isinstance(rows, FoundRows):
        more = "+" if rows.total >= CANDIDATES else ""
        hidden = f"{dot}{rows.hidden} hidden" if rows.hidden else ""
        told = f"{rows.total}{more} of {every:,}{hidden}{f'{dot}{took}' if took else ''}"
        like = f"{dot}{rows.total}{more} that {'looks' if rows.total == 1 else 'look'} like it" if rows.total else ""
        by_words = any(row.says_it for row in rows.rows)
        name = "Found" if known else "Found by its words" if by_words else f"No known fix{like}"
        return draw_title(name, scope.picked, signs), Content(told)
    told = f"{chosen + 1:,} of {rows.total:,}{dot}{SORTS[scope.sort]}" if rows.total else ""
    return draw_title("Cases", scope.picked, signs), Content(told)


def none_found(rows: FoundRows, scope: Scope, query: str, every: int, signs: Signs) -> Notice:
    """A search left no row: the filter hides what it found, or nothing is known."""
    return none_pass(scope.picked, rows.hidden, signs) if rows.hidden else no_match(query, every)
