"""The Rules pane: why did this rule fire, and why not that one? The calls, the ranking, the reasons."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from tui.actions.action import Acts, Situation
from tui.actions.registry import bindings
from tui.panes.common.decisions import Decisions, Returned
from tui.panes.common.list_pane import Search, SearchPane
from tui.panes.common.pane_screen import PaneContext, PaneScreen, number_of, text_of
from tui.panes.rules.actions import RulesNow
from tui.panes.rules.calls import CallList, OwnCall, TypedCall
from tui.panes.rules.matching import SOON, MatchController, RankList
from tui.panes.rules.queries import Matching
from tui.panes.rules.rule_actions import Labelling, RuleActs
from tui.render.common.empty_states import Notice, draw_notice
from tui.render.common.glyphs import Signs
from tui.render.explanation import Explanation, draw_silence, draw_why
from tui.render.ranking import Ranked, Reasons, RuleKey, key_of, reading
from tui.runtime.messages import PaneCopied
from tui.runtime.state import Memory
from tui.widgets.inputs import SearchBox
from tui.widgets.row_list import RowList
from tui.widgets.scroll_text import Reading
from tui.widgets.workbench import sheet, workbench

if TYPE_CHECKING:
    from core.rules.calls import StoredCall
    from core.rules.matching.api import MatchedRule


def recall(screen: RulesScreen, memory: Memory) -> None:
    """Put the pane as it was; what makes no sense any more is passed over. Before it is mounted."""
    screen.calls.tool = text_of(memory.get("tool")) or ""
    screen.calls.at = call = number_of(memory.get("call"))
    rule = _rule(memory)
    screen.asking.resume = (call, rule) if call is not None and rule is not None else None


def _rule(memory: Memory) -> RuleKey | None:
    path, rule, line = text_of(memory.get("path")), text_of(memory.get("rule")), number_of(memory.get("line"))
    return None if path is None or rule is None or line is None else (path, rule, line)


_NO_RANKING = Notice(
    "No ranking yet", "If there are rules, this panel explains why a rule is shown for the call, or why it is not."
)
_TWO_FROM = 110
"""Cells from which on the reasons have two columns."""


class WhyView(Reading):
    """Shows one rule of a match, or the match as a whole."""

    BINDINGS = bindings("case")

    def __init__(self, signs: Signs, clock: Callable[[], datetime]) -> None:
        super().__init__(id="rules-why")
        self._signs = signs
        self._clock = clock
        self._words, self._texts = Static(), Static()
        self._drawn = Explanation()
        self._about: object = None

    def compose(self) -> ComposeResult:
        yield self._words
        yield self._texts

    def on_resize(self) -> None:
        """The texts are next to the sum if both have room, else below it."""
        self._update(self._drawn)

    def _update(self, drawn: Explanation) -> None:
        self._drawn = drawn
        in_columns = self.size.width >= _TWO_FROM
        self.set_class(in_columns, "-two")
        words, texts = drawn.columns if in_columns else (drawn.whole, Content(""))
        self._words.update(words)
        self._texts.update(texts)

    def on_mount(self) -> None:
        self.border_title = Content("Trace")

    def show(
        self,
        ranked: Ranked | None,
        matched: MatchedRule | None,
        reasons: Reasons | None,
        source: StoredCall | None,
    ) -> None:
        """Show this rule; None: the match as a whole. Another rule or call begins at the top."""
        about = None if ranked is None else (id(ranked.call), None if matched is None else (matched.path, matched.id))
        if about != self._about:
            self.scroll_home(animate=False)
        self._about = about
        if ranked is None:
            self.border_title = Content("Trace")
            self._update(Explanation(draw_notice(_NO_RANKING, self._signs)))
        elif matched is None:
            self.border_title = Content("Cut-off")
            self._update(draw_silence(ranked, self._signs, source))
        else:
            applies = any(key_of(one) == key_of(matched) for one in ranked.match.rules)
            self.border_title = Content("Reasons" if applies else "Reasons for exclusion")
            self._update(draw_why(ranked, matched, reasons, self._signs, self._clock(), source))


_FEW, _FEW_FROM, _AROUND = 8, 22, 3
"""The rows of a short ranking, the lines of a screen on which the reasons are below it, and what is around the rows."""


class RulesScreen(PaneScreen, SearchPane):
    """The calls, the ranking of the rules for the chosen one, the reasons."""

    PANE = "rules"
    LIST = "rules-calls"
    LANES = ("rules-calls", "rules-page", "rules-call", "rules-rank", "rules-why", "rules-watch", "rules-watch-db",
             "rules-all", "rules-table", "rules-relabel", "rules-drafts")  # fmt: skip
    CSS_PATH = sheet("rules")
    BINDINGS = bindings("rules")

    def __init__(self, context: PaneContext) -> None:
        super().__init__(context)
        jobs, signs, clock = self.jobs, self.signs, self.clock
        sources = context.around.sources
        self.matching = context.keep("matching", lambda: Matching(sources, jobs.path, context.process, context.log))
        self.asking = MatchController(self)
        box = SearchBox(id="rules-box", placeholder="Search tool calls")
        self.calls = CallList(jobs, signs, clock, box)
        self.search = Search(
            self.calls, box, jobs, "rules-calls", lambda _text, _pasted: self.calls.start_search(self.asking.chosen),
            begin=self._begin_search, leave=self.calls.take_focus, open=self._open_rules,
        )  # fmt: skip
        self.rank = RankList(signs, clock)
        self.why = WhyView(signs, clock)
        self.labelling = Labelling(jobs, self.asking.labelled, self.say, self.say_fault)
        self.acts = RuleActs(self)
        self.own_call = OwnCall(self)
        self._decisions = Decisions(jobs)
        self._body = Container(id="rules-body")
        recall(self, context.memory)

    def compose_body(self) -> ComposeResult:
        with self._body:
            yield self.calls
            with Container(id="rules-answer"):
                yield self.rank
                yield self.why

    def on_mount(self) -> None:
        """Read the calls; follow the rule files and imports."""
        self.set_focus(self.calls.rows)
        self.rank.show_notice(reading())
        again = lambda: self.calls.load(self.asking.chosen, SOON)  # noqa: E731
        self.follow_casebook("rules-watch-db", ("rules-calls", "rules-page", "rules-call"), again)
        self.calls.load(self.asking.chosen)
        self.asking.watch()

    def on_descendant_focus(self) -> None:
        """Other keys hold elsewhere; on a narrow screen the reasons give way to the ranking."""
        self._body.set_class(self.why.has_focus, "-at-why")
        self.changed()

    def on_resize(self) -> None:
        self.make_room()

    def make_room(self) -> None:
        """A short ranking is as tall as its rows, and the reasons have the rest: on a narrow screen, too."""
        rows = self.rank.rows.rows.total
        few = 0 < rows <= _FEW and self.size.height >= _FEW_FROM and not self._body.has_class("-no-why")
        self._body.set_class(few, "-few")
        self.rank.styles.height = rows + _AROUND if few else None

    def situation(self) -> Situation:
        ranked = self.rank.ranked
        box = self.search.box
        return RulesNow(
            "typed" if self.calls.typed.has_focus_within else "box" if box.has_focus else "rules",
            cases=self.calls.calls.total,
            query=box.query_text,
            calls=True,
            filtered=bool(self.calls.tool),
            rules=ranked.rules if ranked is not None else 0,
            loading=ranked is None and any(map(self.jobs.busy, ("rules-calls", "rules-rank"))),
            call=self.asking.call is not None,
            call_kept=self.asking.source is not None,
            rule=self.rank.chosen is not None,
            rule_shown=self.rank.is_choice_shown,
            flaws=len(ranked.flaws) if ranked is not None else 0,
        )

    def remembered(self) -> Memory:
        """The tool that the list keeps to, the call and the rule one is at."""
        path, rule, line = self.asking.rule or (None, None, None)
        return {"tool": self.calls.tool, "call": self.calls.at, "path": path, "rule": rule, "line": line}

    # What one can do -------------------------------------------------------------------------------------------------

    def actions(self) -> Acts:
        return {
            **self.own_call.actions(),
            **self.search.actions(),
            **self.acts.actions(),
            "list.filter": self._only_tool,
            "list.unfilter": lambda: self._filter(""),
            "list.why": self._toggle_why,
            "list.copy": self._copy,
            "list.open": self.open,
            "list.back": self._back,
            "case.back": self._out_of_why,
            "case.enter": self.acts.whole,
            "view.reload": lambda: self.calls.load(self.asking.chosen) or self.asking.match(None),
            **self.undo_actions(self.say),
        }

    def undo_actions(self, done: Callable[[str], object]) -> Acts:
        """Undo, redo and the history; `done` gets what was undone or redone."""

        def ended(word: str) -> Callable[[Returned], object]:
            return lambda returned: done(f"{word}: {returned.title}")

        return {
            "undo.last": lambda: self._decisions.undo(ended("Undone"), self.say_fault),
            "undo.redo": lambda: self._decisions.redo(ended("Redone"), self.say_fault),
            "history.open": lambda: workbench(self).open_history(),
        }

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        has_given_up = self.acts.give_up()
        return (has_given_up and action_id in ("list.back", "case.back")) or super().perform(action_id)

    def open(self) -> None:
        """One step to the right."""
        if self.rank.rows.has_focus or self.rank.body.notice.has_focus:
            self._into_why()
        else:
            self.rank.body.take_focus()

    def _into_why(self) -> None:
        self._body.set_class(True, "-at-why")
        self._body.remove_class("-no-why")
        self.make_room()
        self.set_focus(self.why)  # at once, drawn or not: what is typed behind is meant for it

    def _out_of_why(self) -> None:
        self._body.remove_class("-at-why")
        self.set_focus(self.rank.rows if self.rank.rows.display else self.rank.body.notice)

    def _back(self) -> None:
        """One step to the left, and one thing less each time; with nothing left nothing: the panes are tabs."""
        if self.rank.rows.has_focus or self.rank.body.notice.has_focus:
            if self.asking.pinned is not None:
                self.asking.pin(None)
            else:
                self.calls.take_focus()
        elif not self.search.clear() and self.calls.tool:
            self._filter("")

    def _begin_search(self) -> None:
        if self.calls.typing:
            self.own_call.leave()
        self.calls.begin_search()

    def _open_rules(self) -> None:
        """To the rules of the chosen call, if there is one."""
        if self.calls.calls.total:
            self.rank.body.take_focus()

    def on_typed_call_changed(self, event: TypedCall.Changed) -> None:
        event.stop()
        self.own_call.changed(event.tool, event.text)

    def _only_tool(self) -> None:
        if self.calls.tool:
            self._filter("")
        elif self.asking.call is not None and not self.calls.typing:
            self._filter(self.asking.call.tool_name)

    def _filter(self, tool: str) -> None:
        self.calls.tool = tool
        self.calls.load(self.asking.chosen)

    def _toggle_why(self) -> None:
        visible = self.why.region.area > 0
        if self.has_class("-narrow") and not self.why.has_focus:
            self._into_why()
            return
        if visible and self.why.has_focus:
            self._out_of_why()
        if not self.has_class("-narrow"):
            self._body.set_class(visible, "-no-why")
            self.make_room()

    def _copy(self) -> None:
        if (one := self.rank.chosen) is not None:
            self.post_message(PaneCopied("solution", one.solution))

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        event.stop()
        if self.rank.rows.has_focus or not self.calls.rows.has_focus:
            self.asking.moved()
        else:
            self.asking.chosen()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self.open()


open_pane = RulesScreen
