"""The list of a pane, its search and its loader: the box, the query, the rows read off this thread, Enter meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Protocol, TypeVar, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from core.base.fault import Fault
from tui.actions.action import Acts, Performs
from tui.runtime.jobs import Job, Jobs
from tui.terminal.keyboard import KeysInOrder
from tui.widgets.inputs import SearchBox
from tui.widgets.row_list import KeyedRows, NoticeView, Page, Painter, RowList, RowsOrNotice

R = TypeVar("R", bound=Hashable)
T = TypeVar("T")


class ListView(Vertical):
    """Shows rows. `ids`: of the whole, of the rows, and of what is said in their place.

    A search `box` above them is there while one types in it, and while something is searched. `search`: reads them.
    """

    search: Search

    def __init__(
        self, ids: tuple[str, str, str], painter: Painter, *, box: SearchBox | None = None, tall: int = 1
    ) -> None:
        super().__init__(id=ids[0])
        self.rows = RowList(painter, id=ids[1], tall=tall)
        self.body = RowsOrNotice(self.rows, NoticeView(id=ids[2]))
        self.box = box
        self.show_search()

    def compose(self) -> ComposeResult:
        if self.box is not None:
            yield self.box
        yield self.body.rows
        yield self.body.notice

    def begin_search(self) -> None:
        """Go into the box."""
        if self.box is not None:
            self._show_search(on=True)
            self.box.focus()

    def show_search(self) -> None:
        """Show the box, or hide it."""
        if self.box is not None:
            self._show_search(on=self.box.has_focus or bool(self.box.query_text))

    def _show_search(self, *, on: bool) -> None:
        if self.box is not None:
            self.box.display = on
            self.set_class(on, "-searching")  # few lines are a few more then

    def on_descendant_focus(self) -> None:
        self.show_search()

    def on_descendant_blur(self) -> None:
        self.show_search()

    def on_search_box_query_changed(self) -> None:
        """A box stays for as long as it has words. The pane searches for them."""
        self.show_search()

    def read_page(
        self,
        jobs: Jobs,
        lane: str,
        span: tuple[int, int],
        read: Callable[[int, Sequence[int]], Callable[[Job[Any]], Page[Any]]],
        came: Callable[[], object] = lambda: None,
    ) -> None:
        """Read the first page that the rows of this span lack; others are asked for once it is there."""
        rows = self.rows.rows
        if not isinstance(rows, KeyedRows) or (lacking := rows.lacking(*span)) is None:
            return

        def put(page: Page[Any], _final: bool) -> None:
            if rows is self.rows.rows:
                rows.put(page)
                self.rows.repaint_rows()
                self.rows.want()
                came()

        keys = rows.keys[lacking.start : lacking.stop].tolist()
        jobs.run(lane, read(lacking.start, keys), put, lambda _fault: None)


LATE = 0.2
"""Seconds after which a view that still shows the old content is dimmed."""


class Late:
    """Dims views that still show their old content some time after new content was requested."""

    def __init__(self, *views: Widget) -> None:
        self._views = views
        self._timer: Timer | None = None

    def begin(self, delay: float = 0.0, *, again: bool = False) -> None:
        """New content was requested, and its read begins in `delay` seconds. `again`: this replaces a request."""
        view = self._views[0]
        if self._timer is not None and again:
            self._timer.stop()
            self._timer = None
        if self._timer is None and view.is_attached:
            self._timer = view.set_timer(delay + LATE, self._dim)

    def end(self) -> None:
        """The new content is there, or there will be none."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._mark(late=False)

    def _dim(self) -> None:
        self._mark(late=True)

    def _mark(self, *, late: bool) -> None:
        for view in self._views:
            view.set_class(late, "-late")


class Search(Performs):
    """Searches a list for the text in its box.

    A pane declares `query`, which begins to look for a text (True: it was pasted), and where keys lead if not to the
    box (`begin`) and the list (`leave`, `open`). `lane`: the jobs that read the list, of which only the newest is
    shown. Enter while one of them runs opens what it finds; keys pressed meanwhile are for what it opens.
    """

    def __init__(
        self,
        view: ListView,
        box: SearchBox,
        jobs: Jobs,
        lane: str,
        query: Callable[[str, bool], object],
        *,
        begin: Callable[[], object] | None = None,
        leave: Callable[[], object] | None = None,
        open: Callable[[], object] | None = None,
    ) -> None:
        view.search = self
        self.box = box
        self._jobs = jobs
        self._lane = lane
        self._query = query
        self._begin = begin or view.begin_search
        self._leave = leave or view.body.take_focus
        self._open = open or view.body.take_focus
        self._searched = ""
        self._before = ""  # the last words that were searched
        self._pending: str | None = None  # the text for which Enter was pressed while its rows were read

    @property
    def words(self) -> str:
        return self.box.query_text

    @property
    def busy(self) -> bool:
        """Whether the list is being read."""
        return self._jobs.busy(self._lane)

    def actions(self) -> Acts:
        return {
            "find.focus": self._begin,
            "find.results": self._leave,
            "find.open": self.open,
            "find.clear": self.clear,
            "find.recall": self._recall,
        }

    def on_query(self, event: SearchBox.QueryChanged) -> None:
        """Search for the current text of the box. The frame of a box shows the length of a pasted text."""
        if self.box.border_title:
            lines = self.box.pasted_lines
            self.box.border_subtitle = Content(f"pasted, {lines:,} lines" if lines > 1 else "pasted" if lines else "")
        if self._pending is not None and event.text != self._pending:
            self._settle()
        self._searched = event.text
        self._before = event.text if event.text.strip() else self._before
        self._query(event.text, event.pasted)

    def clear(self) -> bool:
        """Empty the box; False if it is empty."""
        searched = bool(self.words)
        if searched:
            self.box.ask("")
        return searched

    def open(self) -> None:
        """Open what was found; if the list is still being read, as soon as it is there."""
        if (self.words.strip() and self.words != self._searched) or self.busy:
            self._pending = self.words
            self._keys.hold_keys()
        else:
            self._open()

    def read(
        self,
        work: Callable[[Job[T]], T],
        came: Callable[[T, bool], object],
        failed: Callable[[Fault], object],
        delay: float = 0.0,
    ) -> None:
        """Read the list off this thread; `came` shows what was read and says whether that answers the search.

        A reading that is under way is dropped. `failed` is called with the fault of one that cannot answer.
        """

        def on_result(found: T, final: bool) -> None:
            if came(found, final) is not False:
                self.answered()

        def fell(fault: Fault) -> None:
            self.give_up()
            failed(fault)

        self._jobs.run(self._lane, work, on_result, fell, delay=delay)

    def cancel(self) -> None:
        """Drop the reading that is under way."""
        self._jobs.cancel(self._lane)

    def answered(self) -> None:
        """The rows are there: open them, if Enter was pressed for them and the focus is still in the box."""
        if self._settle() and self.box.has_focus:
            self._open()

    def give_up(self) -> None:
        """The search cannot answer: nothing is opened any more, and keys need not wait."""
        self._settle()

    @property
    def _keys(self) -> KeysInOrder:
        return cast("KeysInOrder", self.box.app)

    def _settle(self) -> bool:
        pending, self._pending = self._pending is not None, None
        if pending:
            self._keys.let_keys_go()
        return pending

    def _recall(self) -> None:
        if not self.words and self._before:
            self.box.ask(self._before)


class _Searching(Protocol):
    @property
    def search(self) -> Search: ...

    def perform(self, action_id: str) -> bool: ...

    def changed(self) -> None: ...


class SearchPane:
    """For a pane whose list is searched: what is typed in the box is looked for."""

    def on_search_box_query_changed(self: _Searching, event: SearchBox.QueryChanged) -> None:
        event.stop()
        self.search.on_query(event)
        self.changed()


class PasteSearchPane(SearchPane):
    """For a pane that searches for what is pasted, wherever the focus is."""

    def on_paste(self: _Searching, event: events.Paste) -> None:
        self.perform("find.focus")
        self.search.box.take(event)
