"""A case next to an editor or the queue, and two sides of a conflict."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.actions.action import Acts, Performs, Situation
from tui.actions.registry import bindings
from tui.panes.errors.queries import Read
from tui.render import case as draw
from tui.render.case import Fix, Raw
from tui.render.common.glyphs import Signs
from tui.render.common.session import Marks
from tui.render.common.untrusted import without_colours
from tui.render.curation import as_side, describe_fix, draw_from, draw_side
from tui.render.history import draw_history, history_title
from tui.runtime.jobs import Jobs
from tui.runtime.messages import PaneShowAll
from tui.widgets.scroll_text import Block, Reading
from tui.widgets.workbench import KeyFooter, fit_size, sheet

if TYPE_CHECKING:
    from core.errors import Case
    from core.errors.curation.transaction import Conflict
    from tui.panes.errors.curation import Act


MAX_OUTPUT = 8_192
"""Code points of the raw error that are drawn; the whole of it is one key away."""


class CaseSide(Reading):
    """Shows one case. What is shown stays what it was until another case is, whatever others write meanwhile."""

    BINDINGS = bindings("case")

    def __init__(self, jobs: Jobs, signs: Signs, clock: Callable[[], datetime], *, with_fix: bool = True) -> None:
        super().__init__(id="side")
        self._jobs = jobs
        self._signs = signs
        self._clock = clock
        self._with_fix = with_fix
        self.read: Read | None = None
        self.fix: Fix | None = None
        self._head, self._fix = Block("side-head"), Block("side-fix", "Fix")
        self._raw, self._past = Block("side-raw", "Output"), Block("side-past", "All fixes")
        self.border_title = Content("Case")

    def compose(self) -> ComposeResult:
        """The error's name, the draft and its source, then the error itself."""
        yield from (self._head, self._fix, self._raw, self._past)

    def show(self, read: Read | None, loading: str = "") -> None:
        """Show this case; without one, what is `loading`."""
        moved = (self.read and self.read.case.id) != (read and read.case.id)
        self.read = read
        if read is None:
            self.fix = None
            for part in (self._head, self._fix, self._raw, self._past):
                part.set_content(Content(""))
            if loading:
                self._head.set_content(Content.styled(loading, "$cb-dim"))
            self.border_subtitle = Content("")
            return
        case = read.case
        self.fix = draw.fix_of(case, None, read.chosen)
        splits = "{triage.split}" if self._with_fix else "{write.split}"
        now, fix, error = self._clock(), read.chosen, read.error
        self._head.set_content(draw.draw_head(case, None, self._signs, now, chosen=fix, error=error, splits=splits))
        self._draw_fix()
        self._raw.border_title = Content(f" Output{read.variant_note(read.titled or read.latest)} ")
        whole = "triage.all" if self._with_fix else ""
        self._raw.set_content(draw.draw_raw(self._raw_of(case), self._signs, limit=MAX_OUTPUT, whole=whole))
        signs, above = self._signs, self.fix if self._with_fix else None
        self._past.border_title = history_title(case.resolutions)
        self._past.set_wrapped(lambda width: draw_history(case.resolutions, signs, now, width=width, chosen=above))
        self.border_subtitle = Content(f"#{case.id}")
        if moved:
            self.scroll_home(animate=False)

    def _draw_fix(self) -> None:
        fix = self.fix
        more = self._more_drafts()
        self._fix.set_heading(lambda width: draw.fix_title(fix, self._signs, more=more, width=width))
        status = "" if fix is None else fix.status
        self._fix.update_classes({f"-{name}": name == status for name in ("verified", "draft")})
        case, signs = None if self.read is None else self.read.case, self._signs
        heading = draw.head_line(self.read.case, None, self.read.error) if self.read is not None else ""

        def drawn(width: int) -> Content:
            body, source = draw.draw_fix(fix, signs, case, width, heading), draw_from(fix, signs)
            return Content.assemble(body, "\n" if source else "", source)

        if self._with_fix:
            self._fix.set_wrapped(drawn)
        else:
            self._fix.set_content(Content(""))

    def _more_drafts(self) -> str:
        """How many drafts wait here, where a rejected one is followed by the next, and the key for all of them."""
        fixes = () if self.read is None else self.read.case.resolutions
        from core.errors.lessons import deed

        drafts = len({deed(one.text, one.lesson) for one in fixes if one.status == "draft" and one.replaced_by is None})
        if drafts < 2 or not self._with_fix or self._signs.lacks("{triage.reject_all}"):
            return ""
        return self._signs.fill_keys(f"{drafts} drafts, {{triage.reject_all}} rejects all")

    def _raw_of(self, case: Case) -> Raw:
        one = None if self.read is None else self.read.titled or self.read.latest
        if one is not None and one.raw:
            return Raw(*without_colours(one.raw, one.start, one.end))
        if self.read is not None and self.read.error is not None:
            return Raw(self.read.error.key_line)
        return Raw(case.error_raw or "\n".join(case.key_lines))

    def actions(self) -> Acts:
        return {
            **super().actions(),
            "case.source": self._open_seen,
            "case.enter": self._open_seen,
            "case.fix_source": self._open_fix,
            "case.all": self._show_all,
        }

    def open_messages(self, session: str | None, messages: tuple[int, ...]) -> None:
        """Show these messages of a session, with the times the error was seen there."""
        if session is None:
            self._say("This fix has no session.")
            return
        from tui.screens.session import SessionScreen

        one = None if self.read is None else self.read.latest
        errors = (
            {one.message: (one.start, one.end)}
            if one is not None and one.session == session and one.message is not None
            else {}
        )
        marks = Marks(errors, frozenset(messages))
        at = min(messages, default=next(iter(errors), 0))
        self.app.push_screen(SessionScreen(self._jobs, session, at, marks, self._signs))

    def _open_seen(self) -> None:
        one = None if self.read is None else self.read.latest
        if one is None or one.session is None:
            self._say("This error has no session. It was recorded manually.")
            return
        fixes = self.fix.messages if self.fix is not None and self.fix.session == one.session else ()
        from tui.screens.session import SessionScreen

        at = one.message or 0
        marks = Marks({at: (one.start, one.end)}, frozenset(fixes))
        self.app.push_screen(SessionScreen(self._jobs, one.session, at, marks, self._signs))

    def _open_fix(self) -> None:
        if self.fix is None:
            self._say("This case has no fix yet.")
        else:
            self.open_messages(self.fix.session, self.fix.messages)

    def _show_all(self) -> None:
        if self.read is not None:
            self.app.post_message(PaneShowAll("Full output", self._raw_of(self.read.case).text))

    def _say(self, text: str) -> None:
        self.app.notify(text, markup=False, severity="warning", timeout=4)


_MEANT = {
    "verify": "verify this fix",
    "reject": "reject this fix",
    "edit": "save this text",
    "noise": "mark the case as noise",
    "merge": "merge the cases",
    "split": "split the case",
}

_STAYS = (
    "Keep mine: your decision applies. Keep theirs: nothing changes.",
    "Keep mine: theirs stays in the history. Keep theirs: yours stays as a draft.",
)
"""What becomes of the other version, for a decision and for a text."""
_OF_TEAM = "Keep mine: your team receives your fix again. Keep theirs: nothing changes."


class ConflictScreen(Performs, ModalScreen[str | None]):
    """Ends with `mine`, `theirs` or `write`. The words of one side that the other lacks are highlighted in both."""

    CSS_PATH = sheet("curation")
    BINDINGS = bindings("conflict")

    def __init__(self, act: Act, conflict: Conflict, signs: Signs, now: datetime, *, of_team: bool = False) -> None:
        """`of_team`: the team replaced a fix that the person had decided on."""
        from core.align.diff import differing

        super().__init__()
        self._act = act
        self._of_team = of_team
        self._conflict = conflict
        self._signs = signs
        self._now = now
        mine, theirs = conflict.mine or conflict.base, conflict.theirs
        self._texts = (mine.text if mine else "", theirs.text if theirs else "")
        self._highlights = differing(as_side(self._texts[0]), as_side(self._texts[1]))
        self._keys = KeyFooter(signs, Situation("conflict"))

    def compose(self) -> ComposeResult:
        fit_size(self)
        yield Static(self._describe(), id="conflict-told")
        with Container(id="conflict-sides"):
            with Reading(id="conflict-mine", classes="conflict-side") as mine:
                mine.border_title = Content(self._title_mine())
                yield Static(draw_side(self._texts[0], "$cb-accent", self._highlights and self._highlights[0]))
            with Reading(id="conflict-theirs", classes="conflict-side") as theirs:
                theirs.border_title = Content(f"Theirs: {describe_fix(self._conflict.theirs, self._signs, self._now)}")
                yield Static(draw_side(self._texts[1], "$cb-draft", self._highlights and self._highlights[1]))
        yield self._keys

    def on_mount(self) -> None:
        """Their side can be scrolled at once; tab goes to the other."""
        self.query_one("#conflict-theirs").focus()

    def _describe(self) -> Content:
        one = self._conflict
        if one.reason == "gone":
            where = f"merged into case {one.moved_to}" if one.moved_to else "deleted"
            what = f"Not saved: case {one.case_id} was {where}."
        elif self._of_team:
            what = f"Your team replaced your fix of case {one.case_id}."
        else:
            what = f"Not saved: the fix of case {one.case_id} was changed elsewhere."
        what_stays = _OF_TEAM if self._of_team else _STAYS[one.mine is not None]
        return Content.assemble((what, "bold $cb-draft"), (f"\n{what_stays}", "$cb-dim"))

    def _title_mine(self) -> str:
        one = self._conflict
        if self._of_team:
            return f"Mine: {describe_fix(one.base, self._signs, self._now)}"
        base = f" ({describe_fix(one.base, self._signs, self._now)})" if one.base and one.mine is None else ""
        return f"Mine: {_MEANT[self._act]}{base}"

    def actions(self) -> Acts:
        choices = ("mine", "theirs", "write")
        return {f"conflict.{choice}": lambda choice=choice: self._choose(choice) for choice in choices}

    def _choose(self, choice: str) -> None:
        if self.is_current:
            self.dismiss(choice)
