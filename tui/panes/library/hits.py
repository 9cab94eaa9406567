"""The list on the left: what a search has found, or all documents. Old rows stay until new ones come."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from textual.content import Content
from textual.message import Message

from core.base.fault import Fault
from tui.panes.common.list_pane import ListView
from tui.panes.library.queries import Found, Keys, read_page
from tui.panes.library.search_scope import Scope
from tui.render.common.empty_states import Notice, of_fault
from tui.render.common.glyphs import Signs
from tui.render.common.trace import took
from tui.render.library.hits import (
    draw_document,
    draw_hit,
    draw_list_title,
    draw_size,
    draw_unread,
    found_name,
    how_found,
    no_meaning,
    none_found,
    none_pass,
    nothing_ingested,
    tall_for,
)
from tui.runtime.jobs import Jobs
from tui.widgets.row_list import FixedRows, KeyedRows, NoRows, RowList
from tui.widgets.scroll_text import tell_on_border

if TYPE_CHECKING:
    from core.library.documents.opened import LibrarySize
    from core.library.search.inspect import DocSummary
    from core.library.search.rows import SearchHit


LEAST = 0.005
"""The fused score below which a hit shows 0.00: neither list has it among its own."""


def listed(hits: tuple[SearchHit, ...]) -> tuple[SearchHit, ...]:
    """The hits without the tail that a fusion only fills up with; all of them where there is nothing else."""
    worth = tuple(hit for hit in hits if hit.score_kind != "rrf" or hit.score >= LEAST)
    return worth or hits


class HitRows(FixedRows["SearchHit"]):
    """Hits, which are all there."""

    def index_of(self, chunk_id: str | None) -> int | None:
        """Where the passage stands, None where it does not."""
        return next((at for at, hit in enumerate(self.rows) if hit.chunk_id == chunk_id), None)


class DocRows(KeyedRows["DocSummary"]):
    """Documents by number over the keys of all."""


Keep = Literal["nothing", "place", "passage"]
"""What stays chosen when other rows come: the first is, or the same row, or the same passage where it stands now."""
CAPPED = 50
"""Hits from which on there may be more: as many as a search fuses."""


class Hits(ListView):
    """Shows rows, and says what they are."""

    class Chosen(Message):
        """Another row is the chosen one, or none."""

    class Opened(Message):
        """The chosen row was opened."""

    def __init__(self, jobs: Jobs, signs: Signs, clock: Callable[[], datetime]) -> None:
        super().__init__(("library-hits", "library-rows", "library-notice"), self._paint)
        self._jobs = jobs
        self._signs = signs
        self._clock = clock
        self.scope = Scope()
        self.holds: LibrarySize | None = None
        self.resume: str | None = None  # the passage (its id) or the document (its path) one was at the last time
        self._told = ""
        self._by = ""
        self._what = "Found"
        self._put_at = 0  # the row that was chosen when the rows last came

    @property
    def hit(self) -> SearchHit | None:
        """The chosen hit."""
        rows = self.rows.rows
        return rows.get(self.rows.chosen) if isinstance(rows, HitRows) else None

    @property
    def document(self) -> DocSummary | None:
        """The chosen document, where documents are listed."""
        rows = self.rows.rows
        return rows.get(self.rows.chosen) if isinstance(rows, DocRows) and rows.total else None

    @property
    def total(self) -> int:
        """How many rows there are."""
        return self.rows.rows.total

    @property
    def moved(self) -> bool:
        """Whether the person has left the row that was chosen when the rows last came."""
        return self.rows.chosen != self._put_at

    # Rows come -------------------------------------------------------------------------------------------------------

    def show_documents(self, found: Keys, scope: Scope) -> None:
        """List the documents with these keys; where documents were listed before, one stays where one was."""
        before = self.rows.rows
        now = DocRows(found.keys, before if isinstance(before, DocRows) else None)
        self.scope, self.holds, self._told = scope, found.size, ""
        key = before.keys[self.rows.chosen] if isinstance(before, DocRows) and before.total else found.at
        at = found.keys.index(key) if key is not None and key in found.keys else 0
        self._put(now, at)
        if now.total:
            self.body.tell(None)
            self.read(at, at)
        elif scope.picked and found.size.documents:
            self.body.tell(none_pass(scope.picked, found.size.documents))
        else:
            self.body.tell(nothing_ingested())

    def show_hits(self, found: Found, scope: Scope, *, keep: Keep, waiting: bool) -> None:
        """Show what a search has found. With `keep` the row that was chosen stays so, or the passage, and where it
        stands on the screen."""
        before = self.hit
        rows = HitRows(listed(found.response.hits))
        self.scope, self.holds = scope, found.size
        self._told = took(found.response.trace)
        self._by = how_found(found.response, waiting=waiting)
        self._what = found_name(rows.rows, self._signs)
        resumed = rows.index_of(self.resume)
        at = None
        if resumed is None and before is not None and keep != "nothing":
            at = rows.index_of(before.chunk_id) if keep == "passage" else min(self.rows.chosen, rows.total - 1)
        self.resume = self.resume if waiting else None
        top = round(self.rows.scroll_y) // self.rows.tall
        if at is not None and at >= 0 and isinstance(self.rows.rows, HitRows):
            self._stand(rows)
            self.rows.renew(rows, at, max(0, top + at - self.rows.chosen))
            self._put_at = self.rows.chosen
        else:
            self._put(rows, resumed or 0)
        if rows.total:
            self.body.tell(None)
        elif not found.size.documents:
            self.body.tell(nothing_ingested())
        else:
            self.body.tell(none_found(found.response.hint or "", scope.picked))
        self.caption()
        self.post_message(self.Chosen())

    def trouble(self, fault: Fault, *, meaning: bool = False) -> None:
        """The core could not answer: say it in the place of the rows."""
        self.rows.show(NoRows())
        if fault.code == "not_indexed" and not meaning:
            self.body.tell(nothing_ingested())
        else:
            self.body.tell(no_meaning(fault) if meaning else of_fault(fault))
        self._told = ""
        self.caption()
        self.post_message(self.Chosen())

    def tell(self, notice: Notice) -> None:
        """Say something in the place of rows that are not there."""
        self.rows.show(NoRows())
        self.body.tell(notice)
        self.caption()

    def _put(self, rows: DocRows | HitRows, at: int) -> None:
        self._stand(rows)
        self.rows.show(rows, at)
        self._put_at = self.rows.chosen
        self.caption()

    def _stand(self, rows: object) -> None:
        self.rows.stand(tall_for(self.size.height, hits=isinstance(rows, HitRows)))

    def read(self, first: int, last: int) -> None:
        """Read the page of documents that these rows need."""
        told = lambda: self.post_message(self.Chosen())  # noqa: E731
        self.read_page(self._jobs, "library-page", (first, last), read_page, told)

    def caption(self) -> None:
        """What stands in the frame."""
        rows, dot = self.rows.rows, f" {self._signs.dot} "
        name = "Documents" if isinstance(rows, DocRows) else self._what
        by = self._by if isinstance(rows, HitRows) else ""
        size = "" if self.holds is None else draw_size(
            self.holds.documents, self.holds.passages, self.holds.waiting, self._signs, listed=rows.total
        )  # fmt: skip
        every = f"the {rows.total} best" if isinstance(rows, HitRows) and rows.total >= CAPPED else f"{rows.total:,}"
        at = f"{self.rows.chosen + 1:,} of {every}" if rows.total else ""
        told = [at, self._told] if isinstance(rows, HitRows) else [at, size]
        head = draw_list_title(name, by, self.scope.mode, self.scope.picked, self._signs)
        tell_on_border(self, head, Content(dot.join(part for part in told if part)))

    # What the list says ----------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        """As many lines a row as there is room for."""
        if self.rows.rows.total:
            self._stand(self.rows.rows)

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """The choice has moved."""
        event.stop()
        self.resume = None
        self.caption()
        self.post_message(self.Chosen())

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Enter, or a second click."""
        event.stop()
        self.post_message(self.Opened())

    def on_row_list_wanted(self, event: RowList.Wanted) -> None:
        """Rows come onto the screen that are not read."""
        event.stop()
        if not self._jobs.busy("library-page"):
            self.read(event.first, event.last)

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        from core.library.search.inspect import DocSummary
        from core.library.search.rows import SearchHit

        if isinstance(row, SearchHit):
            return draw_hit(row, width, self.rows.tall, self._signs, chosen=chosen)
        if isinstance(row, DocSummary):
            return draw_document(row, width, self.rows.tall, self._signs, self._clock(), chosen=chosen)
        return draw_unread(width, self.rows.tall, self._signs)
