"""The Rules pane: why did this rule fire, and why not that one? The calls, the ranking, the reasons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen

from core.fault import Fault
from tui.actions import Situation, bindings
from tui.jobs import DEBOUNCE, Jobs
from tui.panes.errors.watching import files_at, watch
from tui.panes.messages import PaneCopied, PaneSaid
from tui.panes.rules.calls import CallList
from tui.panes.rules.labelling import Labelling
from tui.panes.rules.matching import Matching, Ranked, Reasons, RuleKey, key_of
from tui.panes.rules.queries import check_typed, read_call, watch_files
from tui.panes.rules.ranking import RankList
from tui.panes.rules.rule_acts import RuleActs
from tui.panes.rules.typed import TypedCall
from tui.panes.rules.why_view import WhyView
from tui.render.bars import Place
from tui.render.rules_states import no_call, no_files, no_rules, reading, unreadable
from tui.render.signs import Signs
from tui.widgets.bars import KeyFooter, TopBar
from tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from core.rules.answer import RuleMatch
    from core.rules.call import ToolCall
    from core.rules.calls_page import StoredCall
    from core.rules.label_file import Label
    from tui.app import CasebookApp

_SOON = 0.03
"""Seconds that a row must stay chosen before it is read."""
_MOVES = 3
"""Moves that are told in words."""
_LANES = ("rules-calls", "rules-page", "rules-call", "rules-rank", "rules-why", "rules-watch", "rules-watch-db",
          "rules-all", "rules-table")  # fmt: skip


class RulesScreen(Screen[None]):
    """The pane covers the Errors pane, which stays as it is beneath."""

    BINDINGS = bindings("rules")

    def __init__(
        self, jobs: Jobs, matching: Matching, signs: Signs, place: Place, clock: Callable[[], datetime]
    ) -> None:
        super().__init__(classes="-pane")
        from core.rules.label_file import label_file

        self.jobs = jobs
        self.matching = matching
        self.signs = signs
        self.call: ToolCall | None = None
        self.pinned: RuleKey | None = None
        self.calls = CallList(jobs, signs, clock)
        self.rank = RankList(signs)
        self.why = WhyView(signs, clock)
        self.labelling = Labelling(jobs, label_file(jobs.path), self._labelled, self.told)
        self.acts = RuleActs(self)
        self._reasons: Reasons | None = None
        self._go_to: RuleKey | None = None  # the rule to choose once the match is there
        self._body = Container(id="rules-body")
        self._top = TopBar(replace(place, pane="Rules"), ascii_only=signs.plain)
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
        self.calls.rows.focus()
        self.rank.tell(reading())
        before = files_at(self.jobs.path)
        self.calls.load(self._chosen)
        again = lambda _change, _final: self.calls.load(self._chosen, _SOON)  # noqa: E731
        self.jobs.run("rules-watch-db", watch(before), again, lambda _fault: None)
        self.watch_rules()

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
        return Situation(
            "typed" if self.calls.typed.has_focus_within else "rules",
            cases=self.calls.calls.total,
            filtered=bool(self.calls.tool),
            rules=ranked.rules if ranked is not None else 0,
            call=self.call is not None,
            rule=self.rank.chosen is not None,
            rule_shown=self.rank.chosen_shown,
            flaws=len(ranked.flaws) if ranked is not None else 0,
        )

    def changed(self) -> None:
        """Other actions are possible now."""
        if self.is_attached:
            self._keys.situation = cast("CasebookApp", self.app).situation()

    def say(self, text: str, severity: str = "information") -> None:
        """A toast."""
        self.post_message(PaneSaid(text, severity))

    def told(self, fault: Fault) -> None:
        """A fault, in a toast."""
        self.say(" ".join(part for part in (fault.message, fault.hint) if part), "error")

    # The call, its rules, the reasons --------------------------------------------------------------------------------

    def _chosen(self) -> None:
        """Another call is the chosen one: read it."""
        if self.calls.typing:
            return
        key = self.calls.chosen_key
        if key is None:
            self.ask(None)
            return

        def came(found: StoredCall | None, _final: bool) -> None:
            if found is not None and not self.calls.typing:
                same = self.call is not None and (self.call.tool_name, self.call.tool_input) == (
                    found.call.tool_name, found.call.tool_input,
                )  # fmt: skip
                if not same:
                    self.ask(found.call)

        self.jobs.run("rules-call", read_call(key), came, self.told, delay=_SOON)

    def ask(self, call: ToolCall | None) -> None:
        """Which rules does this call meet? None: there is no call; the rules are read all the same."""
        self.call, self.rank.said = call, ""
        self.match(None)
        self.changed()

    def match(self, before: RuleMatch | None) -> None:
        """Match the call (again); `before`: tell what moved since then."""
        from core.rules.call import ToolCall

        call = self.call or ToolCall("")

        def came(ranked: Ranked | None, final: bool) -> None:
            self._ranked(ranked, told=before is not None and final)

        work = self.matching.rank(call, self.labelling.path, before, self.pinned)
        self.jobs.run("rules-rank", work, came, lambda fault: self.rank.tell(unreadable(fault)))

    def _ranked(self, ranked: Ranked | None, *, told: bool) -> None:
        from core.rules.moved import told as in_words

        before = self.rank.ranked
        stays = before is not None and ranked is not None and before.call is ranked.call
        inside = self.rank.rows.has_focus or self.why.has_focus or told
        at = key_of(self.rank.chosen) if stays and inside and self.rank.chosen is not None else None
        if ranked is None:
            self.rank.tell(no_files(self.matching.sources.places()))
        elif not ranked.rules:
            self.rank.tell(no_rules(ranked), ranked)
        elif self.call is None:
            self.rank.tell(no_call(ranked), ranked)
        else:
            if told:
                moves = [in_words(one) for one in ranked.moves]
                more = f" and {len(moves) - _MOVES} more" if len(moves) > _MOVES else ""
                self.rank.said = "; ".join(moves[:_MOVES]) + more if moves else "read again: nothing moved"
            self.rank.show(ranked, self._go_to or at)
            self._go_to = None
        self._show()

    def _show(self) -> None:
        """Show the chosen rule, and read all there is to say about it."""
        ranked, one = self.rank.ranked, self.rank.chosen
        reasons = self._reasons
        if one is None or reasons is None or reasons.key != key_of(one) or ranked is None:
            self._reasons = reasons = None
        self.why.show(ranked, one, reasons)
        self.changed()
        if ranked is None or one is None:
            self.jobs.cancel("rules-why")
            return

        def came(found: Reasons | None, _final: bool) -> None:
            if found is not None and self.rank.ranked is ranked and self.rank.chosen is one:
                self._reasons = found
                self.why.show(ranked, one, found)

        delay = _SOON if reasons is None else 0.0
        self.jobs.run("rules-why", self.matching.reasons(ranked.call, one), came, self.told, delay=delay)

    def watch_rules(self) -> None:
        """From now on the ranking follows the rule files."""

        def heard(_change: bool, _final: bool) -> None:
            ranked = self.rank.ranked
            self.match(ranked.match if ranked is not None and self.call is not None else None)

        self.jobs.run("rules-watch", watch_files(self.matching.sources), heard, self.told)

    def pin(self, key: RuleKey | None) -> None:
        """Keep this rule in the ranking, whatever its score; None: none."""
        self.pinned = self._go_to = key
        self.match(None)

    def _labelled(self, call: ToolCall, label: Label | None, told: str) -> None:
        ranked = self.rank.ranked
        if ranked is not None and ranked.call is call:
            at = key_of(self.rank.chosen) if self.rank.chosen is not None else None
            self.rank.said = told
            index = self.rank.rows.chosen
            self.rank.show(replace(ranked, label=label), at)
            if at is None:
                self.rank.rows.choose(index)
            self._show()
        else:
            self.say(told)

    # What one can do -------------------------------------------------------------------------------------------------

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        acts: dict[str, Callable[[], object]] = {
            "rules.type": self.type,
            "rules.change": self.change,
            "rules.tool": self._only_tool,
            "rules.unfilter": lambda: self._filter(""),
            "rules.why": self._toggle_why,
            "rules.copy": self._copy,
            "typed.example": self.calls.typed.next_example,
            "typed.keep": self.rank.place.take_focus,
            "typed.back": self.leave_box,
            "list.open": self.open,
            "list.back": self._back,
            "case.back": self.rank.place.take_focus,
            "case.enter": self.acts.whole,
            "view.reload": lambda: self.calls.load(self._chosen) or self.match(None),
        }
        if (act := acts.get(action_id)) is None:
            return self.acts.perform(action_id)
        act()
        self.changed()
        return True

    def open(self) -> None:
        """One step to the right."""
        if self.rank.rows.has_focus or self.rank.place.notice.has_focus:
            self._body.set_class(True, "-at-why", "-why")
            self._body.remove_class("-no-why")
            self.call_after_refresh(self.why.focus)
        else:
            self.rank.place.take_focus()

    def _back(self) -> None:
        """One step to the left, and out."""
        if self.rank.rows.has_focus or self.rank.place.notice.has_focus:
            if self.pinned is not None:
                self.pin(None)
            else:
                self.calls.take_focus()
        elif self.calls.tool:
            self._filter("")
        elif self.is_current:
            self.dismiss()

    def type(self) -> None:
        """Into the box."""
        self.calls.show_box(True)
        self.call_after_refresh(self.calls.take_focus)
        if self.calls.typed.blank:
            self.calls.typed.fault(_BLANK)
        else:
            self.calls.typed.put(*self.calls.typed.text)

    def change(self) -> None:
        """Take the chosen call into the box."""
        if self.call is not None:
            self.acts.take_into_box(self.call)

    def leave_box(self) -> None:
        """Back to the list."""
        self.calls.show_box(False)
        self.calls.take_focus()
        self._chosen()

    def on_typed_call_changed(self, event: TypedCall.Changed) -> None:
        """What is typed is asked as soon as it is a call; the ranking stays until then."""
        event.stop()
        if not self.calls.typing:
            return

        def came(call: ToolCall, _final: bool) -> None:
            if self.calls.typing:
                self.calls.typed.fault(None)
                self.ask(call)

        self.jobs.run("rules-call", check_typed(event.tool, event.text), came, self.calls.typed.fault, delay=DEBOUNCE)

    def _only_tool(self) -> None:
        if self.calls.tool:
            self._filter("")
        elif self.call is not None and not self.calls.typing:
            self._filter(self.call.tool_name)

    def _filter(self, tool: str) -> None:
        self.calls.tool = tool
        self.calls.load(self._chosen)

    def _toggle_why(self) -> None:
        visible = self.why.region.area > 0
        if visible and self.why.has_focus:
            self.rank.place.take_focus()
        self._body.set_class(visible, "-no-why")
        self._body.set_class(not visible, "-why")

    def _copy(self) -> None:
        if (one := self.rank.chosen) is not None:
            self.post_message(PaneCopied("solution", one.solution))

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Another call, or another rule, is the chosen one."""
        event.stop()
        if self.rank.rows.has_focus or not self.calls.rows.has_focus:
            self._show()
        else:
            self._chosen()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Enter."""
        event.stop()
        self.open()

    def on_row_list_wanted(self, event: RowList.Wanted) -> None:
        """All rules of a match are there."""
        event.stop()


_BLANK = Fault("invalid_input", "type a tool and its input", "")
