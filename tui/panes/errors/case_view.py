"""The case in the middle: which one is read, its fix, the error as it was seen, where it comes from."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from tui.actions.registry import bindings
from tui.panes.errors.case_actions import CaseActs
from tui.panes.errors.queries import Meaning, Read, read_like
from tui.render import case as draw
from tui.render.case import PREVIEW, Fix, Raw, draw_cited, draw_like, draw_masked, masked_in
from tui.render.common.empty_states import draw_notice, no_case
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import BLOCK, Spans, without_colours
from tui.render.history import draw_history, has_history, history_title
from tui.runtime.jobs import Job, Jobs, job_work
from tui.runtime.messages import PaneChanged, PaneTroubled
from tui.services.external_editor import edit_in, editor_of
from tui.widgets.row_list import FixedRows, NoRows, RowList
from tui.widgets.scroll_text import Block, Reading

if TYPE_CHECKING:
    from core.errors import Case, Hit, Occurrence
    from core.errors.cases.case import Cited
    from core.errors.retrieval.match_location import Standing
    from core.errors.retrieval.neighbours import CasesLike
    from core.library.citations.store import FilePlace


AHEAD = 12
"""Times read at once; each may hold a whole message."""

Older = tuple["Occurrence", ...]


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The times read so far, newest first; `at` is the one shown, `total` how many there are.

    `fingerprint`: they are those of this one error of the case.
    """

    case_id: int = 0
    total: int = 0
    read: tuple[Occurrence, ...] = ()
    at: int = 0
    fingerprint: str | None = None

    @property
    def current(self) -> Occurrence | None:
        """The time that is shown."""
        return self.read[self.at] if self.at < len(self.read) else None

    @property
    def has_older(self) -> bool:
        """Whether there is an older time, read or not."""
        return self.at + 1 < max(self.total, len(self.read))

    @property
    def lacks_older(self) -> bool:
        """Whether the next older time is still to be read."""
        return self.has_older and self.at + 1 >= len(self.read)

    def moved(self, by: int) -> Occurrences:
        """The same times, another one shown."""
        return replace(self, at=min(max(0, self.at + by), max(0, len(self.read) - 1)))

    def grown(self, older: Older) -> Occurrences:
        """With more times read; none more means that there are no more than those."""
        read = (*self.read, *older)
        return replace(self, read=read, total=len(read) if len(older) < AHEAD else max(self.total, len(read)))


@job_work
def read_older(job: Job[Older], seen: Occurrences) -> Older:
    """Read the times before the oldest that is known."""
    from core.errors import occurrences_of

    last = seen.read[-1] if seen.read else None
    return occurrences_of(job.store(), seen.case_id, AHEAD, last, seen.fingerprint)


class LikeView(RowList):
    """Shows them one a line, under a heading; hidden where there are none."""

    def __init__(self, signs: Signs) -> None:
        super().__init__(self._paint, id="case-like")
        self._signs = signs
        self.like: CasesLike | None = None
        self.add_class("block")

    @property
    def chosen_id(self) -> int | None:
        row = self.rows.get(self.chosen)
        return row.row.id if row is not None else None  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]

    def show_matches(self, like: CasesLike | None) -> None:
        self.like = like
        cases = like.cases if like is not None else ()
        self.display = bool(cases)
        if like is None or not cases:
            self.show(NoRows())
            return
        by = "by meaning" if like.by == "meaning" else "by words"
        self.border_title = Content(f" Similar cases, {by} ")
        self.styles.height = len(cases) + 2
        self.show(FixedRows(cases))

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        from core.errors.retrieval.neighbours import CaseLike

        return draw_like(row, width, self._signs, chosen=chosen) if isinstance(row, CaseLike) else Content("")


class CitedView(RowList):
    """Shows them one a line, under a heading; hidden where there are none."""

    def __init__(self, signs: Signs) -> None:
        super().__init__(self._paint, id="case-cited")
        self._signs = signs
        self.add_class("block")

    @property
    def chosen_one(self) -> Cited | None:
        return cast("Cited | None", self.rows.get(self.chosen))

    def show_matches(self, cited: tuple[Cited, ...]) -> None:
        self.display = bool(cited)
        if not cited:
            self.show(NoRows())
            return
        lost = sum(one.status == "detached" for one in cited)
        self.border_title = Content(f" Cited from the library{f', {lost} detached' if lost else ''} ")
        self.styles.height = len(cited) + 2
        self.show(FixedRows(cited), min(self.chosen, len(cited) - 1))

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        return Content("") if row is None else draw_cited(cast("Cited", row), width, self._signs, chosen=chosen)


@job_work
def read_cited(job: Job[Any], case_id: int) -> Case | None:
    """The case with what its fix cites; None where it is gone."""
    from core.errors import show_case
    from core.flows.ingest.case_citations import with_citations

    store = job.store()
    case = show_case(store, case_id)
    return None if case is None else with_citations(store, case, job.check)


def edit_cited(view: CaseView, jobs: Jobs, one: Cited, say: Callable[[str], None]) -> None:
    """Open the file that is cited, at its line, in the person's editor."""

    def find(job: Job[Any]) -> FilePlace:
        from core.library.citations.store import file_place

        return file_place(job.store().con, one.place or one.uri)

    def on_place(place: FilePlace, _final: bool) -> None:
        words, why = editor_of(os.environ, to_read=False)
        say(why or edit_in(view.app, words, Path(place.file), place.line) or place.told)

    jobs.run("cited-file", find, on_place, lambda fault: say(fault.message))


LIKE = 0.12
"""Seconds that a case must stay selected before similar ones are searched, so that moving through the list is fast."""

_STATUSES = ("verified", "draft", "unresolved", "rejected")


class CaseView(Reading):
    """Shows one case, or that none is chosen."""

    BINDINGS = bindings("case")

    @dataclass
    class Used(Message):
        """The fix was taken away by the person."""

        case_id: int

    @dataclass
    class Visited(Message):
        """A similar case was opened."""

        case_id: int

    def __init__(self, jobs: Jobs, signs: Signs, clock: Callable[[], datetime], meaning: Meaning) -> None:
        super().__init__(id="case")
        self._meaning = meaning
        self.like = LikeView(signs)
        self.cited = CitedView(signs)
        self._jobs = jobs
        self._signs = signs
        self._clock = clock
        self.read: Read | None = None
        self.fix: Fix | None = None
        self.standing: Standing | None = None  # what it is to a search that it does not answer
        self.raw: Raw = Raw("")
        self.line = ""
        self.seen = Occurrences()
        self._searched: tuple[str, str | None] | None = None  # what the search says of it
        self.masked_shown = False
        self.history_whole = False
        self._drawn = PREVIEW
        self._acts = CaseActs(self, jobs, signs)
        self.border_title = Content("Case")
        self.facts = Static(id="case-facts")
        self.facts.border_title = Content("Facts")
        self._hit: tuple[Hit | None, Spans] = (None, ())
        self._facts_in_column = False  # whether the facts have their own column
        self._head, self._fix = Block("case-head"), Block("case-fix", "Fix")
        self._practice = Block("case-practice", "Practice")
        self._masked = Block("case-masked", "Key details")
        self._steps, self._raw = Block("case-steps", "Steps"), Block("case-raw", "Output")
        self._source, self._history = Block("case-source", "Source"), Block("case-history", "All fixes")

    def compose(self) -> ComposeResult:
        yield from (self._head, self._masked, self._fix, self._practice, self.cited, self._steps)
        yield from (self._raw, self._history, self.like, self._source)

    @property
    def parts(self) -> tuple[Widget, ...]:
        """What can have the focus here."""
        return self, self.like, self.cited

    def on_mount(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Show that no case is chosen."""
        self.read, self.fix, self.raw, self.seen, self.standing = None, None, Raw(""), Occurrences(), None
        self._jobs.cancel("seen")
        self._jobs.cancel("like")
        self._jobs.cancel("cited")
        self.like.show_matches(None)
        self.cited.show_matches(())
        self._head.set_content(draw_notice(no_case(), self._signs))
        self._draw_facts()
        for part in (
            self._masked, self._fix, self._practice, self._steps, self._raw, self._source, self._history,
        ):  # fmt: skip
            part.set_content(Content(""))
        self.border_subtitle = Content("")

    def show(self, read: Read, hit: Hit | None, highlights: Spans = ()) -> None:
        """Show a case; for a hit, with the fix of the answer, how it matched, and where (`highlights`)."""
        moved = self.read is None or self.read.case.id != read.case.id
        before, self._searched = self._searched, None if hit is None else (hit.key_line, hit.resolution)
        if self.read is not None and not moved:  # what it cites is read after it: until then, what was known of it
            read = replace(read, case=replace(read.case, citations=self.read.case.citations))
        case, signs = read.case, self._signs
        self.read = read
        self.fix, self.line = draw.fix_of(case, hit, read.chosen), draw.head_line(case, hit)
        self.standing = None if self.fix is None else read.standing
        first = self.seen.read[0] if self.seen.read else None
        if moved or (read.at, read.latest) != (self.seen.fingerprint, first):
            self._jobs.cancel("seen")
            times = case.occurrences if read.error is None else read.error.seen
            self.seen = Occurrences(case.id, times, () if read.latest is None else (read.latest,), fingerprint=read.at)
        self._hit = hit, highlights
        self._draw_head()
        self._draw_masked()
        fix, line, standing = self.fix, draw.head_line(case, hit, read.error), self.standing
        self._fix.set_heading(lambda width: draw.fix_title(fix, signs, standing, width=width))
        self._fix.set_wrapped(lambda width: draw.draw_fix(fix, signs, case, width, line))
        status = "unresolved" if self.fix is None else self.fix.status
        self._fix.update_classes({f"-{name}": name == status for name in _STATUSES})
        self._practice.set_content(draw.draw_practice(read.practice, signs))
        tools = () if fix is None or fix.tools == (fix.resolved_by,) else fix.tools  # its heading names that one
        self._steps.set_content(draw.draw_steps(tools, signs))
        self._draw_raw(BLOCK if self.has_focus else PREVIEW)
        self._draw_source()
        self._draw_history()
        self.border_subtitle = Content(f"#{case.id}")
        if moved:
            self.like.show_matches(None)
            self.cited.show_matches(())
        if moved or self._searched not in (None, before):  # another question begins at what answers it
            self.scroll_home(animate=False)
        self._jobs.run("like", read_like(case.id, self._meaning), self._liked, lambda _fault: None, delay=LIKE)

        self.look_for_citations()

    def put_facts(self, *, in_column: bool) -> None:
        """Show the facts of the case in their column, or in its head."""
        if in_column != self._facts_in_column:
            self._facts_in_column = in_column
            if self.read is not None:
                self._draw_head()
                self._draw_source()

    def _draw_source(self) -> None:
        assert self.read is not None
        case, fix, signs, in_column = self.read.case, self.fix, self._signs, self._facts_in_column
        self._source.set_wrapped(lambda width: draw.draw_source(case, fix, signs, in_column=in_column, width=width))

    def _draw_head(self) -> None:
        assert self.read is not None
        (hit, highlights), read = self._hit, self.read
        self._head.set_content(
            draw.draw_head(
                read.case, hit, self._signs, self._clock(), highlights, chosen=read.chosen, standing=self.standing,
                in_column=self._facts_in_column,
            )
        )  # fmt: skip
        self._draw_facts()

    def _draw_facts(self) -> None:
        visible = self._facts_in_column and self.read is not None
        if visible and self.read is not None:
            self.facts.update(draw.draw_facts(self.read.case, self.fix, self._signs, self._clock()))
        self.facts.set_class(visible, "-on")

    def look_for_citations(self) -> None:
        """Locate the citations of the fix."""
        if self.read is not None:
            self._jobs.run("cited", read_cited(self.read.case.id), self._on_citations, lambda _fault: None, delay=LIKE)

    def _on_citations(self, case: Case | None, _final: bool) -> None:
        if case is not None and self.read is not None and self.read.case.id == case.id:
            self.read = replace(self.read, case=replace(self.read.case, citations=case.citations))
            self.cited.show_matches(case.citations)
            self.post_message(PaneChanged())

    def _liked(self, like: CasesLike, _final: bool) -> None:
        if like != self.like.like:
            self.like.show_matches(like)
            self.post_message(PaneChanged())

    @property
    def clipped(self) -> bool:
        """Whether some of the raw error is not shown."""
        return draw.is_clipped(self.raw, self._drawn)

    @property
    def has_history(self) -> bool:
        """Whether the case has other fixes than the one that answers."""
        return self.read is not None and has_history(self.read.case.resolutions)

    def on_focus(self) -> None:
        """Someone reads it: show more of a long error."""
        if self.read is not None and self.clipped and self._drawn < BLOCK:
            self._draw_raw(BLOCK)

    # What one can do -------------------------------------------------------------------------------------------------

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry that belongs to a case; False for anything else."""
        if action_id == "case.like":
            self.like.focus()
        elif action_id == "case.cited":
            self.cited.focus()
        elif action_id == "list.back" and (self.like.has_focus or self.cited.has_focus):
            self.focus()
        else:
            return self._acts.perform(action_id) or super().perform(action_id)
        return True

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        if self.cited.has_focus:
            self._acts.perform("case.open_cited")
        elif (case_id := self.like.chosen_id) is not None:
            self.post_message(self.Visited(case_id))

    def walk(self, by: int) -> None:
        """Show an older (1) or newer (-1) time, reading more times when they are needed."""
        if by > 0 and self.seen.lacks_older:
            seen = self.seen

            def grown(older: Older, _final: bool) -> None:
                if self.seen is seen:
                    self.seen = seen.grown(older)
                    self._show_time(self.seen.moved(by))

            self._jobs.run("seen", read_older(seen), grown, lambda fault: self._tell(PaneTroubled(fault)))
            return
        self._show_time(self.seen.moved(by))

    def toggle_masked(self) -> None:
        """Explain what is masked, or no longer."""
        self.masked_shown = not self.masked_shown
        self._draw_masked()
        if self.masked_shown:
            self.call_after_refresh(self.scroll_home, animate=False)

    def toggle_history(self) -> None:
        """Show the other fixes whole, or a line each."""
        self.history_whole = not self.history_whole
        self._draw_history()
        self.call_after_refresh(self.scroll_to_widget, self._history, animate=False, top=True)

    def _tell(self, message: Message) -> None:
        self.post_message(message)

    def _show_time(self, seen: Occurrences) -> None:
        self.seen = seen
        self._draw_raw(BLOCK if self.has_focus else PREVIEW)
        self.call_after_refresh(self._reveal_key_line)
        self.post_message(PaneChanged())

    def _reveal_key_line(self) -> None:
        """Bring the key line of the raw error into the upper third, its heading too where both fit."""
        block = self._raw.virtual_region
        width = max(1, self._raw.content_size.width)
        height = max(1, self.size.height)
        line = 2 + draw.rows_before(self.raw, self._drawn, width)
        self.scroll_to(y=block.y if line < height * 2 // 3 else block.y + line - height // 3, animate=False)

    # Drawing ---------------------------------------------------------------------------------------------------------

    def _draw_raw(self, limit: int) -> None:
        self._drawn = limit
        one = self.seen.current
        if one is not None and one.raw:
            self.raw = Raw(*without_colours(one.raw, one.start, one.end))
        elif self.read is not None and self.read.error is not None:
            self.raw = Raw(self.read.error.key_line)
        elif self.read is not None:
            self.raw = Raw(self.read.case.error_raw or "\n".join(self.read.case.key_lines))
        case = None if self.read is None else self.read.case
        note = "" if self.read is None else self.read.variant_note(one)
        of = " of this error" if self.seen.fingerprint is not None else note
        at, total, now = self.seen.at, self.seen.total, self._clock()
        raw, signs = self.raw, self._signs

        def drawn(width: int) -> Content:
            when = draw.draw_occurrence(one, at, total, signs, now, of, case, width)
            text = draw.draw_raw(raw, signs, limit=limit, width=width)
            return Content.assemble(when, "\n", text) if when.plain else text

        self._raw.set_wrapped(drawn)

    def _draw_masked(self) -> None:
        if self.read is None or not self.masked_shown:
            self._masked.set_content(Content(""))
        else:
            self._masked.set_content(draw_masked(self.line, masked_in(self.line, self.read.case.keys)))

    def _draw_history(self) -> None:
        if self.read is None:
            return
        fixes, whole, fix = self.read.case.resolutions, self.history_whole, self.fix
        signs, now = self._signs, self._clock()
        self._history.border_title = history_title(fixes)
        self._history.set_wrapped(lambda width: draw_history(fixes, signs, now, whole=whole, width=width, chosen=fix))
