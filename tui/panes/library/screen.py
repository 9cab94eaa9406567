"""The Library pane: the box on top, the hits, the document at the cited lines, the trace; and what is remembered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from textual.app import ComposeResult
from textual.containers import Container

from core.base.config.settings import Settings
from core.base.fault import Fault
from tui.actions.action import Acts, Situation
from tui.actions.registry import bindings
from tui.panes.common.list_pane import PasteSearchPane, Search
from tui.panes.common.pane_screen import PaneContext, PaneScreen, lay_out, layout_of, one_of, text_of
from tui.panes.library.actions import LibraryNow
from tui.panes.library.conversation import Talk
from tui.panes.library.document import DocumentPlace, DocumentView
from tui.panes.library.filters import KINDS, MODES, PERIODS, Scope
from tui.panes.library.hit_actions import LibraryActs
from tui.panes.library.hits import Hits, Searching
from tui.panes.library.ingest import IngestLine
from tui.panes.library.queries import Meaning
from tui.render.common.untrusted import inline
from tui.render.hits import draw_box_title, no_trace, nothing_ingested, reading
from tui.runtime.messages import CiteTarget, PaneOpenCitation, PaneSearchLibrary
from tui.runtime.state import Memory, Scalar
from tui.widgets.inputs import SearchBox
from tui.widgets.scroll_text import TraceView
from tui.widgets.workbench import sheet

if TYPE_CHECKING:
    from core.library.search.rows import SearchHit


_NAME = 500
_FEW_FROM = 22
"""Lines of a screen on which a document has room below two hits."""


@dataclass(slots=True)
class Desk:
    """What stays of the pane while another one is open: the query, and the rest of what is remembered.

    `uri`: a citation to open first. `searched`: the query came from another pane, and its hits are to be looked at.
    `settings`: what questions are answered with. `talk`: the conversation with the library of this run.
    """

    memory: Memory = field(default_factory=dict[str, Scalar])
    query: str = ""
    uri: str = ""
    searched: bool = False
    settings: Settings | None = None
    talk: Talk = field(default_factory=Talk)

    def turn_to(self, query: str, uri: str) -> None:
        """Search for `query`, or open what is cited at `uri`, once the pane is open."""
        if query and query != self.query:
            self.memory = {**self.memory, "passage": None}
        self.query, self.uri, self.searched = query or self.query, uri, bool(query)


def desk_of(memory: Memory, settings: Settings | None) -> Desk:
    """The desk as it was left the last time."""
    return Desk(memory, text_of(memory.get("query")) or "", settings=settings)


def memory_of(screen: LibraryScreen) -> Memory:
    scope = screen.searching.scope
    return {
        "mode": scope.mode,
        **{kind: scope.value(kind) for kind in KINDS},
        "rendered": screen.document.rendered,
        **layout_of(screen),
        **_row(screen),
    }


def _row(screen: LibraryScreen) -> Memory:
    """The query with the passage one is at, and its document; the document alone where documents are listed."""
    before, query = screen.desk.memory, screen.box.query_text
    same = query == (before.get("query") or "")
    if screen.box.has_focus and not same:
        return {"query": None, "passage": None, "document": before.get("document")}
    hits, hit, document = screen.hits, screen.hits.hit, screen.hits.document
    passage = hits.resume or (hit.chunk_id if hit is not None else before.get("passage") if same else None)
    if hit is not None and not hits.resume and not hits.rows.chosen and not screen.reads:
        passage = None  # nobody chose the first row: semantic results may put it far down
    path = hit.doc_path if hit is not None else document.doc_path if document is not None else None
    return {
        "query": query if query and len(query) <= _NAME and inline(query) == query else None,
        "passage": passage if query else None,
        "document": path or before.get("document"),
    }


def recall(screen: LibraryScreen, memory: Memory) -> None:
    """Put the pane as it was; what makes no sense any more is passed over. Before it is mounted."""
    mode = one_of(MODES, memory.get("mode")) or Scope().mode
    filters = {kind: text_of(memory.get(kind)) for kind in KINDS}
    if filters["period"] not in PERIODS:
        filters["period"] = None
    screen.searching.scope = Scope(mode, **filters)
    screen.document.rendered = memory.get("rendered") is not False
    screen.hits.resume = text_of(memory.get("passage" if screen.desk.query else "document"))
    lay_out(screen, memory)


PREVIEW, TYPED = 0.04, 0.15
"""Seconds that a row must stay chosen before its document is opened; while one types, each key may choose another."""
_READING = ("library", "library-page", "library-look", "library-meaning", "library-doc")
"""Jobs that a write does not cancel."""

Part = Literal["list", "doc", "why"]


class LibraryScreen(PaneScreen, PasteSearchPane):
    """The box on top, the hits, the document at the cited lines, the trace.

    `wanted`: search for this, or open this citation. Then the user is `visiting`: Esc returns to the previous place,
    with what is here left as it is.
    """

    PANE = "library"
    LIST = "library-hits"
    STACKS = False
    LANES = ("library", "library-page", "library-doc", "library-watch", "library-look", "library-values",
             "library-passage")  # fmt: skip
    CSS_PATH = sheet("library")
    BINDINGS = bindings("library")

    def __init__(self, context: PaneContext, request: PaneSearchLibrary | PaneOpenCitation | None = None) -> None:
        super().__init__(context)
        jobs, signs, clock, config = self.jobs, self.signs, self.clock, context.around.config
        meaning = context.keep("meaning", lambda: Meaning(jobs, context.process))
        settings = config.values if config else None
        self.desk = context.keep("desk", lambda: desk_of(context.memory, settings))
        search = request if isinstance(request, PaneSearchLibrary) else None
        self.desk.turn_to(search.query if search else "", request.uri if isinstance(request, PaneOpenCitation) else "")
        self.visiting = request is not None
        self.target: CiteTarget | None = search.target if search else None
        self.box = SearchBox(id="library-box", placeholder="Search notes, documents and code")
        self.hits = Hits(jobs, signs, clock)
        self.search = Search(
            self.hits, self.box, jobs, "library", lambda text, pasted: self.searching.ask(text, pasted=pasted),
            begin=self._begin_search, leave=self.to_list, open=self._open_document,
        )  # fmt: skip
        self.document = DocumentView(jobs, signs)
        self.why = TraceView(signs, id="library-trace", nothing=no_trace())
        self.searching = Searching(self, meaning, clock)
        self.acts = LibraryActs(self)
        self.body = Container(id="library-body", classes="-at-list")
        self._pinned = False  # whether the document was requested directly, not chosen in the list
        recall(self, self.desk.memory)
        self.show_filters()

    def compose_body(self) -> ComposeResult:
        yield self.box
        with self.body:
            yield self.hits
            with Container(id="library-reading"):
                yield self.document
                yield self.why
        yield IngestLine(self.signs)

    def on_mount(self) -> None:
        """Start in the search box with the last state; read again after each write."""
        self.follow_casebook("library-watch", _READING, self.searching.look_again)
        self.set_focus(self.box)
        self.hits.show_notice(reading())
        if self.desk.query:
            self.box.ask(self.desk.query)
            self.box.select_all()  # what was searched the last time gives way to what is typed
        else:
            self.searching.load()
        if self.desk.uri:
            self.open_citation(self.desk.uri)
        elif self.desk.searched:
            self.to_list()

    def on_unmount(self) -> None:
        self.searching.meaning.forget()

    # What is going on ------------------------------------------------------------------------------------------------

    @property
    def hit(self) -> SearchHit | None:
        """The passage that the list points at; None where documents are listed."""
        return self.hits.hit

    @property
    def cited(self) -> str | None:
        """The citation of what is chosen: of the passage, else the first line of the document."""
        if self._pinned and self.document.wanted is not None:
            return self.document.wanted.uri
        if self.hit is not None:
            return self.hit.citation.uri
        document = self.hits.document
        return None if document is None else f"{document.doc_path}#L1"

    @property
    def reads(self) -> bool:
        """Whether the focus is in the document or the trace."""
        return self.document.has_focus or self.why.has_focus

    @property
    def passage(self) -> str | None:
        """What is chosen, as it is cited: the passage where it is one, else the line of the document."""
        hit, uri = self.hit, self.cited
        return hit.chunk_id if hit is not None and hit.citation.uri == uri else uri

    @property
    def query_text(self) -> str:
        return self.searching.text

    def leave(self) -> None:
        """Back to where one came from."""
        if self.is_current:
            self.dismiss()

    def way_back(self) -> Callable[[], object] | None:
        if self._pinned and self.acts.answer_waits:
            return lambda: self.acts.ask(back=True)
        return self.leave if self.visiting else None

    def situation(self) -> Situation:
        document = self.document.laid
        return LibraryNow(
            "box" if self.box.has_focus else "library",
            cases=self.hits.total,
            query=self.box.query_text,
            filtered=bool(self.searching.scope.picked),
            library=True,
            empty=_empty(self),
            citing=self.target.label if self.target is not None else "",
            cited=self.cited is not None,
            hit=self.hit is not None,
            document=document is not None,
            markdown=document is not None and bool(document.opened.blocks),
        )

    def remembered(self) -> Memory:
        """What stays of the pane while another one is open, and is written down."""
        self.desk.memory, self.desk.query = memory_of(self), self.box.query_text
        return self.desk.memory

    def on_descendant_focus(self) -> None:
        if self.document.has_focus:
            self.at("doc")
        elif self.why.has_focus:
            self.at("why")
        elif not self.has_class("-zoomed"):
            self.at("list")
        self.show_filters()
        self.changed()

    def show_filters(self) -> None:
        """Show the active filters on the box: a document may cover the list."""
        self.box.border_title = draw_box_title(self.searching.scope.picked, self.signs, typing=self.box.has_focus)

    def at(self, part: Part) -> None:
        """Which part a narrow screen shows."""
        self.body.update_classes({f"-at-{name}": name == part for name in ("list", "doc", "why")})

    # Queries and results ---------------------------------------------------------------------------------------------

    def ask(self, query: str) -> None:
        """Search for this."""
        self.box.ask(query)
        self.to_list()

    def open_citation(self, uri: str) -> None:
        """Show what is cited there, whatever the list points at, until one moves in the list."""
        from core.library.citations.citation import parse

        try:
            path = parse(uri).path
        except Fault as fault:
            self.say_fault(fault)
            return
        self._pinned, self.desk.uri, self.acts.answer_waits = True, "", False
        self.document.want(DocumentPlace(path, uri, self.box.query_text))
        self.set_focus(self.document)  # at once, drawn or not: what is typed behind is meant for it

    def keep_reading(self, hits: Sequence[SearchHit]) -> None:
        """Other hits come while one reads: a document whose passage is not among them stays all the same."""
        if self.hit is not None and self.hit.chunk_id not in {one.chunk_id for one in hits}:
            self._pinned = True

    def follow(self) -> None:
        """The document is the list's again."""
        self._pinned = False

    def load(self) -> None:
        """Read again what is shown: the library has changed."""
        self.searching.load()
        self.document.again()

    def searched(self) -> None:
        """The list has its answer: what is said of it, and what is possible, follows."""
        if self.box.has_focus and not self.box.query_text and _empty(self):
            self.to_list()  # the key that is offered there would be typed here
        self._make_room()
        self.searching.explain()
        self.changed()

    def on_resize(self) -> None:
        self._make_room()
        self.call_after_refresh(self.searching.explain)  # a wider terminal shows the trace

    def _make_room(self) -> None:
        """On a narrow screen the document is below its hits, where these are one or two."""
        few = self.hits.total if self.hit is not None and self.size.height >= _FEW_FROM else 0
        self.body.update_classes({"-one-hit": few == 1, "-two-hits": few == 2})

    def on_hits_chosen(self, event: Hits.Chosen) -> None:
        """Another row is the chosen one: open its document, if the choice stays."""
        event.stop()
        self._pinned = self._pinned and not self.hits.rows.has_focus
        if not self._pinned:
            self._want_chosen(TYPED if self.box.has_focus else PREVIEW)
        self.searching.explain()
        self.changed()

    def _want_chosen(self, calm: float = 0.0) -> None:
        """Open the document of the chosen row after `calm` seconds."""
        hit, document = self.hit, self.hits.document
        if hit is not None:
            self.document.want(DocumentPlace(hit.doc_path, hit.citation.uri, self.searching.text), calm)
        elif document is not None:
            self.document.want(DocumentPlace(document.doc_path), calm)
        elif not self.hits.total:
            self.document.want(None)

    def on_hits_opened(self, event: Hits.Opened) -> None:
        event.stop()
        self._open_document()

    def on_document_view_loaded(self, event: DocumentView.Loaded) -> None:
        event.stop()
        self.changed()

    # What one can do -------------------------------------------------------------------------------------------------

    def actions(self) -> Acts:
        return {
            **self.acts.actions(),
            **self.search.actions(),
            "list.back": self._back,
            "case.back": self._out_of_document,
            "library.cite": lambda: self.target.cite(self) if self.target is not None else None,
            "why.back": lambda: self.acts.toggle_why() if self.acts.why_is_opened else self.document.focus(),
            "view.zoom": lambda: self.set_class(not self.has_class("-zoomed"), "-zoomed"),
            "view.reload": self.load,
        }

    def _begin_search(self) -> None:
        """Go to the box: its text stays until new text replaces it."""
        self.remove_class("-zoomed")
        self.box.focus()
        self.box.select_all()

    def _open_document(self) -> None:
        """Into the document of the chosen row, if there is one; another one is not shown until that is read."""
        if self.hits.total:
            if not self._pinned:
                self._want_chosen()
            self.document.hide_other()
            self.document.focus()

    def to_list(self) -> None:
        self.remove_class("-zoomed")
        self.at("list")
        self.hits.body.take_focus()

    def _out_of_document(self) -> None:
        if self._pinned and (self.visiting or self.acts.answer_waits):
            self._back()
        else:
            self.to_list()

    def _back(self) -> None:
        if self.has_class("-zoomed"):
            self.remove_class("-zoomed")
        elif self._pinned and self.acts.answer_waits:  # the trace may have been open before the source was
            self.acts.ask(back=True)
        elif self.acts.why_is_opened:
            self.acts.toggle_why()
        elif self.visiting and self.is_current:
            self.dismiss()
        elif not self.search.clear() and self.searching.scope.picked:
            self.searching.show(self.searching.scope.cleared())


def _empty(screen: LibraryScreen) -> bool:
    """Whether nothing was ever read in, and the list says so."""
    body = screen.hits.body.notice
    return body.display and body.notice == nothing_ingested()


open_pane = LibraryScreen
