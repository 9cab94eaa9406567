"""The tool calls on the left: all of them, newest import first, read page by page as they are looked at."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from datetime import datetime
from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult
from textual.content import Content

from core.base.fault import Fault
from tui.panes.common.list_pane import ListView
from tui.panes.rules.call_editor import TypedCall
from tui.panes.rules.queries import Keys, read_keys, read_page
from tui.render.common.empty_states import Notice, of_fault
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline, title
from tui.render.rules.rows import draw_call_row
from tui.runtime.jobs import DEBOUNCE, Jobs
from tui.services.db_watch import staying
from tui.widgets.row_list import KeyedRows, RowList
from tui.widgets.search_box import SearchBox

if TYPE_CHECKING:
    from core.rules.calls import CallRow


class CallRows(KeyedRows["CallRow"]):
    """Calls by number over the keys of all. `words` are those that were searched."""

    def __init__(
        self, keys: array[int] | None = None, before: CallRows | None = None, words: tuple[str, ...] = ()
    ) -> None:
        super().__init__(keys, before)
        self.words = words

    def place_of(self, key: int | None, *, near: bool = True) -> int:
        """Where the call stands; of one that is not there the one behind it, or the first of what was found, or where
        none is to stand for it (`near` false)."""
        if key is None:
            return 0
        at = bisect_left(self.keys, -key, key=lambda one: -one)
        stays = at < self.total and (self.keys[at] == key or (near and not self.words))
        return at if stays else 0


class CallList(ListView):
    """The calls and the box to search them, or what there is to say in their place, or the box to type one in."""

    def __init__(self, jobs: Jobs, signs: Signs, clock: Callable[[], datetime], box: SearchBox) -> None:
        super().__init__(("rules-calls", "rules-call-rows", "rules-call-notice"), self._paint, box=box)
        self._jobs = jobs
        self._signs = signs
        self._clock = clock
        self.typed = TypedCall()
        self.tool = ""  # only calls of this tool
        self.readonly = ""
        self._every = 0  # calls that were searched
        self._whole = True  # whether all of them were
        self._last: int | None = None  # the call that was chosen, while none is listed too
        self._listed = False  # whether calls were listed already
        self._notice: Notice | None = None
        self.sought = "", ""  # the words, and the tool, of which no call is there

    def compose(self) -> ComposeResult:
        """The list, and the box to type in."""
        yield from super().compose()
        yield self.typed

    @property
    def calls(self) -> CallRows:
        """The rows there are."""
        rows = self.rows.rows
        return rows if isinstance(rows, CallRows) else CallRows()

    @property
    def chosen_key(self) -> int | None:
        """The key of the call that the list points at."""
        calls = self.calls
        return calls.keys[self.rows.chosen] if 0 <= self.rows.chosen < calls.total else None

    @property
    def at(self) -> int | None:
        """The call one is at, or was at while none is listed."""
        return self._last if self.chosen_key is None else self.chosen_key

    @at.setter
    def at(self, key: int | None) -> None:
        self._last = key

    @property
    def typing(self) -> bool:
        """Whether the box stands in the place of the list."""
        return self.has_class("-typing")

    def load(self, done: Callable[[], object], delay: float = 0.0) -> None:
        """Read the keys of the calls that are asked for; `done` is called once they are there, and as they come."""

        def came(found: Keys, _final: bool) -> None:
            self.readonly, self._every, self._whole = found.readonly, found.every, found.whole
            before = self.calls
            same = before.total and before.keys == found.keys and before.words == found.words
            if same and self._jobs.busy("rules-page"):
                self._caption()
                done()  # what is being read is what would be read again: whoever writes often must not starve it
                return
            now = CallRows(found.keys, before, found.words)
            top = round(self.rows.scroll_y)
            self._last = self.chosen_key if before.total else self._last
            at = now.place_of(self._last, near=self._listed)
            with staying(self.rows) if before.words == found.words else nullcontext():
                self.rows.renew(now, at, max(0, top + at - self.rows.chosen) if self._listed else 0)
                self.rows.reveal()
            self._listed = True
            self._read(at, at)
            query = self.search.words if found.words and found.every else ""
            self.sought = ("", "") if now.total else (query.strip(), self.tool)
            self._tell(None if now.total else _none(self.tool, query, found.every))
            self._caption()
            done()

        work = read_keys(self.tool, self.search.words, self.at)
        self.search.read(work, came, self._failed(done), delay)

    def start_search(self, done: Callable[[], object]) -> None:
        """Search for what is typed after a moment of quiet; list all again at once."""
        self.load(done, DEBOUNCE if self.search.words else 0.0)

    def show_search(self) -> None:
        """Show the box, or hide it: there is none while a call is typed."""
        if self.typing:
            self._show_search(on=False)
        else:
            super().show_search()

    def _failed(self, done: Callable[[], object]) -> Callable[[Fault], None]:
        def failed(fault: Fault) -> None:
            self.rows.show(CallRows())
            self.sought = "", ""
            self._tell(_none("", "", 0) if fault.code == "not_indexed" else of_fault(fault))
            self._caption()
            done()

        return failed

    def show_box(self, on: bool) -> None:
        """Show the box in the place of the list, or the list again."""
        self.set_class(on, "-typing")
        self.show_search()
        self._tell(self._notice)
        self._caption()

    def _tell(self, notice: Notice | None) -> None:
        """Show the rows, or a notice in their place; neither while the box stands there."""
        self._notice = notice
        if self.typing:
            self.rows.display = self.body.notice.display = False
        else:
            self.body.tell(notice)

    def take_focus(self) -> None:
        """To the list, to its notice, or into the box."""
        if self.typing:
            self.typed.take_focus()
        else:
            self.body.take_focus()

    def _caption(self) -> None:
        count, searched = f"{self.calls.total:,}", bool(self.calls.words)
        if searched:
            count += f"{'' if self._whole else '+'} of {self._every:,}"
        about = f"{title(self.tool)} calls" if self.tool else "Tool calls"
        told = f"{about} {self._signs.dot} {count}"
        self.border_title = Content("A call of your own" if self.typing else told)
        self.border_subtitle = Content("read-only" if self.readonly else "")

    def on_row_list_wanted(self, event: RowList.Wanted) -> None:
        """Rows come onto the screen that are not read."""
        event.stop()
        self._read(event.first, event.last)

    def _read(self, first: int, last: int) -> None:
        words = self.calls.words
        self.read_page(self._jobs, "rules-page", (first, last), lambda at, keys: read_page(at, keys, words))

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        from core.rules.calls import CallRow

        if not isinstance(row, CallRow):
            return Content.styled(f"   {self._signs.unread}", "$cb-faint")
        return draw_call_row(cast("CallRow", row), width, self._signs, self._clock(), chosen=chosen)


def _none(tool: str, query: str, every: int) -> Notice:
    of_all = (("{rules.unfilter}", "shows the calls of all tools"),) if tool else ()
    if query:
        many = "One call was" if every == 1 else f"{every:,} calls were"
        return Notice(
            "No call has these words",
            f'"{inline(query, 60)}": {many} searched by tool, project, session and what they do.',
            (("{find.clear}", "goes back to all calls"), *of_all),
        )
    if tool:
        return Notice("No calls of this tool", "The filter lets none through.", of_all)
    return Notice(
        "No tool calls yet",
        "They come with the sessions of your agents; or type one.",
        (
            ("{import.begin}", "imports the sessions of your agents"),
            ("{rules.type}", "types a call"),
            ("casebook demo", "shows a casebook filled with samples"),
            ("{pane.errors}", "goes back to the errors"),
        ),
    )
