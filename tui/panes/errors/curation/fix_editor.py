"""Writing a fix beside its case: text, preview, fields, what it may also be for. What is typed is never lost."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static, TextArea

from core.base.fault import Fault
from tui.actions.action import Acts, Performs, Situation
from tui.actions.registry import bindings
from tui.panes.errors.curation.actions import CaseNow
from tui.panes.errors.curation.case_side import CaseSide
from tui.panes.errors.curation.controller import Curating
from tui.panes.errors.curation.decisions import Decision
from tui.panes.errors.curation.draft import Draft, Fields, Opened, drop_typed, keep_typed, open_draft
from tui.panes.errors.curation.merge_split import Parting, ask_errors, ask_merge
from tui.panes.errors.queries import Read
from tui.render.common.untrusted import inline
from tui.render.errors.curation import draw_alike, draw_preview
from tui.runtime.messages import PaneSearchLibrary
from tui.runtime.stylesheets import sheet
from tui.widgets.bars import KeyFooter
from tui.widgets.scroll_text import Reading
from tui.widgets.text_area import FixArea, as_shown

if TYPE_CHECKING:
    from core.errors.curation.decisions import Candidate
    from core.errors.curation.merging import MergePreview
    from core.errors.curation.transaction import Curated, Seen, Written

KEEP_EVERY = 1.0
"""Seconds between two keepings of what is typed."""

PREVIEW_AFTER = 0.06

HINTS = {
    "by": "who or what fixed it",
    "tools": "in order: Bash, Edit",
    "tags": "one, another",
    "source": "SESSION:12,13, the messages it comes from",
}
"""What an empty field says."""


class WritingScreen(Performs, ModalScreen[None]):
    """The case on the left, its fix on the right."""

    CSS_PATH = sheet("curation")
    BINDINGS = bindings("write")

    def __init__(self, curating: Curating, read: Read, start: Written | None) -> None:
        from core.errors.curation.transaction import Written

        super().__init__()
        self._curating = curating
        self._read = read
        self._draft = Draft.of(read)
        self._start = start
        self._kept: Written | None = None  # what is in the scratch file
        self._alike: tuple[Candidate, ...] = ()
        self._also = False
        self._leaving = False
        shown = self._draft.base or Written("")
        self.area = FixArea(shown.text)
        self.fields = {name: Input(value, HINTS[name], id=f"fix-{name}", classes="fix-field", select_on_focus=False)
                       for name, value in Fields.of(shown).named().items()}  # fmt: skip
        self.case = CaseSide(curating.jobs, curating.signs, curating.clock, with_fix=False)
        self._preview, self._similar = Static(id="fix-preview-text"), Static(id="fix-also")
        self._keys = KeyFooter(curating.signs, self.situation())

    def compose(self) -> ComposeResult:
        """The case, the text, its fields, and how it will look."""
        with Container(id="writing"):
            yield self.case
            with Container(id="fix-side"):
                yield self.area
                with Container(id="fix-fields"):
                    for name, box in self.fields.items():
                        box.border_title = Content(name)
                        yield Static(Content.styled(f"{name:<9}", "$cb-dim"), classes="fix-name")
                        yield box
                yield self._similar
                with Reading(id="fix-preview", can_focus=False) as frame:
                    frame.border_title = Content("Preview")
                    yield self._preview
        yield self._keys

    def on_mount(self) -> None:
        """Ready to type; what was typed before and never saved is put back."""
        self.area.border_title = Content(f"Fix of case #{self._read.case.id}")
        self.area.focus()
        self.case.show(self._read)
        if self._start is not None:
            self._put(self._start)
        self._draw_preview()
        self.set_interval(KEEP_EVERY, self._keep)
        self._curating.jobs.run("writing", open_draft(self._read.case.id, self._curating), self._opened, self._failed)

    def on_unmount(self) -> None:
        """Nobody waits for it any more."""
        self._curating.jobs.cancel("writing")

    def situation(self) -> Situation:
        """What is possible here."""
        return CaseNow("write", case_open=True, has_fix=self._draft.base is not None, alike=len(self._alike))

    def _opened(self, opened: Opened, final: bool) -> None:
        """What was typed before, at once; and what reads alike, when that is known."""
        if final:
            self._alike = opened.alike
            self._draw_also()
        elif self._start is None and (kept := opened.typed) is not None:
            self._draft = self._draft.resumed(kept)
            self._kept = kept.written
            self._say_above("typed before and not saved; ctrl+z goes back to what stands")
            self._put(kept.written)
        elif opened.elsewhere:
            self._say_above("being written in another window, too; this is what stands")
        self._keys.situation = self.situation()

    def _put(self, start: Written) -> None:
        self.area.put(start.text)
        for name, value in Fields.of(start).named().items():
            self.fields[name].value = value

    # What is written -------------------------------------------------------------------------------------------------

    @property
    def written(self) -> Written:
        """The fix as it stands on the screen. An untouched text is what it was, sign by sign."""
        fields = Fields(**{name: box.value for name, box in self.fields.items()})
        base, text = self._draft.base, self.area.text
        if base is not None and as_shown(base.text) == text:
            text = base.text
        return fields.written(text, base)

    @property
    def _dirty(self) -> bool:
        base = self._draft.base
        written = self.written
        return written != base if base is not None else bool(written.text.strip())

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Show how it will look, a moment later."""
        event.stop()
        self.set_timer(PREVIEW_AFTER, self._draw_preview)

    def _draw_preview(self) -> None:
        if self.is_attached:
            self._preview.update(draw_preview(self.written))

    def _draw_also(self) -> None:
        self._similar.display = bool(self._alike)
        self._similar.update(draw_alike(self._alike, self._curating.signs, chosen=self._also))

    def _keep(self) -> None:
        """Keep what is typed, if it changed since the last time."""
        if self._leaving or not self._dirty or (written := self.written) == self._kept:
            return
        self._kept = written
        self._curating.in_scratch(keep_typed(self._draft, self._curating.writer, written), self._failed)

    # What one can do -------------------------------------------------------------------------------------------------

    def actions(self) -> Acts:
        """What it does, by the ids of the registry."""
        return {
            **self.case.actions(),
            "write.save": lambda: self._save("draft"),
            "write.verify": lambda: self._save("verified"),
            "write.editor": self._outside,
            "write.source": self._open_messages,
            "write.also": self._toggle_also,
            "write.cite": self._cite,
            "write.reject": lambda: self._decide(Decision("reject", (self._draft.seen,))),
            "write.noise": lambda: self._decide(Decision("noise", (self._draft.seen,))),
            "write.merge": self._merge,
            "write.split": self._split,
            "write.back": self._back,
            "case.back": self.area.focus,
        }

    def _save(self, status: str) -> None:
        seen: tuple[Seen, ...] = (self._draft.seen,)
        if self._also:
            seen += tuple(one.seen for one in self._alike)
        written = self.written
        if not written.text.strip():
            self._curating.say("The fix is empty: say what fixed the error, or reject the one that stands.", "warning")
            return
        self._decide(Decision("edit", seen, written=written, status="verified" if status == "verified" else "draft"))

    def _decide(self, decision: Decision) -> None:
        """Leave at once; the text is kept until it is on disk."""
        self._keep()

        def ended(done: Curated | None) -> None:
            if done is not None and not done.conflicts:
                self._forget()

        self._leaving = True
        self._curating.decide(decision, ended)
        if self.is_current:
            self.dismiss()

    def _forget(self) -> None:
        """Drop the kept copy, and see what else is left over."""
        self._leaving = True
        self._curating.in_scratch(drop_typed(self._draft, self._curating.writer), self._failed)

    def _back(self) -> None:
        if not self.is_current:
            return
        if self._dirty:
            self._keep()
            self._curating.say(self._curating.signs.told("Kept, not saved. {fix.write} goes on with it."))
        elif self._kept is not None:
            self._forget()  # what was typed was taken back: nothing is left to go on with
        self.dismiss()

    def _outside(self) -> None:
        from tui.panes.errors.curation.controller import edit_outside

        text, why = edit_outside(self.app, os.environ, self.area.text, self._read.case)
        if text is None:
            self._curating.say(why, "warning")
            return
        if text.rstrip("\n") != self.area.text.rstrip("\n"):
            self.area.put(text.rstrip("\n"))
            self._keep()
        self._curating.jobs.run("writing", self._draft.changed(), self._compared, self._failed)

    def _compared(self, changed: bool, _final: bool) -> None:
        """Back from the editor: was the fix changed here meanwhile?"""
        if changed:
            self._say_above("somebody changed this fix meanwhile; saving shows both")

    def _open_messages(self) -> None:
        source = self.written.source
        self.case.open_messages(source.session, source.messages)

    def _cite(self) -> None:
        from core.flows.ingest.case_citations import question_of_case
        from tui.services.citing import IntoFix

        case = self._read.case
        self.post_message(PaneSearchLibrary(question_of_case(case), IntoFix(case.id, self._quote)))

    def _quote(self, block: str) -> None:
        """A citation, on lines of its own where the cursor is; at the end, where nobody has moved it."""
        if self.area.cursor_location == (0, 0):
            self.area.move_cursor(self.area.document.end)
        before = self.area.get_text_range((0, 0), self.area.cursor_location)
        gap = "" if not before or before.endswith("\n\n") else "\n" if before.endswith("\n") else "\n\n"
        self.area.insert(f"{gap}{as_shown(block)}\n")
        self.area.focus()
        self._keep()

    def _toggle_also(self) -> None:
        self._also = not self._also
        self._draw_also()

    def _merge(self) -> None:
        case = self._read.case

        def agreed(preview: MergePreview) -> None:
            self._decide_keeping(Decision("merge", (self._draft.seen, *preview.seen[1:])))

        ask_merge(self.app, self._curating, case.id, (), agreed, case)

    def _split(self) -> None:
        written = self.written if self._dirty and self.written.text.strip() else None

        def picked(asked: Parting) -> None:
            seen = (self._draft.seen,)
            act = Decision("split", seen, (), written, fingerprints=asked.errors, keep=asked.keep, take=asked.take)
            self._decide(act)

        ask_errors(self.app, self._curating, self._read.case, picked, fixed=written is not None)

    def _decide_keeping(self, decision: Decision) -> None:
        """An act that is not about the text: what is typed stays kept for the case."""
        self._back()
        self._curating.decide(decision)

    def _say_above(self, text: str) -> None:
        self.area.border_subtitle = Content.styled(inline(text, 200), "$cb-draft")

    def _failed(self, fault: Fault) -> None:
        self._say_above(fault.message)
