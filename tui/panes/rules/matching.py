"""The chosen call and its ranking: read, matched, explained, listed; matched again when a rule file changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from core.base.fault import Fault
from tui.panes.common.list_pane import Late, ListView
from tui.panes.rules.queries import Changed, read_call, read_label, watch_files
from tui.render.common.amounts import counted
from tui.render.common.empty_states import Notice
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline
from tui.render.explanation import draw_label
from tui.render.ranking import (
    CutoffRow,
    Ranked,
    RankRow,
    Reasons,
    RuleKey,
    draw_cutoff,
    draw_rank_head,
    draw_rank_row,
    hidden_rule_label,
    key_of,
    no_call,
    no_files,
    no_rules,
    rows_of,
    unreadable,
)
from tui.widgets.row_list import FixedRows

if TYPE_CHECKING:
    from core.rules.calls import StoredCall
    from core.rules.evaluation.labels import Label
    from core.rules.matching.api import MatchedRule
    from core.rules.matching.call import ToolCall
    from tui.panes.rules.screen import RulesScreen


class RankRows(FixedRows[Hashable]):
    """The rows of a match."""

    def index_of(self, key: RuleKey | None) -> int | None:
        """Return the row of a rule: of that file and id, the nearest line."""
        there = [
            (abs(row.rule.line - key[2]), at)
            for at, row in enumerate(self.rows)
            if key is not None and isinstance(row, RankRow) and (row.rule.path, row.rule.id) == key[:2]
        ]
        return min(there)[1] if there else None


class RankList(ListView):
    """Shows one match. Moves since the previous match are marked, and described below."""

    def __init__(self, signs: Signs, clock: Callable[[], datetime]) -> None:
        super().__init__(("rules-rank", "rules-rank-rows", "rules-rank-notice"), self._paint)
        self._signs = signs
        self._clock = clock
        self._head = Static(id="rules-rank-head")
        self._head_width = 0
        self.ranked: Ranked | None = None
        self.late = Late(self.rows)
        self.message = ""
        self.earlier = False
        """Whether this is the match of an earlier call: what is being typed is none yet."""

    def compose(self) -> ComposeResult:
        yield self._head
        yield from super().compose()

    @property
    def chosen(self) -> MatchedRule | None:
        """The rule that the list points at; None on the line of the cut-off."""
        row = self.rows.rows.get(self.rows.chosen)
        return row.rule if isinstance(row, RankRow) else None

    @property
    def is_choice_shown(self) -> bool:
        """Whether that rule is shown for the call."""
        row = self.rows.rows.get(self.rows.chosen)
        return isinstance(row, RankRow) and row.standing == "shown"

    def show(self, ranked: Ranked, at: RuleKey | None) -> None:
        """Show this match: the rule `at` chosen if it is there, else the first."""
        self.ranked = ranked
        self.late.end()
        rows = list(rows_of(ranked))
        if ranked.pinned is not None:
            one = ranked.pinned.matched
            known = RankRows(tuple(rows)).index_of(key_of(one))
            label = hidden_rule_label(ranked.match, ranked.label, one)
            row = RankRow(one, "pinned", label, used=ranked.used.get((one.path, one.id)))
            if known is None:
                rows.append(row)
        rank_rows = RankRows(tuple(rows))
        index = rank_rows.index_of(at)
        self.rows.renew(rank_rows, 0 if index is None else index, 0)
        self.rows.reveal()
        self.body.show_notice(None)
        self._head.display = True
        self.call_after_refresh(self._draw_head)  # the rows may have got a scroll bar
        self.caption()

    def show_notice(self, notice: Notice, ranked: Ranked | None = None) -> None:
        """Say something in the place of the rows; `ranked`: what is known all the same."""
        self.ranked = ranked
        self.late.end()
        self.rows.show(RankRows())
        self.body.show_notice(notice)
        self._head.display = False
        self.caption()

    def of_earlier(self, earlier: bool) -> None:
        if earlier != self.earlier:
            self.earlier = earlier
            self.caption()

    def caption(self) -> None:
        """How many rules, of how many files, and what is wrong with them above; what was done or moved below."""
        ranked, dot = self.ranked, f" {self._signs.dot} "
        if ranked is None:
            self.border_title, self.border_subtitle = Content("Rules"), Content("")
            return
        parts = [counted(ranked.every_rule, "rule")]
        if count := len(ranked.match.rules):
            parts = [f"{count} of {counted(ranked.every_rule, 'rule')} shown"]
        if self.earlier:
            parts.append("of the previous call")
        if ranked.project:
            parts.append(f"including {inline(ranked.project, 40)}")
        if ranked.flaws:
            from core.rules.format.rule import counted_flaws  # loaded once a call is matched

            parts.append(self._signs.fill_keys(f"{counted_flaws(ranked.flaws)}: {{rules.problems}}"))
        if not self.rows.rows.total or ranked.soon:
            pass  # nothing is ranked, by words or otherwise; the line of the cut-off says that the model loads
        elif ranked.elsewhere:
            parts.insert(1, "another process is embedding")  # the current state comes before the permanent facts
        elif ranked.match.fallback_used:
            parts.append("keywords only")
        self.border_title = Content(dot.join(("Rules", *parts)))
        self.border_subtitle = Content(inline(self.message or draw_label(ranked.label), 160))

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw_head)

    def _draw_head(self) -> None:
        """Draw the heads above the columns of the rows, which a scroll bar makes narrower."""
        self._head_width = self.rows.scrollable_content_region.width or self.size.width
        self._head.update(draw_rank_head(self._head_width, self._signs))

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        if width != self._head_width:  # the rows have got a scroll bar since, or lost it
            self._head_width = width
            self.call_after_refresh(self._draw_head)
        if isinstance(row, CutoffRow):
            return draw_cutoff(row, width, self._signs, chosen=chosen)
        if isinstance(row, RankRow):
            return draw_rank_row(row, width, self._signs, self._clock(), chosen=chosen)
        return Content("")


SOON, TYPED = 0.03, 0.15
"""Seconds that a row must stay chosen before it is read; while one types, each key may choose another."""
_AGAIN, _RETRIES = 2.0, 5
"""Seconds between retries when the model cannot answer, and how often."""
_ELSEWHERE, _LONGEST = 0.2, 1.5
"""Seconds after which what another program embeds is looked for, twice as long each time; and at most."""
_MOVES = 3
"""Maximum number of moves in words."""


class MatchController:
    """The matched call and the rule to keep in view; shows results in the parts of the screen."""

    def __init__(self, screen: RulesScreen) -> None:
        self._screen = screen
        self.call: ToolCall | None = None
        self.source: StoredCall | None = None  # the matched call, from a session
        self.project = ""  # the folder that the call was made in; empty: the workbench's own
        self.pinned: RuleKey | None = None
        self._reasons: Reasons | None = None
        self.resume: tuple[int, RuleKey] | None = None  # the call one was at the last time, and which rule of it
        self._go_to: RuleKey | None = None  # the rule to choose once the match is there, and the model has spoken
        self._last_rule: RuleKey | None = None  # the rule one was at when a newer match did not list it any more
        self._went = False  # whether the person has gone to a rule of this call
        self._last: Ranked | None = None  # of this call, while there were rules: the base of the reported moves

    def chosen(self) -> None:
        """Another call is the chosen one: read it."""
        if self._screen.calls.typing:
            self.begin()
            return
        key = self._screen.calls.chosen_key
        if key is None:
            self.ask(None)
            return

        def on_rule(found: StoredCall | None, _final: bool) -> None:
            if found is not None and not self._screen.calls.typing:
                resume, self.resume = self.resume, None
                before = self.call and (self.call.tool_name, self.call.tool_input, self.project)
                if before != (found.call.tool_name, found.call.tool_input, found.project):
                    at = resume[1] if resume and resume[0] == found.id else None
                    self.ask(found.call, found.project, at, source=found)
                elif self.source != found:
                    self.source = found
                    self.show()
                else:
                    self._screen.changed()

        delay = TYPED if self._screen.search.box.has_focus else SOON
        self._screen.jobs.run("rules-call", read_call(key), on_rule, self._screen.say_fault, delay=delay)

    def begin(self) -> None:
        """Read at least the rules before the first call: a typed call may come later."""
        if self._screen.rank.ranked is None and not self._screen.jobs.busy("rules-rank"):
            self.ask(None)

    @property
    def settled(self) -> bool:
        """Whether the rules on the screen are those of the call that is chosen, or typed."""
        calls, ranked = self._screen.calls, self._screen.rank.ranked
        chosen = calls.typing or self.source is None or self.source.id == calls.chosen_key
        return chosen and ranked is not None and ranked.call is self.call

    @property
    def rule(self) -> RuleKey | None:
        """The rule one is at, or goes to once the match is there."""
        if self.resume is not None:
            return self.resume[1]
        one = self._screen.rank.chosen
        return self._go_to or (None if one is None else key_of(one))

    def ask(
        self,
        call: ToolCall | None,
        project: str = "",
        go_to: RuleKey | None = None,
        *,
        source: StoredCall | None = None,
    ) -> None:
        """Match this call. None: there is no call; the rules are read anyway."""
        self.source = source
        picked = self.pinned if self.call is None else None  # while the call was being read
        self.call, self.project, self._screen.rank.message, self._last = call, project, "", None
        self._go_to, self._last_rule, self._went = go_to or picked, None, False
        if self._screen.matching.look_from(project):
            self.watch()
        self._screen.rank.late.begin()
        self.match(None)
        self._screen.changed()

    def match(self, before: Ranked | None, retries: int = _RETRIES, delay: float = 0.0, waited: int = 0) -> None:
        """Match the call (again); `before`: report the moves since then. `waited`: retries so far for what another
        program embeds."""

        def on_ranked(ranked: Ranked | None, final: bool) -> None:
            waits = final and self.call is not None and ranked is not None and ranked.elsewhere
            if not (waits and self._shows(ranked)):
                if self._keeps(ranked):
                    self.match(before, retries, waited=waited)
                    return
                self._ranked(ranked, announce=before is not None and final and not waits)
            if waits:
                self.match(before, retries, min(_LONGEST, _ELSEWHERE * 2 ** min(waited, 10)), waited + 1)
            elif final and ranked is not None and ranked.unfinished and retries:
                self.match(None, retries - 1, _AGAIN)
            elif final:
                self._go_to = None

        def failed(fault: Fault) -> None:
            self._screen.rank.show_notice(unreadable(fault))
            self.show()

        work = self._screen.matching.rank(self.call, before, self.pinned or self._last_rule, again=waited > 0)
        self._screen.jobs.run("rules-rank", work, on_ranked, failed, delay=delay)

    def _shows(self, ranked: Ranked | None) -> bool:
        """Return whether the screen shows the same already, so that it stays."""
        before = self._screen.rank.ranked
        if before is None or ranked is None or not before.elsewhere or before.call is not ranked.call:
            return False
        return _visible_state(before) == _visible_state(ranked)

    def _at(self, ranked: Ranked | None) -> RuleKey | None:
        """The rule of this call that the person is at."""
        rank = self._screen.rank
        stays = rank.ranked is not None and ranked is not None and rank.ranked.call is ranked.call
        at = self._went or self.pinned is not None or rank.rows.has_focus or self._screen.why.has_focus
        return key_of(rank.chosen) if stays and at and rank.chosen is not None else None

    def _keeps(self, ranked: Ranked | None) -> bool:
        """Whether a newer match does not list the rule one is at: then it is kept in sight, as `why not` does."""
        at = self._at(ranked)
        if ranked is None or at is None or at == self._last_rule or self.pinned is not None or self._go_to is not None:
            return False
        if any((one.path, one.id) == at[:2] for one in (*ranked.match.rules, *ranked.match.below)):
            return False
        self._last_rule = at
        return True

    def _ranked(self, ranked: Ranked | None, *, announce: bool) -> None:
        one = self._screen.rank.chosen
        at = self._at(ranked) or (key_of(one) if announce and one is not None else None)
        if ranked is None:
            self._screen.rank.show_notice(no_files(self._screen.matching.sources.places(), self.project))
        elif not ranked.every_rule and not ranked.match.rules:
            self._screen.rank.show_notice(no_rules(ranked), ranked)
        elif self.call is None:
            self._screen.rank.show_notice(no_call(ranked, *self._screen.calls.sought), ranked)
        else:
            if announce:
                moves = ranked.moved
                more = f" and {len(moves) - _MOVES} more" if len(moves) > _MOVES else ""
                self._screen.rank.message = ", ".join(moves[:_MOVES]) + more if moves else "reloaded, no changes"
            self._last = self._last if ranked.elsewhere else ranked
            self._screen.rank.show(ranked, self._go_to or at)
        self.show()

    def moved(self) -> None:
        """The person has gone to another rule."""
        one = self._screen.rank.chosen
        self._go_to, self._went = None, one is not None
        if one is None or key_of(one) != self._last_rule:
            self._last_rule = None
        self.show()

    def show(self) -> None:
        """Show the chosen rule, and read all there is to say about it."""
        ranked, one = self._screen.rank.ranked, self._screen.rank.chosen
        reasons = self._reasons
        if one is None or reasons is None or reasons.key != key_of(one) or ranked is None:
            self._reasons = reasons = None
        self._screen.make_room()
        source = self.source if ranked is not None and ranked.call is self.call else None
        self._screen.why.show(None if self.call is None else ranked, one, reasons, source)  # of no call nothing is said
        self._screen.changed()
        if ranked is None or one is None:
            self._screen.jobs.cancel("rules-why")
            return

        def on_explained(found: Reasons | None, _final: bool) -> None:
            if found is not None and self._screen.rank.ranked is ranked and self._screen.rank.chosen is one:
                self._reasons = found
                self._screen.why.show(ranked, one, found, source)

        delay = SOON if reasons is None else 0.0
        self._screen.jobs.run(
            "rules-why",
            self._screen.matching.reasons(ranked.call, one, is_shown=self._screen.rank.is_choice_shown),
            on_explained,
            self._screen.say_fault,
            delay=delay,
        )

    def watch(self) -> None:
        """From now on the ranking follows the rule files, and what is said of its call elsewhere."""

        def on_change(change: Changed, _final: bool) -> None:
            if change == "rules":
                self._screen.rank.message = ""
                self.match(self._last)
            else:
                self._look_at_label()

        self._screen.jobs.run(
            "rules-watch", watch_files(self._screen.matching.sources), on_change, self._screen.say_fault
        )

    def _look_at_label(self) -> None:
        ranked = self._screen.rank.ranked
        if ranked is None or self.call is None:
            return
        call = ranked.call

        def on_label(label: Label | None, _final: bool) -> None:
            ranked = self._screen.rank.ranked
            if ranked is not None and ranked.call is call and ranked.label != label:
                self._relabel(ranked, label, "")

        self._screen.jobs.run(
            "rules-relabel", read_label(call, self._screen.matching.folder), on_label, self._screen.say_fault
        )

    def pin(self, key: RuleKey | None) -> None:
        """Keep this rule in the ranking, whatever its score; None: none."""
        self.pinned = self._go_to = key
        self._last_rule = None
        self.match(None)

    def labelled(self, call: ToolCall, label: Label | None, action: str) -> None:
        """Show the new label of a call; `action`: what to say."""
        ranked = self._screen.rank.ranked
        if ranked is not None and ranked.call is call:
            self._relabel(ranked, label, action)
        elif action:
            self._screen.say(action)

    def _relabel(self, ranked: Ranked, label: Label | None, action: str) -> None:
        rank = self._screen.rank
        if not rank.rows.rows.total:
            rank.ranked = replace(ranked, label=label)
            return
        at, index = rank.chosen, rank.rows.chosen
        rank.message = action
        rank.show(replace(ranked, label=label), None if at is None else key_of(at))
        if at is None:
            rank.rows.choose(index)
        self.show()


def _visible_state(ranked: Ranked) -> tuple[object, ...]:
    """What one sees of a match."""
    return ranked.match.rules, ranked.match.below, ranked.pinned, ranked.label, ranked.flaws, ranked.every_rule
