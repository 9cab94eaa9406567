"""What the Library pane remembers from one day to the next: mode, filters, form, trace, and the row one was at.

A search is remembered once one has gone into what it found: while one types, nothing is to be written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tui.panes.common.memory import lay_out, layout_of, one_of, text_of
from tui.panes.library.ask.conversation import Talk
from tui.panes.library.filters import KINDS, MODES, PERIODS, Scope
from tui.render.common.untrusted import inline
from tui.runtime.state import Memory, Scalar

if TYPE_CHECKING:
    from core.base.config.settings import Settings
    from tui.panes.library.screen import LibraryScreen

_NAME = 500


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
    """What to remember now."""
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
    before, query = screen.desk.memory, screen.box.asked
    same = query == (before.get("query") or "")
    if screen.box.has_focus and not same:
        return {"query": None, "passage": None, "document": before.get("document")}
    hits, hit, document = screen.hits, screen.hits.hit, screen.hits.document
    passage = hits.resume or (hit.chunk_id if hit is not None else before.get("passage") if same else None)
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
