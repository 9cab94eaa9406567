"""The Rules pane: why did this rule fire, and why not that one? The calls, the ranking, the reasons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen

from core.base.fault import Fault
from tui.actions.registry import Situation, bindings
from tui.panes.rules.call_editor import TypedCall
from tui.panes.rules.call_editor_state import OwnCall
from tui.panes.rules.calls import CallList
from tui.panes.rules.explain_view import WhyView
from tui.panes.rules.label_writer import Labelling
from tui.panes.rules.match_controller import SOON, Asking
from tui.panes.rules.matcher_client import Matching
from tui.panes.rules.memory import memory_of, recall
from tui.panes.rules.ranking import RankList
from tui.panes.rules.rule_actions import RuleActs
from tui.panes.rules.searching import Searching
from tui.render.common.glyphs import Signs
from tui.render.rules.rows import reading
from tui.runtime.jobs import Jobs
from tui.runtime.messages import PaneCopied, PaneSaid
from tui.runtime.state import Memory
from tui.runtime.stylesheets import sheet
from tui.services.db_watch import files_at, watch
from tui.services.refresh import Following
from tui.widgets.bars import KeyFooter, TopBar
from tui.widgets.row_list import RowList
from tui.widgets.search_box import SearchBox
from tui.widgets.workbench import Place, workbench

_LANES = ("rules-calls", "rules-page", "rules-call", "rules-rank", "rules-why", "rules-watch", "rules-watch-db",
          "rules-all", "rules-table", "rules-relabel", "rules-drafts")  # fmt: skip


class RulesScreen(Screen[None]):
    """The pane covers the Errors pane, which stays as it is beneath."""

    CSS_PATH = sheet("rules")
    BINDINGS = bindings("rules", only=("find.focus", "view.zoom", "import.begin"))

    def __init__(
        self,
        jobs: Jobs,
        matching: Matching,
        signs: Signs,
        place: Place,
        clock: Callable[[], datetime],
        memory: Memory | None = None,
    ) -> None:
        super().__init__(classes="-pane")
        self.jobs = jobs
        self.matching = matching
        self.signs = signs
        self.asking = Asking(self)
        self.calls = CallList(jobs, signs, clock)
        self.rank = RankList(signs)
        self.why = WhyView(signs, clock)
        self.labelling = Labelling(jobs, self.asking.labelled, self.say, self.told)
        self.acts = RuleActs(self)
        self.own_call = OwnCall(self)
        self.searching = Searching(self)
        self._body = Container(id="rules-body")
        self._top = TopBar(replace(place, pane="Rules"), signs)
        recall(self, memory or {})
        self._keys = KeyFooter(signs, self.situation())

    def compose(self) -> ComposeResult:
        """The calls, the ranking, the reasons."""
        yield self._top
        with self._body:
            yield self.calls
            with Container(id="rules-answer"):
                yield self.rank
                yield self.why
        yield self._keys

    def on_mount(self) -> None:
        """Read the calls; follow the rule files, and whoever imports."""
        self.set_focus(self.calls.rows)
        self.rank.tell(reading())
        before = files_at(self.jobs.path)
        self.calls.load(self.asking.chosen)
        again = lambda: self.calls.load(self.asking.chosen, SOON)  # noqa: E731
        following = Following(self.jobs, ("rules-calls", "rules-page", "rules-call"), again, self.set_timer)
        self.jobs.run("rules-watch-db", watch(before), lambda _change, _final: following.changed(), lambda _fault: None)
        self.asking.watch()

    def on_unmount(self) -> None:
        """Nobody waits for it any more; what was labelled is written all the same."""
        for lane in _LANES:
            self.jobs.cancel(lane)

    def on_descendant_focus(self) -> None:
        """Other keys hold elsewhere; on a narrow screen the reasons give way to the ranking."""
        self._body.set_class(self.why.has_focus, "-at-why")
        self.changed()

    def situation(self) -> Situation:
        """What is possible here."""
        ranked = self.rank.ranked
        box = self.calls.box
        return Situation(
            "typed" if self.calls.typed.has_focus_within else "box" if box.has_focus else "rules",
            cases=self.calls.calls.total,
            query=box.asked,
            calls=True,
            filtered=bool(self.calls.tool),
            rules=ranked.rules if ranked is not None else 0,
            call=self.asking.call is not None,
            call_kept=self.asking.source is not None,
            rule=self.rank.chosen is not None,
            rule_shown=self.rank.chosen_shown,
            flaws=len(ranked.flaws) if ranked is not None else 0,
        )

    def changed(self) -> None:
        """Other actions are possible now."""
        if self.is_attached:
            app = workbench(self)
            self._keys.situation = app.situation()
            app.remember("rules", memory_of(self))

    def say(self, text: str, severity: str = "information") -> None:
        """A toast."""
        self.post_message(PaneSaid(text, severity))

    def told(self, fault: Fault) -> None:
        """A fault, in a toast."""
        self.say(" ".join(part for part in (fault.message, fault.hint) if part), "error")

    # What one can do -------------------------------------------------------------------------------------------------

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        acts: dict[str, Callable[[], object]] = {
            "rules.tool": self._only_tool,
            "rules.unfilter": lambda: self._filter(""),
            "rules.why": self._toggle_why,
            "rules.copy": self._copy,
            "import.begin": self._import,
            "list.open": self.open,
            "list.back": self._back,
            "case.back": self._out_of_why,
            "case.enter": self.acts.whole,
            "view.reload": lambda: self.calls.load(self.asking.chosen) or self.asking.match(None),
        }
        asked_back = self.acts.give_up()
        if asked_back and action_id in ("list.back", "case.back"):
            return True
        if (act := acts.get(action_id)) is None:
            return any(part.perform(action_id) for part in (self.own_call, self.searching, self.acts))
        act()
        self.changed()
        return True

    def open(self) -> None:
        """One step to the right."""
        if self.rank.rows.has_focus or self.rank.place.notice.has_focus:
            self._into_why()
        else:
            self.rank.place.take_focus()

    def _into_why(self) -> None:
        self._body.set_class(True, "-at-why")
        self._body.remove_class("-no-why")
        self.set_focus(self.why)  # at once, drawn or not: what is typed behind is meant for it

    def _out_of_why(self) -> None:
        self._body.remove_class("-at-why")
        self.set_focus(self.rank.rows if self.rank.rows.display else self.rank.place.notice)

    def _back(self) -> None:
        """One step to the left, and one thing less each time; with nothing left nothing: the panes are tabs."""
        if self.rank.rows.has_focus or self.rank.place.notice.has_focus:
            if self.asking.pinned is not None:
                self.asking.pin(None)
            else:
                self.calls.take_focus()
        elif not self.searching.clear() and self.calls.tool:
            self._filter("")

    def on_search_box_asked(self, event: SearchBox.Asked) -> None:
        """Other words are searched."""
        event.stop()
        self.searching.asked(event.text)

    def on_typed_call_changed(self, event: TypedCall.Changed) -> None:
        """Another call, or none yet."""
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
        if not visible and self.has_class("-narrow"):
            self._into_why()
            return
        if visible and self.why.has_focus:
            self._out_of_why()
        if not self.has_class("-narrow"):
            self._body.set_class(visible, "-no-why")

    def _import(self) -> None:
        """In the Errors pane, which tells how far it is."""
        workbench(self).begin_import()

    def _copy(self) -> None:
        if (one := self.rank.chosen) is not None:
            self.post_message(PaneCopied("solution", one.solution))

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Another call, or another rule, is the chosen one."""
        event.stop()
        if self.rank.rows.has_focus or not self.calls.rows.has_focus:
            self.asking.moved()
        else:
            self.asking.chosen()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Enter."""
        event.stop()
        self.open()

    def on_row_list_wanted(self, event: RowList.Wanted) -> None:
        """All rules of a match are there."""
        event.stop()
