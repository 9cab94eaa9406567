"""Somebody was faster: what you decided beside what stands now. Neither is lost, whatever is chosen."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.actions.action import Acts, Performs, Situation
from tui.actions.registry import bindings
from tui.render.common.glyphs import Signs
from tui.render.errors.curation import as_side, draw_side, told_of
from tui.runtime.stylesheets import sheet
from tui.widgets.bars import KeyFooter
from tui.widgets.scroll_text import Reading

if TYPE_CHECKING:
    from core.errors.curation.transaction import Conflict
    from tui.panes.errors.curation.decisions import Act

_MEANT = {
    "verify": "to verify this fix",
    "reject": "to reject this fix",
    "edit": "to save this text",
    "noise": "that this case is noise",
    "merge": "to merge the cases",
    "split": "to split this case",
}


class ConflictScreen(Performs, ModalScreen[str | None]):
    """Ends with `mine`, `theirs` or `write`. The words that one side has and the other has not are lit in both."""

    CSS_PATH = sheet("curation")
    BINDINGS = bindings("conflict")

    def __init__(self, act: Act, conflict: Conflict, signs: Signs, now: datetime) -> None:
        from core.align.diff import differing

        super().__init__()
        self._act = act
        self._conflict = conflict
        self._signs = signs
        self._now = now
        mine, theirs = conflict.mine or conflict.base, conflict.theirs
        self._texts = (mine.text if mine else "", theirs.text if theirs else "")
        self._lit = differing(as_side(self._texts[0]), as_side(self._texts[1]))
        self._keys = KeyFooter(signs, Situation("conflict"))

    def compose(self) -> ComposeResult:
        """A line that says what happened, and the two sides."""
        yield Static(self._told(), id="conflict-told")
        with Container(id="conflict-sides"):
            with Reading(id="conflict-mine", classes="conflict-side") as mine:
                mine.border_title = Content("Yours")
                yield Static(self._mine())
            with Reading(id="conflict-theirs", classes="conflict-side") as theirs:
                theirs.border_title = Content("What stands now")
                yield Static(self._theirs())
        yield self._keys

    def on_mount(self) -> None:
        """Their side can be scrolled at once; tab goes to the other."""
        self.query_one("#conflict-theirs").focus()

    def _told(self) -> Content:
        one = self._conflict
        if one.reason == "gone":
            where = f"it was merged into case {one.moved_to}" if one.moved_to else "it is gone"
            what = f"Case {one.case_id} was left alone: {where}."
        else:
            what = f"Case {one.case_id} was left alone: its fix was changed while you decided."
        return Content.assemble((what, "bold $cb-draft"), ("\nNothing is lost, whatever you choose.", "$cb-dim"))

    def _mine(self) -> Content:
        one = self._conflict
        meant = _MEANT[self._act]
        told = f"({told_of(one.base, self._signs, self._now)})" if one.base and one.mine is None else ""
        return draw_side(f"You were about {meant}", self._texts[0], told, "$cb-accent", self._lit and self._lit[0])

    def _theirs(self) -> Content:
        one = self._conflict.theirs
        told = told_of(one, self._signs, self._now)
        return draw_side("Now", self._texts[1], told, "$cb-draft", self._lit and self._lit[1])

    def actions(self) -> Acts:
        """Choose."""
        choices = ("mine", "theirs", "write")
        return {f"conflict.{choice}": lambda choice=choice: self._choose(choice) for choice in choices}

    def _choose(self, choice: str) -> None:
        if self.is_current:
            self.dismiss(choice)
