"""The rules of the chosen call in the middle: ranked, the cut-off as a line, what fell below it dimmed."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from tui.panes.common.list_pane import ListView
from tui.render.common.empty_states import Notice
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline
from tui.render.rules.explanation import draw_label
from tui.render.rules.rows import (
    CutoffRow,
    Ranked,
    RankRow,
    RuleKey,
    below_said,
    draw_cutoff,
    draw_rank_head,
    draw_rank_row,
    key_of,
    rows_of,
)
from tui.widgets.row_list import FixedRows

if TYPE_CHECKING:
    from core.rules.matching.api import MatchedRule


class RankRows(FixedRows[Hashable]):
    """The rows of a match."""

    def index_of(self, key: RuleKey | None) -> int | None:
        """Where a rule stands: of that file and id, the nearest line."""
        there = [
            (abs(row.rule.line - key[2]), at)
            for at, row in enumerate(self.rows)
            if key is not None and isinstance(row, RankRow) and (row.rule.path, row.rule.id) == key[:2]
        ]
        return min(there)[1] if there else None


class RankList(ListView):
    """Shows one match. What moved since the match before it is marked, and told below."""

    def __init__(self, signs: Signs) -> None:
        super().__init__(("rules-rank", "rules-rank-rows", "rules-rank-notice"), self._paint)
        self._signs = signs
        self._head = Static(id="rules-rank-head")
        self.ranked: Ranked | None = None
        self.said = ""
        self.earlier = False
        """Whether this is the match of an earlier call: what is being typed is none yet."""

    def compose(self) -> ComposeResult:
        """The columns' names, the rows, or a notice."""
        yield self._head
        yield from super().compose()

    @property
    def chosen(self) -> MatchedRule | None:
        """The rule that the list points at; None on the line of the cut-off."""
        row = self.rows.rows.get(self.rows.chosen)
        return row.rule if isinstance(row, RankRow) else None

    @property
    def chosen_shown(self) -> bool:
        """Whether that rule is shown for the call."""
        row = self.rows.rows.get(self.rows.chosen)
        return isinstance(row, RankRow) and row.standing == "shown"

    def show(self, ranked: Ranked, at: RuleKey | None) -> None:
        """Show this match: the rule `at` chosen if it is there, else the first."""
        self.ranked = ranked
        moves = {(one.path, one.id, one.line): one for one in ranked.moves}
        rows = list(rows_of(ranked.match, ranked.label, moves, loading=ranked.soon))
        if ranked.pinned is not None:
            one = ranked.pinned.matched
            known = RankRows(tuple(rows)).index_of(key_of(one))
            row = RankRow(one, "pinned", below_said(ranked.match, ranked.label, one))
            if known is None:
                rows.append(row)
        shown = RankRows(tuple(rows))
        index = shown.index_of(at)
        self.rows.renew(shown, 0 if index is None else index, 0)
        self.rows.reveal()
        self.body.tell(None)
        self._head.display = True
        self.call_after_refresh(self._draw_head)  # the rows may have got a scroll bar
        self.caption()

    def tell(self, notice: Notice, ranked: Ranked | None = None) -> None:
        """Say something in the place of the rows; `ranked`: what is known all the same."""
        self.ranked = ranked
        self.rows.show(RankRows())
        self.body.tell(notice)
        self._head.display = False
        self.caption()

    def of_earlier(self, earlier: bool) -> None:
        """See `earlier`."""
        if earlier != self.earlier:
            self.earlier = earlier
            self.caption()

    def caption(self) -> None:
        """How many rules, of how many files, and what is wrong with them above; what was done or moved below."""
        ranked, dot = self.ranked, f" {self._signs.dot} "
        if ranked is None:
            self.border_title, self.border_subtitle = Content("Rules"), Content("")
            return
        parts = [f"{ranked.rules:,} {'rule' if ranked.rules == 1 else 'rules'}"]
        if self.earlier:
            parts.append("of the call before")
        if ranked.project:
            parts.append(f"with those of {inline(ranked.project, 40)}")
        if ranked.flaws:
            from core.rules.format.rule import counted_flaws  # loaded once a call is matched

            parts.append(self._signs.told(f"{counted_flaws(ranked.flaws)}: {{rules.problems}}"))
        if not self.rows.rows.total:
            pass  # nothing is ranked, by words or otherwise
        elif ranked.soon:
            parts.append(f"keywords only, model loading{self._signs.more}")
        elif ranked.elsewhere:
            parts.insert(1, "another program makes the vectors")  # what it is now stands before what it always is
        elif ranked.match.fallback_used:
            parts.append("keywords only")
        self.border_title = Content(dot.join(("Rules", *parts)))
        self.border_subtitle = Content(inline(self.said or draw_label(ranked.label), 160))

    def on_resize(self) -> None:
        """The columns depend on the width."""
        self.call_after_refresh(self._draw_head)

    def _draw_head(self) -> None:
        """The heads stand above the columns of the rows, which a scroll bar makes narrower."""
        self._head.update(draw_rank_head(self.rows.size.width or self.size.width, self._signs))

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        if isinstance(row, CutoffRow):
            return draw_cutoff(row, width, self._signs, chosen=chosen)
        if isinstance(row, RankRow):
            return draw_rank_row(row, width, self._signs, chosen=chosen)
        return Content("")
