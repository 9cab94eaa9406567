"""Why this answer: the trace of the search, on demand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from tui.actions import bindings
from tui.render.signs import Signs
from tui.render.states import draw_notice, no_trace
from tui.render.trace import draw_trace
from tui.widgets.reading import Reading

if TYPE_CHECKING:
    from core.trace import Step


class TraceView(Reading):
    """Shows the steps of the last search."""

    BINDINGS = bindings("why")

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="why")
        self._signs = signs
        self._steps = Static()
        self.border_title = Content("Why")

    def compose(self) -> ComposeResult:
        """One block."""
        yield self._steps

    def on_mount(self) -> None:
        """Nothing was searched yet."""
        self.explain(())

    def explain(self, steps: Sequence[Step]) -> None:
        """Show these steps."""
        self._steps.update(draw_trace(steps, self._signs) if steps else draw_notice(no_trace()))
        took = sum(step.elapsed_ms for step in steps)
        self.border_subtitle = Content(f"{took:.1f} ms" if took else "")
        self.scroll_home(animate=False)
