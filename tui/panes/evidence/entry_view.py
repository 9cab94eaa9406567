"""The entry a quote belongs to, what blocks its promotion, and how the machine came to its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from tui.actions.registry import bindings
from tui.panes.evidence.queries import ReadQuote
from tui.render.common.glyphs import Signs
from tui.render.common.trace import draw_trace
from tui.render.evidence.quotes import draw_entry
from tui.widgets.scroll_text import Reading

if TYPE_CHECKING:
    from core.evidence import Choice, Place


class EntryView(Reading):
    """Shows one entry, and below it the trace of the chosen quote."""

    BINDINGS = bindings("case")

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="evidence-entry")
        self._signs = signs
        self._read: ReadQuote | None = None
        self._entry = Static()
        self._trace = Static()
        self.border_title = Content("Entry")

    def compose(self) -> ComposeResult:
        """The entry, the trace."""
        yield self._entry
        yield self._trace

    def show(self, read: ReadQuote | None) -> None:
        """Show the entry of this quote."""
        self._read = read
        self._entry.update(Content("") if read is None else draw_entry(read.quote, read.entry, self._signs))
        self.judged(None)

    def judged(self, place: Place | Choice | None) -> None:
        """Show how the place on the screen was judged, below how it was found."""
        if self._read is None:
            self._trace.update(Content(""))
            return
        found = self._read.quote.found
        head = Content.styled("\nHow it was located\n", "bold $cb-dim")
        steps = (*(found.trace if found is not None else ()), *(place.fit.trace if place is not None else ()))
        trace = draw_trace(steps, self._signs) if found is not None else Content("Not looked for yet.")
        self._trace.update(Content.assemble(head, trace))
