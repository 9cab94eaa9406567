"""Merging and splitting cases: the dialogs before the decision."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from core.base.fault import Fault
from tui.panes.errors.curation import Curating
from tui.panes.errors.queries import Meaning, Read, read_case
from tui.panes.errors.results import ResultRows
from tui.render.case_list import TOOL_CELLS, Row, draw_row, row_of
from tui.render.common.glyphs import Signs
from tui.render.common.lines import hanging
from tui.render.common.untrusted import fault_text, inline
from tui.render.curation import draw_merge
from tui.runtime.jobs import DEBOUNCE, Job, job_work
from tui.widgets.dialogs import AskLine, Confirm, RowPicker
from tui.widgets.inputs import LineBox
from tui.widgets.row_list import RowList
from tui.widgets.workbench import sheet

if TYPE_CHECKING:
    from core.errors import Case, Hit
    from core.errors.cases.resolutions import Resolution
    from core.errors.curation.merging import MergePreview


_MAX_CASES = 100


@job_work
def find_others(job: Job[Any], text: str, case: Case, meaning: Meaning) -> tuple[Row, ...]:
    """Cases with these words, or of this number; without any, those that read or mean alike."""
    from core.errors import case_rows
    from core.errors.cases.browse import browse
    from core.errors.retrieval.vector_tier import AlsoFor, Like

    store = job.store()
    found: Sequence[Hit] = ()
    if (number := _number(text)) is not None:
        ids = [number]
    elif text:
        found = browse(store, text, _MAX_CASES)
        ids = [hit.id for hit in found]
    else:
        ids = [one.id for one in meaning.ask(job, AlsoFor(case.id))]
        ids += [one.row.id for one in meaning.ask(job, Like(case.id)).cases]
        found = browse(store, case.key_lines[0], _MAX_CASES)
        ids += [hit.id for hit in found]
    others = tuple(one for one in dict.fromkeys(ids) if one != case.id)
    lines = {hit.id: hit.key_line for hit in found}  # of the error that has the words, mostly not the case's first
    rows = (row_of(row) for row in case_rows(store, others))
    return tuple(replace(row, key_line=lines.get(row.id) or row.key_line) for row in rows)


def _number(text: str) -> int | None:
    """The case that is named by its number, as in `#12`."""
    digits = text.strip().removeprefix("#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 18 else None


class PickCase(RowPicker[int]):
    """Ends with the number of a case, or with None."""

    CSS_PATH = sheet("curation")

    def __init__(self, curating: Curating, case: Case) -> None:
        title = f"Merge another case into #{case.id}"
        box = Input(placeholder="Words or number of the other case", select_on_focus=False)
        super().__init__("pick", title, "enter merges, esc cancels", box, RowList(self._paint, id="pick-rows"))
        self._curating = curating
        self._case = case
        self._taking = False  # Enter came before the case of the typed number did

    def on_mount(self) -> None:
        super().on_mount()
        self._find(0.0)

    def on_unmount(self) -> None:
        self._curating.jobs.cancel("pick")

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._taking = False
        self._find(DEBOUNCE)

    def pick(self) -> None:
        """End with the chosen case; with one that was named by its number as soon as it is read."""
        row = self.rows.rows.get(self.rows.chosen)
        if self._curating.jobs.busy("pick"):
            self._taking = _number(self._box.value) is not None
        elif isinstance(row, Row) and self.app.screen is self:
            self.dismiss(row.id)

    def _find(self, delay: float) -> None:
        def on_rows(rows: tuple[Row, ...], _final: bool) -> None:
            self.rows.show(ResultRows(rows))
            if self._taking:
                self._taking = False
                self.pick()

        work = find_others(self._box.value.strip(), self._case, self._curating.meaning)
        self._curating.jobs.run("pick", work, on_rows, self.tell_fault, delay=delay)

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        if not isinstance(row, Row):
            return Content("")
        rows, signs, now = self.rows.rows, self._curating.signs, self._curating.clock()
        lines, tool = (rows.lines, rows.tool) if isinstance(rows, ResultRows) else ((), TOOL_CELLS)
        return draw_row(row, width, signs, now, chosen=chosen, lines=lines, numbered=True, tool=tool)


_MAX_ERRORS = 200


class AskReason(AskLine):
    """Ends with why a fix is rejected, for its history, or with None: it is not."""

    CSS_PATH = sheet("curation")

    def __init__(self) -> None:
        box = LineBox(placeholder="Why the fix is wrong", max_length=300)
        super().__init__("reason", "Reject with a reason", "enter rejects, esc cancels", box, blank="")


_MOVES: list[BindingType] = [Binding("j", "move(1)", "Next"), Binding("k", "move(-1)", "Previous")]
"""The keys of every other list, in addition to the arrows."""


class PickErrors(ModalScreen["tuple[str, ...] | None"]):
    """Ends with the fingerprints that are to leave the case, or with None."""

    CSS_PATH = sheet("curation")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Close"),
        Binding("space,x", "mark", "Select"),
        *_MOVES,
    ]

    def __init__(self, case: Case, signs: Signs) -> None:
        super().__init__()
        self._finer = case.fingerprints[:_MAX_ERRORS]
        self._signs = signs
        self._marked: set[int] = set()
        self._list = OptionList(id="pick-errors", markup=False)
        self._list.border_title = Content(f"Errors of case #{case.id} to split off")
        self._list.border_subtitle = Content("space selects, enter splits, esc cancels")

    def compose(self) -> ComposeResult:
        yield self._list

    def on_mount(self) -> None:
        self._draw()
        self._list.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter: those that are marked, else the one under the cursor; at least one must stay."""
        event.stop()
        chosen = sorted(self._marked) or [event.option_index]
        if len(chosen) >= len(self._finer):
            self._list.border_subtitle = Content.styled("at least one error must stay in the case", "$cb-draft")
        elif self.is_current:
            self.dismiss(tuple(self._finer[at].fingerprint for at in chosen))

    def action_move(self, by: int) -> None:
        """To the next line, or the one before."""
        _move(self._list, by)

    def action_mark(self) -> None:
        """Mark the one under the cursor, or no longer."""
        if (at := self._list.highlighted) is not None:
            self._marked ^= {at}
            self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        at, width = self._list.highlighted or 0, self._list.scrollable_content_region.width
        options: list[Option] = []
        for number, one in enumerate(self._finer):
            line, seen = inline(one.key_line, 300, more=self._signs.more), f"  {self._signs.times}{one.seen}"
            whole = hanging(Content.assemble("    ", line, (seen, "$cb-dim")), width)
            mark = "[x] " if number in self._marked else "[ ] "
            options.append(Option(Content.assemble((mark, "bold $cb-accent"), whole[len(mark) :])))
        self._list.set_options(options)
        self._list.highlighted = min(at, len(self._finer) - 1) if self._finer else None


_LINES = 6
"""Lines of the fix that are shown."""


def _move(lines: OptionList, by: int) -> None:
    if by > 0:
        lines.action_cursor_down()
    else:
        lines.action_cursor_up()


class WhoseFix(ModalScreen["bool | None"]):
    """Ends with whether the fix goes with the errors that leave the case, or with None."""

    CSS_PATH = sheet("curation")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss(None)", "Close"), *_MOVES]

    def __init__(self, case: Case, leaving: tuple[str, ...], fix: Resolution, signs: Signs) -> None:
        super().__init__()
        lines = fix.text.strip().split("\n")
        preview = "\n".join(inline(line, 300, more=signs.more) for line in lines[:_LINES])
        self._text = preview + (f"\n{signs.more}" if len(lines) > _LINES else "")
        self._title = f"Fix {fix.id} applies to errors on both sides"
        go = [one.key_line for one in case.fingerprints if one.fingerprint in leaving]
        stay = [one.key_line for one in case.fingerprints if one.fingerprint not in leaving]
        self._list = OptionList(
            Option(_choice(f"Keep it in #{case.id}", stay, signs)),
            Option(_choice("Move it to the new case", go, signs)),
            id="whose-fix-choices",
            markup=False,
        )

    def compose(self) -> ComposeResult:
        with Vertical(id="whose-fix") as frame:
            frame.border_title = Content(self._title)
            frame.border_subtitle = Content("enter selects, esc cancels")
            yield Static(Content(self._text), id="whose-fix-text")
            yield self._list

    def action_move(self, by: int) -> None:
        """To the other choice."""
        _move(self._list, by)

    def on_mount(self) -> None:
        self._list.highlighted = 0
        self._list.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self.is_current:
            self.dismiss(event.option_index == 1)


def _choice(what: str, lines: list[str], signs: Signs) -> Content:
    first = inline(lines[0], 300, more=signs.more) if lines else ""
    more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
    return Content.assemble(what, ("  ", ""), (f"{first}{more}", "$cb-dim"))


class MergeScreen(Confirm):
    """Ends with whether to merge."""

    CSS_PATH = sheet("curation")

    def __init__(self, preview: MergePreview, signs: Signs) -> None:
        into, *others = preview.seen
        which = f"#{others[0].case_id}" if len(others) == 1 else f"{len(others):,} cases"
        super().__init__("merge", f"Merge {which} into #{into.case_id}?", "merges", draw_merge(preview, signs))


LANE = "merge"


def ask_other(app: App[Any], curating: Curating, case: Case, then: Callable[[int], object]) -> None:
    def picked(case_id: int | None) -> None:
        if case_id is not None:
            then(case_id)

    app.push_screen(PickCase(curating, case), picked)


def ask_merge(
    app: App[Any],
    curating: Curating,
    into: int,
    others: Sequence[int],
    then: Callable[[MergePreview], object],
    known: Case | None = None,
) -> None:
    """Which other case is the same, where none is named; and whether to merge, where they are not obviously the same.

    `then` gets the answers, unless the screen was left meanwhile. `known`: the case that stays, as it is on the screen.
    """
    here = app.screen

    def failed(fault: Fault) -> None:
        curating.say(fault_text(fault), "error")

    def pick(case: Case) -> None:
        ask_other(app, curating, case, lambda other: ask_merge(app, curating, into, [other], then, case))

    def read(found: Read | None, _final: bool) -> None:
        if found is None:
            curating.say("This case was deleted.", "warning")
        elif app.screen is here:
            pick(found.case)

    def on_preview(preview: MergePreview, _final: bool) -> None:
        def answered(agreed: bool | None) -> None:
            if agreed:
                then(preview)

        if app.screen is not here:
            return
        if preview.differing:
            app.push_screen(MergeScreen(preview, curating.signs), answered)
        else:
            then(preview)

    if others:
        curating.jobs.run(LANE, read_merge(into, others, known), on_preview, failed)
    elif known is not None:
        pick(known)
    else:
        curating.jobs.run(LANE, read_case(into), read, failed)


@job_work
def read_merge(job: Job[Any], into: int, others: Sequence[int], known: Case | None) -> MergePreview:
    """What a merge would join, and what differs."""
    from core.errors.curation.merging import preview_merge

    return preview_merge(job.store(), into, others, known)


@dataclass(frozen=True, slots=True)
class Parting:
    """What is to be split off: the `errors` that go, and the fixes for both sides that stay or go with them."""

    errors: tuple[str, ...]
    keep: tuple[int, ...] = ()
    take: tuple[int, ...] = ()


def ask_errors(
    app: App[Any], curating: Curating, case: Case, then: Callable[[Parting], object], *, fixed: bool = False
) -> None:
    """Which of its errors have another fix; and whose is a fix that was written for both sides, one by one.

    `fixed`: those that go are given a fix, so the others stay where they are. `then` gets the answers, unless the
    screen was left meanwhile.
    """
    here = app.screen
    if len(case.fingerprints) < 2:
        curating.say("This case has only one error. There is nothing to split.", "warning")
        return

    def failed(fault: Fault) -> None:
        curating.say(fault_text(fault), "error")

    def picked(marks: tuple[str, ...] | None) -> None:
        if marks and fixed:
            then(Parting(marks))
        elif marks:
            curating.jobs.run(LANE, read_shared(case.id, marks), after_fixes(Parting(marks)), failed)

    def after_fixes(parting: Parting) -> Callable[[tuple[Resolution, ...], bool], None]:
        def ask(shared: tuple[Resolution, ...], _final: bool) -> None:
            if app.screen is here:
                ask_whose(app, curating, case, shared, parting, then)

        return ask

    app.push_screen(PickErrors(case, curating.signs), picked)


def ask_whose(
    app: App[Any],
    curating: Curating,
    case: Case,
    shared: Sequence[Resolution],
    parting: Parting,
    then: Callable[[Parting], object],
) -> None:
    """Ask which side gets each of these fixes; `then` gets the answers, unless the user cancels."""
    if not shared:
        then(parting)
        return
    first, *rest = shared

    def answered(goes: bool | None) -> None:
        if goes is None:
            return
        keep, take = (parting.keep, (*parting.take, first.id)) if goes else ((*parting.keep, first.id), parting.take)
        ask_whose(app, curating, case, rest, Parting(parting.errors, keep, take), then)

    app.push_screen(WhoseFix(case, parting.errors, first, curating.signs), answered)


@job_work
def read_shared(job: Job[Any], case_id: int, marks: tuple[str, ...]) -> tuple[Resolution, ...]:
    """Return the fixes that a split of these errors must assign."""
    from core.errors.curation.splitting import shared_fixes

    return shared_fixes(job.store(), case_id, marks)
