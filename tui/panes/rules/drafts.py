"""Draft rules, a row each: the words of a person, the call they declined. One accepts or rejects them here.

They are in the Rules pane, not in triage: the queue of triage is of cases, and a draft rule belongs to none.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.widgets import Static

from core.base.config.settings_sources import from_home
from core.base.fault import Fault
from tui.actions.action import Acts
from tui.actions.registry import bindings
from tui.panes.common.decisions import Decisions, writing
from tui.panes.rules.actions import TableNow
from tui.panes.rules.tables import Table, TableScreen
from tui.render.common.amounts import counted
from tui.render.common.empty_states import Notice
from tui.render.common.session import Marks
from tui.render.common.untrusted import inline
from tui.render.tables import draw_draft, draw_draft_row
from tui.runtime.jobs import Job, job_work
from tui.screens.session import SessionScreen
from tui.services.environment import Sources
from tui.widgets.dialogs import AskLine
from tui.widgets.inputs import LineBox
from tui.widgets.workbench import sheet

if TYPE_CHECKING:
    from core.flows.corrections.drafts import RuleDraft, RuleDrafts
    from core.store import Store
    from tui.panes.rules.screen import RulesScreen

LANE = "rules-drafts"
_NEW_FILE = "CLAUDE.md"


class DraftFile(AskLine):
    """Ends with the rule file that the person chose, or with None: not accepted."""

    CSS_PATH = sheet("rules")

    def __init__(self, suggested: str, project: str) -> None:
        box = LineBox(suggested, placeholder=f"A Markdown file of {inline(project, 40)}", max_length=4_000)
        own = "casebook writes only to its own block of the file."
        if not suggested:
            own += f" No clone of {inline(project, 40)} found here: enter the path of a rule file in one."
        about = Static(Content(own))
        super().__init__("draft-file", "Rule file for this draft", "enter writes the rule, esc cancels", box, about)


class DraftScreen(TableScreen["RuleDrafts"]):
    """The draft rules of the casebook."""

    BINDINGS = bindings("drafts")

    def __init__(self, pane: RulesScreen) -> None:
        super().__init__(pane, _table(pane))
        self._rules_pane = pane
        self._decisions = Decisions(pane.jobs)

    def situation(self) -> TableNow:
        return replace(super().situation(), focus="drafts")

    def actions(self) -> Acts:
        return {
            **super().actions(),
            "draft.accept": self._accept,
            "draft.reject": self._reject,
            **self._rules_pane.undo_actions(self._on_done),
        }

    @property
    def _draft(self) -> RuleDraft | None:
        from core.flows.corrections.drafts import RuleDraft

        return row if isinstance(row := self.chosen, RuleDraft) else None

    def _accept(self) -> None:
        draft = self._draft
        if draft is None:
            return

        def named(file: str | None) -> None:
            if file is not None:
                self._decide(_accepted(draft.id, file))

        def suggested(file: str, _final: bool) -> None:
            if self.is_current:
                self.app.push_screen(DraftFile(file, draft.repository or "the project"), named)

        work = _suggestion(self._rules_pane.matching.sources, draft)
        self._rules_pane.jobs.run(LANE, work, suggested, self._refused)

    def _reject(self) -> None:
        if (draft := self._draft) is not None:
            self._decide(_rejected(draft.id))

    def _decide(self, work: Callable[[Job[str]], str]) -> None:
        """Write a decision off this thread, then read what is left."""
        self._decisions.make(work, self._on_done, self._refused)

    def _on_done(self, message: str) -> None:
        self._rules_pane.say(message)
        self.work_out()

    def _refused(self, fault: Fault) -> None:
        self._rules_pane.say_fault(fault)


def draft_table(pane: RulesScreen) -> DraftScreen:
    """The draft rules, those said in most sessions first."""
    return DraftScreen(pane)


def _table(pane: RulesScreen) -> Table[RuleDrafts]:
    from core.flows.corrections.drafts import RuleDraft

    def work(job: Job[Any]) -> RuleDrafts:
        from core.flows.corrections.drafts import rule_drafts

        return rule_drafts(job.store())

    def paint(row: Hashable, width: int, chosen: bool) -> Content:
        return draw_draft_row(row, width, pane.signs, chosen=chosen) if isinstance(row, RuleDraft) else Content("")

    def detail(row: Hashable) -> Content:
        return draw_draft(row) if isinstance(row, RuleDraft) else Content("")

    def take(row: Hashable) -> bool:
        """The quote in its session; the table stays."""
        if isinstance(row, RuleDraft):
            marks = Marks({row.message_index: (row.start, row.end)})
            pane.app.push_screen(SessionScreen(pane.jobs, row.session, row.message_index, marks, pane.signs))
        return False

    def draw_row(found: RuleDrafts) -> str:
        return f"{counted(len(found.drafts), 'draft')} (visible only to you)" if found.drafts else ""

    nothing = Notice(
        "No draft rules",
        'Decline a tool call and state a rule, such as "never push to main".'
        " You can also repeat a rule in two sessions. The next import drafts the rule.",
        (("{table.back}", "go back"), ("{undo.last}", "undo your last decision")),
    )
    return Table(
        "Draft rules", work, lambda found: found.drafts, draw_row, lambda _found: nothing, paint, detail, take,
        lambda row: isinstance(row, RuleDraft), "There are no draft rules.", direct=True,
    )  # fmt: skip


@job_work
def _suggestion(job: Job[Any], sources: Sources, draft: RuleDraft) -> str:
    """The rule file of the draft's project, else the one it would get; empty where the project is not here."""
    from core.flows.corrections.drafts import folder_of_draft

    folder = folder_of_draft(job.store(), draft, Path.cwd())
    if folder is None:
        return ""
    own = [path for path, scope in sources.of(str(folder)).files() if scope == "project"]
    return str(own[0] if own else folder / _NEW_FILE)


@writing
def _accepted(store: Store, draft: int, file: str) -> str:
    from core.errors.curation.transaction import person
    from core.flows.corrections.drafts import accept_draft

    (done,) = accept_draft(store, person(), draft, from_home(file)).drafts
    return f"Wrote {done.rule_id} to {done.path}"


@writing
def _rejected(store: Store, draft: int) -> str:
    from core.errors.curation.transaction import person
    from core.flows.corrections.drafts import reject_draft

    reject_draft(store, person(), draft)
    return "Draft rejected"
