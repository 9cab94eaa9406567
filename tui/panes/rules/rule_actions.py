"""What one does with the chosen rule: label it, edit its file, ask why not, pick another."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from core.base.fault import Fault
from tui.actions.action import Acts, Performs
from tui.panes.rules.queries import Saying, label_call
from tui.render.common.untrusted import inline
from tui.render.ranking import Ranked, key_of, place_of
from tui.runtime.jobs import Jobs
from tui.runtime.messages import PaneSearchLibrary, PaneShowAll
from tui.services.external_editor import edit_in, editor_of
from tui.widgets.dialogs import LinePicker
from tui.widgets.workbench import sheet

if TYPE_CHECKING:
    from core.flows.rules.labels import LabelResult
    from core.rules.evaluation.labels import Label, Verdict
    from core.rules.format.rule import Rule
    from core.rules.matching.api import MatchedRule
    from core.rules.matching.call import ToolCall
    from tui.panes.rules.screen import RulesScreen


LABEL_LANE = "rules-label"


class Labelling:
    """Write labels one after another; `on_label` gets each, with its call, `warned` why one is not among the counts of
    its rule or was not changed, `failed` what could not be written."""

    def __init__(
        self,
        jobs: Jobs,
        on_label: Callable[[ToolCall, Label | None, str], object],
        warned: Callable[[str], object],
        failed: Callable[[Fault], None],
    ) -> None:
        self._jobs = jobs
        self._on_label = on_label
        self._warned = warned
        self._failed = failed
        self._last: Saying | None = None

    def label(
        self,
        call: ToolCall,
        rule: str | None,
        verdict: Verdict,
        seen: Label | None,
        shown_from: str | None = None,
        project: str = "",
    ) -> None:
        """On disk in its turn. `seen`: the label that is on the screen; `shown_from`: the file of a rule that is shown;
        `project`: the folder whose rules are.

        What one has said a moment ago and is not on the screen yet counts as seen.
        """

        before = self._last if self._last is not None and self._last.call is call else None
        saying = self._last = Saying(call, rule, verdict, seen, shown_from, before, project)

        def on_saved(found: LabelResult, _final: bool) -> None:
            self._on_saved(saying)
            self._on_label(call, found.label, "" if found.otherwise else _describe_label(found.label, rule, verdict))
            if found.otherwise:
                self._warned(_OTHERWISE)
            elif found.uncounted:
                self._warned(f"saved, but not counted: {found.uncounted}")

        def failed(fault: Fault) -> None:
            self._on_saved(saying)
            self._failed(fault)

        self._jobs.run(LABEL_LANE, label_call(saying), on_saved, failed, keep=True)

    def _on_saved(self, saying: Saying) -> None:
        if self._last is saying:
            self._last = None


_OTHERWISE = "Not saved: this call was labeled elsewhere. The current label is shown."


def _describe_label(label: Label | None, rule: str | None, verdict: Verdict) -> str:
    if rule is None:
        return "Labeled: no rule applies (repeat to remove)" if label is not None else "Label removed"
    has_label = label is not None and rule in (label.not_these if verdict == "wrong" else label.applies)
    return f"Labeled: {rule} {verdict} here (repeat to remove)" if has_label else f"{rule}: label removed"


_MAX_RULES = 200


class PickRule(LinePicker["Rule"]):
    """Ends with the rule, or with None."""

    CSS_PATH = sheet("rules")

    def __init__(self, rules: Sequence[Rule] | None, heading: str) -> None:
        """`None`: they are still being read, and shown when they come."""
        box = Input(placeholder="Filter by id or title", select_on_focus=False, max_length=200)
        super().__init__("pick-rule", heading, "", box, "pick-rule-lines")
        self._rules = rules
        self._taking = False  # Enter came before the rules did
        self._found: list[Rule] = []
        self._again = _of_many(rules or ())

    def on_mount(self) -> None:
        self._list()
        super().on_mount()

    def show(self, rules: Sequence[Rule]) -> None:
        if self.app.screen is not self:
            return
        self._rules, self._again = rules, _of_many(rules)
        self._list()
        if self._taking:
            self._pick(self._lines.highlighted)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._list()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._list()
        self._taking = self._rules is None
        self._pick(self._lines.highlighted)

    def take(self, at: int) -> None:
        self._pick(at)

    def _pick(self, at: int | None) -> None:
        if at is not None and at < len(self._found):
            self.dismiss(self._found[at])

    def _list(self) -> None:
        words = self._box.value.casefold().split()
        before = self._found
        every = [rule for rule in self._rules or () if _has_words(rule, words)]
        self._found = every[:_MAX_RULES]
        self.tell("loading, esc closes" if self._rules is None else _describe_count(len(every)))
        if self._found == before:
            return
        self.show_lines(map(self._line, self._found))

    def _line(self, rule: Rule) -> Content:
        """Its id and title, and its place if another rule has the same id."""
        place = f"  {place_of(rule.path, rule.line)}" if rule.id in self._again else ""
        return Content.assemble(
            (f"{inline(rule.id, 14)}  ", "bold $cb-accent"), inline(rule.title, 200), (place, "$cb-dim")
        )


def _of_many(rules: Sequence[Rule]) -> frozenset[str]:
    """The ids that several rules have."""
    return frozenset(name for name, count in Counter(rule.id for rule in rules).items() if count > 1)


def _describe_count(count: int) -> str:
    if not count:
        return "no matches, esc closes"
    more = f"the first {_MAX_RULES} of {count:,}, " if count > _MAX_RULES else ""
    return f"{more}enter selects, esc closes"


def _has_words(rule: Rule, words: Sequence[str]) -> bool:
    text = f"{rule.id} {rule.title}".casefold()
    return all(word in text for word in words)


_LANE = "rules-all"


class RuleActs(Performs):
    """Acts on the rule that the screen shows."""

    def __init__(self, screen: RulesScreen) -> None:
        self._screen = screen
        self._awaited = False  # whether something opens once the rules are read

    def actions(self) -> Acts:
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
            session = SessionScreen(screen.jobs, source.session, source.message, Marks(), screen.signs)
            screen.app.push_screen(session)

    def _ask_library(self) -> None:
        from core.flows.ingest.case_citations import question_of_rule

        self._chosen(lambda rule: PaneSearchLibrary(question_of_rule(rule)))

    def _chosen(self, message: Callable[[Rule], Message]) -> None:
        """Send a message about the chosen rule, as its file says it."""
        one, ranked = self._screen.rank.chosen, self._screen.rank.ranked
        if one is None or ranked is None:
            return

        def on_rules(rules: tuple[Rule, ...], _final: bool) -> None:
            found = next((rule for rule in rules if key_of(rule) == key_of(one)), None)
            if found is not None:
                self._screen.post_message(message(found))

        self._all(on_rules)

    def edit(self, path: Path, line: int) -> None:
        """The file at this line in the person's editor; the watch sees what is saved."""
        words, why = editor_of(os.environ, to_read=False)
        if not why:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                why = f"cannot create {path.parent}: {error.strerror}"
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
            self._screen.say_fault(fault)

        self._awaited = True
        self._screen.jobs.run(_LANE, self._screen.matching.all_rules(), there, failed)

    def _why_not(self) -> None:
        def picked(rule: Rule | None) -> None:
            if rule is not None:
                self._screen.asking.pin(key_of(rule))

        self._pick("Explain a rule", picked)

    def _pick(self, heading: str, then: Callable[[Rule | None], None]) -> None:
        """Any rule: one types its letters while the rules are still being read."""

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
            self._screen.say("No rule file is configured. Set rules.files in the settings.", "warning")

    def _label(self, verdict: Verdict) -> None:
        call, one, ranked = self._in_view(), self._screen.rank.chosen, self._screen.rank.ranked
        if call is None or ranked is None:
            return
        if one is None and ranked.match.rules:
            self._screen.say("Select a rule first.", "warning")
            return
        shown_from = one.path if one is not None and self._screen.rank.is_choice_shown else None
        self._save_label(call, one, verdict, shown_from)

    def _save_label(
        self, call: ToolCall, rule: MatchedRule | Rule | None, verdict: Verdict, shown_from: str | None = None
    ) -> None:
        ranked = self._screen.rank.ranked
        seen = ranked.label if ranked is not None and ranked.call is call else None
        name = None if rule is None else _name(rule, ranked, seen)
        self._screen.labelling.label(call, name, verdict, seen, shown_from, self._screen.matching.folder)

    def _in_view(self) -> ToolCall | None:
        """The call whose rules are shown; None, and why, while another one is typed or read."""
        rank = self._screen.rank
        if rank.earlier:
            self._screen.say("Complete the typed call first. These rules are for the previous call.", "warning")
            return None
        if self._screen.asking.call is None or rank.ranked is None:
            return None
        if not self._screen.asking.settled:
            self._screen.say("The call is still loading. These rules are for the previous call.", "warning")
            return None
        return rank.ranked.call

    def _missing(self) -> None:
        call, one = self._in_view(), self._screen.rank.chosen
        if call is None:
            return
        if one is not None and not self._screen.rank.is_choice_shown:
            self._save_label(call, one, "missing")
            return

        def picked(rule: Rule | None) -> None:
            if rule is not None:
                self._save_label(call, rule, "missing")

        self._pick("Missing rule", picked)

    def _problems(self) -> None:
        from tui.panes.rules.tables import problem_table

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
    """Return the rule's name in a label, with its title if two rules share the id."""
    from core.rules.evaluation.labels import display_name

    alike = 0 if ranked is None else sum(name == rule.id for _, name in ranked.every)
    labeled = () if label is None else (*label.applies, *label.not_these)
    return display_name(labeled, rule, doubled=alike > 1)


def _text(rule: Rule) -> str:
    """The rule in the order of its fields."""
    fields = {
        "Problem": rule.problem, "Root Cause": rule.root_cause, "Solution": rule.solution,
        "Prevention": rule.prevention, "Date": rule.date, "Project": rule.project, "Category": rule.category,
        **rule.extra, "Notes": rule.notes,
    }  # fmt: skip
    fields_text = "\n\n".join(f"{name}: {text}" for name, text in fields.items() if text.strip())
    return f"{rule.id}: {rule.title}\n{rule.path}:{rule.line}\n\n{fields_text}"
