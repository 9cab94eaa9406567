"""What one does with the chosen rule: ask why not, edit its file, label it, see all rules together."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from tui.actions.action import Acts, Performs
from tui.render.rules.rows import key_of
from tui.runtime.messages import PaneSearchLibrary, PaneShowAll
from tui.services.external_editor import edit_in, editor_of

if TYPE_CHECKING:
    from core.base.fault import Fault
    from core.rules.evaluation.labels import Label, Verdict
    from core.rules.format.rule import Rule
    from core.rules.matching.api import MatchedRule
    from core.rules.matching.call import ToolCall
    from tui.panes.rules.screen import RulesScreen
    from tui.render.rules.rows import Ranked

_LANE = "rules-all"


class RuleActs(Performs):
    """Acts on the rule that the screen shows."""

    def __init__(self, screen: RulesScreen) -> None:
        self._screen = screen
        self._awaited = False  # whether something opens once the rules are read

    def actions(self) -> Acts:
        """What it does, by the ids of the registry."""
        return {
            "rules.why_not": self._why_not,
            "rules.edit": self._edit_chosen,
            "rules.right": lambda: self._label("right"),
            "rules.wrong": lambda: self._label("wrong"),
            "rules.missing": self._missing,
            "rules.problems": self._problems,
            "rules.clusters": self._clusters,
            "rules.drafts": self._drafts,
            "rules.compare": self._compare,
            "rules.library": self._ask_library,
            "rules.session": self._open_session,
        }

    def whole(self) -> None:
        """The rule as its file says it, all of it."""
        self._chosen(lambda rule: PaneShowAll(f"{rule.id}: {rule.title}", _text(rule), wrapped=True))

    def _open_session(self) -> None:
        from tui.render.common.session import Marks
        from tui.screens.session import SessionScreen

        source, screen = self._screen.asking.source, self._screen
        if source is not None and screen.is_current:
            shown = SessionScreen(screen.jobs, source.session, source.message, Marks(), screen.signs)
            screen.app.push_screen(shown)

    def _ask_library(self) -> None:
        from core.flows.ingest.case_citations import question_of_rule

        self._chosen(lambda rule: PaneSearchLibrary(question_of_rule(rule)))

    def _chosen(self, message: Callable[[Rule], Message]) -> None:
        """Send a message about the chosen rule, as its file says it."""
        one, ranked = self._screen.rank.chosen, self._screen.rank.ranked
        if one is None or ranked is None:
            return

        def came(rules: tuple[Rule, ...], _final: bool) -> None:
            found = next((rule for rule in rules if key_of(rule) == key_of(one)), None)
            if found is not None:
                self._screen.post_message(message(found))

        self._all(came)

    def edit(self, path: Path, line: int) -> None:
        """The file at this line in the person's editor; the watch sees what is saved."""
        words, why = editor_of(os.environ, to_read=False)
        if not why:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                why = f"{path.parent} cannot be made: {error.strerror}"
        if not why:
            why = edit_in(self._screen.app, words, path, line)
        if why:
            self._screen.say(why, "error")

    def give_up(self) -> bool:
        """What was to open once the rules are read does not open any more; False where nothing was."""
        awaited, self._awaited = self._awaited, False
        self._screen.jobs.cancel(_LANE)
        return awaited

    def _all(self, came: Callable[[tuple[Rule, ...], bool], None]) -> None:
        def there(rules: tuple[Rule, ...], final: bool) -> None:
            self._awaited = False
            came(rules, final)

        def failed(fault: Fault) -> None:
            self._awaited = False
            self._screen.told(fault)

        self._awaited = True
        self._screen.jobs.run(_LANE, self._screen.matching.all_rules(), there, failed)

    def _why_not(self) -> None:
        def picked(rule: Rule | None) -> None:
            if rule is not None:
                self._screen.asking.pin(key_of(rule))

        self._pick("Why not …?", picked)

    def _pick(self, heading: str, then: Callable[[Rule | None], None]) -> None:
        """Any rule: one types its letters while the rules are still being read."""
        from tui.panes.rules.pick_rule import PickRule

        picker = PickRule(None, heading)
        self._screen.app.push_screen(picker, then)
        self._all(lambda rules, _final: picker.show(self._best_first(rules)))

    def _best_first(self, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
        """The rules in the order of the ranking, and then the others in that of their files."""
        ranked = self._screen.rank.ranked
        listed = () if ranked is None else (*ranked.match.rules, *ranked.match.below)
        places = {key_of(one): at for at, one in enumerate(listed)}
        return tuple(sorted(rules, key=lambda one: places.get(key_of(one), len(places))))

    def _edit_chosen(self) -> None:
        one, ranked = self._screen.rank.chosen, self._screen.rank.ranked
        if one is not None:
            self.edit(Path(one.path), one.line)
        elif ranked is not None and ranked.files:
            self.edit(Path(ranked.files[0]), 1)
        elif places := self._screen.matching.sources.places():
            self.edit(places[0], 1)
        else:
            self._screen.say("The settings name no rule file: see rules.files.", "warning")

    def _label(self, verdict: Verdict) -> None:
        call, one, ranked = self._in_view(), self._screen.rank.chosen, self._screen.rank.ranked
        if call is None or ranked is None:
            return
        if one is None and ranked.match.rules:
            self._screen.say("Choose the rule that this is about.", "warning")
            return
        shown_from = one.path if one is not None and self._screen.rank.chosen_shown else None
        self._say(call, one, verdict, shown_from)

    def _say(
        self, call: ToolCall, rule: MatchedRule | Rule | None, verdict: Verdict, shown_from: str | None = None
    ) -> None:
        ranked = self._screen.rank.ranked
        seen = ranked.label if ranked is not None and ranked.call is call else None
        name = None if rule is None else _name(rule, ranked, seen)
        self._screen.labelling.say(call, name, verdict, seen, shown_from, self._screen.matching.folder)

    def _in_view(self) -> ToolCall | None:
        """The call whose rules are shown; None, and why, while another one is typed or read."""
        rank = self._screen.rank
        if rank.earlier:
            self._screen.say("These rules are of the call before: type the call to its end first.", "warning")
            return None
        if self._screen.asking.call is None or rank.ranked is None:
            return None
        if not self._screen.asking.settled:
            self._screen.say("This call is still being read: what you see are the rules of the one before.", "warning")
            return None
        return rank.ranked.call

    def _missing(self) -> None:
        call, one = self._in_view(), self._screen.rank.chosen
        if call is None:
            return
        if one is not None and not self._screen.rank.chosen_shown:
            self._say(call, one, "missing")
            return

        def picked(rule: Rule | None) -> None:
            if rule is not None:
                self._say(call, rule, "missing")

        self._pick("Which rule is missing?", picked)

    def _problems(self) -> None:
        from tui.panes.rules.problems import problem_table

        ranked = self._screen.rank.ranked
        if ranked is not None and ranked.flaws:
            self._screen.app.push_screen(problem_table(self._screen, ranked.flaws))

    def _clusters(self) -> None:
        from tui.panes.rules.tables import cluster_table

        self._screen.app.push_screen(cluster_table(self._screen))

    def _drafts(self) -> None:
        from tui.panes.rules.drafts import draft_table

        self._screen.app.push_screen(draft_table(self._screen))

    def _compare(self) -> None:
        from tui.panes.rules.tables import compare_table

        self._screen.app.push_screen(compare_table(self._screen))


def _name(rule: MatchedRule | Rule, ranked: Ranked | None, label: Label | None) -> str:
    """What a label is to call the rule: two that share their id are told apart."""
    from core.rules.evaluation.labels import name_to_say

    alike = 0 if ranked is None else sum(name == rule.id for _, name in ranked.every)
    said = () if label is None else (*label.applies, *label.not_these)
    return name_to_say(said, rule, doubled=alike > 1)


def _text(rule: Rule) -> str:
    """The rule in the order of its fields."""
    fields = {
        "Problem": rule.problem, "Root Cause": rule.root_cause, "Solution": rule.solution,
        "Prevention": rule.prevention, "Date": rule.date, "Project": rule.project, "Category": rule.category,
        **rule.extra, "Notes": rule.notes,
    }  # fmt: skip
    said = "\n\n".join(f"{name}: {text}" for name, text in fields.items() if text.strip())
    return f"{rule.id}: {rule.title}\n{rule.path}:{rule.line}\n\n{said}"
