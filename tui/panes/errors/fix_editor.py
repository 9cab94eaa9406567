"""The editor of a fix next to its case: the text is a draft, kept until it is saved."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Input, Static, TextArea

from core.base.fault import Fault
from tui.actions.action import Acts, Performs, Situation
from tui.actions.registry import bindings
from tui.panes.common.decisions import writing
from tui.panes.errors.actions import CaseNow
from tui.panes.errors.case_side import CaseSide
from tui.panes.errors.curation import DRAFT_KEPT, Curating, Decision
from tui.panes.errors.merge_split import Parting, ask_errors, ask_merge
from tui.panes.errors.queries import Read
from tui.render.common.untrusted import inline
from tui.render.curation import draw_alike, draw_preview
from tui.runtime.jobs import Job, job_work
from tui.runtime.messages import PaneSearchLibrary
from tui.services.external_editor import edit_outside
from tui.widgets.inputs import FixArea, visible_text
from tui.widgets.scroll_text import Reading
from tui.widgets.workbench import KeyFooter, fit_size, sheet, workbench

if TYPE_CHECKING:
    from core.errors import Source
    from core.errors.curation.autosave import Scratch, Writer
    from core.errors.curation.decisions import Candidate
    from core.errors.curation.merging import MergePreview
    from core.errors.curation.transaction import Curated, SeenVersion, Written
    from core.store import Store


@dataclass(frozen=True, slots=True)
class Draft:
    """What the person had before them: the case, the fix they saw (`base`; None: none)."""

    case_id: int
    seen: SeenVersion
    base: Written | None

    @staticmethod
    def of(read: Read) -> Draft:
        """From a case as it was read."""
        from core.errors.curation.transaction import Written, version_with, written_of

        seen = version_with(read.case, read.chosen, read.at)
        found = next((one for one in read.case.resolutions if one.id == seen.resolution_id), None)
        base = written_of(found) if found is not None else None
        if base is None and (read.case.resolution or "").strip() and read.case.status != "noise":
            base = Written(read.case.resolution or "", read.case.resolved_by, read.case.tool_sequence)
        return Draft(read.case.id, seen, base)

    def resumed(self, scratch: Scratch) -> Draft:
        """Going on with what was typed on top of another fix: saving says if that is not the one that answers."""
        if scratch.base == self.seen.resolution_id:
            return self
        seen = replace(self.seen, resolution_id=scratch.base, fingerprint=scratch.fingerprint, status=None, text=None)
        return replace(self, seen=seen)

    def changed(self) -> Callable[[Job[bool]], bool]:
        """Whether another fix answers by now."""

        def work(job: Job[Any]) -> bool:
            from core.errors.curation.transaction import look

            now = look(job.store().con, self.case_id, self.seen.fingerprint)
            return now.resolution_id != self.seen.resolution_id

        return work


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a fix, each as a person types it on one line."""

    by: str = ""
    tools: str = ""
    tags: str = ""
    source: str = ""

    @staticmethod
    def of(written: Written) -> Fields:
        return Fields(
            inline(written.resolved_by or ""),
            inline(", ".join(written.tool_sequence)),
            inline(", ".join(written.tags)),
            _place(written.source),
        )

    def named(self) -> dict[str, str]:
        """Each field by its name."""
        return asdict(self)

    def written(self, text: str, base: Written | None) -> Written:
        """The fix with this text; a field that was not touched keeps what it held, sign by sign."""
        from core.errors.curation.transaction import Written

        made = Written(text, self.by.strip() or None, _names(self.tools), _names(self.tags), _source(self.source))
        if base is None:
            return made
        was = Fields.of(base)
        if self.by == was.by:
            made = replace(made, resolved_by=base.resolved_by)
        if self.tools == was.tools:
            made = replace(made, tool_sequence=base.tool_sequence)
        if self.tags == was.tags:
            made = replace(made, tags=base.tags)
        if self.source == was.source:
            made = replace(made, source=base.source)
        return made


@dataclass(frozen=True, slots=True)
class Opened:
    """What the editor gets when it opens: unsaved text and the similar cases.

    `elsewhere`: another window that is open has a text of its own for this case.
    """

    typed: Scratch | None
    elsewhere: bool
    alike: tuple[Candidate, ...] = ()


@writing
def recorded(store: Store, error: str) -> int:
    """Record an error as seen where the workbench was started; returns its case."""
    from core.errors.cases.record import record_error
    from core.errors.curation.transaction import person
    from core.flows.team.place import record_place

    return record_error(store, error, person(), record_place(Path()))


@job_work
def open_draft(job: Job[Any], case_id: int, curating: Curating) -> Opened:
    """Resume the saved draft, unless another window edits it. Look for similar cases."""
    from core.errors.retrieval.vector_tier import AlsoFor

    writer = curating.writer
    drafts = writer.of_case(job.store().con, case_id)
    opened = Opened(writer.take(drafts.free[0]) if drafts.free else None, bool(drafts.living))
    job.partial(opened)  # who types already must not have it put over that
    return replace(opened, alike=curating.meaning.ask(job, AlsoFor(case_id)))


@job_work
def keep_typed(_job: Job[Any], draft: Draft, writer: Writer, written: Written) -> None:
    """Keep what is typed where a crash cannot take it."""
    from core.errors.curation.autosave import Scratch

    seen = draft.seen
    writer.keep(Scratch(draft.case_id, writer.name, written, seen.resolution_id, seen.fingerprint, key=seen.key))


@job_work
def keep_on_current(job: Job[Any], draft: Draft, writer: Writer, written: Written) -> None:
    """Keep what is typed on top of the fix that answers now: the person decided that themselves."""
    from core.errors.curation.autosave import Scratch
    from core.errors.curation.transaction import look

    now = look(job.store().con, draft.case_id, draft.seen.fingerprint)
    writer.keep(Scratch(draft.case_id, writer.name, written, now.resolution_id, now.fingerprint, key=now.key))


def drop_typed(draft: Draft, writer: Writer) -> Callable[[Job[None]], None]:
    """It is in the casebook, or not wanted: forget the copy."""
    return lambda _job: writer.drop(draft.case_id)


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _place(source: Source) -> str:
    """A session and its messages, as the command line takes them: `SESSION:12,13`."""
    return f"{inline(source.session)}:{','.join(map(str, source.messages))}" if source.session else ""


def _source(text: str) -> Source:
    from core.errors.retrieval.answer import Source

    session, _, numbers = text.strip().rpartition(":")
    messages = _numbers(numbers)
    if not session or not messages:
        return Source(text.strip().rstrip(":") or None, ())
    return Source(session, messages)


def _is_place(text: str) -> bool:
    """Whether a place can be read from this: nothing, a session, or a session and the numbers of messages."""
    _, colon, numbers = text.strip().rpartition(":")
    return not colon or len(_numbers(numbers)) == len(_names(numbers))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in _names(text) if part.isascii() and part.isdigit() and len(part) < 16)


KEEP_EVERY = 1.0
"""Seconds between two keepings of what is typed."""

PREVIEW_AFTER = 0.06
"""Seconds without a key after which the preview is drawn: to draw it at each key would hold up quick typing."""

HINTS = {
    "by": "person, agent or tool",
    "tools": "in order, such as Bash, Edit",
    "tags": "comma-separated",
    "source": "SESSION:12,13 (the source messages)",
}
"""What an empty field says."""


class WritingScreen(Performs, ModalScreen[None]):
    """The case on the left, its fix on the right."""

    CSS_PATH = sheet("curation")
    BINDINGS = bindings("write")

    def __init__(self, curating: Curating, read: Read, start: Written | None, *, toast: bool) -> None:
        from core.errors.curation.transaction import Written

        super().__init__()
        self._curating = curating
        self._read = read
        self._draft = Draft.of(read)
        self._start = start
        self._toast = toast
        self._saved: Written | None = None  # what is in the scratch file
        self._alike: tuple[Candidate, ...] = ()
        self._also = False
        self._leaving = False
        self._rest: Timer | None = None
        base = self._draft.base or Written("")
        self.area = FixArea(base.text)
        self.fields = {name: Input(value, HINTS[name], id=f"fix-{name}", classes="fix-field", select_on_focus=False)
                       for name, value in Fields.of(base).named().items()}  # fmt: skip
        self.case = CaseSide(curating.jobs, curating.signs, curating.clock, with_fix=False)
        self._preview, self._similar = Static(id="fix-preview-text"), Static(id="fix-also")
        self._keys = KeyFooter(curating.signs, self.situation())

    def compose(self) -> ComposeResult:
        """The case, the text, its fields, and how it will look."""
        fit_size(self)
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
            self._set_header("Both versions. Where they differ, yours is first.")
        self._draw_preview()
        self.set_interval(KEEP_EVERY, self.keep_draft)
        workbench(self).hold_keys()  # what is typed before a draft is restored would take its place
        self._curating.jobs.run("writing", open_draft(self._read.case.id, self._curating), self._opened, self._failed)

    def on_unmount(self) -> None:
        self._curating.jobs.cancel("writing")

    def situation(self) -> Situation:
        return CaseNow("write", case_open=True, has_fix=self._draft.base is not None, alike=len(self._alike))

    def _opened(self, opened: Opened, final: bool) -> None:
        """What was typed before, at once; and what reads alike, when that is known."""
        if final:
            self._alike = opened.alike
            self._draw_also()
        elif self._start is None and (scratch := opened.typed) is not None:
            self._draft = self._draft.resumed(scratch)
            self._saved = scratch.written
            self._set_header("Restored unsaved draft. ctrl+z discards it.")
            self._put(scratch.written)
        elif opened.elsewhere:
            self._set_header("Also open in another window. This is the saved version.")
        workbench(self).let_keys_go()
        self._keys.situation = self.situation()

    def _put(self, start: Written) -> None:
        self.area.put(start.text)
        for name, value in Fields.of(start).named().items():
            self.fields[name].value = value

    # What is written -------------------------------------------------------------------------------------------------

    @property
    def written(self) -> Written:
        """Return the fix on the screen. An untouched text stays the same, character for character."""
        fields = Fields(**{name: box.value for name, box in self.fields.items()})
        base, text = self._draft.base, self.area.text
        if base is not None and visible_text(base.text) == text:
            text = base.text
        return fields.written(text, base)

    @property
    def _dirty(self) -> bool:
        base = self._draft.base
        written = self.written
        return written != base if base is not None else bool(written.text.strip())

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Show how it will look, once typing rests."""
        event.stop()
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(PREVIEW_AFTER, self._draw_preview)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw_preview)  # in lines of the width that it has then

    def _draw_preview(self) -> None:
        if self.is_attached:
            self._preview.update(draw_preview(self.written, self._preview.size.width, self._curating.signs))

    def _draw_also(self) -> None:
        self._similar.display = bool(self._alike)
        self._similar.set_class(self._also, "-chosen")
        self._similar.update(draw_alike(self._alike, self._curating.signs, chosen=self._also))

    def keep_draft(self) -> None:
        """Keep what is typed, if it changed since the last time."""
        if self._leaving or not self._dirty or (written := self.written) == self._saved:
            return
        self._saved = written
        self._curating.in_scratch(keep_typed(self._draft, self._curating.writer, written), self._failed)

    # What one can do -------------------------------------------------------------------------------------------------

    def actions(self) -> Acts:
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
        seen: tuple[SeenVersion, ...] = (self._draft.seen,)
        if self._also:
            seen += tuple(one.seen for one in self._alike)
        written = self.written
        if not written.text.strip():
            self._curating.say("The fix is empty. Describe what fixed the error, or reject the current fix.", "warning")
            return
        if not _is_place(self.fields["source"].value):
            self._curating.say("The source is not a session and its messages. Use the format SESSION:12,13.", "warning")
            self.fields["source"].focus()
            return
        self._decide(Decision("edit", seen, written=written, status="verified" if status == "verified" else "draft"))

    def _decide(self, decision: Decision) -> None:
        """Leave at once; the text is kept until it is on disk, and longer if the act is not about it."""
        self.keep_draft()
        left = self.written if decision.written is None and self._dirty and self.written.text.strip() else None

        def ended(done: Curated | None) -> None:
            if done is None or done.conflicts:
                return
            if left is None:
                self._forget()
            else:
                self._curating.in_scratch(keep_on_current(self._draft, self._curating.writer, left), self._failed)
                self._curating.say(self._curating.signs.fill_keys(DRAFT_KEPT))

        self._leaving = True
        self._curating.decide(decision, ended, toast=self._toast)
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
            self.keep_draft()
            self._curating.say(self._curating.signs.fill_keys(DRAFT_KEPT))
        elif self._saved is not None:
            self._forget()  # the typed text was undone: there is no draft to resume
        self.dismiss()

    def _outside(self) -> None:
        self.keep_draft()  # the editor has the terminal for as long as it likes, and no timer runs
        text, why = edit_outside(self.app, os.environ, self.area.text, self._read.case)
        if why:
            self._curating.say(why, "warning")
        if text is None:
            return
        if text.rstrip("\n") != self.area.text.rstrip("\n"):
            self.area.put(text.rstrip("\n"))
            self.keep_draft()
        self._curating.jobs.run("writing", self._draft.changed(), self._compared, self._failed)

    def _compared(self, changed: bool, _final: bool) -> None:
        """Back from the editor: was the fix changed here meanwhile?"""
        if changed:
            self._set_header("This fix was changed elsewhere. Save to compare both.")

    def _open_messages(self) -> None:
        source = self.written.source
        self.case.open_messages(source.session, source.messages)

    def _cite(self) -> None:
        from core.flows.ingest.case_citations import question_of_case
        from tui.panes.errors.case_actions import IntoFix

        case = self._read.case
        self.post_message(PaneSearchLibrary(question_of_case(case), IntoFix(case.id, self._quote)))

    def _quote(self, block: str) -> None:
        """Insert a citation on separate lines at the cursor; at the end, if the cursor was not moved."""
        if self.area.cursor_location == (0, 0):
            self.area.move_cursor(self.area.document.end)
        before = self.area.get_text_range((0, 0), self.area.cursor_location)
        gap = "" if not before or before.endswith("\n\n") else "\n" if before.endswith("\n") else "\n\n"
        self.area.insert(f"{gap}{visible_text(block)}\n")
        self.area.focus()
        self.keep_draft()

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

        def picked(parting: Parting) -> None:
            seen = (self._draft.seen,)
            act = Decision(
                "split", seen, (), written, fingerprints=parting.errors, keep=parting.keep, take=parting.take
            )
            self._decide(act)

        ask_errors(self.app, self._curating, self._read.case, picked, fixed=written is not None)

    def _decide_keeping(self, decision: Decision) -> None:
        """An act that is not about the text: what is typed stays kept for the case."""
        self._back()
        self._curating.decide(decision, toast=self._toast)

    def _set_header(self, text: str) -> None:
        self.area.border_subtitle = Content.styled(inline(text, 200), "$cb-draft")

    def _failed(self, fault: Fault) -> None:
        workbench(self).let_keys_go()
        self._set_header(fault.message)
