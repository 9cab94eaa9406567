"""The hits of a search, or all documents: words at once, meaning when it comes; a hit that is read stays."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from textual.content import Content
from textual.message import Message

from core.base.fault import Fault
from tui.panes.common.list_pane import Late, ListView
from tui.panes.library.filters import Scope
from tui.panes.library.queries import (
    MOST,
    SNIPPET,
    SOON,
    Keys,
    Meaning,
    SearchResult,
    can_rerank,
    find,
    needs_vectors,
    read_keys,
    read_page,
    read_stamp,
)
from tui.render.common.empty_states import Notice, of_fault
from tui.render.common.glyphs import Signs
from tui.render.common.trace import took
from tui.render.hits import (
    draw_document,
    draw_hit,
    draw_list_title,
    draw_size,
    draw_unread,
    hits_title,
    missing_model,
    model_note,
    no_hits,
    no_meaning,
    none_pass,
    nothing_ingested,
    search_mode_note,
    tall_for,
    vectors_pending,
)
from tui.runtime.jobs import DEBOUNCE, Jobs
from tui.services.db_watch import staying
from tui.widgets.inputs import SearchBox
from tui.widgets.row_list import FixedRows, KeyedRows, NoRows, RowList
from tui.widgets.scroll_text import set_border

if TYPE_CHECKING:
    from core.library.documents.opened import LibrarySize
    from core.library.search.api import SearchQuery
    from core.library.search.fts import SearchFilters
    from core.library.search.inspect import DocSummary
    from core.library.search.rows import SearchHit, SectionHits
    from tui.panes.library.screen import LibraryScreen


REST = 0.35
"""Seconds that a query must rest before its best hits are reranked."""
LEAST = 0.005
"""The fused score of a hit that neither list has among its own is below this."""


def listed(hits: tuple[SearchHit, ...]) -> tuple[SearchHit, ...]:
    """The hits without the tail that a fusion only fills up with; all of them where there is nothing else."""
    return tuple(hit for hit in hits if _is_worth(hit)) or hits


def _is_worth(hit: SearchHit) -> bool:
    fused = hit.retrieval.fusion_score if hit.score_kind == "rerank" else hit.score
    return hit.score_kind not in ("rrf", "rerank") or (fused or 0.0) >= LEAST


def sections(hits: tuple[SearchHit, ...]) -> tuple[SectionHits, ...]:
    """The rows: what is listed, by section."""
    from core.library.search.rows import by_section

    return by_section(listed(hits))


class HitRows(FixedRows["SectionHits"]):
    """Hits by section, which are all there."""

    def index_of(self, chunk_id: str | None) -> int | None:
        """Return the row of the passage or of its section, or None."""
        return next(
            (at for at, row in enumerate(self.rows) for hit in (row.best, *row.others) if hit.chunk_id == chunk_id),
            None,
        )


class DocRows(KeyedRows["DocSummary"]):
    """Documents by number over the keys of all."""


Keep = Literal["nothing", "place", "passage"]
"""What stays selected when the rows change: the first row, the same row, or the same passage."""
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
        self._duration = ""
        self._lacks = ""  # the model that reads the language of the query
        self._by = ""
        self._what = "Found"
        self.late = Late(self.rows)
        self._put_at = 0  # the row that was chosen when the rows last came; -1: the person has moved

    @property
    def hit(self) -> SearchHit | None:
        rows = self.rows.rows
        row = rows.get(self.rows.chosen) if isinstance(rows, HitRows) else None
        return None if row is None else row.best

    @property
    def document(self) -> DocSummary | None:
        """The chosen document, where documents are listed."""
        rows = self.rows.rows
        return rows.get(self.rows.chosen) if isinstance(rows, DocRows) and rows.total else None

    @property
    def total(self) -> int:
        return self.rows.rows.total

    @property
    def moved(self) -> bool:
        """Whether the person has left the row that was chosen when the rows last came."""
        return self.rows.chosen != self._put_at

    # Rows come -------------------------------------------------------------------------------------------------------

    def show_documents(self, found: Keys, scope: Scope, *, keep: bool) -> None:
        """List the documents with these keys. `keep`: the selected document stays selected."""
        before = self.rows.rows
        now = DocRows(found.keys, before if isinstance(before, DocRows) else None)
        self.scope, self.holds, self._duration = scope, found.size, ""
        key = before.keys[self.rows.chosen] if keep and isinstance(before, DocRows) and before.total else found.at
        at = found.keys.index(key) if key is not None and key in found.keys else 0
        moved = keep and self.moved
        self._put(now, at)
        self._put_at = -1 if moved else self._put_at
        if now.total:
            self.body.show_notice(None)
            self.read(at, at)
        elif scope.picked and found.size.documents:
            self.body.show_notice(none_pass(scope.picked, found.size.documents))
        else:
            self.body.show_notice(nothing_ingested())

    def show_hits(self, found: SearchResult, scope: Scope, *, keep: Keep, waiting: bool) -> None:
        """Show what a search has found. With `keep` the row that was chosen stays so, or the passage, and where it
        is on the screen."""
        before = self.hit
        rows = HitRows(sections(found.response.hits))
        self.scope, self.holds = scope, found.size
        self._duration = took(found.response.trace)
        self._lacks = missing_model(found.response)
        self._by = search_mode_note(found.response, waiting=waiting)
        self._what = hits_title(listed(found.response.hits), self._signs)
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
            self.body.show_notice(None)
        elif not found.size.documents:
            self._what, self._by = "Documents", ""
            self.body.show_notice(nothing_ingested())
        else:
            self.body.show_notice(no_hits(found.response.hint or "", scope.picked))
        self.caption()
        self.post_message(self.Chosen())

    def trouble(self, fault: Fault, *, meaning: bool = False) -> None:
        """The core could not answer: say it in the place of the rows."""
        self.late.end()
        self.rows.show(NoRows())
        if fault.code == "not_indexed" and not meaning:
            self.body.show_notice(nothing_ingested())
        else:
            self.body.show_notice(no_meaning(fault) if meaning else of_fault(fault))
        self._duration = ""
        self.caption()
        self.post_message(self.Chosen())

    def show_notice(self, notice: Notice) -> None:
        """Say something in the place of rows that are not there."""
        self.late.end()
        self.rows.show(NoRows())
        self.body.show_notice(notice)
        self.caption()

    def _put(self, rows: DocRows | HitRows, at: int) -> None:
        self._stand(rows)
        self.rows.show(rows, at)
        self._put_at = self.rows.chosen
        self.caption()

    def _stand(self, rows: DocRows | HitRows) -> None:
        self.late.end()
        self.rows.stand(tall_for(self.size.height, hits=isinstance(rows, HitRows), rows=rows.total))

    def read(self, first: int, last: int) -> None:
        """Read the page of documents that these rows need."""
        on_page = lambda: self.post_message(self.Chosen())  # noqa: E731
        self.read_page(self._jobs, "library-page", (first, last), read_page, on_page)

    def caption(self) -> None:
        """Draw the text of the frame."""
        rows, dot = self.rows.rows, f" {self._signs.dot} "
        name = "Documents" if isinstance(rows, DocRows) else self._what
        by = self._by if isinstance(rows, HitRows) else ""
        size = "" if self.holds is None else draw_size(
            self.holds.documents, self.holds.passages, self.holds.waiting, self._signs, listed=rows.total
        )  # fmt: skip
        every = f"best {rows.total}" if isinstance(rows, HitRows) and rows.total >= CAPPED else f"{rows.total:,}"
        at = f"{self.rows.chosen + 1:,} of {every}" if rows.total else ""
        parts = [at, self._duration] if isinstance(rows, HitRows) else [at, size]
        if self._lacks and isinstance(rows, HitRows):
            parts = [model_note(at, self._lacks, self.size.width - 2, self._signs)]
        head = draw_list_title(name, by, self.scope.mode, self.scope.picked, self._signs)
        set_border(self, head, Content(dot.join(part for part in parts if part)))

    # What the list says ----------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        rows = self.rows.rows
        if rows.total and isinstance(rows, DocRows | HitRows):
            self._stand(rows)

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        event.stop()
        self.resume = None
        self.caption()
        self.post_message(self.Chosen())

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self.post_message(self.Opened())

    def on_row_list_wanted(self, event: RowList.Wanted) -> None:
        event.stop()
        if not self._jobs.busy("library-page"):
            self.read(event.first, event.last)

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        from core.library.search.inspect import DocSummary
        from core.library.search.rows import SectionHits

        if isinstance(row, SectionHits):
            return draw_hit(row, width, self.rows.tall, self._signs, chosen=chosen)
        if isinstance(row, DocSummary):
            return draw_document(row, width, self.rows.tall, self._signs, self._clock(), chosen=chosen)
        return draw_unread(width, self.rows.tall, self._signs)


class Searching:
    """Keep the list up to date with the last query."""

    def __init__(self, screen: LibraryScreen, meaning: Meaning, clock: Callable[[], datetime]) -> None:
        self._screen = screen
        self.clock = clock
        self.meaning = meaning
        self.scope = Scope()
        self.text = ""
        self.found: SearchResult | None = None
        self._meant = False  # whether meaning has had its say in the rows
        self._reranked = False  # whether they are in their last order
        self._stamp: Hashable = None  # of the library, when it was last looked at because somebody has written
        self._fresh = True  # whether the rows are to be those of another query

    @property
    def filters(self) -> SearchFilters:
        """What passes, as the core takes it."""
        return self.scope.filters(self.clock())

    @property
    def waiting(self) -> bool:
        """Whether an answer is on its way."""
        return self._screen.search.busy

    def show(self, scope: Scope) -> None:
        """Show what passes this."""
        self.scope = scope
        self._fresh = True
        self._screen.show_filters()
        self.load()

    def ask(self, text: str, *, pasted: bool) -> None:
        """Search for `text` after a moment of quiet; an empty one lists the documents again."""
        if text == self.text and text.strip():
            return
        if text != self._screen.desk.query:
            self._screen.hits.resume = None
        self.text, self._fresh = text if text.strip() else "", True
        self.load(DEBOUNCE if self.text and not pasted else 0.0)

    def load(self, delay: float = 0.0) -> None:
        """Read the requested rows."""
        search, now = self._screen.search, self.clock()
        self.meaning.forget()
        self._meant = self._reranked = False
        self._screen.hits.late.begin(delay, again=True)
        if not self.text:
            self.found = None
            search.read(read_keys(self.scope, now, self._screen.hits.resume), self._listed, self._failed, delay)
        elif self.scope.mode == "vector":
            search.cancel()
            if not self._screen.hits.total:
                self._screen.hits.show_notice(vectors_pending())
            self._ask_meaning(delay)
        else:
            work = find(self.text, self.scope, now, self.meaning.notice)
            search.read(work, self._on_hits, self._failed, delay)

    def look_again(self) -> None:
        """Read the rows again after a write to the library; the old ones stay until then.

        Rows that the vector search ranked are read in full: to show those by words first would move them twice.
        """

        def on_stamp(stamp: Hashable, _final: bool) -> None:
            if stamp == self._stamp:
                return
            self._stamp = stamp
            self._screen.document.again()
            if self._meant:
                self._ask_meaning(rerank=self._reranked)
            else:
                self.load()

        self._screen.jobs.run("library-look", read_stamp(), on_stamp, self._failed)

    def _listed(self, found: Keys, _final: bool) -> None:
        """The list stays where the person is. Until they go somewhere, the newest documents are in sight."""
        screen = self._screen
        keep = self._fresh or screen.reads or screen.hits.moved or screen.hits.rows.scroll_y > 0
        with nullcontext() if self._fresh or not keep else staying(screen.hits.rows):
            screen.hits.show_documents(found, self.scope, keep=keep)
        self._fresh = False
        if not found.size.documents and screen.box.has_focus and not screen.box.query_text:
            screen.hits.body.take_focus()  # keys are offered in the place of the list
        screen.searched()

    def _on_hits(self, found: SearchResult, _final: bool) -> None:
        self.found = found
        self._put(found)
        if needs_vectors(found.response):
            self._ask_meaning()

    def _put(self, found: SearchResult, *, late: bool = False) -> None:
        """Show it. `late`: the same answer in the order that meaning gives it."""
        keep = self._keep(late=late)
        if self._screen.reads and keep == "passage":
            self._screen.keep_reading([row.best for row in sections(found.response.hits)])
        waiting = needs_vectors(found.response)
        with nullcontext() if self._fresh else staying(self._screen.hits.rows):
            self._screen.hits.show_hits(found, self.scope, keep=keep, waiting=waiting)
        self._fresh = False
        self._screen.searched()
        self._screen.search.answered()

    def _keep(self, *, late: bool) -> Keep:
        """Return what stays selected. A passage that the user opened or reads stays; while typing, or in the list, the
        position stays: late results bring other passages there and never move the user to the end of the list.
        """
        screen = self._screen
        if self._fresh:
            return "nothing"
        if screen.reads or screen.hits.moved:
            return "passage"
        if late:
            return "place"
        return "passage" if screen.hits.rows.chosen > 0 or not isinstance(screen.focused, SearchBox) else "nothing"

    def _ask_meaning(self, delay: float = 0.0, *, rerank: bool = False) -> None:
        text, scope, now = self.text, self.scope, self.clock()

        def query() -> SearchQuery:
            from core.library.search.api import SearchQuery

            filters = scope.filters(now)
            return SearchQuery(text, scope.mode, MOST, filters, None, 0, SNIPPET, prefix_last=True, rerank=rerank)

        def on_vectors(found: SearchResult) -> None:
            if (text, scope) == (self.text, self.scope) and not self.waiting:
                late = not self._meant or (rerank and not self._reranked)
                self.found, self._meant, self._reranked = found, True, rerank
                self._put(found, late=late)
                if not rerank and can_rerank(found.response):
                    self._ask_meaning(REST, rerank=True)

        def failed(fault: Fault) -> None:
            if (text, scope) == (self.text, self.scope) and not self.waiting:
                if rerank and not self._reranked:
                    return  # the order by both lists stays
                if self._meant and scope.mode != "vector":
                    self.load()
                else:
                    self._no_meaning(fault)

        self.meaning.ask(query, on_vectors, failed, delay=delay)

    def _no_meaning(self, fault: Fault) -> None:
        """The rows by words stay; the trace says why the vector search failed."""
        self._screen.search.give_up()
        if self.scope.mode == "vector":
            self._screen.hits.trouble(fault, meaning=True)
            self.found, self._stamp = None, None
        elif self.found is not None:
            response = self.found.response
            trace = tuple(
                replace(step, outcome="failed", reason=fault.message) if step.reason == SOON else step
                for step in response.trace
            )
            self.found = replace(self.found, response=replace(response, trace=trace))
        self._screen.searched()

    def _failed(self, fault: Fault) -> None:
        self.found, self._stamp = None, None
        self._screen.hits.trouble(fault)
        self._screen.searched()

    def explain(self) -> None:
        """The trace: of the chosen hit first, then of the search."""
        if not self._screen.why.display:
            return  # to lay out what is not on the screen would cost each key a frame
        if self.found is None:
            self._screen.why.explain(())
            return
        from core.library.search.hybrid import why_hit

        hit = self._screen.hit
        trace = self.found.response.trace
        own = () if hit is None else (why_hit(hit, trace),)
        self._screen.why.explain((*own, *trace))
