"""The list on the left: all cases by page, or what a search has found. Old rows stay until new ones come."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message

from core.base.fault import Fault
from tui.panes.common.list_pane import Late, ListView
from tui.panes.errors.queries import (
    CANDIDATES,
    PAGE,
    SORTS,
    Counted,
    Meaning,
    Pages,
    Scope,
    SearchResult,
    Stretch,
    count,
    find,
    read_pages,
)
from tui.render.case_list import TOOL_CELLS, Row, draw_row, draw_title, draw_unread, list_lines, none_pass, tool_cells
from tui.render.common.amounts import progress_words
from tui.render.common.empty_states import Notice, loading, no_match, of_fault
from tui.render.common.glyphs import Signs
from tui.render.common.trace import took
from tui.render.common.untrusted import inline
from tui.runtime.jobs import DEBOUNCE, Jobs
from tui.services.importing import Source, describe_sources
from tui.widgets.inputs import SearchBox
from tui.widgets.row_list import FixedRows, NoRows, RowList, RowPages, Rows
from tui.widgets.scroll_text import set_border

if TYPE_CHECKING:
    from core.errors import SearchAnswer
    from core.flows.transcripts.report import Progress


def first_run(sources: Sequence[Source] | None) -> Notice:
    """No cases yet: what to do about it. `sources` is None while they are looked for."""
    why = "casebook finds errors and their fixes in agent sessions. "
    why += "Looking for sessions on this computer." if sources is None else describe_sources(sources)
    any_there = sources is not None and any(one.files for one in sources)
    begin = "import them" if any_there else "choose a file or folder"
    return Notice(
        "No cases yet",
        why,
        (
            ("{import.setup}", "set up sessions, hooks and model"),
            ("{import.begin}", begin),
            ("{import.demo}", "open the demo (quit to come back)"),
        ),
        alone=True,
    )


def importing_first(progress: Progress | None, signs: Signs) -> Notice:
    """No cases yet, and an import runs that brings them: how far it is."""
    begins = "Searching for sessions" if progress is None else progress_words(progress, signs)
    return Notice("Importing sessions", f"{begins}. Each case appears here as soon as casebook finds it.", alone=True)


def missing_casebook(path: Path) -> Notice:
    """The casebook was there, and is not any more."""
    return Notice(
        "The casebook file is missing",
        f"{inline(str(path), 200)} was deleted or moved, or its disk is not mounted. "
        "When the file is back, casebook loads it.",
        (
            ("casebook db restore", "restore a backup"),
            ("{import.begin}", "import into a new casebook"),
        ),
        "$cb-bad",
    )


MAX_PAGES = 60
"""Pages kept in memory."""


class PagedRows:
    """Rows by number. `total` is what is known: all that were counted, or what was read so far."""

    def __init__(self, counted: int = 0) -> None:
        self.total = counted
        self._ended = False
        self._pages = RowPages[Row](PAGE, MAX_PAGES)
        self._keys: dict[int, str] = {}
        self.tool = TOOL_CELLS
        self._lines: OrderedDict[int, list[str]] = OrderedDict()
        self.lines: list[str] = []

    def get(self, index: int) -> Row | None:
        return self._pages.get(index)

    def put(self, pages: Pages) -> None:
        """Take in a page; its end says where the next one begins, or that there is none."""
        number = pages.first // PAGE
        self._pages.put(pages.first, pages.rows)
        self.tool = max(self.tool, tool_cells(pages.rows))
        self._lines[number] = list_lines(pages.rows)
        self._lines.move_to_end(number)
        if len(self._lines) > MAX_PAGES:
            self._lines.popitem(last=False)
        self.lines = sorted(chain.from_iterable(self._lines.values()))
        if pages.behind is not None:
            self._keys[number] = pages.behind
        end = pages.first + len(pages.rows)
        if pages.after is None:
            self.total, self._ended = end, True
        else:
            self._keys[number + 1] = pages.after
            self.total = max(self.total, end + 1)

    def counted(self, total: int) -> None:
        """The number of rows was counted; the end that a page has shown is believed more."""
        if not self._ended:
            self.total = max(total, self.total)

    def lacking(self, first: int, last: int) -> Stretch | None:
        """What must be read so that rows `first` to `last` are there; None if they are."""
        lacking = self._pages.lacking(first, last)
        if not lacking:
            return None
        return Stretch(lacking[0] * PAGE, min(last, (lacking[-1] + 1) * PAGE - 1), self._keys.get(lacking[0]))

    def index_of(self, case_id: int) -> int | None:
        """The number of a case among the rows in memory."""
        return next((at for at, row in self._pages.rows() if row.id == case_id), None)


@dataclass(frozen=True, slots=True)
class ResultRows(FixedRows[Row]):
    """The rows of one search: few, all in memory. `hidden`: how many more it named that the filter hides."""

    hidden: int = 0
    lines: list[str] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lines", list_lines(self.rows))

    @property
    def tool(self) -> int:
        """The cells of the tool column."""
        return tool_cells(self.rows)

    def index_of(self, case_id: int) -> int | None:
        return next((at for at, row in enumerate(self.rows) if row.id == case_id), None)


def keep_first(row: Row, now: tuple[Row, ...]) -> tuple[Row, ...]:
    """The rows of `now`, with the one that is chosen still the first, as `now` has it, unless an answer has come."""
    first = next((one for one in now if one.id == row.id), None)
    if first is None or now[0].answers:
        return now
    return (first, *(one for one in now if one.id != row.id))


def keep_visible(before: Rows, visible: int, now: tuple[Row, ...]) -> tuple[Row, ...]:
    """The rows of `now`, the first `visible` rows of `before` in their old places, the others below."""
    by_id = {row.id: row for row in now}
    first = min(visible, before.total)
    old = [row.id for at in range(first) if isinstance(row := before.get(at), Row) and row.id in by_id]
    return tuple(by_id[one] for one in dict.fromkeys((*old, *by_id)))


def caption(
    rows: Rows, chosen: int, scope: Scope, took: str, signs: Signs, *, known: bool, typed: bool
) -> tuple[Content, Content]:
    """The title and the line below, with the place of the cursor. `took`: how long a search did.

    `known`: a case answers what was searched; `typed`: it was typed, not pasted. If none answers the title says so.
    """
    dot = f" {signs.dot} "
    if isinstance(rows, ResultRows):
        more = "+" if rows.total >= CANDIDATES else ""
        at = f"{chosen + 1} of {rows.total}{more}" if rows.total else ""
        counts = dot.join(part for part in (at, f"{rows.hidden} hidden" if rows.hidden else "", took) if part)
        if known:
            seen = not rows.hidden or any(row.answers for row in rows.rows)
            name = "Found" if seen else "Match hidden by the filter"
        else:
            name = _unanswered(rows, dot, more, typed=typed)
        return draw_title(name, scope.picked, signs), Content(counts)
    counts = f"{chosen + 1:,} of {rows.total:,}{dot}{SORTS[scope.sort]}" if rows.total else ""
    return draw_title("Cases", scope.picked, signs), Content(counts)


def _unanswered(rows: ResultRows, dot: str, more: str, *, typed: bool) -> str:
    """What the rows are where none of them answers: cases with every word, similar ones, or with some of the words."""
    if any(row.is_exact_answer for row in rows.rows):
        return "Keyword matches"
    if any(row.rank == 1 and row.hit is not None and row.hit.likeness == "high" for row in rows.rows):
        return "Known error, no fix yet"
    ranks = [row.rank for row in rows.rows]
    every = sum(rank <= 2 for rank in ranks)
    if every and typed:
        return f"{every}{more} case has these words" if every == 1 else f"{every}{more} cases have these words"
    counted = ((every, "has these words", "have these words"), (ranks.count(3), "similar", "similar"))
    counted = (*counted, (ranks.count(4), "shares some words", "share some words"))
    return dot.join(("No match", *(f"{n}{more} {one if n == 1 else many}" for n, one, many in counted if n)))


def no_rows_notice(rows: ResultRows, scope: Scope, query: str, every: int, signs: Signs) -> Notice:
    """A search left no row: the filter hides what it found, or nothing is known."""
    return none_pass(scope.picked, rows.hidden, signs) if rows.hidden else no_match(query, every)


PATIENCE = 0.15
"""Seconds before a first read that takes longer says so."""


class Results(ListView):
    """Show rows and keep them up to date with the last query."""

    @dataclass
    class Chosen(Message):
        """Another case is the chosen one, or none."""

        row: Row | None

    class Opened(Message):
        """The chosen case was opened."""

    @dataclass
    class Answered(Message):
        """A search has said something: the answer with its trace; None when no search is on."""

        answer: SearchAnswer | None

    @dataclass
    class CountChanged(Message):
        """The casebook was counted."""

        counted: Counted

    class Empty(Message):
        """The casebook has no cases, or is not there yet."""

    @dataclass
    class Failed(Message):
        """The core failed, and the old rows are still shown; without rows the notice says it."""

        fault: Fault

    def __init__(self, jobs: Jobs, signs: Signs, clock: Callable[[], datetime], meaning: Meaning) -> None:
        super().__init__(("results", "rows", "rows-notice"), self._paint)
        self.meaning = meaning
        self._jobs = jobs
        self._signs = signs
        self._clock = clock
        self.scope = Scope()
        self.query_text = ""
        self.every = 0
        self.resume: int | None = None  # the case one was at the last time
        self._paged = PagedRows()
        self._took = ""
        self._known = False  # whether a case answers what was searched
        self.unknown = False  # whether what was searched names an error that no case has
        self._shown_first = False
        self._reading = False  # whether pages of the list are on their way
        self.typed = True
        self._first_report = True
        self._sources: Sequence[Source] | None = None
        self._was_there: Path | None = None
        self.absent = False  # whether there was no casebook when it was last read
        self.late = Late(self.rows)
        self.touched = False  # whether the person has moved in the list

    def on_mount(self) -> None:
        """Rows are there in a moment; only if not, say so."""
        self.set_timer(PATIENCE, self._still_reading)

    @property
    def chosen(self) -> Row | None:
        """The chosen row, if it is read."""
        row = self.rows.rows.get(self.rows.chosen) if self.rows.rows.total else None
        return row if isinstance(row, Row) else None

    def load(self, scope: Scope | None = None) -> None:
        """Read all cases of the scope from the beginning; with a search on, search again."""
        self.scope = (scope or self.scope).at(self._clock())
        self._jobs.run("count", count(self.scope), self._on_counted, self.failed)
        if self.query_text:
            self._search(0.0)
            return
        self.search.cancel()
        self._paged = PagedRows()
        self.late.begin(again=True)
        self._read(Stretch(0, 0))

    def ask(self, text: str, *, pasted: bool) -> None:
        """Search for `text` after a moment of quiet; an empty one shows all cases again, at once."""
        if not text.strip():
            self.search.give_up()
            if self.query_text:
                self.query_text = ""
                self.post_message(self.Answered(None))
                self.load()
            return
        self.query_text, self.typed = text, not pasted
        self._search(0.0 if pasted else DEBOUNCE)

    def _search(self, delay: float) -> None:
        self._jobs.cancel("rows")
        self._reading = False
        self._first_report = True
        self.late.begin(delay, again=True)
        work = find(self.query_text, self.scope, self.meaning, typed=self.typed)
        self.search.read(work, self._on_found, self.failed, delay)

    def _read(self, stretch: Stretch) -> None:
        self._reading = True
        self._jobs.run("rows", read_pages(self.scope, stretch), self._on_pages, self.failed)

    def _on_counted(self, counted: Counted, _final: bool) -> None:
        self.every, self._was_there, self.absent = counted.every, counted.path, False
        self._paged.counted(counted.listed)
        if self.rows.rows is self._paged:
            self.rows.grown()
            self._caption()
        self.post_message(self.CountChanged(counted))

    def _on_pages(self, pages: Pages, final: bool) -> None:
        fresh = self.rows.rows is not self._paged
        self._reading = not final
        self._paged.put(pages)
        if fresh:
            self._show(self._paged)
        elif final:
            self.rows.grown()
            self._caption()
            self.post_message(self.Chosen(self.chosen))

    def _on_found(self, found: SearchResult, final: bool) -> bool:
        if not self.is_attached:
            return True  # it came as the workbench was left
        self.answered_in(found.answer)
        if found.rows or final:
            self._show(ResultRows(found.rows, found.hidden), keep=not self._first_report and self._is_chosen_by_hand())
            self._first_report = False
        self.post_message(self.Answered(found.answer))
        return bool(found.rows) or final

    def answered_in(self, answer: SearchAnswer | None) -> None:
        """Show in the frame whether this is an answer, and the time in its trace."""
        self._took = "" if answer is None else took(answer.trace)
        self._known = answer is not None and answer.match is not None
        self.unknown = answer is not None and bool(answer.query.normalized) and not self._known and not answer.unfixed

    def _is_chosen_by_hand(self) -> bool:
        """Whether the person went to the chosen row, not only typed: the first one is then whatever comes first."""
        return self.rows.chosen > 0 or not isinstance(self.screen.focused, SearchBox)

    @property
    def gone(self) -> bool:
        """Return whether there was a casebook that is missing now."""
        return self.absent and self._was_there is not None

    def failed(self, fault: Fault) -> None:
        """The core could not answer."""
        self.late.end()
        self.search.give_up()
        self._reading = False
        if self.rows.rows.total and fault.code != "not_indexed":
            self.border_subtitle = Content.styled(of_fault(fault).what, "$cb-bad")
            self.post_message(self.Failed(fault))
            return
        self.rows.show(NoRows())
        self.border_subtitle = Content("")
        self.absent = fault.code == "not_indexed"
        if self.absent:
            if self._was_there is None:
                self._show_no_rows()
            else:
                self._show_notice(missing_casebook(self._was_there))
        else:
            self._show_notice(of_fault(fault))
        self.post_message(self.Chosen(None))

    def _show(self, rows: PagedRows | ResultRows, *, keep: bool = True) -> None:
        """Show new rows. With `keep`, the case that was chosen stays so, if it is among them."""
        before = self.chosen
        case_id = self.resume if before is None else before.id if keep else None
        at = None if case_id is None else rows.index_of(case_id)
        self.resume = None
        self._shown_first = True
        self.rows.show(rows, at or 0)
        self._settle(rows)

    def _settle(self, rows: PagedRows | ResultRows) -> None:
        self.late.end()
        self._caption()
        if rows.total:
            self._show_notice(None)
        elif isinstance(rows, ResultRows):
            self._show_notice(no_rows_notice(rows, self.scope, self.query_text, self.every, self._signs))
        else:
            self._show_no_rows()
        self.post_message(self.Chosen(self.chosen))

    def _show_no_rows(self) -> None:
        if self.scope.picked and self.every:
            self._show_notice(none_pass(self.scope.picked, self.every, self._signs))
            return
        self._show_notice(self._nothing_yet())
        self.post_message(self.Empty())

    def _nothing_yet(self) -> Notice:
        return first_run(self._sources)

    def _show_notice(self, notice: Notice | None) -> None:
        """Show the notice in the place of the rows, or the rows."""
        if notice is not None:
            self._shown_first = True
        self.body.show_notice(notice)

    def _still_reading(self) -> None:
        if not self._shown_first:
            self._show_notice(loading())
            self._shown_first = False

    def _caption(self) -> None:
        rows, chosen = self.rows.rows, self.rows.chosen
        titles = caption(rows, chosen, self.scope, self._took, self._signs, known=self._known, typed=self.typed)
        set_border(self, *titles)

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        event.stop()
        self.touched = True
        self._caption()
        self.post_message(self.Chosen(self.chosen))

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self.touched = True
        self.post_message(self.Opened())

    def on_row_list_wanted(self, event: RowList.Wanted) -> None:
        """Rows on the screen are not read yet. While a page loads, the list requests no other page:
        it does so afterwards.

        Else somebody who drags the bar would see nothing until they hold still.
        """
        event.stop()
        if self.rows.rows is not self._paged or self._reading:
            return
        if (stretch := self._paged.lacking(event.first, event.last)) is not None:
            self._read(stretch)

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        if not isinstance(row, Row):
            return draw_unread(width, self._signs)
        rows = self.rows.rows
        lines, tool = (rows.lines, rows.tool) if isinstance(rows, PagedRows | ResultRows) else ((), TOOL_CELLS)
        return draw_row(row, width, self._signs, self._clock(), chosen=chosen, lines=lines, tool=tool)
